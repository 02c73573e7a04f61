// SPDX-License-Identifier: Apache-2.0
// Lessons as plain files: resources/lessons/NAME/lesson.toml, with a schedule and its broken twin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/analysis.h"
#include "app/session/contract.h"

namespace bakery {

// Answered by choosing, or with a number that is measured on the run that is shown.
struct LessonQuestion {
  std::string ask;
  std::vector<std::string> choices;
  int answer = -1;          // index into `choices`
  std::string measure;      // see `measure`; in place of choices
  std::string why;
};

// Something to do to the schedule; done when a finding of this id, or a verdict, is shown.
struct LessonTask {
  std::string instruction;
  std::string done;         // "accepted", or a finding's id
  std::string why;
};

struct LessonStep {
  std::string title;
  std::string text;         // Markdown
  std::string focus;        // the place to light: "full[0]@1", "load", "SAFE-001"
  std::string stop_at;      // where Run stops: "empty[0]"
  bool broken = false;      // is about the broken twin
  std::optional<LessonQuestion> question;
  std::optional<LessonTask> task;
  uint32_t line = 0;        // in the lesson's file
};

struct Lesson {
  std::string id;           // its folder's name
  std::string title, about;
  std::string schedule, broken;            // texts
  std::string schedule_file, broken_file;
  std::vector<LessonStep> steps;
};

struct LessonFile {
  Lesson lesson;
  std::vector<ContractError> errors;       // located in the lesson's file; empty: `lesson` is whole
};

LessonFile read_lesson(const std::string& folder);
// Folders below `lessons` that hold a lesson, by name.
std::vector<std::string> lesson_folders(const std::string& resources);

// A number that the shown run knows:
//   "steps"               logical steps of the run
//   "stages NAME"         of a barrier or a view
//   "fills VIEW[SLOT]"    how often the slot was filled
//   "waits ROLE BARRIER"  how often the role waits on the barrier
// nullopt: no such place.
std::optional<int64_t> measure(const Schedule& schedule, const Timeline& timeline, std::string_view what);

// One lesson for a terminal, with the state of its two schedules.
std::string to_text(const Lesson& lesson);

}  // namespace bakery
