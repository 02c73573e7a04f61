// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/session_store.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSaveFile>
#include <QStandardPaths>
#include <QUuid>

#include <algorithm>

#include "views/common/qt_text.h"

namespace bakery::views {

namespace {

constexpr int kVersion = 1;
const QString kSuffix = QStringLiteral(".session");

QString lock_of(const QString& file) { return file + QStringLiteral(".lock"); }

std::unique_ptr<QLockFile> try_lock(const QString& file) {
  auto lock = std::make_unique<QLockFile>(lock_of(file));
  lock->setStaleLockTime(0);  // only a dead process loses its lock
  return lock->tryLock(0) ? std::move(lock) : nullptr;
}

// Byte for byte: strings of JSON are not.
QString base64(const std::string& text) { return QString::fromLatin1(QByteArray::fromStdString(text).toBase64()); }

std::optional<SavedSession> read(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  QJsonParseError error{};
  const QJsonObject object = QJsonDocument::fromJson(file.readAll(), &error).object();
  const bool whole = object[QStringLiteral("text")].isString() && object[QStringLiteral("path")].isString() && object[QStringLiteral("when")].isString();
  if (error.error != QJsonParseError::NoError || object[QStringLiteral("version")].toInt() != kVersion || !whole) return std::nullopt;
  SavedSession session;
  session.file = path;
  session.path = object[QStringLiteral("path")].toString();
  session.modified = object[QStringLiteral("modified")].toBool();
  session.base = object[QStringLiteral("base")].toString().toStdString();
  session.text = QByteArray::fromBase64(object[QStringLiteral("text")].toString().toLatin1()).toStdString();
  session.ended = object[QStringLiteral("ended")].toBool();
  session.when = QDateTime::fromString(object[QStringLiteral("when")].toString(), Qt::ISODateWithMs);
  session.parts = object[QStringLiteral("parts")].toObject();
  return session;
}

void remove_session(const QString& file) {
  QFile::remove(file);
  QFile::remove(lock_of(file));
}

}  // namespace

QString session_folder() {
  const QString home = qEnvironmentVariable("BAKERY_HOME");
  if (!home.isEmpty()) return QDir(home).filePath(QStringLiteral("sessions"));
  const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
  return QDir(data).filePath(QStringLiteral("bakery/sessions"));
}

SessionStore::SessionStore(Document& document, const QString& folder, QObject* parent)
    : QObject(parent), document_(document), folder_(folder) {
  pause_.setSingleShot(true);
  pause_.setInterval(kPauseMs);
  connect(&pause_, &QTimer::timeout, this, [this] { write(); });
}

SessionStore::~SessionStore() = default;

void SessionStore::add_part(const QString& name, std::function<QJsonValue()> save, std::function<void(const QJsonValue&)> restore) {
  parts_.push_back({name, std::move(save), std::move(restore)});
}

std::vector<SavedSession> SessionStore::left_over(QStringList* set_aside) const {
  std::vector<SavedSession> sessions;
  for (const QFileInfo& info : QDir(folder_).entryInfoList({QLatin1Char('*') + kSuffix}, QDir::Files)) {
    const QString file = info.absoluteFilePath();
    if (file == file_) continue;
    const auto lock = try_lock(file);
    if (!lock) continue;  // of a running window
    if (auto session = read(file)) {
      sessions.push_back(std::move(*session));
      continue;
    }
    const QString aside = file + QStringLiteral(".unreadable");
    QFile::remove(aside);
    if (QFile::rename(file, aside) && set_aside) *set_aside << aside;
  }
  std::sort(sessions.begin(), sessions.end(), [](const SavedSession& a, const SavedSession& b) { return a.when > b.when; });
  return sessions;
}

bool SessionStore::restore(const SavedSession& session) {
  auto lock = try_lock(session.file);
  if (!lock || !QFile::exists(session.file)) return false;  // another window was faster
  if (session.modified) document_.restore(session.path, session.text, session.base);
  else if (!session.path.isEmpty()) document_.open(session.path);
  for (const Part& part : parts_)
    if (const QJsonValue value = session.parts.value(part.name); !value.isUndefined()) part.restore(value);
  replaced_.push_back({session.file, std::move(lock)});
  touch();
  return true;
}

void SessionStore::discard(const SavedSession& session) { remove_session(session.file); }

QString SessionStore::begin() {
  if (!QDir().mkpath(folder_)) return tr("can't make the folder %1; unsaved changes are not kept").arg(QDir::toNativeSeparators(folder_));
  const QString name = QUuid::createUuid().toString(QUuid::WithoutBraces) + kSuffix;
  const QString file = QDir(folder_).absoluteFilePath(name);
  lock_ = try_lock(file);
  if (!lock_) return tr("can't write in %1; unsaved changes are not kept").arg(QDir::toNativeSeparators(folder_));
  file_ = file;
  return {};
}

// The first change starts the clock, later ones do not put it off.
void SessionStore::touch() {
  if (lock_ && !pause_.isActive()) pause_.start();
}

QJsonObject SessionStore::content(bool ended) const {
  QJsonObject parts;
  for (const Part& part : parts_) parts[part.name] = part.save();
  const bool keeps_text = document_.modified() && !ended;
  return {
      {QStringLiteral("version"), kVersion},
      {QStringLiteral("path"), document_.path()},
      {QStringLiteral("modified"), keeps_text},
      {QStringLiteral("text"), keeps_text ? base64(document_.text()) : QString()},
      {QStringLiteral("base"), to_qstring(document_.base())},
      {QStringLiteral("ended"), ended},
      {QStringLiteral("parts"), parts},
  };
}

QString SessionStore::write() { return write(false); }

QString SessionStore::write(bool ended) {
  if (!lock_) return {};
  pause_.stop();
  QElapsedTimer clock;
  clock.start();
  QJsonObject now = content(ended);
  if (now == written_) return {};  // a caret that went and came back
  written_ = now;
  now[QStringLiteral("when")] = QDateTime::currentDateTime().toString(Qt::ISODateWithMs);
  QSaveFile file(file_);
  const QByteArray bytes = QJsonDocument(now).toJson(QJsonDocument::Compact);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
    const QString error = tr("unsaved changes can't be kept: %1: %2").arg(QDir::toNativeSeparators(file_), file.errorString());
    written_ = {};
    if (!std::exchange(failing_, true)) emit failed(error);
    return error;
  }
  failing_ = false;
  pause_.setInterval(std::max(kPauseMs, static_cast<int>(clock.elapsed()) * 10));  // huge texts less often
  for (const Replaced& old : replaced_) QFile::remove(old.file);
  replaced_.clear();
  emit written();
  return {};
}

void SessionStore::end() {
  if (!lock_) return;
  for (const SavedSession& session : left_over())
    if (session.ended) discard(session);  // only the newest is reopened
  write(true);
  lock_.reset();
}

}  // namespace bakery::views
