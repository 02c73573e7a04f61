// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/document.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include "core_ir/source.h"

namespace bakery::views {

Document::Document(QObject* parent) : QObject(parent) {
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, [this] {
    watch();
    QFile file(path_);
    if (file.open(QIODevice::ReadOnly) && file.readAll().toStdString() != on_disk_) emit changed_on_disk();
  });
}

QString Document::file_name() const {
  return path_.isEmpty() ? QStringLiteral("untitled.cake") : QFileInfo(path_).fileName();
}

void Document::set_modified(bool modified) {
  if (modified == modified_) return;
  modified_ = modified;
  emit modified_changed(modified);
}

QString Document::open(const QString& path) {
  const QString shown = QDir::toNativeSeparators(path);
  QFile file(path);
  if (QFileInfo(path).isDir()) return tr("%1 is a folder").arg(shown);
  if (!file.open(QIODevice::ReadOnly)) return tr("can't read %1: %2").arg(shown, file.errorString());
  std::string text = file.readAll().toStdString();
  if (const size_t bad = find_invalid_utf8(text); bad != std::string::npos)
    return tr("%1 is not UTF-8: byte %2 is 0x%3")
        .arg(shown)
        .arg(bad)
        .arg(static_cast<unsigned char>(text[bad]), 2, 16, QLatin1Char('0'));
  path_ = QFileInfo(path).absoluteFilePath();
  on_disk_ = text;
  if (store_) store_->replace_text(text);
  set_modified(false);
  watch();
  emit path_changed();
  emit opened();
  return {};
}

QString Document::save() { return save_as(path_); }

QString Document::save_as(const QString& path) {
  const std::string bytes = text();
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), static_cast<qint64>(bytes.size())) < 0 ||
      (on_disk_ = bytes, !file.commit()))
    return tr("can't write %1: %2").arg(QDir::toNativeSeparators(path), file.errorString());
  const QString absolute = QFileInfo(path).absoluteFilePath();
  const bool moved = absolute != path_;
  path_ = absolute;
  if (store_) store_->mark_saved();
  set_modified(false);
  watch();
  if (moved) emit path_changed();
  return {};
}

void Document::start_new(const std::string& text) {
  path_.clear();
  on_disk_.clear();
  if (store_) store_->replace_text(text);
  set_modified(false);
  emit path_changed();
  emit opened();
}

void Document::apply(const std::vector<TextEdit>& edits) {
  if (store_) store_->apply(edits);
}

void Document::watch() {
  if (!watcher_.files().isEmpty()) watcher_.removePaths(watcher_.files());
  if (!path_.isEmpty() && QFile::exists(path_)) watcher_.addPath(path_);
}

}  // namespace bakery::views
