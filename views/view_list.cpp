// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/view_list.h"

#include "views/cuda/cuda_view.h"
#include "views/editor/editor_view.h"
#include "views/findings/findings_view.h"
#include "views/lessons/lessons_view.h"
#include "views/memory_map/memory_map_view.h"
#include "views/occupancy/occupancy_view.h"
#include "views/pipeline/pipeline_view.h"
#include "views/runs/runs_view.h"
#include "views/timeline/timeline_view.h"

namespace bakery::views {

namespace {

template <class View>
QWidget* make(const ViewContext& context, QWidget* parent) {
  return new View(context, parent);
}

}  // namespace

const std::vector<ViewEntry>& view_list() {
  static const std::vector<ViewEntry> list = {
      {"editor", "Editor", make<EditorView>},
      {"findings", "Findings", make<FindingsView>},
      {"timeline", "Timeline", make<TimelineView>},
      {"pipeline", "Pipeline", make<PipelineView>},
      {"memory_map", "Memory map", make<MemoryMapView>},
      {"occupancy", "Occupancy", make<OccupancyView>},
      {"cuda", "CUDA", make<CudaView>},
      {"lessons", "Lessons", make<LessonsView>},
      {"runs", "Runs", make<RunsView>},
  };
  return list;
}

}  // namespace bakery::views
