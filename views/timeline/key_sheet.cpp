// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/key_sheet.h"

#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace bakery::views {

namespace {
constexpr TimelineKey kKeys[] = {
    {"", "Move and zoom"},
    {"W  S, Ctrl+wheel", "zoom about the pointer"},
    {"A  D, arrows, Shift+wheel", "pan; the wheel alone scrolls the lanes"},
    {"Space+drag, middle drag", "pan with the mouse"},
    {"F", "centre the selection; again: fit it"},
    {"0", "show the whole run"},
    {"Backspace", "undo the last zoom"},
    {"1 … 9", "back to a kept place and zoom"},
    {"Ctrl+Shift+1 … 9", "keep this place and zoom"},
    {"", "Step and follow"},
    {"K  J", "next, previous event; in a replay: step of the witness"},
    {"Home  End", "first, last event"},
    {".  ,", "next, previous event on the lane"},
    {">  <  (Shift+. Shift+,)", "next, previous long wait; the length is beside the filter, or its `wait>N`"},
    {"]  [", "along the arrow: to what this released, to what released this"},
    {"P", "play the steps; the speed is beside the button"},
    {"Shift+Up  Shift+Down", "previous, next lane"},
    {"Enter", "open the source in the editor"},
    {"", "Select and measure"},
    {"click", "select; everything that belongs to it lights up in all views"},
    {"drag on lanes or ruler", "area: totals of its time and lanes"},
    {"R", "area of the selection"},
    {"Shift+drag, right drag", "measure steps and iterations"},
    {"M", "marker under the pointer"},
    {"Shift+M", "marker with a note over the area or the selection"},
    {"Delete", "take the nearest marker away"},
    {"", "Show less"},
    {"/", "filter: words, or role:load barrier:full phase:1 stage:2 wait>20 k:3"},
    {"E", "only the iteration of the selection; again: all"},
    {"PageUp  PageDown", "previous, next iteration alone"},
    {"right click on a lane, Menu", "pin, hide, move, height, show all"},
    {"Alt+Up  Alt+Down", "move the lane"},
    {"U  Shift+U", "undo, redo the arrangement of lanes"},
    {"", "More"},
    {"Shift+R", "replay the witness of the finding, or of the first one"},
    {"T", "the events as a table"},
    {"Esc", "leave the replay, stop playing, drop the area, show all, clear the selection: one at a time"},
    {"?", "this sheet"},
};
}  // namespace

std::span<const TimelineKey> timeline_keys() { return kKeys; }

KeySheet::KeySheet(const Theme& theme, QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("timeline_keys"));
  setWindowTitle(tr("Keys of the timeline"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* text = new QTextBrowser(this);
  text->setAccessibleName(windowTitle());
  text->setFrameShape(QFrame::NoFrame);
  QString html = QStringLiteral("<table cellspacing='0' cellpadding='3'>");
  for (const TimelineKey& key : kKeys) {
    const QString effect = tr(key.effect).toHtmlEscaped();
    if (*key.keys == '\0')
      html += QStringLiteral("<tr><td colspan='2' style='color:%1'><b>%2</b></td></tr>").arg(theme.css(Token::muted), effect);
    else
      html += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;&nbsp;</td><td>%2</td></tr>").arg(QString::fromUtf8(key.keys).toHtmlEscaped(), effect);
  }
  text->setHtml(html + QStringLiteral("</table>"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(text, 1);
  layout->addWidget(buttons);
  resize(720, 820);
}

}  // namespace bakery::views
