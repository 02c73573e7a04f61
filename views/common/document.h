// SPDX-License-Identifier: GPL-3.0-or-later
// The open file: its path, its bytes on disk, and the editor that holds the text.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>
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
  // One undo step; a label names it when it is taken back.
  virtual void apply(const std::vector<TextEdit>& edits, const std::string& label) = 0;
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
  // The text differs from what is known of the disk.
  bool modified() const { return edited_ || differs_; }
  void set_modified(bool edited);

  // Empty on success, else what went wrong.
  QString open(const QString& path);
  QString save();  // refuses where the file changed on disk meanwhile
  QString save_as(const QString& path);
  void start_new(const std::string& text = {});
  // Unsaved text of an earlier session, over its file if that is there: one undo step. `base`: hash of
  // the disk's text that it began as; another one is asked about before anything is saved.
  void restore(const QString& path, const std::string& text, const std::string& base = {});
  std::string base() const;  // of the disk's text as last read, written or waived

  // After `changed_on_disk`: the file's text as one undo step, or the editor's text in spite of it.
  QString reload();
  void keep_mine();
  std::optional<std::string> disk_text() const;  // nullopt: not to be read

  void apply(const std::vector<TextEdit>& edits, const std::string& label = {});

 signals:
  void text_changed();  // typed, undone, applied or loaded
  void path_changed();       // the name alone; before `opened` where the text is another one, too
  void saved_as();           // the same text has another path now
  void modified_changed(bool modified);
  void opened();
  void changed_on_disk();    // and there is unsaved text
  void reloaded_from_disk(); // there was none, so the text followed
  void gone_from_disk();

 private:
  void begin(const QString& path, const std::string& text);
  void watch();
  void check_disk();
  void set_state(bool edited, bool differs);

  PendingHunks pending_;
  TextStore* store_ = nullptr;
  QString path_;
  std::string on_disk_;      // as last read, written or waived
  bool edited_ = false;
  bool differs_ = false;     // the disk holds another text than the one last saved here
  bool gone_ = false;
  QFileSystemWatcher watcher_;
  QTimer settle_;            // writers touch a file several times
};

// The one edit that makes `after` of `before`; empty if they are equal.
std::vector<TextEdit> difference(const std::string& before, const std::string& after);

}  // namespace bakery::views
