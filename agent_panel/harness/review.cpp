// SPDX-License-Identifier: Apache-2.0
#include "agent_panel/harness/review.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/session/analysis.h"

namespace bakery {
namespace {

constexpr int kVersion = 1;

void append(Lines& to, const Lines& lines) { to.insert(to.end(), lines.begin(), lines.end()); }

Lines part(const Lines& lines, size_t begin, size_t end) {
  return Lines(lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.begin() + static_cast<std::ptrdiff_t>(end));
}

std::string without_newline(std::string line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return line;
}

void unite(std::vector<int>& to, const std::vector<int>& more) {
  for (int one : more)
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

ReviewOutcome refused(std::string problem) { return {.problem = std::move(problem)}; }

}  // namespace

const char* to_string(HunkState state) {
  switch (state) {
    case HunkState::pending: return "pending";
    case HunkState::accepted: return "accepted";
    case HunkState::rejected: return "rejected";
  }
  return "";
}

const Lines& Review::Segment::base() const {
  if (!hunk) return common;
  return hunk->state == HunkState::accepted ? hunk->text : hunk->before;
}

Review::Review(std::string text) : text_(std::move(text)) {
  segments_.push_back({lines_of_text(text_), std::nullopt});
  tidy(segments_);
}

// ---- the texts --------------------------------------------------------------------------

Lines Review::base_of(const Segments& segments) {
  Lines lines;
  for (const Segment& segment : segments) append(lines, segment.base());
  return lines;
}

std::string Review::agent_text() const {
  std::string text;
  for (const Segment& segment : segments_) text += text_of_lines(segment.agent());
  return text;
}

// Hunks that change nothing become common text, neighbours of common text are joined.
void Review::tidy(Segments& segments) {
  Segments tidy;
  for (Segment& segment : segments) {
    if (!segment.hunk && segment.common.empty()) continue;
    if (!segment.hunk && !tidy.empty() && !tidy.back().hunk) append(tidy.back().common, segment.common);
    else tidy.push_back(std::move(segment));
  }
  segments = std::move(tidy);
}

ReviewHunk* Review::find_in(Segments& segments, int hunk) {
  for (Segment& segment : segments)
    if (segment.hunk && segment.hunk->id == hunk) return &*segment.hunk;
  return nullptr;
}

const ReviewHunk* Review::find(int hunk) const { return find_in(const_cast<Segments&>(segments_), hunk); }

size_t Review::count(HunkState state) const {
  return static_cast<size_t>(std::count_if(segments_.begin(), segments_.end(),
                                           [&](const Segment& s) { return s.hunk && s.hunk->state == state; }));
}

// ---- what the agent does ----------------------------------------------------------------

void Review::propose(const std::string& text, Evidence evidence) {
  evidence_.push_back(std::move(evidence));
  merge_agent(segments_, lines_of_text(text), {static_cast<int>(evidence_.size()) - 1});
}

// Each change of the agent's text becomes a hunk. One that touches a hunk takes its place, with the
// lines of the baseline that both are about.
void Review::merge_agent(Segments& segments, const Lines& text, const std::vector<int>& evidence) {
  Lines agent;
  for (const Segment& segment : segments) append(agent, segment.agent());
  const std::vector<DiffRange> changes = diff_lines(agent, text);
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const size_t from = change->begin, to = change->end;
    const bool insertion = from == to;
    Segments next;
    Segment before, after;  // what is left of a common segment
    ReviewHunk merged;
    merged.evidence = evidence;
    Lines covered;          // the agent's lines that the merged hunk replaces
    size_t at = 0, covered_at = from;
    bool touched_any = false;
    size_t slot = 0;
    for (const Segment& segment : segments) {
      const size_t begin = at, end = at + segment.agent().size();
      at = end;
      bool touched = begin == end ? from < begin && begin < to : std::max(begin, from) < std::min(end, to);
      const bool beside = insertion && begin <= from && from <= end;
      if (segment.hunk && beside) touched = segment.hunk->state == HunkState::pending || (begin < from && from < end);
      if (!segment.hunk && beside && begin < from && from < end) touched = true;
      if (insertion && touched_any) touched = false;  // it belongs to one neighbour
      if (!touched) {
        // An insertion between two segments goes behind the first one that ends there.
        next.push_back(segment);
        if (!touched_any && end <= from) slot = next.size();
        continue;
      }
      if (!touched_any) {
        slot = next.size();
        covered_at = segment.hunk ? begin : std::max(begin, from);
      }
      touched_any = true;
      if (segment.hunk) {
        unite(merged.evidence, segment.hunk->evidence);
        append(merged.before, segment.base());
        append(covered, segment.agent());
        if (segment.hunk->state == HunkState::rejected) replaced_.push_back(*segment.hunk);
        continue;
      }
      const size_t first = std::max(begin, from) - begin, last = std::min(end, to) - begin;
      if (first > 0) before.common = part(segment.common, 0, first);
      append(merged.before, part(segment.common, first, last));
      append(covered, part(segment.common, first, last));
      if (last < segment.common.size()) after.common = part(segment.common, last, segment.common.size());
    }
    const size_t head = from - std::min(from, covered_at);
    append(merged.proposed, part(covered, 0, std::min(head, covered.size())));
    append(merged.proposed, part(text, change->other_begin, change->other_end));
    const size_t tail = head + (to - from);
    if (tail < covered.size()) append(merged.proposed, part(covered, tail, covered.size()));

    // Lines that are the same on both sides at the ends are common again.
    Segment above, below;
    size_t same = 0;
    while (same < merged.before.size() && same < merged.proposed.size() && merged.before[same] == merged.proposed[same]) ++same;
    above.common = part(merged.before, 0, same);
    size_t back = 0;
    while (back < merged.before.size() - same && back < merged.proposed.size() - same &&
           merged.before[merged.before.size() - 1 - back] == merged.proposed[merged.proposed.size() - 1 - back])
      ++back;
    below.common = part(merged.before, merged.before.size() - back, merged.before.size());
    merged.before = part(merged.before, same, merged.before.size() - back);
    merged.proposed = part(merged.proposed, same, merged.proposed.size() - back);

    Segments middle = {before, above};
    if (!merged.before.empty() || !merged.proposed.empty()) {
      merged.id = next_id_++;
      std::sort(merged.evidence.begin(), merged.evidence.end());
      middle.push_back({{}, std::move(merged)});
    }
    middle.push_back(below);
    middle.push_back(after);
    next.insert(next.begin() + static_cast<std::ptrdiff_t>(slot), middle.begin(), middle.end());
    tidy(next);
    segments = std::move(next);
  }
}

// ---- merging into the person's text -----------------------------------------------------

// What happens to the baseline between two states of the same segments.
std::vector<Review::Move> Review::moves_between(const Segments& from, const Segments& to) {
  std::vector<Move> moves;
  size_t at = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t end = at + from[i].base().size();
    if (from[i].base() != to[i].base()) moves.push_back({at, end, to[i].base()});
    at = end;
  }
  return moves;
}

Review::Alignment Review::align() const {
  Alignment alignment{base_of(segments_), lines_of_text(text_), {}};
  alignment.image = matched_lines(alignment.base, alignment.mine);
  return alignment;
}

// Where the moves go in the person's lines; nullopt if the person changed what one of them is about.
std::optional<std::vector<DiffRange>> Review::place(const Alignment& alignment, const std::vector<Move>& moves) {
  const auto& [base, mine, image] = alignment;
  std::vector<DiffRange> places;
  for (const Move& move : moves) {
    long first = 0, last = 0;
    if (move.begin < move.end) {
      first = image[move.begin];
      last = image[move.end - 1] + 1;
      for (size_t i = move.begin; i < move.end; ++i)
        if (image[i] < 0 || image[i] != first + static_cast<long>(i - move.begin)) return std::nullopt;
    } else {
      const long above = move.begin == 0 ? -1 : image[move.begin - 1];
      const long below = move.begin == base.size() ? static_cast<long>(mine.size()) : image[move.begin];
      if ((move.begin > 0 && above < 0) || below < 0 || above + 1 != below) return std::nullopt;
      first = last = below;
    }
    places.push_back({move.begin, move.end, static_cast<size_t>(first), static_cast<size_t>(last)});
  }
  return places;
}

// The person's lines between the nearest lines of the baseline that are still there.
DiffRange Review::around(const Alignment& alignment, size_t begin, size_t end) {
  const auto& [base, mine, image] = alignment;
  DiffRange range{begin, end, 0, mine.size()};
  for (size_t i = begin; i-- > 0;)
    if (image[i] >= 0) {
      range.other_begin = static_cast<size_t>(image[i]) + 1;
      break;
    }
  for (size_t i = end; i < base.size(); ++i)
    if (image[i] >= 0) {
      range.other_end = static_cast<size_t>(image[i]);
      break;
    }
  range.other_end = std::max(range.other_end, range.other_begin);
  return range;
}

ReviewOutcome Review::apply(const std::vector<Move>& moves, const std::vector<DiffRange>& places, std::string kind,
                            const ReviewDecision& decision) {
  const Lines mine = lines_of_text(text_);
  std::vector<uint32_t> offsets(mine.size() + 1, 0);
  for (size_t i = 0; i < mine.size(); ++i) offsets[i + 1] = offsets[i] + static_cast<uint32_t>(mine[i].size());
  ReviewOutcome outcome;
  outcome.kind = std::move(kind);
  for (const ReviewDecision::Item& item : decision.items) outcome.hunks.push_back(item.hunk);
  for (size_t i = 0; i < moves.size(); ++i)
    outcome.edits.push_back({{offsets[places[i].other_begin], offsets[places[i].other_end]}, text_of_lines(moves[i].lines)});
  text_ = apply_edits(text_, outcome.edits);
  outcome.text = text_;
  return outcome;
}

// ---- decisions --------------------------------------------------------------------------

// Turns the hunks of the decision; false, and nothing is changed, if one of them is no longer as it was.
bool Review::turn(Segments& segments, const ReviewDecision& decision, bool forward) {
  Segments next = segments;
  for (const ReviewDecision::Item& item : decision.items) {
    ReviewHunk* hunk = find_in(next, item.hunk);
    if (!hunk || hunk->state != (forward ? item.from : item.to)) return false;
    hunk->state = forward ? item.to : item.from;
    hunk->text = forward ? item.text_to : item.text_from;
    hunk->reason = forward ? item.reason_to : item.reason_from;
  }
  segments = std::move(next);
  return true;
}

ReviewDecision Review::decision_on(std::string kind, HunkState to, const std::vector<int>& hunks, const std::string& reason) const {
  ReviewDecision decision{std::move(kind), {}};
  for (int id : hunks) {
    const ReviewHunk& hunk = *find(id);
    decision.items.push_back({id, hunk.state, to, hunk.text, to == HunkState::accepted ? hunk.proposed : Lines(), hunk.reason, reason});
  }
  return decision;
}

ReviewOutcome Review::decide(ReviewDecision decision) {
  if (decision.items.empty()) return refused("there is nothing to decide");
  Segments next = segments_;
  if (!turn(next, decision, true)) return refused("the proposal has changed");
  const std::vector<Move> moves = moves_between(segments_, next);
  const auto places = place(align(), moves);
  if (!places) return refused("the lines that it is about were changed meanwhile");
  const std::string before = text_;
  const ReviewOutcome outcome = apply(moves, *places, decision.kind, decision);
  record({decision, {}, std::exchange(segments_, std::move(next)), {}, false}, before);
  return outcome;
}

void Review::record(Done done, const std::string& text_before) {
  done.texts.emplace_back(content_hash(text_before), content_hash(text_));
  if (done.moves_text())
    for (Done& old : undone_) old.stale = true;
  done_.push_back(std::move(done));
}

ReviewOutcome Review::accept(int id, std::string reason) {
  const ReviewHunk* hunk = find(id);
  if (!hunk || hunk->state == HunkState::accepted) return refused("there is no such proposal to accept");
  return decide(decision_on("accept", HunkState::accepted, {id}, reason));
}

ReviewOutcome Review::accept_edited(int id, const std::string& text, std::string reason) {
  const ReviewHunk* hunk = find(id);
  if (!hunk || hunk->state == HunkState::accepted) return refused("there is no such proposal to accept");
  ReviewDecision decision = decision_on("edit", HunkState::accepted, {id}, reason);
  size_t begin = 0;
  for (const Segment& segment : segments_) {
    if (segment.hunk && segment.hunk->id == id) break;
    begin += segment.base().size();
  }
  Lines lines = lines_of_text(text);
  const size_t end = begin + hunk->before.size();
  const bool at_end = end == base_of(segments_).size();
  if (!lines.empty() && lines.back().back() != '\n' && !at_end) lines.back() += '\n';
  decision.items[0].text_to = lines;
  const Alignment alignment = align();
  if (place(alignment, {{begin, end, lines}})) return decide(std::move(decision));

  // A conflict, which the person has settled: the text takes the place of all that is between.
  Segments next = segments_;
  if (!turn(next, decision, true)) return refused("the proposal has changed");
  const DiffRange region = around(alignment, begin, end);
  const std::string before = text_;
  const ReviewOutcome outcome = apply({{begin, end, lines}}, {region}, decision.kind, decision);
  record({decision, {}, std::exchange(segments_, std::move(next)), part(alignment.mine, region.other_begin, region.other_end), false}, before);
  return outcome;
}

ReviewOutcome Review::reject(int id, std::string reason) {
  const ReviewHunk* hunk = find(id);
  if (!hunk || hunk->state != HunkState::pending) return refused("there is no such pending proposal");
  return decide(decision_on("reject", HunkState::rejected, {id}, reason));
}

ReviewOutcome Review::restore(int id) {
  const ReviewHunk* hunk = find(id);
  if (!hunk || hunk->state != HunkState::rejected) return refused("there is no such rejected proposal");
  return decide(decision_on("restore", HunkState::pending, {id}, {}));
}

ReviewOutcome Review::accept_all(std::string reason) {
  std::vector<int> clean;
  size_t conflicts = 0;
  for (const PlacedHunk& placed : hunks()) {
    if (placed.hunk.state != HunkState::pending) continue;
    if (placed.conflict) ++conflicts;
    else clean.push_back(placed.hunk.id);
  }
  if (clean.empty() && conflicts > 0) return refused("the lines that they are about were changed meanwhile");
  return decide(decision_on("accept", HunkState::accepted, clean, reason));
}

ReviewOutcome Review::reject_all(std::string reason) {
  std::vector<int> pending;
  for (const Segment& segment : segments_)
    if (segment.hunk && segment.hunk->state == HunkState::pending) pending.push_back(segment.hunk->id);
  return decide(decision_on("reject", HunkState::rejected, pending, reason));
}

// The segments as they would be without the decision `index`. Where the agent has since proposed
// over its hunks, they stand again as they did, later decisions that move no text are taken again, and
// the agent's newest text is proposed over them.
Review::Segments Review::without(size_t index) const {
  Segments next = segments_;
  if (turn(next, done_[index].decision, false)) return next;
  next = done_[index].before;
  for (size_t i = index + 1; i < done_.size(); ++i) turn(next, done_[i].decision, true);
  return next;
}

// Takes the segments, with the agent's newest text over them.
void Review::settle(Segments next) {
  const Lines agent = lines_of_text(agent_text());
  std::vector<int> evidence;
  for (const Segment& segment : segments_)
    if (segment.hunk && segment.hunk->state == HunkState::pending) unite(evidence, segment.hunk->evidence);
  segments_ = std::move(next);
  merge_agent(segments_, agent, evidence);
}

ReviewOutcome Review::undo() {
  if (done_.empty()) return refused("there is no decision to undo");
  const Done& newest = done_.back();
  Segments from = segments_, to = segments_;
  if (!turn(to, newest.decision, false)) {
    from = to = newest.before;
    turn(from, newest.decision, true);
  }
  std::vector<Move> moves = moves_between(from, to);
  const auto places = place(align(), moves);
  if (!places) return refused("the lines that it put in were changed since; undo that first");
  if (newest.replaced && !moves.empty()) moves[0].lines = *newest.replaced;
  Done done = std::move(done_.back());
  done_.pop_back();
  const std::string after = content_hash(text_);
  const ReviewOutcome outcome = apply(moves, *places, "undo " + done.decision.kind, done.decision);
  settle(std::move(to));
  done.texts.emplace_back(content_hash(text_), after);
  undone_.push_back(std::move(done));
  return outcome;
}

ReviewOutcome Review::redo() {
  if (!can_redo()) return refused("there is no decision to take again");
  Segments next = segments_;
  if (!turn(next, undone_.back().decision, true)) {
    undone_.pop_back();
    return refused("that proposal has changed since");
  }
  const std::vector<Move> moves = moves_between(segments_, next);
  const auto places = place(align(), moves);
  if (!places) return refused("the lines that it is about were changed meanwhile");
  Done done = std::move(undone_.back());
  undone_.pop_back();
  const std::string before = content_hash(text_);
  const ReviewOutcome outcome = apply(moves, *places, "redo " + done.decision.kind, done.decision);
  done.before = std::exchange(segments_, std::move(next));
  done.replaced.reset();
  done.texts.emplace_back(before, content_hash(text_));
  done_.push_back(std::move(done));
  return outcome;
}

// ---- what the person does in the editor -------------------------------------------------

std::optional<ReviewOutcome> Review::typed(const std::string& text) {
  if (text == text_) return std::nullopt;
  const std::string hash = content_hash(text);
  text_ = text;
  const auto newest = [](std::vector<Done>& list) {
    return std::find_if(list.rbegin(), list.rend(), [](const Done& d) { return d.moves_text(); });
  };
  const auto outcome = [&](const char* verb, const Done& done) {
    ReviewOutcome out{.kind = verb + done.decision.kind, .text = text_};
    for (const ReviewDecision::Item& item : done.decision.items) out.hunks.push_back(item.hunk);
    return out;
  };
  if (const auto it = newest(done_); it != done_.rend() &&
      std::any_of(it->texts.begin(), it->texts.end(), [&](const auto& pair) { return pair.first == hash; })) {
    const size_t index = static_cast<size_t>(done_.rend() - it) - 1;
    settle(without(index));
    Done done = std::move(done_[index]);
    done_.erase(done_.begin() + static_cast<std::ptrdiff_t>(index));
    // Later ones moved no text. Those on what the agent proposed over this one are without object.
    std::erase_if(done_, [&, at = size_t{0}](Done& later) mutable { return at++ >= index && !turn(later.before, done.decision, false); });
    done.stale = false;
    undone_.push_back(std::move(done));
    return outcome("undo ", undone_.back());
  }
  for (size_t i = undone_.size(); i-- > 0;) {
    if (std::none_of(undone_[i].texts.begin(), undone_[i].texts.end(), [&](const auto& pair) { return pair.first != hash && pair.second == hash; }))
      continue;
    Done done = undone_[i];
    bool in_effect = false;
    for (ReviewDecision::Item& item : done.decision.items)
      if (const ReviewHunk* hunk = find(item.hunk)) {
        item.from = hunk->state, item.text_from = hunk->text, item.reason_from = hunk->reason;
        in_effect = in_effect || item.from == HunkState::accepted;
      }
    if (in_effect) continue;
    done.before = segments_;
    if (!turn(segments_, done.decision, true)) continue;
    undone_.erase(undone_.begin() + static_cast<std::ptrdiff_t>(i));
    done_.push_back(std::move(done));
    return outcome("redo ", done_.back());
  }
  return std::nullopt;
}

// ---- as a file --------------------------------------------------------------------------

using Json = nlohmann::json;

Json json_of(const Evidence& e) {
  return {{"title", e.title}, {"finding", e.finding}, {"message", e.message}, {"hashes", {e.hash_before, e.hash_after}},
          {"errors", {e.errors_before, e.errors_after}}, {"findings", {e.findings_before, e.findings_after}},
          {"steps", {e.steps_before, e.steps_after}}, {"smem", {e.smem_before, e.smem_after}}, {"fixed", e.fixed}, {"added", e.added}};
}

namespace {

Evidence evidence_from(const Json& j) {
  Evidence e{.title = j.at("title"), .finding = j.at("finding"), .message = j.at("message")};
  j.at("hashes").at(0).get_to(e.hash_before), j.at("hashes").at(1).get_to(e.hash_after);
  j.at("errors").at(0).get_to(e.errors_before), j.at("errors").at(1).get_to(e.errors_after);
  j.at("findings").at(0).get_to(e.findings_before), j.at("findings").at(1).get_to(e.findings_after);
  j.at("steps").at(0).get_to(e.steps_before), j.at("steps").at(1).get_to(e.steps_after);
  j.at("smem").at(0).get_to(e.smem_before), j.at("smem").at(1).get_to(e.smem_after);
  j.at("fixed").get_to(e.fixed), j.at("added").get_to(e.added);
  return e;
}

HunkState state_from(const Json& j) {
  const int state = j.get<int>();
  if (state < 0 || state > static_cast<int>(HunkState::rejected)) throw std::out_of_range("state");
  return static_cast<HunkState>(state);
}

Json json_of(const ReviewHunk& h) {
  return {{"id", h.id}, {"state", static_cast<int>(h.state)}, {"before", h.before}, {"proposed", h.proposed}, {"text", h.text},
          {"evidence", h.evidence}, {"reason", h.reason}};
}

ReviewHunk hunk_from(const Json& j) {
  return {j.at("id"), state_from(j.at("state")), j.at("before"), j.at("proposed"), j.at("text"), j.at("evidence"), j.at("reason")};
}

Json json_of(const ReviewDecision& d) {
  Json items = Json::array();
  for (const ReviewDecision::Item& i : d.items)
    items.push_back({i.hunk, static_cast<int>(i.from), static_cast<int>(i.to), i.text_from, i.text_to, i.reason_from, i.reason_to});
  return {{"kind", d.kind}, {"items", items}};
}

ReviewDecision decision_from(const Json& j) {
  ReviewDecision d{j.at("kind"), {}};
  for (const Json& i : j.at("items"))
    d.items.push_back({i.at(0), state_from(i.at(1)), state_from(i.at(2)), i.at(3), i.at(4), i.at(5), i.at(6)});
  return d;
}

template <class T>
Json json_list(const std::vector<T>& list, auto one) {
  Json out = Json::array();
  for (const T& item : list) out.push_back(one(item));
  return out;
}

}  // namespace

std::string Review::to_json() const {
  const auto segments = [](const Segments& list) {
    return json_list(list, [](const Segment& s) { return s.hunk ? json_of(*s.hunk) : Json(s.common); });
  };
  const auto done = [&](const Done& d) {
    return Json{{"decision", json_of(d.decision)}, {"texts", d.texts}, {"before", segments(d.before)},
                {"replaced", d.replaced ? Json(*d.replaced) : Json()}, {"stale", d.stale}};
  };
  const Json out = {{"version", kVersion}, {"text", text_}, {"segments", segments(segments_)}, {"next_id", next_id_},
                    {"evidence", json_list(evidence_, [](const Evidence& e) { return json_of(e); })},
                    {"replaced", json_list(replaced_, [](const ReviewHunk& h) { return json_of(h); })},
                    {"done", json_list(done_, done)}, {"undone", json_list(undone_, done)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Review> Review::from_json(const std::string& text) {
  try {
    const Json in = Json::parse(text);
    if (in.at("version").get<int>() != kVersion) return std::nullopt;
    const auto segments = [](const Json& list) {
      Segments out;
      for (const Json& j : list) {
        if (j.is_array()) out.push_back({j.get<Lines>(), std::nullopt});
        else out.push_back({{}, hunk_from(j)});
      }
      return out;
    };
    const auto done = [&](const Json& list) {
      std::vector<Done> out;
      for (const Json& j : list) {
        out.push_back({decision_from(j.at("decision")), j.at("texts"), segments(j.at("before")), {}, j.at("stale")});
        if (j.at("replaced").is_array()) out.back().replaced = j.at("replaced").get<Lines>();
      }
      return out;
    };
    Review review;
    review.text_ = in.at("text");
    review.segments_ = segments(in.at("segments"));
    review.next_id_ = in.at("next_id");
    for (const Json& j : in.at("evidence")) review.evidence_.push_back(evidence_from(j));
    for (const Json& j : in.at("replaced")) review.replaced_.push_back(hunk_from(j));
    review.done_ = done(in.at("done"));
    review.undone_ = done(in.at("undone"));
    const int known = static_cast<int>(review.evidence_.size());
    for (const Segment& segment : review.segments_)
      if (segment.hunk)
        for (int one : segment.hunk->evidence)
          if (one < 0 || one >= known) return std::nullopt;
    return review;
  } catch (const std::exception&) {  // another version's file, or a damaged one
    return std::nullopt;
  }
}

// ---- what is shown ----------------------------------------------------------------------

std::vector<PlacedHunk> Review::hunks() const {
  const Alignment alignment = align();
  const Lines& base = alignment.base;
  std::vector<PlacedHunk> out;
  size_t at = 0;
  for (const Segment& segment : segments_) {
    const size_t begin = at, end = at + segment.base().size();
    at = end;
    if (!segment.hunk) continue;
    PlacedHunk placed{.hunk = *segment.hunk};
    if (begin > 0) placed.above = without_newline(base[begin - 1]);
    if (end < base.size()) placed.below = without_newline(base[end]);
    const auto places = place(alignment, {{begin, end, {}}});
    const DiffRange range = places ? places->front() : around(alignment, begin, end);
    placed.conflict = !places && segment.hunk->state == HunkState::pending;
    placed.line = static_cast<uint32_t>(range.other_begin) + 1;
    placed.length = static_cast<uint32_t>(range.other_end - range.other_begin);
    out.push_back(std::move(placed));
  }
  return out;
}

std::string Review::editable(int id) const {
  for (const PlacedHunk& placed : hunks()) {
    if (placed.hunk.id != id) continue;
    Lines lines;
    if (placed.conflict) {
      const Lines mine = lines_of_text(text_);
      lines = part(mine, placed.line - 1, placed.line - 1 + placed.length);
    }
    append(lines, placed.hunk.proposed);
    return text_of_lines(lines);
  }
  return {};
}

std::optional<std::string> Review::preview(int id, const std::string& text) const {
  Review copy = *this;
  const ReviewOutcome outcome = copy.accept_edited(id, text);
  if (!outcome) return std::nullopt;
  return outcome.text;
}

}  // namespace bakery
