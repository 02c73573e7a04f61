// SPDX-License-Identifier: Apache-2.0
// The built-in agent at work: a private copy of the text, a plan, tool calls and proposals, told as
// plain values. It needs no network and no model, and never sees the person's text again after its start.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent_panel/harness/review.h"
#include "app/session/analysis.h"

namespace bakery {

enum class AgentGoal : uint8_t { repair_all, repair_one, explore };

struct AgentBudget {
  int analyses = 2000;
  double seconds = 60;
};

struct AgentRequest {
  AgentGoal goal = AgentGoal::repair_all;
  std::string file_name;
  std::string text;           // the private copy begins as this
  AnalysisOptions options;    // target, pinned tunables
  Finding finding;            // of repair_one
  AgentBudget budget;
};

enum class StepState : uint8_t { to_do, active, done, failed };

struct PlanStep {
  std::string title;
  StepState state = StepState::to_do;
};

struct ToolCall {
  int id = 0;
  int step = -1;              // of the plan
  std::string name;           // a command of the table: check, explain, fix
  std::string arguments;      // as on the command line
  std::string answer;         // plain text, empty while it runs
  bool answered = false;
  double milliseconds = 0;
};

// nothing: all was tried and there is nothing to propose.
enum class AgentEnd : uint8_t { done, nothing, stopped, out_of_budget, failed };

struct AgentEvent {
  enum class Kind : uint8_t { plan, tool, proposal, meter, finished } kind = Kind::meter;
  std::vector<PlanStep> plan;
  ToolCall tool;              // sent when it begins and when it is answered
  std::string text;           // proposal: the private copy now
  std::shared_ptr<const Analysis> analysis;  // proposal: of that text
  Evidence evidence;          // proposal: against the copy before
  int analyses = 0;           // spent; in every event
  double seconds = 0;
  AgentEnd end = AgentEnd::done;
  std::string message;        // finished: one sentence
};

using AgentListener = std::function<void(const AgentEvent&)>;

// Runs to its end on the caller's thread. Stops within a second of `stop`; what was proposed until
// then stands.
void run_agent(const AgentRequest& request, std::stop_token stop, const AgentListener& tell);

// The same on its own thread, from which `tell` is called. The destructor stops and waits.
class AgentRun {
 public:
  AgentRun(AgentRequest request, AgentListener tell);
  void stop() { thread_.request_stop(); }

 private:
  std::jthread thread_;
};

// What one schedule is worth against another.
Evidence compare_analyses(const Analysis& before, const Analysis& after);

}  // namespace bakery
