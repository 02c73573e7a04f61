// SPDX-License-Identifier: Apache-2.0
// Whatever order things come in, the person's text is what a list of lines says, which knows nothing
// of hunks, baselines or merging.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "agent_panel/harness/review.h"

namespace bakery {
namespace {

using List = std::vector<std::string>;

std::string joined(const List& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The agent's start plus what was accepted, read from the saved review.
std::string baseline_of(const Review& review) {
  std::string text;
  const auto saved = nlohmann::json::parse(review.to_json());
  for (const auto& segment : saved.at("segments")) {
    const bool accepted = segment.is_object() && segment.at("state") == static_cast<int>(HunkState::accepted);
    text += text_of_lines(segment.is_array() ? segment.get<Lines>() : segment.at(accepted ? "text" : "before").get<Lines>());
  }
  return text;
}

List bare(const Lines& lines) {
  List out;
  for (const std::string& line : lines) out.push_back(line.substr(0, line.find('\n')));
  return out;
}

long index_of(const List& list, const std::string& line) {
  const auto it = std::find(list.begin(), list.end(), line);
  return it == list.end() ? -1 : it - list.begin();
}

bool has(const List& list, const std::string& line) { return index_of(list, line) >= 0; }

// `from` stands between `above` and `below` (empty: the end of the text) and becomes `to`.
struct Swap {
  std::string above, below;
  List from, to;
  int hunk = 0;
};

// Where `from` is, whole; for an empty one the gap between its neighbours. Lines are unique.
std::optional<size_t> find_run(const List& list, const Swap& swap) {
  if (swap.from.empty()) {
    const long above = swap.above.empty() ? -1 : index_of(list, swap.above);
    const long below = swap.below.empty() ? static_cast<long>(list.size()) : index_of(list, swap.below);
    if ((!swap.above.empty() && above < 0) || below < 0 || above + 1 != below) return std::nullopt;
    return static_cast<size_t>(below);
  }
  const long at = index_of(list, swap.from[0]);
  if (at < 0 || static_cast<size_t>(at) + swap.from.size() > list.size()) return std::nullopt;
  for (size_t i = 0; i < swap.from.size(); ++i)
    if (list[static_cast<size_t>(at) + i] != swap.from[i]) return std::nullopt;
  return static_cast<size_t>(at);
}

// All of them or none.
bool make(List& list, const std::vector<Swap>& swaps) {
  std::vector<size_t> places;
  for (const Swap& swap : swaps) {
    const auto at = find_run(list, swap);
    if (!at) return false;
    places.push_back(*at);
  }
  for (size_t i = swaps.size(); i-- > 0;) {
    const auto at = list.begin() + static_cast<long>(places[i]);
    const auto rest = list.erase(at, at + static_cast<long>(swaps[i].from.size()));
    list.insert(rest, swaps[i].to.begin(), swaps[i].to.end());
  }
  return true;
}

struct ModelDecision {
  std::vector<Swap> swaps;                                  // of the person's text; none: it stays
  std::map<int, std::pair<HunkState, HunkState>> states;
  List base_before, base_after;
  List settled;                                             // the person's lines that a settled conflict took
  bool was_conflict = false;
  std::vector<std::pair<List, List>> texts;                 // the person's, before and after
  bool stale = false;
  std::set<int> known;                                      // hunks that there were
  bool moves() const { return !texts.empty() && texts.back().first != texts.back().second; }
};

// The swaps that lead back, with the neighbours that they have in `after`.
std::vector<Swap> back(const std::vector<Swap>& swaps, const List& before) {
  std::vector<Swap> out;
  List list = before;
  std::vector<size_t> at;
  for (const Swap& swap : swaps) at.push_back(*find_run(before, swap));
  List after = before;
  make(after, swaps);
  long shift = 0;
  for (size_t i = 0; i < swaps.size(); ++i) {
    const size_t begin = static_cast<size_t>(static_cast<long>(at[i]) + shift), end = begin + swaps[i].to.size();
    out.push_back({begin > 0 ? after[begin - 1] : "", end < after.size() ? after[end] : "", swaps[i].to, swaps[i].from});
    shift += static_cast<long>(swaps[i].to.size()) - static_cast<long>(swaps[i].from.size());
  }
  return out;
}

class Play {
 public:
  explicit Play(uint64_t seed) : random_(seed) {
    const int n = pick(0, 12);
    for (int i = 0; i < n; ++i) mine_.push_back(fresh("line"));
    base_ = agent_ = mine_;
    review_ = Review(joined(mine_));
  }

  std::string step() {
    static const std::vector<std::pair<int, void (Play::*)()>> moves = {
        {5, &Play::agent_edits}, {6, &Play::person_types}, {6, &Play::accepts},    {3, &Play::edits_and_accepts}, {4, &Play::rejects},
        {2, &Play::restores},    {1, &Play::accepts_all},  {1, &Play::rejects_all}, {4, &Play::undoes},            {3, &Play::redoes},
        {4, &Play::editor_undo}, {3, &Play::editor_redo},  {2, &Play::crashes}};
    int total = 0;
    for (const auto& [weight, move] : moves) total += weight;
    int at = pick(0, total - 1);
    for (const auto& [weight, move] : moves) {
      if (at < weight) {
        (this->*move)();
        break;
      }
      at -= weight;
    }
    if (problem_.empty()) compare();
    return problem_;
  }

  // The editor's undo brought lines back whose hunk the agent has replaced since. They are the person's
  // now, but lines are no longer unique, and that is all this model goes by.
  bool blurred() const {
    return std::any_of(mine_.begin(), mine_.end(), [&](const std::string& line) {
      return (line.starts_with("agent") || line.starts_with("edited")) && !has(base_, line);
    });
  }

  const std::vector<std::string>& log() const { return log_; }
  std::map<std::string, int> counts;

 private:
  int pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  std::string fresh(const char* who) { return who + std::to_string(++number_); }
  void say(const std::string& what) { log_.push_back(what); }
  void fail(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

  // Deletes, inserts or replaces up to three lines.
  void scribble(List& list, const char* who) {
    const int at = pick(0, static_cast<int>(list.size()));
    const int gone = std::min(pick(0, 2), static_cast<int>(list.size()) - at);
    const int come = gone == 0 ? pick(1, 3) : pick(0, 3);
    List lines;
    for (int i = 0; i < come; ++i) lines.push_back(fresh(who));
    list.erase(list.begin() + at, list.begin() + at + gone);
    list.insert(list.begin() + at, lines.begin(), lines.end());
    say("    " + std::string(who) + " at " + std::to_string(at) + ": -" + std::to_string(gone) + " +" + std::to_string(come));
  }

  void agent_edits() {
    say("agent edits");
    ++counts["agent"];
    const List old = agent_;
    for (int i = pick(1, 2); i > 0; --i) scribble(agent_, "agent");
    std::map<int, List> lines;  // of the decided hunks
    for (const PlacedHunk& placed : review_.hunks()) lines[placed.hunk.id] = bare(placed.hunk.proposed);
    review_.propose(joined(agent_));
    // A decided hunk may only go if the agent changed one of its lines, or what is around its gap.
    for (auto it = states_.begin(); it != states_.end();) {
      if (review_.find(it->first)) {
        ++it;
        continue;
      }
      bool untouched = it->second != HunkState::pending && !lines[it->first].empty();
      for (const std::string& line : lines[it->first]) untouched = untouched && has(agent_, line);
      if (untouched) {
        const long at = index_of(agent_, lines[it->first][0]);
        for (size_t i = 0; i < lines[it->first].size(); ++i)
          untouched = untouched && agent_[static_cast<size_t>(at) + i] == lines[it->first][i];
      }
      if (untouched) fail("the decision on hunk " + std::to_string(it->first) + " went though the agent left it alone");
      it = states_.erase(it);
    }
    adopt();
  }

  // Hunks that are new have to be pending.
  void adopt() {
    for (const PlacedHunk& placed : review_.hunks())
      if (!states_.count(placed.hunk.id)) {
        if (placed.hunk.state != HunkState::pending) fail("a new hunk is " + std::string(to_string(placed.hunk.state)));
        states_[placed.hunk.id] = HunkState::pending;
      }
  }

  void editor_step(const List& before) {
    if (before == mine_) return;
    undo_texts_.push_back(before);
    redo_texts_.clear();
  }

  void person_types() {
    say("person types");
    ++counts["typing"];
    const List before = mine_;
    scribble(mine_, "person");
    editor_step(before);
    typed();
  }

  // What the person's text says about decisions: one that is as if it had not been made is not made.
  void typed() {
    const Review before = review_;
    review_.typed(joined(mine_));
    const auto newest = std::find_if(done_.rbegin(), done_.rend(), [](const ModelDecision& d) { return d.moves(); });
    if (newest != done_.rend() && std::any_of(newest->texts.begin(), newest->texts.end(), [&](const auto& t) { return t.first == mine_; })) {
      ++counts["followed undo"];
      ModelDecision decision = *newest;
      const long at = std::next(newest).base() - done_.begin();
      done_.erase(done_.begin() + at);
      done_.erase(std::remove_if(done_.begin() + at, done_.end(), [&](const ModelDecision& later) {
        return std::any_of(decision.states.begin(), decision.states.end(), [&](const auto& s) { return !later.known.count(s.first); });
      }), done_.end());
      untake(decision);
      decision.stale = false;
      undone_.push_back(decision);
      return;
    }
    for (size_t i = undone_.size(); i-- > 0;) {
      ModelDecision decision = undone_[i];
      const bool here = std::any_of(decision.texts.begin(), decision.texts.end(), [&](const auto& t) { return t.first != mine_ && t.second == mine_; });
      if (!here || !all_known(decision) || in_effect(decision)) continue;
      ++counts["followed redo"];
      undone_.erase(undone_.begin() + static_cast<long>(i));
      for (auto& [id, change] : decision.states) change.first = states_[id];
      // Its lines came back; where other decisions were made since, the baseline may differ.
      decision.base_before = base_;
      decision.known.clear();
      for (const auto& [id, state] : states_) decision.known.insert(id);
      if (!rebase(decision, before)) fail("redo in the editor: the baseline does not fit");
      for (const auto& [id, change] : decision.states) states_[id] = change.second;
      done_.push_back(decision);
      return;
    }
  }

  // The decision's lines came back with the person's text. The neighbours of a gap may be others by now.
  bool rebase(ModelDecision& decision, const Review& before) {
    for (Swap& swap : decision.swaps)
      for (const PlacedHunk& placed : before.hunks())
        if (placed.hunk.id == swap.hunk && swap.from.empty()) swap.above = placed.above, swap.below = placed.below;
    if (!make(base_, decision.swaps)) return false;
    decision.base_after = base_;
    return true;
  }

  bool in_effect(const ModelDecision& decision) const {
    return std::any_of(decision.states.begin(), decision.states.end(), [&](const auto& s) { return states_.at(s.first) == HunkState::accepted; });
  }

  bool all_known(const ModelDecision& decision) const {
    return std::all_of(decision.states.begin(), decision.states.end(), [&](const auto& s) { return states_.count(s.first) > 0; });
  }

  void untake(const ModelDecision& decision) {
    if (!decision.swaps.empty()) base_ = decision.base_before;
    if (std::all_of(decision.states.begin(), decision.states.end(), [&](const auto& s) { return states_.count(s.first) && states_[s.first] == s.second.second; })) {
      for (const auto& [id, change] : decision.states) states_[id] = change.first;
      return;
    }
    // The agent has proposed over it since; what it proposes now is pending again.
    std::map<int, HunkState> next;
    for (const PlacedHunk& placed : review_.hunks()) {
      if (placed.hunk.state == HunkState::accepted && !accepted_hunks_.count(placed.hunk.id))
        fail("an undo accepted hunk " + std::to_string(placed.hunk.id));
      next[placed.hunk.id] = placed.hunk.state;
    }
    states_ = next;
  }

  std::optional<PlacedHunk> any(HunkState state) {
    std::vector<PlacedHunk> some;
    for (const PlacedHunk& placed : review_.hunks())
      if (placed.hunk.state == state) some.push_back(placed);
    if (some.empty()) return std::nullopt;
    return some[static_cast<size_t>(pick(0, static_cast<int>(some.size()) - 1))];
  }

  static Swap swap_of(const PlacedHunk& placed, const List& to) { return {placed.above, placed.below, bare(placed.hunk.before), to, placed.hunk.id}; }

  void take(const std::vector<PlacedHunk>& hunks, const std::vector<List>& texts, HunkState to, const ReviewOutcome& outcome, bool settle) {
    ModelDecision decision;
    decision.base_before = base_;
    for (const auto& [id, state] : states_) decision.known.insert(id);
    const List before = mine_;
    for (size_t i = 0; i < hunks.size(); ++i) {
      decision.states[hunks[i].hunk.id] = {states_[hunks[i].hunk.id], to};
      if (to == HunkState::accepted) decision.swaps.push_back(swap_of(hunks[i], texts[i]));
    }
    if (hunks.empty()) {
      if (outcome) fail("a decision on nothing was taken");
      return;
    }
    List next = mine_;
    bool fits = make(next, decision.swaps);
    if (!fits && settle) {
      // All between the baseline's nearest lines that are still there becomes the text.
      const Swap& swap = decision.swaps[0];
      const long first = static_cast<long>(*find_run(base_, swap)), last = first + static_cast<long>(swap.from.size());
      long above = -1, below = static_cast<long>(mine_.size());
      for (long i = first - 1; i >= 0 && above < 0; --i) above = index_of(mine_, base_[static_cast<size_t>(i)]);
      for (long i = last; i < static_cast<long>(base_.size()); ++i)
        if (const long at = index_of(mine_, base_[static_cast<size_t>(i)]); at >= 0) {
          below = at;
          break;
        }
      decision.settled.assign(mine_.begin() + above + 1, mine_.begin() + below);
      decision.was_conflict = true;
      next.erase(next.begin() + above + 1, next.begin() + below);
      next.insert(next.begin() + above + 1, texts[0].begin(), texts[0].end());
      fits = true;
      ++counts["settled conflict"];
    }
    if (fits != static_cast<bool>(outcome)) return fail(fits ? "refused: " + outcome.problem : "applied in spite of a conflict");
    if (!fits) {
      ++counts["conflict"];
      return;
    }
    if (!make(base_, decision.swaps)) return fail("the model's baseline does not hold the hunk");
    mine_ = next;
    for (const auto& [id, change] : decision.states) states_[id] = change.second;
    decision.base_after = base_;
    decision.texts.emplace_back(before, mine_);
    if (decision.moves())
      for (ModelDecision& old : undone_) old.stale = true;
    done_.push_back(decision);
    editor_step(before);
    if (apply_edits(joined(before), outcome.edits) != joined(mine_)) fail("the edits do not lead to the text");
  }

  void accepts() {
    auto hunk = any(pick(0, 3) ? HunkState::pending : HunkState::rejected);
    if (!hunk) return;
    say("accept " + std::to_string(hunk->hunk.id));
    ++counts["accept"];
    const ReviewOutcome outcome = review_.accept(hunk->hunk.id, "because");
    take({*hunk}, {bare(hunk->hunk.proposed)}, HunkState::accepted, outcome, false);
  }

  void edits_and_accepts() {
    auto hunk = any(HunkState::pending);
    if (!hunk) return;
    List text = bare(hunk->hunk.proposed);
    if (text.empty() || pick(0, 1)) text.insert(text.begin() + pick(0, static_cast<int>(text.size())), fresh("edited"));
    else text[static_cast<size_t>(pick(0, static_cast<int>(text.size()) - 1))] = fresh("edited");
    say("edit and accept " + std::to_string(hunk->hunk.id));
    ++counts["edit"];
    const ReviewOutcome outcome = review_.accept_edited(hunk->hunk.id, joined(text));
    take({*hunk}, {text}, HunkState::accepted, outcome, true);
  }

  void rejects() {
    auto hunk = any(HunkState::pending);
    if (!hunk) return;
    say("reject " + std::to_string(hunk->hunk.id));
    ++counts["reject"];
    take({*hunk}, {}, HunkState::rejected, review_.reject(hunk->hunk.id), false);
  }

  void restores() {
    auto hunk = any(HunkState::rejected);
    if (!hunk) return;
    say("restore " + std::to_string(hunk->hunk.id));
    ++counts["restore"];
    take({*hunk}, {}, HunkState::pending, review_.restore(hunk->hunk.id), false);
  }

  void accepts_all() {
    say("accept all");
    std::vector<PlacedHunk> clean;
    std::vector<List> texts;
    for (const PlacedHunk& placed : review_.hunks()) {
      if (placed.hunk.state != HunkState::pending) continue;
      const Swap swap = swap_of(placed, bare(placed.hunk.proposed));
      if (find_run(mine_, swap).has_value() == placed.conflict) return fail("hunk " + std::to_string(placed.hunk.id) + " says wrongly whether it conflicts");
      if (placed.conflict) continue;
      clean.push_back(placed);
      texts.push_back(swap.to);
    }
    take(clean, texts, HunkState::accepted, review_.accept_all(), false);
  }

  void rejects_all() {
    say("reject all");
    std::vector<PlacedHunk> pending;
    for (const PlacedHunk& placed : review_.hunks())
      if (placed.hunk.state == HunkState::pending) pending.push_back(placed);
    take(pending, std::vector<List>(pending.size()), HunkState::rejected, review_.reject_all(), false);
  }

  void undoes() {
    say("undo");
    if (done_.empty()) {
      if (review_.undo()) fail("undid nothing");
      return;
    }
    ModelDecision decision = done_.back();
    std::vector<Swap> swaps = back(decision.swaps, decision.base_before);
    if (decision.was_conflict) swaps[0].to = decision.settled;
    const List before = mine_;
    List next = mine_;
    const bool fits = make(next, swaps);
    const ReviewOutcome outcome = review_.undo();
    if (fits != static_cast<bool>(outcome)) return fail(fits ? "refused: " + outcome.problem : "undid over what was typed");
    if (!fits) return;
    ++counts["undo"];
    mine_ = next;
    done_.pop_back();
    untake(decision);
    decision.texts.emplace_back(mine_, before);
    undone_.push_back(decision);
    editor_step(before);
  }

  void redoes() {
    say("redo");
    if (undone_.empty() || undone_.back().stale) {
      if (review_.redo()) fail("took a decision again that is gone");
      return;
    }
    ModelDecision decision = undone_.back();
    bool fits = all_known(decision);
    for (const auto& [id, change] : decision.states) fits = fits && states_[id] == change.first;
    if (!fits) {
      for (const auto& [id, change] : decision.states)
        if (!review_.find(id)) states_.erase(id);
      undone_.pop_back();
      if (review_.redo()) fail("took a decision again on a hunk that is gone");
      return;
    }
    const List before = mine_;
    List next = mine_;
    for (Swap& swap : decision.swaps)
      for (const PlacedHunk& placed : review_.hunks())
        if (swap.from.empty() && placed.hunk.id == swap.hunk) swap.above = placed.above, swap.below = placed.below;
    fits = make(next, decision.swaps);
    const ReviewOutcome outcome = review_.redo();
    if (fits != static_cast<bool>(outcome)) return fail(fits ? "refused: " + outcome.problem : "redid over what was typed");
    if (!fits) return;
    ++counts["redo"];
    undone_.pop_back();
    decision.base_before = base_;
    decision.known.clear();
    for (const auto& [id, state] : states_) decision.known.insert(id);
    if (!make(base_, decision.swaps)) return fail("the model's baseline does not hold the hunk");
    decision.base_after = base_;
    decision.was_conflict = false;
    decision.texts.emplace_back(before, next);
    mine_ = next;
    for (const auto& [id, change] : decision.states) states_[id] = change.second;
    done_.push_back(decision);
    editor_step(before);
  }

  void editor_undo() {
    if (undo_texts_.empty()) return;
    say("Ctrl+Z in the editor");
    ++counts["editor undo"];
    redo_texts_.push_back(mine_);
    mine_ = undo_texts_.back();
    undo_texts_.pop_back();
    typed();
  }

  void editor_redo() {
    if (redo_texts_.empty()) return;
    say("Ctrl+Shift+Z in the editor");
    ++counts["editor redo"];
    undo_texts_.push_back(mine_);
    mine_ = redo_texts_.back();
    redo_texts_.pop_back();
    typed();
  }

  void crashes() {
    say("crash, reopen");
    ++counts["crash"];
    const std::string file = review_.to_json();
    auto again = Review::from_json(file);
    if (!again) return fail("what was written can't be read");
    if (!(*again == review_)) return fail("what was read is not what was written");
    review_ = *again;
  }

  void compare() {
    if (review_.text() != joined(mine_)) return fail("the person's text is\n" + review_.text() + "and should be\n" + joined(mine_));
    if (review_.agent_text() != joined(agent_)) return fail("the agent's text is\n" + review_.agent_text() + "and should be\n" + joined(agent_));
    if (baseline_of(review_) != joined(base_)) return fail("the baseline is\n" + baseline_of(review_) + "and should be\n" + joined(base_));
      for (const auto& [id, state] : states_)
      if (!review_.find(id)) return fail("hunk " + std::to_string(id) + " is gone");
    for (const PlacedHunk& placed : review_.hunks()) {
      const auto known = states_.find(placed.hunk.id);
      if (known == states_.end()) return fail("hunk " + std::to_string(placed.hunk.id) + " came from nowhere");
      if (known->second != placed.hunk.state)
        return fail("hunk " + std::to_string(placed.hunk.id) + " is " + to_string(placed.hunk.state) + " and should be " + to_string(known->second));
      if (placed.hunk.state == HunkState::accepted) accepted_hunks_.insert(placed.hunk.id);
      const bool pending = placed.hunk.state == HunkState::pending;
      if (pending && placed.conflict == find_run(mine_, swap_of(placed, {})).has_value())
        return fail("hunk " + std::to_string(placed.hunk.id) + " says wrongly whether it conflicts");
    }
    // Lines of the agent are in the person's text only if an accepted hunk put them there.
    for (const std::string& line : base_) accepted_ever_.insert(line);
    for (const std::string& line : mine_)
      if (line.starts_with("agent") && !accepted_ever_.count(line)) return fail("`" + line + "` leaked in");
  }

  std::mt19937_64 random_;
  int number_ = 0;
  Review review_;
  List mine_, base_, agent_;
  std::map<int, HunkState> states_;
  std::vector<ModelDecision> done_, undone_;
  std::vector<List> undo_texts_, redo_texts_;
  std::vector<std::string> log_;
  std::set<std::string> accepted_ever_;
  std::set<int> accepted_hunks_;
  std::string problem_;
};

TEST(Review, RandomInterleavings) {
  const char* given = std::getenv("BAKERY_SEED");
  const uint64_t first = given ? std::stoull(given) : std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(first));
  const int rounds = given ? 1 : 2000;
  std::map<std::string, int> counts;
  for (int round = 0; round < rounds; ++round) {
    const uint64_t seed = first + static_cast<uint64_t>(round);
    Play play(seed);
    for (int step = 0; step < 40; ++step) {
      const std::string problem = play.step();
      if (problem.empty() && play.blurred()) {
        ++counts["blurred"];
        break;
      }
      if (problem.empty()) continue;
      std::ostringstream log;
      for (const std::string& line : play.log()) log << line << "\n";
      FAIL() << "BAKERY_SEED=" << seed << "\n" << log.str() << problem;
    }
    for (const auto& [name, count] : play.counts) counts[name] += count;
  }
  if (given) return;
  EXPECT_LT(counts["blurred"], rounds / 10);
  for (const char* name : {"accept", "edit", "reject", "restore", "undo", "redo", "conflict", "settled conflict", "followed undo", "followed redo", "crash"})
    EXPECT_GT(counts[name], 100) << name << " hardly ever happened";
}

// Smallest possible, in order, and it leads from one text to the other.
TEST(Review, LineDiffIsMinimal) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    Lines a, b;
    for (Lines* lines : {&a, &b})
      for (unsigned n = random() % 12; n > 0; --n) lines->push_back(std::string(1, static_cast<char>('a' + random() % 4)) + "\n");
    Lines made;
    size_t at = 0, changed = 0;
    for (const DiffRange& change : diff_lines(a, b)) {
      ASSERT_LE(at, change.begin);
      made.insert(made.end(), a.begin() + static_cast<long>(at), a.begin() + static_cast<long>(change.begin));
      made.insert(made.end(), b.begin() + static_cast<long>(change.other_begin), b.begin() + static_cast<long>(change.other_end));
      at = change.end;
      changed += change.end - change.begin + change.other_end - change.other_begin;
    }
    made.insert(made.end(), a.begin() + static_cast<long>(at), a.end());
    EXPECT_EQ(made, b);
    std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
    for (size_t i = a.size(); i-- > 0;)
      for (size_t k = b.size(); k-- > 0;)
        common[i][k] = a[i] == b[k] ? common[i + 1][k + 1] + 1 : std::max(common[i + 1][k], common[i][k + 1]);
    EXPECT_EQ(changed, a.size() + b.size() - 2 * common[0][0]);
  }
}

TEST(Review, LinesThatOccurTwice) {
  Review review("sync\nstore\nsync\n");
  review.propose("sync\nstore\nsync\nsync\n");
  ASSERT_EQ(review.hunks().size(), 1u);
  ASSERT_TRUE(review.accept(review.hunks()[0].hunk.id));
  EXPECT_EQ(review.text(), "sync\nstore\nsync\nsync\n");
  review.typed("sync\nstore\nsync\n");
  EXPECT_EQ(review.count(HunkState::pending), 1u);
  EXPECT_EQ(baseline_of(review), "sync\nstore\nsync\n");
}

TEST(Review, TextWithoutANewlineAtItsEnd) {
  Review review("a\nb");
  review.propose("a\nb\nc");
  ASSERT_TRUE(review.accept_all());
  EXPECT_EQ(review.text(), "a\nb\nc");
  ASSERT_TRUE(review.undo());
  EXPECT_EQ(review.text(), "a\nb");
}

TEST(Review, EveryByteOfOtherLinesStays) {
  const std::string text = "a\r\n\t双缓冲 🍞  \r\nb\r\n\x01";
  Review review(text);
  review.propose("A\r\n\t双缓冲 🍞  \r\nb\r\n\x01");
  ASSERT_TRUE(review.accept_all());
  EXPECT_EQ(review.text(), "A" + text.substr(1));
}

TEST(Review, TypingBesideAHunkIsNoConflictOnItIs) {
  Review review("one\ntwo\nthree\n");
  review.propose("one\nTWO\nthree\n");
  review.typed("one\nmine\ntwo\nthree\nmore\n");
  EXPECT_FALSE(review.hunks()[0].conflict);
  EXPECT_EQ(review.hunks()[0].line, 3u);
  review.typed("one\nmine\ntwo!\nthree\nmore\n");
  ASSERT_TRUE(review.hunks()[0].conflict);
  const int hunk = review.hunks()[0].hunk.id;
  const ReviewOutcome refused = review.accept(hunk);
  EXPECT_FALSE(refused);
  EXPECT_NE(refused.problem, "");
  EXPECT_EQ(review.text(), "one\nmine\ntwo!\nthree\nmore\n");
  EXPECT_EQ(review.editable(hunk), "mine\ntwo!\nTWO\n");
  ASSERT_TRUE(review.accept_edited(hunk, "mine\nTWO!\n"));
  EXPECT_EQ(review.text(), "one\nmine\nTWO!\nthree\nmore\n");
  ASSERT_TRUE(review.undo());
  EXPECT_EQ(review.text(), "one\nmine\ntwo!\nthree\nmore\n");
}

// A rejected deletion has no lines in the agent's text; what is put in around it may not move it.
TEST(Review, AnInsertionBesideADeletionThatWasRejected) {
  Review review("a\nb\nc\n");
  review.propose("a\nc\n");
  ASSERT_TRUE(review.reject(review.hunks()[0].hunk.id));
  for (const char* text : {"A\nc\n", "A\nC\n", "A\nx\nC\n"}) {
    review.propose(text);
    EXPECT_EQ(review.agent_text(), text);
    EXPECT_EQ(baseline_of(review), "a\nb\nc\n");
    EXPECT_EQ(review.count(HunkState::rejected), 1u);
  }
}

TEST(Review, DamagedFilesAreRefused) {
  Review review("a\nb\n");
  review.propose("a\nc\n");
  const std::string file = review.to_json();
  ASSERT_TRUE(Review::from_json(file));
  for (size_t length = 0; length + 1 < file.size(); length += 7) EXPECT_FALSE(Review::from_json(file.substr(0, length)));
  for (const char* text : {"", "{}", "[]", "{\"version\":99}", "null"}) EXPECT_FALSE(Review::from_json(text)) << text;
}

}  // namespace
}  // namespace bakery
