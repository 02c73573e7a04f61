// SPDX-License-Identifier: Apache-2.0
#include "checks/rule.h"

namespace bakery {
namespace {

void check(const Facts& facts, Reporter& out) {
  const Schedule& schedule = facts.schedule;
  for (const Barrier& barrier : schedule.barriers) {
    if (barrier.pipeline == kNone || schedule.pipelines[barrier.pipeline].stages == barrier.count) continue;
    const Pipeline& pipeline = schedule.pipelines[barrier.pipeline];
    Finding& finding = out.report(barrier.count_span, "`" + barrier.name + "` has " + std::to_string(barrier.count) + " stages, its pipeline `" +
                                                          pipeline.name + "` has " + std::to_string(pipeline.stages));
    finding.resource = barrier.name;
    finding.expected = std::to_string(pipeline.stages);
    finding.declared = std::to_string(barrier.count);
    finding.related.push_back({pipeline.span, "", pipeline.name, {}, "the pipeline is declared here"});
  }
  for (const Op& op : schedule.ops) {
    if (operation(op.code).barrier != BarrierAction::fill || op.dst.space != Space::shared) continue;
    const View& view = schedule.views[op.dst.resource];
    const Barrier& barrier = schedule.barriers[op.barrier];
    if (barrier.count == 1 || view.stages == barrier.count) continue;
    Finding& finding = out.report(view.stage_span.end == 0 ? view.span : view.stage_span,
                                  "`" + view.name + "` has " + std::to_string(view.stages) + " stages, but is filled through `" + barrier.name + "` with " +
                                      std::to_string(barrier.count));
    finding.role = facts.role(op.role);
    finding.resource = view.name;
    finding.expected = std::to_string(barrier.count);
    finding.declared = std::to_string(view.stages);
    finding.related.push_back({barrier.count_span, "", barrier.name, {}, "`" + barrier.name + "` is declared here"});
    finding.related.push_back({op.span, finding.role, view.name, {}, "filled here"});
  }
}

}  // namespace

const Rule rule_SCHED_009 = {
    "SCHED-009", Gate::schedule, Severity::error, Confidence::proved, 1,
    "rings of different depth",
    "a barrier's stages, its pipeline's stages and the views that it guards agree",
    "Slot, barrier stage and phase come from one use counter. If the depths differ, the same use means different slots, and\n"
    "the phases of the barrier no longer follow the laps of the ring.\n"
    "Source: language.md, counters; checks.md M3, M7.",
    "M3, M7",
    "pipe = lm.pipeline(stages=4)\n"
    "full = lm.barrier(count=3, prod=[load], cons=[mma], init_count=1, pipeline=pipe)",
    "Give the pipeline, its barriers and its views the same number of stages.",
    check,
};

}  // namespace bakery
