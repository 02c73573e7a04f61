// SPDX-License-Identifier: GPL-3.0-or-later
// What is open, written at every pause of half a second, so that a crash costs nothing. One file a
// window, held by a lock that ends with the process; what a dead process left is found at the next start.
#pragma once

#include <QDateTime>
#include <QJsonObject>
#include <QLockFile>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "views/common/document.h"

namespace bakery::views {

struct SavedSession {
  QString file;         // where it is written
  QString path;         // of the document; empty: it had none
  bool modified = false;
  std::string text;     // if modified
  std::string base;     // hash of the disk's text that it began as
  bool ended = false;   // the window was closed; false: it crashed
  QDateTime when;
  QJsonObject parts;
};

class SessionStore : public QObject {
  Q_OBJECT

 public:
  SessionStore(Document& document, const QString& folder, QObject* parent = nullptr);
  ~SessionStore() override;

  // Something of the window that is kept with the text, under a name: a caret, a layout, a conversation.
  void add_part(const QString& name, std::function<QJsonValue()> save, std::function<void(const QJsonValue&)> restore);

  // What no running window holds, newest first. A file that can't be read is set aside and named.
  std::vector<SavedSession> left_over(QStringList* set_aside = nullptr) const;
  // Document and parts; its file goes when this session is written. False: another window has it.
  bool restore(const SavedSession& session);
  void discard(const SavedSession& session);

  // From here on every change is written.
  QString begin();                // empty, or why not
  void touch();                   // something beside the text changed
  QString write();                // now
  void end();                     // the window closes as its user wishes

  static constexpr int kPauseMs = 400;

 signals:
  void failed(const QString& error);  // once a row of failures
  void written();

 private:
  struct Part {
    QString name;
    std::function<QJsonValue()> save;
    std::function<void(const QJsonValue&)> restore;
  };

  struct Replaced {  // a restored session, until this one is written
    QString file;
    std::unique_ptr<QLockFile> lock;
  };

  QJsonObject content(bool ended) const;
  QString write(bool ended);

  Document& document_;
  QString folder_, file_;
  std::unique_ptr<QLockFile> lock_;
  std::vector<Part> parts_;
  std::vector<Replaced> replaced_;
  QTimer pause_;
  QJsonObject written_;
  bool failing_ = false;
};

// Where sessions are kept: under BAKERY_HOME if that is set, else where the system keeps state.
QString session_folder();

}  // namespace bakery::views
