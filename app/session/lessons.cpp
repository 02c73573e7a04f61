// SPDX-License-Identifier: Apache-2.0
#include "app/session/lessons.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "app/session/files.h"
#include "app/session/toml.h"

namespace bakery {
namespace {

namespace fs = std::filesystem;

class LessonReader {
 public:
  explicit LessonReader(std::vector<ContractError>& errors) : errors_(errors) {}

  void error(const toml::node* node, std::string message) {
    ContractError e;
    if (node) {
      e.line = node->source().begin.line;
      e.column = node->source().begin.column;
    }
    e.message = std::move(message);
    errors_.push_back(std::move(e));
  }

  void known(const toml::table& table, std::initializer_list<std::string_view> keys) {
    for (const auto& [key, node] : table)
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
        error(&node, "unknown key `" + std::string(key.str()) + "`");
  }

  std::string text(const toml::table& table, const char* key, bool required = false) {
    const toml::node* node = table.get(key);
    if (!node) {
      if (required) error(&table, "`" + std::string(key) + "` is missing");
      return {};
    }
    if (const auto value = node->value_exact<std::string>()) return *value;
    error(node, "`" + std::string(key) + "` is a string");
    return {};
  }

  // A list of lines.
  std::string lines(const toml::table& table, const char* key) {
    const toml::array* array = table.get_as<toml::array>(key);
    std::string text;
    bool whole = array && !array->empty();
    if (array)
      for (const toml::node& line : *array) {
        const auto value = line.value_exact<std::string>();
        whole = whole && value;
        text += value.value_or("") + "\n";
      }
    if (!whole) error(array ? static_cast<const toml::node*>(array) : &table, "`" + std::string(key) + "` is a list of lines");
    return text;
  }

  bool flag(const toml::table& table, const char* key) {
    const toml::node* node = table.get(key);
    if (!node) return false;
    if (const auto value = node->value_exact<bool>()) return *value;
    error(node, "`" + std::string(key) + "` is true or false");
    return false;
  }

  const toml::table* table(const toml::table& parent, const char* key) {
    const toml::node* node = parent.get(key);
    if (node && !node->as_table()) error(node, "`" + std::string(key) + "` is a table");
    return node ? node->as_table() : nullptr;
  }

 private:
  std::vector<ContractError>& errors_;
};

LessonQuestion read_question(LessonReader& reader, const toml::table& table) {
  reader.known(table, {"ask", "choices", "answer", "measure", "why"});
  LessonQuestion question{.ask = reader.text(table, "ask", true), .measure = reader.text(table, "measure"), .why = reader.text(table, "why", true)};
  if (const toml::node* node = table.get("choices")) {
    const toml::array* array = node->as_array();
    if (array)
      for (const toml::node& choice : *array) question.choices.push_back(choice.value_exact<std::string>().value_or(""));
    if (!array || array->size() < 2 || std::count(question.choices.begin(), question.choices.end(), "") > 0)
      reader.error(node, "`choices` is a list of at least two strings");
  }
  if (const toml::node* node = table.get("answer")) {
    const auto value = node->value_exact<int64_t>();
    if (value && *value >= 1 && *value <= static_cast<int64_t>(question.choices.size())) question.answer = static_cast<int>(*value) - 1;
    else reader.error(node, "`answer` is the number of a choice, from 1");
  }
  if (question.measure.empty() == question.choices.empty()) reader.error(&table, "a question has either `choices` or `measure`");
  else if (!question.choices.empty() && question.answer < 0 && !table.get("answer")) reader.error(&table, "`answer` is missing");
  return question;
}

LessonStep read_step(LessonReader& reader, const toml::table& table) {
  reader.known(table, {"title", "text", "focus", "stop_at", "broken", "question", "task"});
  LessonStep step{.title = reader.text(table, "title", true),
                  .text = reader.lines(table, "text"),
                  .focus = reader.text(table, "focus"),
                  .stop_at = reader.text(table, "stop_at"),
                  .broken = reader.flag(table, "broken"),
                  .line = table.source().begin.line};
  if (const toml::table* question = reader.table(table, "question")) step.question = read_question(reader, *question);
  if (const toml::table* task = reader.table(table, "task")) {
    reader.known(*task, {"do", "done", "why"});
    step.task = LessonTask{reader.text(*task, "do", true), reader.text(*task, "done", true), reader.text(*task, "why", true)};
  }
  return step;
}

// "a_s[1]" or "a_s".
struct Place {
  std::string name;
  int stage = -1;
};

std::optional<Place> read_place(const std::string& text) {
  const size_t open = text.find('[');
  if (open == std::string::npos) return Place{text, -1};
  if (text.back() != ']' || open + 2 >= text.size() || text.size() > open + 8) return std::nullopt;
  const std::string stage = text.substr(open + 1, text.size() - open - 2);
  if (stage.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return Place{text.substr(0, open), std::stoi(stage)};
}

template <class Items>
int index_by_name(const Items& items, const std::string& name) {
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace

LessonFile read_lesson(const std::string& folder) {
  LessonFile result;
  Lesson& lesson = result.lesson;
  LessonReader reader(result.errors);
  lesson.id = fs::path(folder).filename().string();
  const std::string path = (fs::path(folder) / "lesson.toml").string();
  const std::optional<toml::table> parsed = read_toml(path, result.errors);
  if (!parsed) return result;
  const toml::table& table = *parsed;
  reader.known(table, {"title", "about", "schedule", "broken", "step"});
  lesson.title = reader.text(table, "title", true);
  lesson.about = reader.text(table, "about", true);
  const auto schedule = [&](const char* key, std::string& text, std::string& name) {
    const std::string value = reader.text(table, key, true);
    if (value.empty()) return;
    name = (fs::path(folder) / value).string();
    FileText content = read_text_file(name);
    if (content.error) reader.error(table.get(key), content.error->message);
    text = std::move(content.text);
  };
  schedule("schedule", lesson.schedule, lesson.schedule_file);
  schedule("broken", lesson.broken, lesson.broken_file);
  const toml::array* steps = table.get_as<toml::array>("step");
  if (!steps || steps->empty()) reader.error(&table, "a lesson has at least one `[[step]]`");
  else
    for (const toml::node& node : *steps) {
      if (const toml::table* step = node.as_table()) lesson.steps.push_back(read_step(reader, *step));
      else reader.error(&node, "`step` is a table");
    }
  return result;
}

std::vector<std::string> lesson_folders(const std::string& resources) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(resources) / "lessons", error))
    if (fs::is_regular_file(entry.path() / "lesson.toml", error)) folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::optional<int64_t> measure(const Schedule& schedule, const Timeline& timeline, std::string_view what) {
  std::istringstream words{std::string(what)};
  std::string kind, first, second, rest;
  words >> kind >> first >> second >> rest;
  if (!rest.empty()) return std::nullopt;
  if (kind == "steps" && first.empty()) return timeline.end;
  if (kind == "stages" && second.empty()) {
    if (const int b = index_by_name(schedule.barriers, first); b >= 0) return schedule.barriers[b].count;
    if (const int v = index_by_name(schedule.views, first); v >= 0) return schedule.views[v].stages;
    return std::nullopt;
  }
  if (kind == "fills" && second.empty()) {
    const auto place = read_place(first);
    if (!place) return std::nullopt;
    for (const Lane& lane : timeline.lanes) {
      if (lane.kind != LaneKind::slot || lane.resource != place->name || lane.stage != std::max(place->stage, 0)) continue;
      std::set<int32_t> uses;
      for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count; ++b)
        if (timeline.bars[b].state == BarState::filling) uses.insert(timeline.bars[b].number);
      return static_cast<int64_t>(uses.size());
    }
    return std::nullopt;
  }
  if (kind == "waits") {
    const int role = index_by_name(schedule.roles, first), barrier = index_by_name(schedule.barriers, second);
    if (role < 0 || barrier < 0) return std::nullopt;
    return std::count_if(timeline.events.begin(), timeline.events.end(), [&](const TimelineEvent& e) {
      return e.role == role && e.barrier == barrier && e.op < schedule.ops.size() &&
             operation(schedule.ops[e.op].code).barrier == BarrierAction::wait;
    });
  }
  return std::nullopt;
}

std::string to_text(const Lesson& lesson) {
  std::string out = lesson.title + "\n" + lesson.about + "\n";
  for (const auto& [name, file, text] : {std::tuple{"schedule", lesson.schedule_file, lesson.schedule}, std::tuple{"broken twin", lesson.broken_file, lesson.broken}}) {
    const auto analysis = analyse(file, text);
    out += std::string(name) + ": " + file + ": " + to_string(analysis->verdict);
    for (const Finding& finding : analysis->findings)
      if (finding.severity == Severity::error) out += "\n  " + finding.id + ": " + finding.message;
    out += "\n";
  }
  for (size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    out += "\n" + std::to_string(i + 1) + ". " + step.title + "\n\n" + step.text;
    if (step.question) {
      out += "\nQuestion: " + step.question->ask + "\n";
      for (size_t c = 0; c < step.question->choices.size(); ++c) out += "  " + std::to_string(c + 1) + ") " + step.question->choices[c] + "\n";
    }
    if (step.task) out += "\nTask: " + step.task->instruction + "\n";
  }
  return out;
}

}  // namespace bakery
