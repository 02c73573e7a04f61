// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/document.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

#include "app/session/analysis.h"
#include "app/session/files.h"
#include "core_ir/source.h"
#include "views/common/qt_text.h"

namespace bakery::views {

namespace {

constexpr int kSettleMs = 80;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

QString shown(const QString& path) { return QDir::toNativeSeparators(path); }

}  // namespace

std::vector<TextEdit> difference(const std::string& before, const std::string& after) {
  if (before == after) return {};
  const size_t shorter = std::min(before.size(), after.size());
  size_t head = 0, tail = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  while (head > 0 && ((head < before.size() && continues_character(before[head])) || (head < after.size() && continues_character(after[head])))) --head;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  while (tail > 0 && continues_character(before[before.size() - tail])) --tail;
  return {{{static_cast<uint32_t>(head), static_cast<uint32_t>(before.size() - tail)}, after.substr(head, after.size() - tail - head)}};
}

Document::Document(QObject* parent) : QObject(parent) {
  settle_.setSingleShot(true);
  settle_.setInterval(kSettleMs);
  connect(&settle_, &QTimer::timeout, this, &Document::check_disk);
  const auto wait = [this] { settle_.start(); };
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, wait);
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, wait);
}

QString Document::file_name() const {
  return path_.isEmpty() ? QStringLiteral("untitled.cake") : QFileInfo(path_).fileName();
}

void Document::set_modified(bool edited) { set_state(edited, differs_); }

void Document::set_state(bool edited, bool differs) {
  const bool was = modified();
  edited_ = edited;
  differs_ = differs;
  if (was != modified()) emit modified_changed(modified());
}

QString Document::open(const QString& path) {
  QFile file(path);
  if (QFileInfo(path).isDir()) return tr("%1 is a folder").arg(shown(path));
  if (QFileInfo::exists(path) && !QFileInfo(path).isFile()) return tr("%1 is no regular file").arg(shown(path));
  if (!file.open(QIODevice::ReadOnly)) return tr("can't read %1: %2").arg(shown(path), file.errorString());
  if (file.size() > static_cast<qint64>(kMaxFileBytes))
    return tr("%1 has %2 MiB; a schedule has at most %3").arg(shown(path)).arg(file.size() >> 20).arg(kMaxFileBytes >> 20);
  std::string text = file.readAll().toStdString();
  if (const size_t bad = find_invalid_utf8(text); bad != std::string::npos)
    return tr("%1 is not UTF-8: byte %2 is 0x%3")
        .arg(shown(path))
        .arg(bad)
        .arg(static_cast<unsigned char>(text[bad]), 2, 16, QLatin1Char('0'));
  path_ = QFileInfo(path).absoluteFilePath();
  on_disk_ = text;
  gone_ = false;
  if (store_) store_->replace_text(text);
  set_state(false, false);
  watch();
  emit path_changed();
  emit opened();
  return {};
}

std::optional<std::string> Document::disk_text() const {
  QFile file(path_);
  const QFileInfo info(path_);
  if (path_.isEmpty() || !info.isFile() || info.size() > static_cast<qint64>(kMaxFileBytes) || !file.open(QIODevice::ReadOnly)) return std::nullopt;
  return file.readAll().toStdString();
}

QString Document::save() {
  const auto disk = disk_text();
  if (disk && *disk != on_disk_) {
    emit changed_on_disk();
    return tr("%1 changed on disk since it was opened; it was not saved").arg(file_name());
  }
  return save_as(path_);
}

QString Document::save_as(const QString& path) {
  const QFileInfo info(path);
  constexpr QFile::Permissions kWritable = QFile::WriteOwner | QFile::WriteGroup | QFile::WriteOther;
  if (info.exists() && !(info.permissions() & kWritable))
    return tr("%1 is read-only; save it under another name").arg(shown(path));
  const std::string bytes = text(), before = std::exchange(on_disk_, bytes);
  if (const auto error = write_file(QFile::encodeName(path).toStdString(), bytes)) {
    on_disk_ = before;
    return to_qstring(error->message);
  }
  const QString absolute = info.absoluteFilePath();
  const bool moved = absolute != path_;
  path_ = absolute;
  gone_ = false;
  if (store_) store_->mark_saved();
  set_state(false, false);
  watch();
  if (moved) {
    emit saved_as();
    emit path_changed();
  }
  return {};
}

void Document::start_new(const std::string& text) { begin({}, text); }

// Nothing of it is on disk.
void Document::begin(const QString& path, const std::string& text) {
  path_ = path;
  on_disk_.clear();
  gone_ = false;
  if (store_) store_->replace_text(text);
  set_state(false, false);
  watch();
  emit path_changed();
  emit opened();
}

std::string Document::base() const { return content_hash(on_disk_); }

void Document::restore(const QString& path, const std::string& text, const std::string& base) {
  if (path.isEmpty() || !open(path).isEmpty()) begin(path, {});
  apply(difference(this->text(), text), to_utf8(tr("restoring unsaved changes")));
  set_state(true, true);
  if (path.isEmpty() || base.empty() || base == this->base()) return;
  on_disk_.clear();  // saving asks, too
  emit changed_on_disk();
}

QString Document::reload() {
  const auto disk = disk_text();
  if (!disk) return tr("can't read %1").arg(shown(path_));
  if (find_invalid_utf8(*disk) != std::string::npos) return tr("%1 is not UTF-8 any more").arg(shown(path_));
  on_disk_ = *disk;
  // An edit keeps the line ends that the text has.
  const auto windows = [](const std::string& t) { return t.find("\r\n") != std::string::npos; };
  if (store_ && windows(*disk) != windows(text())) store_->replace_text(*disk);
  else apply(difference(text(), *disk), to_utf8(tr("loading %1 from disk").arg(file_name())));
  if (store_) store_->mark_saved();
  set_state(false, false);
  return {};
}

void Document::keep_mine() {
  if (const auto disk = disk_text()) on_disk_ = *disk;
  set_state(edited_, on_disk_ != text());
}

void Document::apply(const std::vector<TextEdit>& edits, const std::string& label) {
  if (store_) store_->apply(edits, label);
}

void Document::check_disk() {
  watch();
  if (path_.isEmpty()) return;
  const auto disk = disk_text();
  if (!disk) {
    if (!std::exchange(gone_, true)) {
      set_state(edited_, true);
      emit gone_from_disk();
    }
    return;
  }
  const bool back = std::exchange(gone_, false);
  if (*disk == on_disk_) {
    if (back) set_state(edited_, false);
    return;
  }
  if (*disk == text()) {
    on_disk_ = *disk;
    if (store_) store_->mark_saved();
    return set_state(false, false);
  }
  if (!edited_ && (back || !differs_) && reload().isEmpty()) return emit reloaded_from_disk();
  set_state(edited_, true);
  emit changed_on_disk();
}

void Document::watch() {
  QStringList watched = watcher_.files() + watcher_.directories(), wanted;
  if (!path_.isEmpty()) {
    for (const QString& path : {path_, QFileInfo(path_).absolutePath()})
      if (QFile::exists(path)) wanted << path;
  }
  if (watched == wanted) return;
  if (!watched.isEmpty()) watcher_.removePaths(watched);
  if (!wanted.isEmpty()) watcher_.addPaths(wanted);
}

}  // namespace bakery::views
