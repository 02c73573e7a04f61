// SPDX-License-Identifier: Apache-2.0
#include "profiler/store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace bakery {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyTimeoutMs = 5000;

// Version n of the schema is reached by running the first n scripts.
constexpr const char* kMigrations[] = {
    R"(
CREATE TABLE candidates(
  hash TEXT PRIMARY KEY, schedule TEXT NOT NULL, file TEXT NOT NULL, target TEXT NOT NULL, text TEXT NOT NULL,
  parent TEXT NOT NULL, author TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE runs(
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, candidate TEXT NOT NULL, contract_hash TEXT NOT NULL,
  code_hash TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL, shape TEXT NOT NULL, status TEXT NOT NULL,
  started INTEGER NOT NULL, ended INTEGER NOT NULL, detail TEXT NOT NULL);
CREATE INDEX runs_by_candidate ON runs(candidate);
CREATE TABLE findings(
  run INTEGER NOT NULL REFERENCES runs(id), id TEXT NOT NULL, severity TEXT NOT NULL, line INTEGER NOT NULL,
  message TEXT NOT NULL, json TEXT NOT NULL);
CREATE INDEX findings_by_run ON findings(run);
CREATE TABLE figures(
  run INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, value REAL NOT NULL, unit TEXT NOT NULL);
CREATE INDEX figures_by_run ON figures(run);
CREATE TABLE decisions(
  id INTEGER PRIMARY KEY AUTOINCREMENT, candidate TEXT NOT NULL, kind TEXT NOT NULL, who TEXT NOT NULL,
  reason TEXT NOT NULL, detail TEXT NOT NULL, at INTEGER NOT NULL);
)",
};
constexpr int kVersion = static_cast<int>(std::size(kMigrations));

bool writable_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !error && ::access(folder.c_str(), W_OK) == 0;
}

fs::path home_folder() {
  if (const char* home = std::getenv("BAKERY_HOME"); home && *home) return home;
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data) return fs::path(data) / "bakery";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".local" / "share" / "bakery";
  return fs::temp_directory_path() / "bakery";
}

}  // namespace

int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

struct Store::Impl {
  explicit Impl(const std::string& p) : path(p), db(p, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs) {
    db.exec("PRAGMA journal_mode=WAL");
    db.exec("PRAGMA synchronous=NORMAL");
    db.exec("PRAGMA foreign_keys=ON");
    migrate();
    SQLite::Statement check(db, "PRAGMA quick_check(1)");
    if (!check.executeStep() || check.getColumn(0).getString() != "ok") throw std::runtime_error("the database is damaged");
  }

  void migrate() {
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    int version = db.execAndGet("PRAGMA user_version").getInt();
    if (version > kVersion)
      throw std::domain_error("it was written by a newer Bakery (schema " + std::to_string(version) + ", this one knows " + std::to_string(kVersion) + ")");
    for (; version < kVersion; ++version) db.exec(kMigrations[version]);
    db.exec("PRAGMA user_version=" + std::to_string(kVersion));
    transaction.commit();
  }

  std::string path;
  SQLite::Database db;
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

std::string Store::path_for(const std::string& file) {
  const char* home = std::getenv("BAKERY_HOME");
  if (!home || !*home) {
    std::error_code error;
    const fs::path folder = fs::absolute(file, error).parent_path() / ".bakery";
    if (!error && writable_folder(folder)) return (folder / "store.db").string();
  }
  const fs::path folder = home_folder();
  writable_folder(folder);
  return (folder / "store.db").string();
}

std::string Store::look_for(const std::string& file) {
  const char* home = std::getenv("BAKERY_HOME");
  std::error_code error;
  const fs::path folder = fs::absolute(file, error).parent_path();
  const auto writable = [](const fs::path& path) { return ::access(path.c_str(), W_OK) == 0; };
  if ((!home || !*home) && !error && writable(fs::exists(folder / ".bakery", error) ? folder / ".bakery" : folder)) return (folder / ".bakery" / "store.db").string();
  return (home_folder() / "store.db").string();
}

std::optional<Store> Store::open(const std::string& path, std::string* note) {
  const auto say = [&](const std::string& text) {
    if (note) *note = text;
  };
  writable_folder(fs::path(path).parent_path());
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      return Store(std::make_unique<Impl>(path));
    } catch (const std::domain_error& error) {
      say("no store: `" + path + "` cannot be used: " + error.what());
      return std::nullopt;
    } catch (const std::exception& error) {
      std::error_code ignored;
      if (attempt > 0 || !fs::exists(path, ignored) || fs::is_directory(path, ignored)) {
        say("no store: `" + path + "` cannot be opened: " + error.what());
        return std::nullopt;
      }
      if (std::string(error.what()).find("locked") != std::string::npos) {
        say("no store: `" + path + "` is locked by another program");
        return std::nullopt;
      }
      const std::string aside = path + ".damaged-" + std::to_string(now_ms());
      fs::rename(path, aside, ignored);
      for (const char* suffix : {"-wal", "-shm"}) fs::remove(path + suffix, ignored);
      say("the store was damaged (" + std::string(error.what()) + "); it was moved to `" + aside + "` and a new one begun");
    }
  }
  return std::nullopt;
}

const std::string& Store::path() const { return impl_->path; }

void Store::add(const StoredCandidate& c) {
  SQLite::Statement insert(impl_->db, "INSERT OR IGNORE INTO candidates VALUES(?,?,?,?,?,?,?,?)");
  SQLite::bind(insert, c.hash, c.schedule, c.file, c.target, c.text, c.parent, c.author, c.created == 0 ? now_ms() : c.created);
  insert.exec();
}

int64_t Store::add(const StoredRun& r) {
  SQLite::Transaction transaction(impl_->db, SQLite::TransactionBehavior::IMMEDIATE);
  SQLite::Statement insert(impl_->db,
                           "INSERT INTO runs(kind,candidate,contract_hash,code_hash,device,driver,shape,status,started,ended,detail) "
                           "VALUES(?,?,?,?,?,?,?,?,?,?,?)");
  SQLite::bind(insert, r.kind, r.candidate, r.contract_hash, r.code_hash, r.device, r.driver, r.shape, r.status, r.started, r.ended, r.detail);
  insert.exec();
  const int64_t id = impl_->db.getLastInsertRowid();
  SQLite::Statement finding(impl_->db, "INSERT INTO findings VALUES(?,?,?,?,?,?)");
  for (const StoredFinding& f : r.findings) {
    SQLite::bind(finding, id, f.id, f.severity, f.line, f.message, f.json);
    finding.exec();
    finding.reset();
  }
  SQLite::Statement figure(impl_->db, "INSERT INTO figures VALUES(?,?,?,?)");
  for (const StoredFigure& f : r.figures) {
    SQLite::bind(figure, id, f.name, f.value, f.unit);
    figure.exec();
    figure.reset();
  }
  transaction.commit();
  return id;
}

int64_t Store::add(const StoredDecision& d) {
  SQLite::Statement insert(impl_->db, "INSERT INTO decisions(candidate,kind,who,reason,detail,at) VALUES(?,?,?,?,?,?)");
  SQLite::bind(insert, d.candidate, d.kind, d.who, d.reason, d.detail, d.at == 0 ? now_ms() : d.at);
  insert.exec();
  return impl_->db.getLastInsertRowid();
}

namespace {

StoredRun read_run(SQLite::Statement& row) {
  StoredRun r;
  r.id = row.getColumn(0).getInt64();
  r.kind = row.getColumn(1).getString();
  r.candidate = row.getColumn(2).getString();
  r.contract_hash = row.getColumn(3).getString();
  r.code_hash = row.getColumn(4).getString();
  r.device = row.getColumn(5).getString();
  r.driver = row.getColumn(6).getString();
  r.shape = row.getColumn(7).getString();
  r.status = row.getColumn(8).getString();
  r.started = row.getColumn(9).getInt64();
  r.ended = row.getColumn(10).getInt64();
  r.detail = row.getColumn(11).getString();
  r.schedule = row.getColumn(12).getString();
  return r;
}

void read_parts(SQLite::Database& db, StoredRun& r) {
  SQLite::Statement findings(db, "SELECT id,severity,line,message,json FROM findings WHERE run=? ORDER BY rowid");
  findings.bind(1, r.id);
  while (findings.executeStep())
    r.findings.push_back({findings.getColumn(0).getString(), findings.getColumn(1).getString(), findings.getColumn(3).getString(),
                          findings.getColumn(4).getString(), findings.getColumn(2).getInt()});
  SQLite::Statement figures(db, "SELECT name,value,unit FROM figures WHERE run=? ORDER BY rowid");
  figures.bind(1, r.id);
  while (figures.executeStep())
    r.figures.push_back({figures.getColumn(0).getString(), figures.getColumn(1).getDouble(), figures.getColumn(2).getString()});
}

constexpr const char* kSelectRuns = "SELECT r.*, COALESCE(c.schedule,'') FROM runs r LEFT JOIN candidates c ON c.hash=r.candidate ";

}  // namespace

std::vector<StoredRun> Store::history(size_t limit, const std::string& schedule) const {
  SQLite::Statement rows(impl_->db, std::string(kSelectRuns) + "WHERE ?1='' OR c.schedule=?1 OR c.file=?1 ORDER BY r.id DESC LIMIT ?2");
  rows.bind(1, schedule);
  rows.bind(2, static_cast<int64_t>(limit));
  std::vector<StoredRun> found;
  while (rows.executeStep()) found.push_back(read_run(rows));
  for (StoredRun& r : found) read_parts(impl_->db, r);
  return found;
}

std::optional<StoredRun> Store::run(int64_t id) const {
  SQLite::Statement rows(impl_->db, std::string(kSelectRuns) + "WHERE r.id=?");
  rows.bind(1, id);
  if (!rows.executeStep()) return std::nullopt;
  StoredRun r = read_run(rows);
  read_parts(impl_->db, r);
  return r;
}

std::optional<StoredCandidate> Store::candidate(const std::string& hash) const {
  SQLite::Statement row(impl_->db, "SELECT * FROM candidates WHERE hash=?");
  row.bind(1, hash);
  if (!row.executeStep()) return std::nullopt;
  return StoredCandidate{row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString(), row.getColumn(3).getString(),
                         row.getColumn(4).getString(), row.getColumn(5).getString(), row.getColumn(6).getString(), row.getColumn(7).getInt64()};
}

std::vector<StoredCandidate> Store::candidates(size_t limit) const {
  SQLite::Statement rows(impl_->db, "SELECT hash FROM candidates ORDER BY created DESC LIMIT ?");
  rows.bind(1, static_cast<int64_t>(limit));
  std::vector<StoredCandidate> found;
  while (rows.executeStep()) found.push_back(*candidate(rows.getColumn(0).getString()));
  return found;
}

std::vector<StoredDecision> Store::decisions(size_t limit) const {
  SQLite::Statement rows(impl_->db, "SELECT id,candidate,kind,who,reason,detail,at FROM decisions ORDER BY id DESC LIMIT ?");
  rows.bind(1, static_cast<int64_t>(limit));
  std::vector<StoredDecision> found;
  while (rows.executeStep())
    found.push_back({rows.getColumn(0).getInt64(), rows.getColumn(1).getString(), rows.getColumn(2).getString(), rows.getColumn(3).getString(),
                     rows.getColumn(4).getString(), rows.getColumn(5).getString(), rows.getColumn(6).getInt64()});
  return found;
}

}  // namespace bakery
