// SPDX-License-Identifier: Apache-2.0
// What an agent proposes and what a person decides about it, over one text. A plain value: copy it,
// compare it, write it to a file.
//
// Three texts take part. The *baseline* is the text that the agent started from plus what was accepted.
// The *agent's* text is its private copy. The *person's* text is what the editor holds; only a
// decision of the person changes it here. Hunks are what the agent's text has over the baseline. A
// decision moves the baseline, and the same move is merged into the person's text: lines that the
// person typed meanwhile stay, and where both touched the same lines nothing is applied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/session/line_diff.h"
#include "core_ir/finding.h"

namespace bakery {

// What a proposal is worth, measured on the agent's private copy before and after it.
struct Evidence {
  std::string title;            // "insert `lm.fence_proxy()` before line 58"
  std::string finding;          // id that it repairs, empty: none
  std::string message;          // of that finding, or why the proposal was made
  std::string hash_before, hash_after;  // of the schedule
  int errors_before = 0, errors_after = 0;
  int findings_before = 0, findings_after = 0;
  int64_t steps_before = 0, steps_after = 0;  // logical end of the longest sample
  int64_t smem_before = 0, smem_after = 0;    // bytes of shared memory
  std::vector<std::string> fixed, added;      // findings that went and that came: "SCHED-003 full[2]"
  bool operator==(const Evidence&) const = default;
};

nlohmann::json json_of(const Evidence& evidence);

enum class HunkState : uint8_t { pending, accepted, rejected };
const char* to_string(HunkState state);

struct ReviewHunk {
  int id = 0;
  HunkState state = HunkState::pending;
  Lines before;      // of the baseline without it
  Lines proposed;    // by the agent
  Lines text;        // what was accepted: `proposed`, or what a person made of it
  std::vector<int> evidence;  // into Review::evidence()
  std::string reason;         // of the newest decision
  bool operator==(const ReviewHunk&) const = default;
};

// Where a hunk is in the person's text.
struct PlacedHunk {
  ReviewHunk hunk;
  bool conflict = false;      // pending, but the person changed the lines that it is about
  uint32_t line = 1;          // 1-based: the first line it takes away, or the line it is put before
  uint32_t length = 0;        // lines it takes away; of an accepted one: that it put in
  std::string above, below;   // the baseline's lines beside it, without newline
};

struct ReviewDecision {
  struct Item {
    int hunk = 0;
    HunkState from = HunkState::pending, to = HunkState::pending;
    Lines text_from, text_to;
    std::string reason_from, reason_to;
    bool operator==(const Item&) const = default;
  };
  std::string kind;           // accept, edit, reject, restore
  std::vector<Item> items;
  bool operator==(const ReviewDecision&) const = default;
};

// What a decision did. `edits` turn the person's text into the new one and are one undo step.
struct ReviewOutcome {
  std::string problem;        // why nothing was done; empty: it was done
  std::string kind;           // of the decision; "undo accept" …
  std::vector<int> hunks;     // that it was about
  std::vector<TextEdit> edits;
  std::string text;           // the person's text afterwards
  explicit operator bool() const { return problem.empty(); }
};

class Review {
 public:
  Review() = default;
  // The agent starts from the person's text.
  explicit Review(std::string text);

  // The agent's private copy reads so now. Hunks whose lines it left alone keep their decision.
  void propose(const std::string& text, Evidence evidence = {});
  // The person's text reads so now. An undo or redo in the editor that takes a decision's text away, or
  // brings it back, takes the decision with it; then the kind of it is returned.
  std::optional<ReviewOutcome> typed(const std::string& text);

  ReviewOutcome accept(int hunk, std::string reason = {});
  // `text` in place of what the agent proposed; also the way out of a conflict.
  ReviewOutcome accept_edited(int hunk, const std::string& text, std::string reason = {});
  ReviewOutcome reject(int hunk, std::string reason = {});
  ReviewOutcome restore(int hunk);                       // rejected, to pending
  ReviewOutcome accept_all(std::string reason = {});     // pending ones without conflict
  ReviewOutcome reject_all(std::string reason = {});     // pending ones
  ReviewOutcome undo();
  ReviewOutcome redo();
  bool can_undo() const { return !done_.empty(); }
  bool can_redo() const { return !undone_.empty() && !undone_.back().stale; }

  const std::string& text() const { return text_; }      // the person's
  std::string agent_text() const;
  std::vector<PlacedHunk> hunks() const;                 // in the order of the text
  const ReviewHunk* find(int hunk) const;
  size_t count(HunkState state) const;
  const std::vector<Evidence>& evidence() const { return evidence_; }
  // Rejected hunks that a newer proposal replaced.
  const std::vector<ReviewHunk>& replaced() const { return replaced_; }
  // What the editor for "edit, then accept" starts with: the proposal, in a conflict behind the person's lines.
  std::string editable(int hunk) const;
  // The person's text if the hunk were accepted with `text`; nullopt: there is no such hunk to decide on.
  std::optional<std::string> preview(int hunk, const std::string& text) const;

  std::string to_json() const;
  static std::optional<Review> from_json(const std::string& json);
  bool operator==(const Review&) const = default;

 private:
  struct Segment {
    Lines common;                      // of all three texts, if there is no hunk
    std::optional<ReviewHunk> hunk;
    const Lines& base() const;
    const Lines& agent() const { return hunk ? hunk->proposed : common; }
    bool operator==(const Segment&) const = default;
  };
  using Segments = std::vector<Segment>;
  struct Done {
    ReviewDecision decision;
    std::vector<std::pair<std::string, std::string>> texts;  // hashes of the person's text around it
    Segments before;
    std::optional<Lines> replaced;     // the person's lines that the settling of a conflict took away
    bool stale = false;                // undone, and other text was accepted since: only the editor can bring it back
    bool operator==(const Done&) const = default;
    bool moves_text() const { return !texts.empty() && texts.back().first != texts.back().second; }
  };
  struct Move {                        // of lines of the baseline
    size_t begin = 0, end = 0;
    Lines lines;
  };
  // The baseline's lines in the person's text.
  struct Alignment {
    Lines base, mine;
    std::vector<long> image;           // -1: no longer there
  };

  static Lines base_of(const Segments& segments);
  static void tidy(Segments& segments);
  static ReviewHunk* find_in(Segments& segments, int hunk);
  static bool turn(Segments& segments, const ReviewDecision& decision, bool forward);
  static std::vector<Move> moves_between(const Segments& from, const Segments& to);
  Alignment align() const;
  static std::optional<std::vector<DiffRange>> place(const Alignment& alignment, const std::vector<Move>& moves);
  static DiffRange around(const Alignment& alignment, size_t begin, size_t end);
  void merge_agent(Segments& segments, const Lines& text, const std::vector<int>& evidence);
  Segments without(size_t index) const;
  void settle(Segments next);
  void record(Done done, const std::string& text_before);
  ReviewOutcome decide(ReviewDecision decision);
  ReviewOutcome apply(const std::vector<Move>& moves, const std::vector<DiffRange>& places, std::string kind,
                      const ReviewDecision& decision);
  ReviewDecision decision_on(std::string kind, HunkState to, const std::vector<int>& hunks, const std::string& reason) const;

  std::string text_;
  Segments segments_;
  std::vector<Evidence> evidence_;
  std::vector<ReviewHunk> replaced_;
  std::vector<Done> done_, undone_;
  int next_id_ = 1;
};

}  // namespace bakery
