// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/audit.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>

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

}  // namespace

QStringList audit(QWidget* window) {
  QStringList faults;
  for (QWidget* widget : window->findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    const QSize given = widget->size();
    if (widget->visibleRegion().isEmpty()) continue;
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
