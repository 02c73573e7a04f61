// SPDX-License-Identifier: Apache-2.0
#include "app/session/fixes.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "app/session/line_diff.h"

namespace bakery {
namespace {

constexpr size_t kMaxCandidates = 160;

class Candidates {
 public:
  Candidates(const Analysis& analysis, const Finding& finding)
      : source_(analysis.source), schedule_(analysis.schedule), finding_(finding), line_end_(line_end_of(source_.text())) {}

  std::vector<Fix> make() {
    spelling();
    if (!schedule_.complete) return std::move(fixes_);
    const std::string& id = finding_.id;
    if (id == "DATA-001" || id == "SAFE-004" || id == "HW-006") offsets();
    if (id == "HW-005") swizzles();
    if (id == "SCHED-009" || id == "SAFE-004" || id == "HW-003") depths();
    if (id == "SCHED-003" || id == "SCHED-004" || id == "SCHED-007" || id == "SCHED-005" || id == "SCHED-006" || id == "SAFE-001") counts();
    if (id == "DATA-005") insert_everywhere("lm.fence_proxy()");
    if (id == "SAFE-003") {
      insert_everywhere("lm.sync()");
      insert_everywhere("lm.store_wait(pending=0)");
    }
    if (id == "DATA-002" || id == "DATA-003" || id == "DATA-004" || id == "DATA-006" || id == "SCHED-002" || id == "SCHED-005" ||
        id == "SCHED-006")
      waits();
    if (id == "SCHED-002" || id == "SCHED-003" || id == "SCHED-007" || id == "SAFE-001") arrivals();
    if (id == "DATA-003" || id == "DATA-007" || id == "DATA-004") {
      pendings();
      for (const char* statement : {"lm.mma_wait(pending=1)", "lm.mma_wait(pending=0)", "lm.store_wait(pending=1)", "lm.store_wait(pending=0)"})
        insert_everywhere(statement);
    }
    if (id == "DATA-006") initial();
    return std::move(fixes_);
  }

 private:
  void add(std::string title, std::vector<TextEdit> edits) {
    if (fixes_.size() >= kMaxCandidates) return;
    for (const Fix& known : fixes_)
      if (known.edits.size() == edits.size() && known.edits.front().span == edits.front().span && known.edits.front().text == edits.front().text) return;
    fixes_.push_back({std::move(title), std::move(edits)});
  }

  std::string text(Span span) const { return std::string(source_.slice(span)); }
  uint32_t line_of(Span span) const { return source_.position(span.begin).line; }

  std::string indentation(uint32_t line) const {
    const std::string_view text = source_.line(line);
    return std::string(text.substr(0, text.find_first_not_of(" \t") == std::string_view::npos ? text.size() : text.find_first_not_of(" \t")));
  }

  // A new line before `line`, or after `end`'s line, with the indentation of `like`.
  void insert_line(uint32_t before, uint32_t like, const std::string& statement) {
    const uint32_t at = source_.offset({before, 1});
    const bool at_end = before > source_.line_count();
    std::string inserted = indentation(like) + statement;
    if (at_end && !source_.text().empty() && source_.text().back() != '\n') inserted.insert(0, line_end_);
    inserted += line_end_;
    add("insert `" + statement + "` before line " + std::to_string(before), {{{at, at}, std::move(inserted)}});
  }

  // "did you mean `x`?"
  void spelling() {
    if (finding_.id != "LANG-002" && finding_.id != "LANG-003") return;
    const size_t at = finding_.message.find("did you mean `");
    if (at == std::string::npos) return;
    const size_t begin = at + 14, end = finding_.message.find('`', begin);
    if (end == std::string::npos) return;
    const std::string name = finding_.message.substr(begin, end - begin);
    add("change to `" + name + "`", {{finding_.span, name}});
  }

  // ---- where to insert ------------------------------------------------------------------

  bool concerns(Index role) const {
    const std::string& name = schedule_.roles[role].name;
    if (finding_.role == name) return true;
    for (const Related& related : finding_.related)
      if (related.role == name) return true;
    return finding_.role.empty();
  }

  // Before and after every operation of the roles that the finding names.
  template <class Visitor>
  void positions(Visitor visit) const {
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (const bool subject_first : {true, false})
      for (const Op& op : schedule_.ops) {
        if (op.role == kNone || !concerns(op.role)) continue;
        if ((schedule_.roles[op.role].name == finding_.role) != subject_first) continue;
        const uint32_t first = line_of(op.span), last = source_.position(op.span.end).line;
        if (seen.insert({first, first}).second) visit(op, first, first);
        if (seen.insert({last + 1, first}).second) visit(op, last + 1, first);
      }
  }

  void insert_everywhere(const std::string& statement) {
    positions([&](const Op&, uint32_t before, uint32_t like) { insert_line(before, like, statement); });
  }

  // Slot expressions that are in use near a line of a role: what `stage=` or a subscript says.
  std::vector<std::string> slot_texts(Index role) const {
    std::vector<std::string> found;
    const auto note = [&](std::string text) {
      if (!text.empty() && std::find(found.begin(), found.end(), text) == found.end()) found.push_back(std::move(text));
    };
    for (const Op& op : schedule_.ops) {
      if (op.role != role) continue;
      if (op.barrier == kNone && op.a.space != Space::shared) continue;
      if (op.stage_span.end != 0 && op.barrier != kNone) note(text(op.stage_span));
      for (const Region* region : {&op.a, &op.b}) {
        if (region->space != Space::shared || region->stage == kNone) continue;
        const std::string whole = text(region->span);
        const size_t open = whole.find('[');
        if (open != std::string::npos && whole.back() == ']') note(whole.substr(open + 1, whole.size() - open - 2));
      }
    }
    for (const Pipeline& pipeline : schedule_.pipelines) {
      note(pipeline.name + ".current()");
      note(pipeline.name + ".previous()");
    }
    return found;
  }

  std::vector<Index> barriers() const {
    std::vector<Index> found;
    const auto named = [&](const std::string& name) {
      for (Index b = 0; b < schedule_.barriers.size(); ++b)
        if (schedule_.barriers[b].name == name && std::find(found.begin(), found.end(), b) == found.end()) found.push_back(b);
    };
    named(finding_.resource);
    for (const Related& related : finding_.related) named(related.resource);
    return found;
  }

  void waits() {
    for (Index b : barriers()) {
      const Barrier& barrier = schedule_.barriers[b];
      for (Index role : barrier.consumers) {
        const std::vector<std::string> slots = barrier.count > 1 ? slot_texts(role) : std::vector<std::string>{""};
        for (const std::string& slot : slots)
          positions([&](const Op& op, uint32_t before, uint32_t like) {
            if (op.role == role && before == like)
              insert_line(before, like, "lm.wait(" + barrier.name + (slot.empty() ? "" : ", stage=" + slot) + ")");
          });
      }
    }
  }

  std::string innermost_loop(Index role) const {
    std::string name;
    for (const Stmt& stmt : schedule_.stmts)
      if (stmt.kind == StmtKind::loop && schedule_.roles[role].body_span.contains(stmt.span.begin)) name = schedule_.symbols[stmt.symbols[0]].name;
    return name;
  }

  void arrivals() {
    for (Index b : barriers()) {
      const Barrier& barrier = schedule_.barriers[b];
      for (Index role : barrier.producers) {
        const std::vector<std::string> slots = barrier.count > 1 ? slot_texts(role) : std::vector<std::string>{""};
        for (const std::string& slot : slots) {
          const std::string stage = slot.empty() ? "" : ", stage=" + slot;
          positions([&](const Op& op, uint32_t before, uint32_t like) {
            if (op.role != role || before == like) return;
            const std::string loop = innermost_loop(role);
            if (slot.ends_with(".previous()") && !loop.empty())
              insert_line(before, like, "lm.arrive(" + barrier.name + stage + ", when=(" + loop + " > 0))");
            insert_line(before, like, "lm.arrive(" + barrier.name + stage + ")");
          });
        }
      }
    }
  }

  // ---- values ---------------------------------------------------------------------------

  void counts() {
    for (Index b : barriers()) {
      const Barrier& barrier = schedule_.barriers[b];
      int64_t agents = 0, fillers = 0;
      for (Index role : barrier.producers) {
        agents += schedule_.roles[role].agents();
        ++fillers;
      }
      for (int64_t count : {agents, fillers, barrier.init_count + 1, barrier.init_count - 1})
        if (count >= 1 && count != barrier.init_count)
          add("set `init_count` of `" + barrier.name + "` to " + std::to_string(count), {{barrier.init_span, std::to_string(count)}});
    }
  }

  void pendings() {
    for (const Op& op : schedule_.ops) {
      if (operation(op.code).waits_for == Completion::immediate || !concerns(op.role)) continue;
      const std::string whole = text(op.span);
      const size_t at = whole.find("pending=");
      if (at == std::string::npos) continue;
      const auto begin = static_cast<uint32_t>(op.span.begin + at + 8);
      uint32_t end = begin;
      while (end < op.span.end && std::isdigit(static_cast<unsigned char>(source_.text()[end]))) ++end;
      for (int pending : {0, 1, 2})
        if (pending != op.pending && end > begin)
          add("set `pending=` to " + std::to_string(pending) + " at line " + std::to_string(line_of(op.span)), {{{begin, end}, std::to_string(pending)}});
    }
  }

  void initial() {
    for (const Op& op : schedule_.ops) {
      if (op.init_span.end == 0 || !concerns(op.role)) continue;
      const std::string loop = innermost_loop(op.role);
      if (!loop.empty()) add("initialise in the first round of `" + loop + "`", {{op.init_span, "(" + loop + " == 0)"}});
      add("initialise the accumulator", {{op.init_span, "True"}});
    }
  }

  const View* view(const std::string& name) const {
    for (const View& v : schedule_.views)
      if (v.name == name) return &v;
    return nullptr;
  }

  void offsets() {
    std::vector<std::string> names = {finding_.resource};
    for (const Related& related : finding_.related) names.push_back(related.resource);
    for (const std::string& name : names) {
      const View* moved = view(name);
      if (!moved) continue;
      const auto move = [&](const std::string& offset) {
        if (offset != text(moved->offset_span)) add("move `" + name + "` to offset " + offset, {{moved->offset_span, offset}});
      };
      move("0");
      for (const View& other : schedule_.views) {
        if (other.pool != moved->pool || &other == moved) continue;
        // Written with the other view's own words, so that tunables stay tunable.
        const std::string stages = other.stages == 1 ? "" : text(other.stage_span) + " * ";
        const std::string size = stages + std::to_string(other.stage_bytes());
        const std::string base = text(other.offset_span);
        move(base == "0" ? size : base + " + " + size);
      }
    }
  }

  void swizzles() {
    const View* v = view(finding_.resource);
    if (!v || v->swizzle_span.end == 0) return;
    for (int span : {128, 64, 32, 0})
      if (span != v->swizzle) add("set `swizzle` of `" + v->name + "` to " + std::to_string(span), {{v->swizzle_span, std::to_string(span)}});
  }

  void depths() {
    for (const Barrier& barrier : schedule_.barriers)
      if (barrier.pipeline != kNone) {
        const Pipeline& pipeline = schedule_.pipelines[barrier.pipeline];
        if (pipeline.stages != barrier.count) {
          add("give `" + barrier.name + "` the stages of `" + pipeline.name + "`", {{barrier.count_span, text(pipeline.stages_span)}});
          add("give `" + pipeline.name + "` the stages of `" + barrier.name + "`", {{pipeline.stages_span, text(barrier.count_span)}});
        }
      }
    for (const Op& op : schedule_.ops) {
      if (op.barrier == kNone || op.dst.space != Space::shared) continue;
      const View& v = schedule_.views[op.dst.resource];
      const Barrier& barrier = schedule_.barriers[op.barrier];
      if (v.stages != barrier.count && v.stage_span.end != 0)
        add("give `" + v.name + "` the stages of `" + barrier.name + "`", {{v.stage_span, text(barrier.count_span)}});
    }
    for (const Tunable& tunable : schedule_.tunables)
      for (int64_t choice : tunable.choices)
        if (choice != tunable.value && tunable.value_span.end != 0)
          add("set `" + tunable.name + "` to " + std::to_string(choice), {{tunable.value_span, std::to_string(choice)}});
  }

  const SourceText& source_;
  const Schedule& schedule_;
  const Finding& finding_;
  std::string_view line_end_;
  std::vector<Fix> fixes_;
};

// The same fault after an edit: lines shift, the rest stays.
bool same_fault(const Finding& a, const Finding& b) {
  return a.id == b.id && a.role == b.role && a.resource == b.resource;
}

// Where the edits' own text is, once they are applied.
std::vector<Span> written_spans(std::vector<TextEdit> edits) {
  std::sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) { return a.span.begin < b.span.begin; });
  std::vector<Span> spans;
  int64_t shift = 0;
  for (const TextEdit& edit : edits) {
    const auto begin = static_cast<uint32_t>(edit.span.begin + shift);
    spans.push_back({begin, begin + static_cast<uint32_t>(edit.text.size())});
    shift += static_cast<int64_t>(edit.text.size()) - (edit.span.end - edit.span.begin);
  }
  return spans;
}

// Errors that were not there before, and whether one is in what the fix itself wrote.
struct AddedErrors {
  size_t count = 0;
  bool in_fix = false;
};

AddedErrors added_errors(const Analysis& before, const Analysis& after, const Fix& fix) {
  AddedErrors added;
  const std::vector<Span> written = written_spans(fix.edits);
  for (const Finding& finding : after.findings) {
    if (finding.severity != Severity::error) continue;
    const auto known = [&](const Finding& f) { return f.severity == Severity::error && same_fault(f, finding); };
    if (std::any_of(before.findings.begin(), before.findings.end(), known)) continue;
    ++added.count;
    added.in_fix = added.in_fix || std::any_of(written.begin(), written.end(), [&](Span s) { return finding.span.begin >= s.begin && finding.span.begin < s.end; });
  }
  return added;
}

}  // namespace

std::vector<VerifiedFix> find_fixes(const Analysis& analysis, const Finding& finding, const AnalysisOptions& options, size_t limit,
                                    const std::function<bool()>& may_try) {
  std::vector<VerifiedFix> found;
  const size_t errors = analysis.count(Severity::error);
  AnalysisOptions quick = options;
  quick.timeline = true;
  for (Fix& fix : Candidates(analysis, finding).make()) {
    if (options.stop.stop_requested()) return {};
    if (may_try && !may_try()) break;
    std::string text = apply_edits(analysis.source.text(), fix.edits);
    auto after = analyse(analysis.source.name(), text, quick);
    if (after->stopped) return {};
    const size_t left = after->count(Severity::error);
    const bool cleared = std::none_of(after->findings.begin(), after->findings.end(), [&](const Finding& f) {
      return f.severity == Severity::error && same_fault(f, finding);
    });
    if (!after->schedule.complete && finding.gate != Gate::build) continue;  // it no longer builds
    // Removing a LANG- error can uncover what it hid.
    const bool better = finding.gate == Gate::build ? cleared : cleared && left < errors;
    if (!better) continue;
    const AddedErrors added = added_errors(analysis, *after, fix);
    if (added.in_fix) continue;
    found.push_back({std::move(fix), std::move(text), after, after->timeline.end, added.count});
  }
  std::stable_sort(found.begin(), found.end(), [](const VerifiedFix& a, const VerifiedFix& b) {
    const auto key = [](const VerifiedFix& f) {
      return std::tuple(f.added_errors, f.after->count(Severity::error), f.after->count(Severity::hint), f.logical_end, f.after->timeline.events.size());
    };
    return key(a) < key(b);
  });
  if (found.size() > limit) found.erase(found.begin() + static_cast<std::ptrdiff_t>(limit), found.end());
  return found;
}

bool worth_fixing(const Analysis& analysis) {
  const size_t errors = analysis.count(Severity::error);
  return errors > 0 && errors <= 20 && analysis.source.text().size() <= size_t{256} << 10 && analysis.schedule.stmts.size() <= 5000;
}

std::shared_ptr<const Analysis> with_fixes(const Analysis& analysis, const AnalysisOptions& options) {
  auto copy = std::make_shared<Analysis>(analysis);
  for (Finding& finding : copy->findings) {
    if (finding.severity != Severity::error) continue;
    for (VerifiedFix& verified : find_fixes(analysis, finding, options)) finding.fixes.push_back(std::move(verified.fix));
    if (options.stop.stop_requested()) return nullptr;
  }
  return copy;
}

std::string unified_diff(const std::string& name, const std::string& before, const std::string& after) {
  if (before == after) return "";
  const Lines a = lines_of_text(before), b = lines_of_text(after);
  struct Line {
    char mark;
    std::string_view text;
  };
  std::vector<Line> script;
  const auto put = [&](char mark, const Lines& lines, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      std::string_view text = lines[i];
      if (text.ends_with('\n')) text.remove_suffix(1);
      script.push_back({mark, text});
    }
  };
  size_t at_a = 0;
  for (const DiffRange& change : diff_lines(a, b)) {
    put(' ', a, at_a, change.begin);
    put('-', a, change.begin, change.end);
    put('+', b, change.other_begin, change.other_end);
    at_a = change.end;
  }
  put(' ', a, at_a, a.size());

  std::string out = "--- " + name + "\n+++ " + name + "\n";
  constexpr size_t kContext = 3;
  size_t at = 0;
  size_t line_a = 1, line_b = 1;
  while (at < script.size()) {
    if (script[at].mark == ' ') {
      ++at, ++line_a, ++line_b;
      continue;
    }
    size_t begin = at;
    for (size_t i = 0; i < kContext && begin > 0; ++i) --begin, --line_a, --line_b;
    size_t end = at, quiet = 0;
    while (end < script.size() && quiet <= 2 * kContext) quiet = script[end++].mark == ' ' ? quiet + 1 : 0;
    if (quiet > kContext) end -= quiet - kContext;
    size_t count_a = 0, count_b = 0;
    std::string body;
    for (size_t i = begin; i < end; ++i) {
      count_a += script[i].mark != '+';
      count_b += script[i].mark != '-';
      (body += script[i].mark).append(script[i].text) += '\n';
    }
    out += "@@ -" + std::to_string(line_a) + "," + std::to_string(count_a) + " +" + std::to_string(line_b) + "," + std::to_string(count_b) + " @@\n" + body;
    line_a += count_a;
    line_b += count_b;
    at = end;
  }
  return out;
}

}  // namespace bakery
