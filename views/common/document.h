// SPDX-License-Identifier: GPL-3.0-or-later
// The open file: its path, its bytes on disk, and the editor that holds the text.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>

#include <string>
#include <vector>

#include "core_ir/finding.h"
#include "views/common/pending_hunks.h"

namespace bakery::views {

// What holds the text; the editor.
class TextStore {
 public:
  virtual ~TextStore() = default;
  virtual std::string text() const = 0;
  virtual void replace_text(const std::string& text) = 0;  // a new document: forgets the undo history
  virtual void apply(const std::vector<TextEdit>& edits) = 0;  // one undo step
  virtual void mark_saved() = 0;
};

class Document : public QObject {
  Q_OBJECT

 public:
  explicit Document(QObject* parent = nullptr);

  void attach(TextStore* store) { store_ = store; }
  // What an agent proposes for this text.
  PendingHunks& pending() { return pending_; }
  std::string text() const { return store_ ? store_->text() : std::string(); }
  const QString& path() const { return path_; }
  QString file_name() const;  // "untitled.cake" without a path
  bool modified() const { return modified_; }
  void set_modified(bool modified);

  // Empty on success, else what went wrong.
  QString open(const QString& path);
  QString save();
  QString save_as(const QString& path);
  void start_new(const std::string& text = {});

  void apply(const std::vector<TextEdit>& edits);

 signals:
  void text_changed();  // typed, undone, applied or loaded
  void path_changed();
  void modified_changed(bool modified);
  void opened();
  void changed_on_disk();

 private:
  void watch();

  PendingHunks pending_;
  TextStore* store_ = nullptr;
  QString path_;
  std::string on_disk_;
  bool modified_ = false;
  QFileSystemWatcher watcher_;
};

}  // namespace bakery::views
