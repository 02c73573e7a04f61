// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/diff_dialog.h"

#include <QDialogButtonBox>
#include <QPlainTextEdit>
#include <QSyntaxHighlighter>
#include <QVBoxLayout>

#include "views/common/qt_text.h"

namespace bakery::views {

namespace {

class DiffColours : public QSyntaxHighlighter {
 public:
  DiffColours(QTextDocument* document, const Theme& theme) : QSyntaxHighlighter(document), theme_(theme) {
    connect(&theme, &Theme::changed, this, &QSyntaxHighlighter::rehighlight);
  }

 protected:
  void highlightBlock(const QString& line) override {
    const auto paint = [&](Token token) { setFormat(0, static_cast<int>(line.size()), theme_[token]); };
    if (line.startsWith(QLatin1String("+++")) || line.startsWith(QLatin1String("---")) || line.startsWith(QLatin1String("@@"))) paint(Token::muted);
    else if (line.startsWith(QLatin1Char('+'))) paint(Token::ok);
    else if (line.startsWith(QLatin1Char('-'))) paint(Token::error);
  }

 private:
  const Theme& theme_;
};

}  // namespace

QDialog* show_diff(const QString& title, const std::string& diff, const Theme& theme, QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("diff_dialog"));
  dialog->setWindowTitle(title);
  auto* text = new QPlainTextEdit(diff.empty() ? QObject::tr("There is no difference.") : to_qstring(diff), dialog);
  text->setReadOnly(true);
  text->setFont(code_font());
  text->setLineWrapMode(QPlainTextEdit::NoWrap);
  text->setAccessibleName(title);
  new DiffColours(text->document(), theme);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(text);
  layout->addWidget(buttons);
  dialog->resize(820, 520);
  dialog->show();
  return dialog;
}

}  // namespace bakery::views
