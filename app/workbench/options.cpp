// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/options.h"

#include <QCommandLineParser>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>

#include "core_ir/targets.h"
#include "views/common/qt_text.h"

namespace bakery::workbench {

ParsedOptions parse_options(const QStringList& arguments) {
  ParsedOptions result;
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Bakery's desktop workbench for GPU kernel schedules."));
  parser.addPositionalArgument(QStringLiteral("FILE"), QStringLiteral("a schedule (.cake)"), QStringLiteral("[FILE]"));
  const QCommandLineOption help = parser.addHelpOption();
  const QCommandLineOption version = parser.addVersionOption();
  const QCommandLineOption target(QStringLiteral("target"), QStringLiteral("exact target, instead of the decorator's"), QStringLiteral("T"));
  const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light, dark or contrast"), QStringLiteral("THEME"));
  const QCommandLineOption focus(QStringLiteral("focus"),
                                 QStringLiteral("place to light: 'full[2]@2' (barrier or buffer, stage, completion), a role, L33, or a finding's id"),
                                 QStringLiteral("SPEC"));
  const QCommandLineOption view(QStringLiteral("view"), QStringLiteral("view to bring to the front: memory_map, cuda, ..."), QStringLiteral("ID"));
  const QCommandLineOption workspace(QStringLiteral("workspace"), QStringLiteral("author, profile, supervise or teach"), QStringLiteral("ID"));
  const QCommandLineOption lesson(QStringLiteral("lesson"), QStringLiteral("lesson to start; `bakery lessons` lists them"), QStringLiteral("NAME"));
  const QCommandLineOption shot(QStringLiteral("shot"), QStringLiteral("save a picture of the window and leave"), QStringLiteral("PNG"));
  const QCommandLineOption tour(QStringLiteral("tour"), QStringLiteral("save pictures of every view in every theme, print what is clipped, and leave"), QStringLiteral("FOLDER"));
  const QCommandLineOption size(QStringLiteral("size"), QStringLiteral("size of the window, like 1600x1000"), QStringLiteral("WxH"));
  const QCommandLineOption audit(QStringLiteral("audit"), QStringLiteral("with --shot: print clipped texts, exit 1 if there are any"));
  const QCommandLineOption until(QStringLiteral("until-shown"), QStringLiteral("leave as soon as the findings are on screen, to time the start"));
  const QCommandLineOption replay(QStringLiteral("worker-replay"), QStringLiteral("a recorded worker session in place of the device"), QStringLiteral("FILE"));
  const QCommandLineOption contract(QStringLiteral("contract"), QStringLiteral("workload contract to choose"), QStringLiteral("TOML"));
  const QCommandLineOption action(QStringLiteral("do"), QStringLiteral("perform an action as soon as the one before it is done; may be repeated: agent.start, run.simulate, go.replay, ..."), QStringLiteral("ACTION"));
  parser.addOptions({until, tour, target, theme, focus, view, workspace, lesson, shot, size, audit, replay, contract, action});
  if (!parser.parse(arguments)) {
    result.error = parser.errorText();
    return result;
  }
  if (parser.isSet(help)) result.text = parser.helpText().replace(QStringLiteral("<executable_name>"), QStringLiteral("bakery-workbench"));
  if (parser.isSet(version)) result.text = QStringLiteral("bakery-workbench " BAKERY_VERSION "\n");
  const QStringList files = parser.positionalArguments();
  if (files.size() > 1) {
    result.error = QStringLiteral("one file at most, not %1").arg(files.size());
    return result;
  }
  Options& o = result.options;
  if (!files.isEmpty()) o.file = files.front();
  o.target = parser.value(target);
  o.focus = parser.value(focus);
  o.view = parser.value(view);
  o.workspace = parser.value(workspace);
  o.lesson = parser.value(lesson);
  o.shot = parser.value(shot);
  o.tour = parser.value(tour);
  o.until_shown = parser.isSet(until);
  o.audit = parser.isSet(audit);
  o.worker_replay = parser.value(replay);
  if (!o.worker_replay.isEmpty() && !QFile::exists(o.worker_replay)) result.error = QStringLiteral("there is no session %1").arg(o.worker_replay);
  o.contract = parser.value(contract);
  o.actions = parser.values(action);
  if (!o.target.isEmpty() && !find_target(views::to_utf8(o.target))) {
    QStringList names;
    for (const Target& known : targets()) names << QLatin1String(known.name);
    result.error = QStringLiteral("unknown target %1; there are %2").arg(o.target, names.join(QStringLiteral(", ")));
  }
  if (parser.isSet(theme)) {
    o.theme = views::find_theme(parser.value(theme));
    if (!o.theme) result.error = QStringLiteral("unknown theme %1; there are light, dark and contrast").arg(parser.value(theme));
  }
  if (parser.isSet(size)) {
    const auto match = QRegularExpression(QStringLiteral("^(\\d{2,5})x(\\d{2,5})$")).match(parser.value(size));
    if (match.hasMatch() && std::max(match.captured(1).toInt(), match.captured(2).toInt()) <= 8192) o.size = QSize(match.captured(1).toInt(), match.captured(2).toInt());
    else result.error = QStringLiteral("--size wants WIDTHxHEIGHT, at most 8192 each, not %1").arg(parser.value(size));
  }
  if (!o.shot.isEmpty() && o.file.isEmpty() && o.lesson.isEmpty() && result.error.isEmpty())
    result.error = QStringLiteral("--shot needs a FILE or a --lesson");
  return result;
}

}  // namespace bakery::workbench
