// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_marks.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

#include <memory>

#include "views/common/qt_text.h"

namespace bakery::views {

namespace {

std::unique_ptr<QSettings> settings() {
  const QString home = qEnvironmentVariable("BAKERY_HOME");
  if (!home.isEmpty()) return std::make_unique<QSettings>(QDir(home).filePath(QStringLiteral("timelines.ini")), QSettings::IniFormat);
  return std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("bakery"), QStringLiteral("timelines"));
}

QString key_of(const QString& path) {
  return QString::fromLatin1(QFileInfo(path).absoluteFilePath().toUtf8().toPercentEncoding());
}

template <class Names>
QJsonArray array_of(const Names& names) {
  QJsonArray array;
  for (const std::string& name : names) array.append(to_qstring(name));
  return array;
}

}  // namespace

void save_marks(const QString& path, const TimelineMarks& marks) {
  if (path.isEmpty()) return;
  const auto store = settings();
  if (marks == TimelineMarks{}) return store->remove(key_of(path));
  QJsonObject root;
  root[QStringLiteral("pinned")] = array_of(marks.lanes.pinned);
  root[QStringLiteral("hidden")] = array_of(marks.lanes.hidden);
  root[QStringLiteral("order")] = array_of(marks.lanes.order);
  QJsonObject heights;
  for (const auto& [name, factor] : marks.lanes.height) heights[to_qstring(name)] = factor;
  root[QStringLiteral("height")] = heights;
  QJsonArray collapsed, markers, places;
  for (const bool folded : marks.lanes.collapsed) collapsed.append(folded);
  for (const Marker& marker : marks.markers)
    markers.append(QJsonObject{{QStringLiteral("begin"), static_cast<qint64>(marker.begin)},
                               {QStringLiteral("end"), static_cast<qint64>(marker.end)},
                               {QStringLiteral("note"), marker.note}});
  for (const auto& place : marks.places)
    places.append(place ? QJsonValue(QJsonArray{place->begin, place->steps_per_pixel}) : QJsonValue());
  root[QStringLiteral("collapsed")] = collapsed;
  root[QStringLiteral("markers")] = markers;
  root[QStringLiteral("places")] = places;
  store->setValue(key_of(path), QString::fromUtf8(QJsonDocument(root).toJson(QJsonDocument::Compact)));
}

TimelineMarks load_marks(const QString& path) {
  TimelineMarks marks;
  if (path.isEmpty()) return marks;
  const QJsonObject root = QJsonDocument::fromJson(settings()->value(key_of(path)).toString().toUtf8()).object();
  for (const QJsonValue name : root[QStringLiteral("pinned")].toArray()) marks.lanes.pinned.insert(to_utf8(name.toString()));
  for (const QJsonValue name : root[QStringLiteral("hidden")].toArray()) marks.lanes.hidden.insert(to_utf8(name.toString()));
  for (const QJsonValue name : root[QStringLiteral("order")].toArray()) marks.lanes.order.push_back(to_utf8(name.toString()));
  const QJsonObject heights = root[QStringLiteral("height")].toObject();
  for (auto it = heights.begin(); it != heights.end(); ++it)
    if (const int factor = it.value().toInt(); factor == 2 || factor == 4) marks.lanes.height[to_utf8(it.key())] = factor;
  const QJsonArray collapsed = root[QStringLiteral("collapsed")].toArray();
  for (size_t i = 0; i < marks.lanes.collapsed.size(); ++i) marks.lanes.collapsed[i] = collapsed.at(static_cast<qsizetype>(i)).toBool();
  for (const QJsonValue value : root[QStringLiteral("markers")].toArray()) {
    const QJsonObject marker = value.toObject();
    marks.markers.push_back({marker[QStringLiteral("begin")].toInteger(), marker[QStringLiteral("end")].toInteger(-1),
                             marker[QStringLiteral("note")].toString()});
  }
  const QJsonArray places = root[QStringLiteral("places")].toArray();
  for (size_t i = 0; i < marks.places.size(); ++i) {
    const QJsonArray place = places.at(static_cast<qsizetype>(i)).toArray();
    if (place.size() == 2 && place.at(1).toDouble() > 0) marks.places[i] = StoredPlace{place.at(0).toDouble(), place.at(1).toDouble()};
  }
  return marks;
}

}  // namespace bakery::views
