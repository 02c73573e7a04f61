// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace bakery::workbench {

namespace {

constexpr int kActionRole = Qt::UserRole + 1;
constexpr int kKeysRole = Qt::UserRole + 2;
constexpr int kMostRows = 12;

class Rows : public QStyledItemDelegate {
 public:
  explicit Rows(const views::Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    using views::Token;
    const bool chosen = option.state & QStyle::State_Selected;
    const bool enabled = index.flags() & Qt::ItemIsEnabled;
    if (chosen) p->fillRect(option.rect, theme_[Token::selection]);
    const QRect area = option.rect.adjusted(10, 0, -10, 0);
    const QString keys = index.data(kKeysRole).toString();
    const int room = area.width() - option.fontMetrics.horizontalAdvance(keys) - 16;
    p->setPen(theme_[enabled ? Token::text : Token::disabled]);
    p->drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, room));
    p->setPen(theme_[chosen ? Token::text : Token::muted]);
    p->drawText(area, Qt::AlignVCenter | Qt::AlignRight, keys);
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {100, option.fontMetrics.height() + 8};
  }

 private:
  const views::Theme& theme_;
};

}  // namespace

std::optional<int> fuzzy_score(const QString& pattern, const QString& text) {
  int score = 0;
  qsizetype at = 0;
  qsizetype before = -2;
  for (const QChar c : pattern) {
    if (c.isSpace()) continue;
    qsizetype found = -1;
    for (qsizetype i = at; i < text.size() && found < 0; ++i)
      if (text[i].toLower() == c.toLower()) found = i;
    if (found < 0) return std::nullopt;
    // The start of a word is what people type.
    for (qsizetype i = found; i < text.size() && found != before + 1; ++i)
      if (text[i].toLower() == c.toLower() && (i == 0 || !text[i - 1].isLetterOrNumber())) {
        found = i;
        break;
      }
    const bool starts_word = found == 0 || !text[found - 1].isLetterOrNumber();
    score += found == before + 1 ? 8 : starts_word ? 6 : 1;
    before = found;
    at = found + 1;
  }
  return score * 100 - static_cast<int>(text.size());
}

QString action_title(const QAction& action) {
  QString title = action.text().remove(QLatin1Char('&'));
  const QString menu = action.property("menu").toString();
  return menu.isEmpty() ? title : QStringLiteral("%1: %2").arg(menu, title);
}

Palette::Palette(const views::Theme& theme, QWidget* window) : QFrame(window), theme_(theme) {
  setObjectName(QStringLiteral("palette"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  line_ = new QLineEdit(this);
  line_->setObjectName(QStringLiteral("palette_line"));
  line_->setPlaceholderText(tr("Type a few letters of an action"));
  line_->setAccessibleName(tr("Find an action"));
  list_ = new QListView(this);
  list_->setObjectName(QStringLiteral("palette_list"));
  list_->setAccessibleName(tr("Actions"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setUniformItemSizes(true);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setItemDelegate(new Rows(theme, list_));
  model_ = new QStandardItemModel(this);
  list_->setModel(model_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(line_);
  layout->addWidget(list_);
  line_->installEventFilter(this);
  connect(line_, &QLineEdit::textEdited, this, &Palette::filter);
  connect(list_, &QListView::clicked, this, &Palette::choose);
  hide();
}

void Palette::open(QList<QAction*> actions) {
  actions_ = std::move(actions);
  focus_before_ = QApplication::focusWidget();
  line_->clear();
  filter();
  const QWidget* window = parentWidget();
  const int width = std::min(640, window->width() - 40);
  const int row = std::max(1, list_->sizeHintForRow(0));
  const int height = std::min(window->height() - 80, line_->sizeHint().height() + row * kMostRows + 34);
  setGeometry((window->width() - width) / 2, 48, width, height);
  show();
  raise();
  line_->setFocus();
}

void Palette::filter() {
  struct Match {
    QAction* action;
    int score;
  };
  std::vector<Match> matches;
  for (QAction* action : actions_) {
    const auto score = fuzzy_score(line_->text(), action_title(*action));
    if (!score) continue;
    const qsizetype recent = recent_.indexOf(action->objectName());
    const int bonus = line_->text().isEmpty() && recent >= 0 ? 100000 - static_cast<int>(recent) : 0;
    matches.push_back({action, line_->text().isEmpty() ? bonus : *score});
  }
  std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) { return a.score > b.score; });
  model_->clear();
  for (const Match& match : matches) {
    auto* item = new QStandardItem(action_title(*match.action));
    item->setData(QVariant::fromValue(match.action), kActionRole);
    item->setData(match.action->shortcut().toString(QKeySequence::NativeText), kKeysRole);
    item->setEnabled(match.action->isEnabled());
    model_->appendRow(item);
  }
  if (model_->rowCount() == 0) {
    auto* item = new QStandardItem(tr("No action has these letters"));
    item->setEnabled(false);
    model_->appendRow(item);
  }
  list_->setCurrentIndex(model_->index(0, 0));
}

void Palette::choose() {
  const QModelIndex index = list_->currentIndex();
  auto* action = index.data(kActionRole).value<QAction*>();
  if (!action || !action->isEnabled()) return;
  recent_.removeAll(action->objectName());
  recent_.prepend(action->objectName());
  leave();
  action->trigger();
}

void Palette::leave() {
  hide();
  if (focus_before_) focus_before_->setFocus();
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != line_) return QFrame::eventFilter(watched, event);
  if (event->type() == QEvent::FocusOut && isVisible()) {
    focus_before_.clear();
    hide();
    return false;
  }
  if (event->type() != QEvent::KeyPress) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  const int rows = model_->rowCount();
  const auto move = [&](int by) {
    list_->setCurrentIndex(model_->index(std::clamp(list_->currentIndex().row() + by, 0, rows - 1), 0));
    return true;
  };
  switch (key->key()) {
    case Qt::Key_Up: return move(-1);
    case Qt::Key_Down: return move(1);
    case Qt::Key_PageUp: return move(-kMostRows);
    case Qt::Key_PageDown: return move(kMostRows);
    case Qt::Key_Return:
    case Qt::Key_Enter: choose(); return true;
    case Qt::Key_Escape: leave(); return true;
    default: return false;
  }
}

}  // namespace bakery::workbench
