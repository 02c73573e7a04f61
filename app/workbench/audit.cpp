// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/audit.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QHash>
#include <QHeaderView>
#include <QImage>
#include <QLabel>

#include <algorithm>

#include "views/common/tokens.h"

namespace bakery::workbench {

namespace {

QString fault(const QWidget* widget, const QString& text, QSize wanted, QSize given) {
  const QString name = widget->objectName().isEmpty() ? QString::fromLatin1(widget->metaObject()->className()) : widget->objectName();
  return QStringLiteral("%1: '%2' wants %3x%4, has %5x%6")
      .arg(name, text)
      .arg(wanted.width())
      .arg(wanted.height())
      .arg(given.width())
      .arg(given.height());
}

// Contrast of a widget's text with what is behind it, as painted: the commonest colour against the
// one that differs most from it.
double painted_contrast(QWidget* widget) {
  const QImage image = widget->grab().toImage().convertToFormat(QImage::Format_RGB32);
  QHash<QRgb, int> counts;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) ++counts[image.pixel(x, y)];
  QRgb ground = 0;
  for (auto it = counts.cbegin(); it != counts.cend(); ++it)
    if (it.value() > counts.value(ground)) ground = it.key();
  double best = 1;
  for (auto it = counts.cbegin(); it != counts.cend(); ++it) best = std::max(best, views::contrast(QColor(ground), QColor(it.key())));
  return best;
}

constexpr double kLeastContrast = 4.5;   // WCAG 2, AA
constexpr double kLeastDisabled = 2.0;   // exempt there, but not invisible here

void find_faint(QWidget* widget, QStringList& faults) {
  const auto* button = qobject_cast<QAbstractButton*>(widget);
  const auto* label = qobject_cast<QLabel*>(widget);
  const QString text = button ? button->text() : label ? label->text() : QString();
  if (text.isEmpty() || widget->width() < 4 || widget->height() < 4) return;
  const double ratio = painted_contrast(widget);
  if (ratio < (widget->isEnabled() ? kLeastContrast : kLeastDisabled))
    faults << QStringLiteral("%1: '%2' has a contrast of %3").arg(widget->objectName(), text).arg(ratio, 0, 'f', 1);
}

// Labels, buttons and fields of one parent that lie on one another.
void find_overlaps(const QWidget* parent, QStringList& faults) {
  QList<const QWidget*> parts;
  for (const QObject* child : parent->children()) {
    const auto* widget = qobject_cast<const QWidget*>(child);
    if (widget && widget->isVisible() && !widget->isWindow() && (qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLabel*>(widget) ||
                                                               qobject_cast<const QComboBox*>(widget)))
      parts << widget;
  }
  for (qsizetype i = 0; i < parts.size(); ++i)
    for (qsizetype k = i + 1; k < parts.size(); ++k) {
      const QRect common = parts[i]->geometry() & parts[k]->geometry();
      if (common.width() > 1 && common.height() > 1)
        faults << QStringLiteral("%1: %2 and %3 overlap").arg(parent->objectName(), parts[i]->objectName(), parts[k]->objectName());
    }
}

}  // namespace

QStringList audit(QWidget* window) {
  QStringList faults;
  find_overlaps(window, faults);
  for (QWidget* widget : window->findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    const QSize given = widget->size();
    if (widget->visibleRegion().isEmpty()) continue;
    find_faint(widget, faults);
    find_overlaps(widget, faults);
    if (auto* label = qobject_cast<QLabel*>(widget)) {
      if (label->text().isEmpty()) continue;
      const QSize wanted = label->wordWrap() ? QSize(0, label->heightForWidth(given.width())) : label->sizeHint();
      if (wanted.width() > given.width() || wanted.height() > given.height())
        faults << fault(widget, label->text(), wanted, given);
    } else if (auto* button = qobject_cast<QAbstractButton*>(widget)) {
      const QSize wanted = button->minimumSizeHint().isValid() ? button->minimumSizeHint() : button->sizeHint();
      if (!button->text().isEmpty() && (wanted.width() > given.width() || wanted.height() > given.height()))
        faults << fault(widget, button->text(), wanted, given);
    } else if (auto* picker = qobject_cast<QComboBox*>(widget)) {
      if (picker->sizeHint().width() > given.width()) faults << fault(widget, picker->currentText(), picker->sizeHint(), given);
    } else if (auto* dock = qobject_cast<QDockWidget*>(widget)) {
      const int wanted = dock->fontMetrics().horizontalAdvance(dock->windowTitle()) + 48;
      if (wanted > given.width()) faults << fault(widget, dock->windowTitle(), QSize(wanted, 0), given);
      if (dock->widget() && (dock->widget()->height() < 40 || dock->widget()->width() < 40))
        faults << fault(dock->widget(), dock->windowTitle(), QSize(40, 40), dock->widget()->size());
    } else if (auto* header = qobject_cast<QHeaderView*>(widget)) {
      const auto* tree = qobject_cast<const QAbstractItemView*>(header->parentWidget());
      if (header->orientation() != Qt::Horizontal || !header->model()) continue;
      for (int section = 0; section < header->count(); ++section) {
        const QString text = header->model()->headerData(section, Qt::Horizontal).toString();
        const int wanted = header->fontMetrics().horizontalAdvance(text) + 12;
        if (wanted > header->sectionSize(section)) faults << fault(header, text, QSize(wanted, 0), QSize(header->sectionSize(section), 0));
        if (tree && section + 1 < header->count() && tree->sizeHintForColumn(section) > header->sectionSize(section))
          faults << fault(tree, text, QSize(tree->sizeHintForColumn(section), 0), QSize(header->sectionSize(section), 0));
      }
    }
  }
  return faults;
}

}  // namespace bakery::workbench
