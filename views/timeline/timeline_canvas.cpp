// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_canvas.h"

#include <QAccessible>
#include <QEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

#include "views/common/qt_text.h"
#include "views/common/rich_text.h"
#include "views/common/view_requests.h"
#include "views/timeline/accessible_timeline.h"

namespace bakery::views {

namespace {
constexpr double kEventsASecond = 2;    // at speed 1
constexpr double kMostPixelsAStep = 160;
constexpr size_t kZoomHistory = 50;
}  // namespace

TimelineCanvas::TimelineCanvas(const ViewContext& context, QWidget* parent)
    : QAbstractScrollArea(parent), context_(context), data_(context.snapshots.shown()) {
  setObjectName(QStringLiteral("timeline_canvas"));
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  install_accessible_timeline();
  setAccessibleName(tr("Timeline of roles, engines, barriers and ring slots"));
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  small_ = font();
  connect(&context_.snapshots, &Snapshots::changed, this, &TimelineCanvas::take_snapshot);
  connect(&context_.focus, &Focus::changed, this, &TimelineCanvas::take_focus);
  connect(&context_.focus, &Focus::lit_changed, this, &TimelineCanvas::take_light);
  connect(&context_.document, &Document::opened, this, &TimelineCanvas::load);
  connect(&context_.document, &Document::saved_as, this, [this] {
    marks_path_ = context_.document.path();
    save();
  });
  connect(&ViewRequests::of(context_.focus), &ViewRequests::replay_wanted, this, &TimelineCanvas::start_replay);
  connect(&play_, &QTimer::timeout, this, [this] {
    const uint32_t before = selected_;
    const size_t step_before = replay_step();
    step(1);
    if (selected_ == before && replay_step() == step_before) set_playing(false);
  });
  connect(&context_.theme, &Theme::changed, this, [this] {
    hatch_ = {};
    repaint_base();
  });
  load();
  take_snapshot();
}

int TimelineCanvas::lanes_top() const { return fontMetrics().height() + 12; }

void TimelineCanvas::take_snapshot() {
  const Snapshot& next = context_.snapshots.shown();
  const bool nothing = next.timeline->lanes.empty();
  const bool stale = nothing && !data_.timeline->lanes.empty();
  if (stale != stale_) {
    stale_ = stale;
    emit stale_changed(stale_);
  }
  if (!stale) {
    const bool same_text = data_.analysis->source.text() == next.analysis->source.text();
    const bool same_timeline = data_.timeline == next.timeline, same_run = same_text && next.sample == data_.sample;
    if (replay_ && !same_run) leave_replay();
    data_ = next;
    if (!same_timeline) {
      index_ = TimelineIndex(*data_.timeline);
      iterations_.reset();
    }
    if (!same_run) {
      if (area_) set_area(std::nullopt);
      measure_.reset();
    }
    if (!same_text) replay_wanted_ = -1;
    filter_ = parse_filter();
    selected_ = kNoEvent;
    rematch();
    measure_header();
    if (current_lane_ >= data_.timeline->lanes.size()) current_lane_ = UINT32_MAX;
    if (fitted_) fit_all();
  }
  const FocusState& focus = context_.focus.state();
  selected_ = !stale_ && focus.event < data_.timeline->events.size() ? focus.event : kNoEvent;
  lighting_ = stale_ ? Lighting{} : light(data_, context_.focus.lit());
  update_scroll_bars();
  repaint_base();
  emit selection_changed();
  begin_wanted_replay();
}

void TimelineCanvas::take_light() {
  if (stale_) return;
  lighting_ = light(data_, context_.focus.lit());
  repaint_base();
}

void TimelineCanvas::take_focus() {
  const FocusState& focus = context_.focus.state();
  if (!stale_) {
    lighting_ = light(data_, context_.focus.lit());
    selected_ = focus.event < data_.timeline->events.size() ? focus.event : kNoEvent;
  }
  if (focus.origin == Origin::findings || focus.origin == Origin::command) reveal();
  if (selected_ != kNoEvent) {
    const uint32_t bar = index_.bar_of_event(selected_);
    if (bar != kNoBar && focus.origin != Origin::timeline) current_lane_ = index_.lane_of_bar(*data_.timeline, bar);
    setAccessibleDescription(to_qstring(describe(*data_.analysis, *data_.timeline, selected_)));
  } else {
    setAccessibleDescription({});
  }
  if (QAccessible::isActive()) {
    QAccessibleValueChangeEvent event(this, accessibleDescription());
    QAccessible::updateAccessibility(&event);
  }
  repaint_base();
  emit selection_changed();
}

void TimelineCanvas::relayout() {
  std::vector<uint8_t> left_out;
  if (!filter_.empty() && !matches_.empty()) {
    left_out.assign(data_.timeline->lanes.size(), 1);
    for (size_t l = 0; l < left_out.size(); ++l)
      for (const Pyramid& row : bright_.rows(static_cast<uint32_t>(l)))
        if (row.size() > 0) left_out[l] = 0;
  }
  layout_ = lay_out(*data_.timeline, marks_.lanes, left_out);
  hovered_ = {};
  update_scroll_bars();
  repaint_base();
}

// ---- what is bright -----------------------------------------------------------------------

const Iterations& TimelineCanvas::iterations() const {
  if (!iterations_) iterations_ = number_iterations(*data_.timeline);
  return *iterations_;
}

void TimelineCanvas::rematch() {
  const Timeline& timeline = *data_.timeline;
  matches_.clear();
  bright_ = {};
  if (!filter_.empty() || isolated_) {
    matches_ = filter_.match(data_);
    if (isolated_) {
      std::vector<uint8_t> inside(timeline.iterations.size());
      for (size_t i = 0; i < inside.size(); ++i) inside[i] = within(timeline.iterations[i], *isolated_);
      for (size_t e = 0; e < matches_.size(); ++e) {
        const uint32_t iteration = timeline.events[e].iteration;
        if (iteration >= inside.size() || !inside[iteration]) matches_[e] = 0;
      }
    }
    std::vector<uint8_t> kept(timeline.bars.size(), 0);
    for (size_t b = 0; b < kept.size(); ++b)
      kept[b] = timeline.bars[b].event < matches_.size() && matches_[timeline.bars[b].event];
    bright_ = TimelineIndex(timeline, &kept);
  }
  relayout();
  emit filter_changed();
}

EventFilter TimelineCanvas::parse_filter() {
  std::string error;
  EventFilter filter = EventFilter::parse(to_utf8(filter_text_), *data_.timeline, error);
  filter_error_ = to_qstring(error);
  return filter;
}

void TimelineCanvas::set_filter(const QString& text) {
  filter_text_ = text;
  EventFilter filter = parse_filter();
  if (!filter_error_.isEmpty()) return emit filter_changed();  // half a term is no filter yet
  filter_ = std::move(filter);
  rematch();
}

QString TimelineCanvas::filter_answer() const {
  if (!filter_error_.isEmpty()) return filter_error_;
  const bool none = !filter_.empty() && std::find(matches_.begin(), matches_.end(), 1) == matches_.end();
  return none ? tr("No event matches.") : QString();
}

void TimelineCanvas::isolate(bool on) {
  if (!on || stale_) {
    isolated_.reset();
    return rematch();
  }
  const auto& events = data_.timeline->events;
  if (selected_ == kNoEvent || events[selected_].iteration >= data_.timeline->iterations.size() ||
      data_.timeline->iterations[events[selected_].iteration].empty()) {
    emit told(tr("Choose an event inside a loop first; E then shows its iteration alone."));
    return;
  }
  isolated_ = data_.timeline->iterations[events[selected_].iteration];
  rematch();
}

void TimelineCanvas::isolate_next(int direction) {
  const std::vector<std::vector<LoopValue>>& values = iterations().values;
  if (stale_ || values.size() < 2) return;
  int64_t at = direction > 0 ? 0 : static_cast<int64_t>(values.size());
  const auto& events = data_.timeline->events;
  const auto number_of = [&](const std::vector<LoopValue>& wanted) {
    for (size_t i = 1; i < values.size(); ++i)
      if (values[i].size() == wanted.size() && within(values[i], wanted)) return static_cast<int64_t>(i);
    return at;
  };
  if (isolated_) at = number_of(*isolated_) + direction;
  else if (selected_ != kNoEvent && events[selected_].iteration < iterations().number.size() && iterations().number[events[selected_].iteration] > 0)
    at = iterations().number[events[selected_].iteration];
  else at += direction;
  if (at < 1 || at >= static_cast<int64_t>(values.size())) return;
  isolated_ = values[static_cast<size_t>(at)];
  rematch();
  int64_t begin = INT64_MAX, end = -1;
  for (size_t e = 0; e < matches_.size(); ++e) {
    if (!matches_[e]) continue;
    begin = std::min(begin, events[e].begin);
    end = std::max(end, events[e].end);
  }
  if (end < 0 || (static_cast<double>(begin) >= view_.begin && static_cast<double>(end) <= view_.end())) return;
  set_view((static_cast<double>(begin) + static_cast<double>(end) - view_.width * view_.steps_per_pixel) / 2, view_.steps_per_pixel, true);
}

// ---- areas, measures, markers ---------------------------------------------------------------

void TimelineCanvas::set_area(std::optional<Area> area) {
  area_ = std::move(area);
  viewport()->update();
  emit area_changed();
}

AreaTotals TimelineCanvas::area_totals() const { return area_ ? total(data_, iterations(), *area_) : AreaTotals{}; }

std::vector<uint32_t> TimelineCanvas::all_shown_lanes() const {
  std::vector<uint32_t> lanes;
  for (const LaneRow& row : layout_.rows)
    if (!row.group) lanes.push_back(row.lane);
  std::sort(lanes.begin(), lanes.end());
  return lanes;
}

std::vector<uint32_t> TimelineCanvas::lanes_between(int y0, int y1) const {
  if (y0 > y1) std::swap(y0, y1);
  const int shift = verticalScrollBar()->value() - lanes_top();
  std::vector<uint32_t> lanes;
  for (const LaneRow& row : layout_.rows)
    if (!row.group && row.y + row.height > y0 + shift && row.y <= y1 + shift) lanes.push_back(row.lane);
  std::sort(lanes.begin(), lanes.end());
  return lanes;
}

void TimelineCanvas::area_of_selection() {
  const FocusState& focus = context_.focus.state();
  if (stale_ || focus.begin < 0) {
    emit told(tr("Choose an event or a phase first; R then makes an area of its time."));
    return;
  }
  Area area{focus.begin, std::max(focus.end, focus.begin + 1), {}};
  for (uint32_t l = 0; l < lighting_.lanes.size(); ++l)
    if (lighting_.lanes[l] && layout_.of_lane(l)) area.lanes.push_back(l);
  if (area.lanes.empty()) area.lanes = all_shown_lanes();
  set_area(std::move(area));
}

size_t TimelineCanvas::iterations_between(double from, double to) const {
  Area area{static_cast<int64_t>(std::floor(std::min(from, to))), static_cast<int64_t>(std::ceil(std::max(from, to))), {}};
  for (uint32_t l = 0; l < data_.timeline->lanes.size(); ++l)
    if (data_.timeline->lanes[l].kind == LaneKind::role) area.lanes.push_back(l);
  return total(data_, iterations(), area).iterations;
}

QString TimelineCanvas::measure_text() const {
  if (!measure_) return {};
  const size_t count = iterations_between(measure_->from, measure_->to);
  return tr("Δ %L1 steps · %2").arg(std::llround(std::abs(measure_->to - measure_->from))).arg(count == 1 ? tr("1 iteration") : tr("%L1 iterations").arg(count));
}

void TimelineCanvas::add_marker(Marker marker) {
  marks_.markers.push_back(std::move(marker));
  std::sort(marks_.markers.begin(), marks_.markers.end(), [](const Marker& a, const Marker& b) { return a.begin < b.begin; });
  save();
  viewport()->update();
}

void TimelineCanvas::remove_marker(size_t index) {
  if (index >= marks_.markers.size()) return;
  marks_.markers.erase(marks_.markers.begin() + static_cast<ptrdiff_t>(index));
  save();
  viewport()->update();
}

void TimelineCanvas::save() { save_marks(marks_path_, marks_); }

void TimelineCanvas::load() {
  marks_path_ = context_.document.path();
  marks_ = load_marks(marks_path_);
  lane_history_.clear();
  if (index_.rows_count() > 0) relayout();
}

// ---- lanes ----------------------------------------------------------------------------------

void TimelineCanvas::arrange(const QString& title, LaneArrangement next) {
  if (next == marks_.lanes) return;
  class Arrange : public QUndoCommand {
   public:
    Arrange(const QString& title, std::function<void(const LaneArrangement&)> apply, LaneArrangement before, LaneArrangement after)
        : QUndoCommand(title), apply_(std::move(apply)), before_(std::move(before)), after_(std::move(after)) {}
    void undo() override { apply_(before_); }
    void redo() override { apply_(after_); }

   private:
    std::function<void(const LaneArrangement&)> apply_;
    LaneArrangement before_, after_;
  };
  lane_history_.push(new Arrange(title,
                                 [this](const LaneArrangement& lanes) {
                                   marks_.lanes = lanes;
                                   save();
                                   relayout();
                                 },
                                 marks_.lanes, std::move(next)));
}

// ---- replay ---------------------------------------------------------------------------------

void TimelineCanvas::start_replay(int finding) {
  const auto& findings = context_.snapshots.analysis().findings;
  if (finding < 0)  // the first one that can be played
    for (size_t i = 0; i < findings.size() && finding < 0; ++i)
      if (replayable(findings[i])) finding = static_cast<int>(i);
  if (finding < 0 || static_cast<size_t>(finding) >= findings.size() || !replayable(findings[static_cast<size_t>(finding)])) {
    emit told(tr("There is no run to replay: this finding was seen in the text, not in a run."));
    return;
  }
  leave_replay();
  if (stale_) return emit told(tr("The text can't run as it stands; what is drawn is an older run."));
  replay_wanted_ = finding;
  FocusState state = focus_on_finding(context_.snapshots.shown(), finding);
  state.origin = Origin::findings;
  context_.focus.set(std::move(state));
  begin_wanted_replay();
}

void TimelineCanvas::begin_wanted_replay() {
  if (stale_) replay_wanted_ = -1;
  if (replay_wanted_ < 0) return;
  const auto& findings = data_.analysis->findings;
  if (static_cast<size_t>(replay_wanted_) >= findings.size()) {
    replay_wanted_ = -1;
    return;
  }
  const Finding& finding = findings[static_cast<size_t>(replay_wanted_)];
  if (finding.sample != data_.sample) return;  // its run is on the way
  Replay replay = replay_of(*data_.analysis, *data_.timeline, data_.sample, finding);
  const int wanted = std::exchange(replay_wanted_, -1);
  if (replay.empty()) {
    emit told(tr("None of the events that %1 tells of is in this run.").arg(to_qstring(finding.id)));
    return;
  }
  const size_t last = replay.steps.size() - 1;  // where it ends: who waits for whom is what a person wants to see
  replay_ = ReplayState{std::move(replay), wanted, last};
  int64_t begin = INT64_MAX, end = 0;
  for (const ReplayStep& step : replay_->replay.steps) {
    begin = std::min(begin, data_.timeline->events[step.event].begin);
    end = std::max(end, data_.timeline->events[step.event].end);
  }
  const double steps = std::max(12.0, static_cast<double>(end - begin));
  set_view(static_cast<double>(begin) - steps * 0.08, steps * 1.2 / view_.width, true);
  show_replay_step();
}

void TimelineCanvas::show_replay_step() {
  const int finding = replay_->finding;
  FocusState state = focus_on_event(data_, replay_->replay.steps[replay_->step].event);
  state.finding = finding;
  state.origin = Origin::timeline;
  context_.focus.set(std::move(state));
  if (!replay_) return;
  reveal();
  viewport()->update();
  emit replay_changed();
}

void TimelineCanvas::leave_replay() {
  replay_wanted_ = -1;
  if (!replay_) return;
  replay_.reset();
  viewport()->update();
  emit replay_changed();
}

QString TimelineCanvas::replay_text() const {
  if (!replay_) return {};
  const ReplayStep& step = replay_->replay.steps[replay_->step];
  return tr("<b>Witness of %1: step %2 of %3</b> · %4 <i>Esc leaves.</i>")
      .arg(to_qstring(data_.analysis->findings[static_cast<size_t>(replay_->finding)].id))
      .arg(replay_->step + 1)
      .arg(replay_->replay.steps.size())
      .arg(rich_text(step.text + "."));
}

void TimelineCanvas::set_speed(double speed) {
  speed_ = std::clamp(speed, 0.1, 10.0);
  play_.setInterval(static_cast<int>(1000 / (kEventsASecond * speed_)));
}

void TimelineCanvas::set_playing(bool on) {
  if (on == play_.isActive()) return;
  if (on) play_.start(static_cast<int>(1000 / (kEventsASecond * speed_)));
  else play_.stop();
  emit playing_changed(on);
}

// ---- mapping ----------------------------------------------------------------------------

double TimelineCanvas::fit_scale() const {
  const double steps = std::max<double>(1, static_cast<double>(data_.timeline->end));
  return steps * 1.02 / std::max(1, view_.width);
}

void TimelineCanvas::fit_all() {
  view_.begin = 0;
  view_.steps_per_pixel = std::max(fit_scale(), 1 / (kMostPixelsAStep * ratio()));
  fitted_ = true;
  update_scroll_bars();
  repaint_base();
}

void TimelineCanvas::set_view(double begin, double steps_per_pixel, bool remember) {
  if (remember) {
    zooms_.emplace_back(view_.begin, fitted_ ? 0 : view_.steps_per_pixel);
    if (zooms_.size() > kZoomHistory) zooms_.erase(zooms_.begin());
  }
  const double widest = std::max(fit_scale() * 1.25, 1 / (kMostPixelsAStep * ratio()));
  view_.steps_per_pixel = std::clamp(steps_per_pixel, 1 / (kMostPixelsAStep * ratio()), widest);
  const double shown = view_.width * view_.steps_per_pixel;
  const double margin = shown * 0.5;
  const double last = static_cast<double>(data_.timeline->end);
  view_.begin = std::clamp(begin, -margin, std::max(-margin, last - margin));
  fitted_ = false;
  update_scroll_bars();
  repaint_base();
}

void TimelineCanvas::undo_zoom() {
  if (zooms_.empty()) return;
  const auto [begin, scale] = zooms_.back();
  zooms_.pop_back();
  if (scale == 0) fit_all();
  else set_view(begin, scale, false);
}

void TimelineCanvas::zoom_by(double factor, double x) {
  const double time = view_.time(x);
  const double scale = view_.steps_per_pixel / factor;
  set_view(time - x * scale, scale, false);
  // Clamped zooming keeps the time under the cursor, too.
  if (std::abs(view_.steps_per_pixel - scale) > 1e-12) set_view(time - x * view_.steps_per_pixel, view_.steps_per_pixel, false);
}

void TimelineCanvas::pan_by(double device_pixels) {
  set_view(view_.begin + device_pixels * view_.steps_per_pixel, view_.steps_per_pixel, false);
}

void TimelineCanvas::centre_or_fit_selection() {
  const FocusState& focus = context_.focus.state();
  if (focus.begin < 0 || stale_) return;
  const double begin = static_cast<double>(focus.begin), end = static_cast<double>(std::max(focus.end, focus.begin + 1));
  const double middle = (begin + end) / 2;
  if (centred_) {
    const double scale = (end - begin) / (0.6 * std::max(1, view_.width));
    set_view(middle - scale * view_.width / 2, scale, true);
  } else {
    set_view(middle - view_.steps_per_pixel * view_.width / 2, view_.steps_per_pixel, true);
  }
  if (selected_ != kNoEvent) reveal_lane(current_lane_);
}

void TimelineCanvas::reveal() {
  const FocusState& focus = context_.focus.state();
  if (stale_) return;
  uint32_t lane = UINT32_MAX;
  if (selected_ != kNoEvent) {
    const uint32_t bar = index_.bar_of_event(selected_);
    if (bar != kNoBar) lane = index_.lane_of_bar(*data_.timeline, bar);
  }
  if (lane == UINT32_MAX)
    for (uint32_t l = 0; l < lighting_.lanes.size() && lane == UINT32_MAX; ++l)
      if (lighting_.lanes[l]) lane = l;
  if (lane != UINT32_MAX) reveal_lane(lane);
  if (focus.begin < 0 || view_.width <= 0) return;
  const double begin = static_cast<double>(focus.begin), end = static_cast<double>(std::max(focus.end, focus.begin + 1));
  const double shown = view_.width * view_.steps_per_pixel;
  const bool in_sight = begin >= view_.begin && end <= view_.end();
  const bool legible = 4 * ratio() * view_.steps_per_pixel <= end - begin;
  if (in_sight && legible) return;
  const double wanted = legible ? std::max(shown, (end - begin) * 1.5) : std::max(120.0, (end - begin) * 3);
  const double steps = std::min(wanted, fit_scale() * view_.width);
  set_view(std::max((begin + end - steps) / 2, -0.02 * steps), steps / view_.width, true);
}

void TimelineCanvas::reveal_lane(uint32_t lane) {
  const LaneRow* row = layout_.of_lane(lane);
  if (!row) return;
  QScrollBar* bar = verticalScrollBar();
  if (row->y < bar->value()) bar->setValue(row->y - 30);
  else if (row->y + row->height > bar->value() + lanes_height()) bar->setValue(row->y + row->height - lanes_height() + 30);
}

void TimelineCanvas::update_scroll_bars() {
  updating_scroll_bars_ = true;
  verticalScrollBar()->setRange(0, std::max(0, layout_.height - lanes_height()));
  verticalScrollBar()->setPageStep(std::max(1, lanes_height()));
  verticalScrollBar()->setSingleStep(24);
  const double pixels = static_cast<double>(data_.timeline->end) / std::max(1e-9, view_.steps_per_pixel);
  const double squeeze = std::max(1.0, pixels / 1e8);  // scroll bars count in int
  horizontalScrollBar()->setRange(0, static_cast<int>(std::max(0.0, (pixels - view_.width) / squeeze)));
  horizontalScrollBar()->setPageStep(std::max(1, static_cast<int>(view_.width / squeeze)));
  horizontalScrollBar()->setSingleStep(std::max(1, horizontalScrollBar()->pageStep() / 20));
  horizontalScrollBar()->setValue(static_cast<int>(view_.begin / view_.steps_per_pixel / squeeze));
  updating_scroll_bars_ = false;
}

void TimelineCanvas::scrollContentsBy(int dx, int) {
  if (updating_scroll_bars_) return;
  if (dx != 0) {
    const double pixels = static_cast<double>(data_.timeline->end) / view_.steps_per_pixel;
    view_.begin = horizontalScrollBar()->value() * std::max(1.0, pixels / 1e8) * view_.steps_per_pixel;
    fitted_ = false;
  }
  repaint_base();
}

void TimelineCanvas::measure_header() {
  small_ = font();
  small_.setPointSizeF(std::max(7.5, font().pointSizeF() - 1));
  widths_.clear();
  int widest = fontMetrics().horizontalAdvance(tr("logical steps"));
  for (const Lane& lane : data_.timeline->lanes)
    widest = std::max(widest, fontMetrics().horizontalAdvance(to_qstring(lane.name)));
  header_width_ = std::min(widest + 26, std::max(80, viewport()->width() / 3));
  view_.width = std::max(1, static_cast<int>((viewport()->width() - header_width_) * ratio()));
}

void TimelineCanvas::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  measure_header();
  if (fitted_) fit_all();
  update_scroll_bars();
  repaint_base();
}

void TimelineCanvas::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) {
    measure_header();
    repaint_base();
  }
}

// ---- stepping ---------------------------------------------------------------------------

void TimelineCanvas::choose(uint32_t event) {
  if (stale_ || event >= data_.timeline->events.size()) return;
  FocusState state = focus_on_event(data_, event);
  state.origin = Origin::timeline;
  if (replay_) state.finding = replay_->finding;
  context_.focus.set(std::move(state));
  const uint32_t bar = index_.bar_of_event(event);
  if (bar != kNoBar) current_lane_ = index_.lane_of_bar(*data_.timeline, bar);
  reveal();
}

void TimelineCanvas::step(int direction) {
  if (replay_) {
    const size_t next = replay_->step + static_cast<size_t>(direction);  // wraps below zero
    if (next >= replay_->replay.steps.size()) return;
    replay_->step = next;
    return show_replay_step();
  }
  const uint32_t count = static_cast<uint32_t>(data_.timeline->events.size());
  if (count == 0) return;
  const uint32_t current = selected_;
  if (current == kNoEvent) return choose(direction > 0 ? 0 : count - 1);
  if (direction > 0 ? current + 1 < count : current > 0) choose(direction > 0 ? current + 1 : current - 1);
}

void TimelineCanvas::step_to_end(bool last) {
  if (replay_) {
    replay_->step = last ? replay_->replay.steps.size() - 1 : 0;
    return show_replay_step();
  }
  const uint32_t count = static_cast<uint32_t>(data_.timeline->events.size());
  if (count > 0) choose(last ? count - 1 : 0);
}

void TimelineCanvas::step_on_lane(int direction) {
  if (data_.timeline->lanes.empty()) return;
  const uint32_t l = current_lane_ < data_.timeline->lanes.size() ? current_lane_ : 0;
  const Lane& lane = data_.timeline->lanes[l];
  const auto has_event = [&](uint32_t b) { return data_.timeline->bars[b].event != kNoEvent; };
  int64_t at = direction > 0 ? static_cast<int64_t>(lane.first_bar) - 1 : lane.first_bar + int64_t{lane.bar_count};
  if (selected_ != kNoEvent)
    for (uint32_t b = lane.first_bar; b < lane.first_bar + lane.bar_count; ++b)
      if (data_.timeline->bars[b].event == selected_) at = b;
  for (int64_t b = at + direction; b >= lane.first_bar && b < lane.first_bar + int64_t{lane.bar_count}; b += direction) {
    const uint32_t event = data_.timeline->bars[static_cast<size_t>(b)].event;
    if (!has_event(static_cast<uint32_t>(b)) || event == selected_) continue;
    choose(event);
    current_lane_ = l;
    return;
  }
}

void TimelineCanvas::follow_edge(bool forward) {
  if (selected_ == kNoEvent) return;
  const auto edges = forward ? index_.edges_from(selected_) : index_.edges_to(selected_);
  if (edges.empty()) return;
  // Backwards: the arrival that came last is the one that let the wait go.
  const auto& events = data_.timeline->events;
  uint32_t best = forward ? edges.front().to : edges.front().from;
  if (!forward)
    for (const TimelineEdge& edge : edges)
      if (events[edge.from].end > events[best].end) best = edge.from;
  choose(best);
}

void TimelineCanvas::step_to_wait(int direction) {
  const Timeline& timeline = *data_.timeline;
  const int64_t count = static_cast<int64_t>(timeline.events.size());
  int64_t at = selected_ != kNoEvent ? selected_ : direction > 0 ? -1 : count;
  for (at += direction; at >= 0 && at < count; at += direction) {
    const uint32_t bar = index_.bar_of_event(static_cast<uint32_t>(at));
    if (bar == kNoBar) continue;
    // An event may have a waiting and a working bar on its lane, one behind the other.
    for (uint32_t b = bar; b < timeline.bars.size() && timeline.bars[b].event == at; ++b) {
      const bool waits = timeline.bars[b].state == BarState::waiting || timeline.bars[b].state == BarState::stuck;
      if (waits && timeline.bars[b].end - timeline.bars[b].begin >= wait_threshold()) return choose(static_cast<uint32_t>(at));
    }
  }
  emit told(direction > 0 ? tr("No later wait of %L1 steps or more.").arg(wait_threshold()) : tr("No earlier wait of %L1 steps or more.").arg(wait_threshold()));
}

void TimelineCanvas::choose_lane(int direction) {
  int at = -1;
  for (size_t r = 0; r < layout_.rows.size(); ++r)
    if (!layout_.rows[r].group && layout_.rows[r].lane == current_lane_) at = static_cast<int>(r);
  const int count = static_cast<int>(layout_.rows.size());
  for (at += direction; at >= 0 && at < count; at += direction) {
    if (layout_.rows[static_cast<size_t>(at)].group) continue;
    current_lane_ = layout_.rows[static_cast<size_t>(at)].lane;
    const Lane& lane = data_.timeline->lanes[current_lane_];
    FocusState state = focus_on_resource(data_, lane.resource, lane.stage);
    state.origin = Origin::timeline;
    context_.focus.set(std::move(state));
    return reveal_lane(current_lane_);
  }
}

TimelineCanvas::Hit TimelineCanvas::hit(QPoint position) const {
  Hit result;
  if (position.y() < lanes_top()) return result;
  const int y = position.y() - lanes_top() + verticalScrollBar()->value();
  result.row = layout_.at(y);
  result.header = position.x() < header_width_;
  if (!result.row || result.row->group || result.header) return result;
  const Timeline& timeline = *data_.timeline;
  const Lane& lane = timeline.lanes[result.row->lane];
  const double x = (position.x() - header_width_) * ratio();
  const int inside = y - result.row->y - 3;
  if (lane.kind == LaneKind::barrier && inside < 12) {
    double nearest = 5 * ratio();
    const auto first = timeline.marks.begin() + lane.first_mark, last = first + lane.mark_count;
    auto it = std::lower_bound(first, last, view_.time(x - nearest),
                               [](const Mark& mark, double time) { return static_cast<double>(mark.time) < time; });
    for (; it != last; ++it) {
      const double distance = std::abs(view_.x(static_cast<double>(it->time)) - x);
      if (view_.x(static_cast<double>(it->time)) > x + 5 * ratio()) break;
      if (distance <= nearest) {
        nearest = distance;
        result.mark = static_cast<uint32_t>(it - timeline.marks.begin());
      }
    }
    if (result.mark != UINT32_MAX) return result;
  }
  const auto& rows = index_.rows(result.row->lane);
  const int stacked = lane.kind == LaneKind::barrier ? 0 : inside / result.row->unit;
  const Pyramid& row = rows[static_cast<size_t>(std::clamp<int>(stacked, 0, static_cast<int>(rows.size()) - 1))];
  const std::vector<uint32_t>& order = row.order();
  const double tolerance = 3 * ratio();
  const double from = view_.time(x - tolerance), to = view_.time(x + 1 + tolerance), exact = view_.time(x);
  auto it = std::lower_bound(order.begin(), order.end(), from,
                             [&](uint32_t b, double time) { return static_cast<double>(timeline.bars[b].end) < time; });
  double best = 1e300;
  Fill best_fill = Fill::phase_even;
  for (; it != order.end() && static_cast<double>(timeline.bars[*it].begin) <= to; ++it) {
    const Bar& bar = timeline.bars[*it];
    const double begin = static_cast<double>(bar.begin), end = static_cast<double>(bar.end);
    const double distance = exact < begin ? begin - exact : exact >= end ? exact - end : 0;
    if (distance < best || (distance == best && fill_of(bar) > best_fill)) {
      best = distance;
      best_fill = fill_of(bar);
      result.bar = *it;
    }
  }
  return result;
}

QString TimelineCanvas::tooltip(const Hit& at) const {
  if (!at.row) return {};
  if (at.row->group) return tr("Click to fold or unfold");
  const Timeline& timeline = *data_.timeline;
  const Lane& lane = timeline.lanes[at.row->lane];
  QStringList lines;
  const auto about = [&](uint32_t event) {
    if (event < timeline.events.size()) lines << rich_text(describe(*data_.analysis, timeline, event));
  };
  if (at.header) return tr("%1: click to light it everywhere, right click to arrange").arg(to_qstring(lane.name));
  if (at.mark != UINT32_MAX) {
    const Mark& mark = timeline.marks[at.mark];
    lines << tr("%1: arrival %2 of %3 at step %4").arg(to_qstring(lane.name)).arg(mark.arrived).arg(mark.expected).arg(mark.time);
    if (mark.bytes > 0) lines << tr("%L1 bytes").arg(mark.bytes);
    about(mark.event);
  } else if (at.bar != kNoBar) {
    const Bar& bar = timeline.bars[at.bar];
    const QString when = tr("steps %1 to %2").arg(bar.begin).arg(bar.end);
    if (lane.kind == LaneKind::barrier)
      lines << tr("%1: completion %2 in the making, parity %3").arg(to_qstring(lane.name)).arg(bar.number).arg(bar.number % 2);
    else if (lane.kind == LaneKind::slot)
      lines << tr("%1: use %2, %3").arg(to_qstring(lane.name)).arg(bar.number).arg(QLatin1String(name(fill_of(bar))));
    else
      lines << tr("%1: %2").arg(to_qstring(lane.name), QLatin1String(name(fill_of(bar))));
    about(bar.event);
    lines << when;
  }
  return lines.isEmpty() ? QString() : QStringLiteral("<div>%1</div>").arg(lines.join(QStringLiteral("<br>")));
}

std::optional<QPoint> TimelineCanvas::place_of_event(uint32_t event) const {
  const uint32_t b = index_.bar_of_event(event);
  if (b == kNoBar) return std::nullopt;
  const LaneRow* row = layout_.of_lane(index_.lane_of_bar(*data_.timeline, b));
  if (!row) return std::nullopt;
  const Bar& bar = data_.timeline->bars[b];
  const double middle = (view_.x(static_cast<double>(bar.begin)) + view_.x(static_cast<double>(bar.end))) / 2;
  const int x = header_width_ + static_cast<int>(middle / ratio());
  const QPoint place(x, static_cast<int>(middle_of_lane(row->lane, bar.row)));
  if (!viewport()->rect().contains(place) || x < header_width_ || place.y() < lanes_top()) return std::nullopt;
  return place;
}

QRect TimelineCanvas::area_of_lane(uint32_t lane) const {
  const LaneRow* row = layout_.of_lane(lane);
  if (!row) return {};
  return QRect(0, lanes_top() + row->y - verticalScrollBar()->value(), viewport()->width(), row->height);
}

QString TimelineCanvas::lane_summary(uint32_t lane) const {
  const Lane& of = data_.timeline->lanes[lane];
  std::array<int64_t, static_cast<size_t>(Fill::count_)> counts{};
  for (uint32_t b = of.first_bar; b < of.first_bar + of.bar_count; ++b) ++counts[static_cast<size_t>(fill_of(data_.timeline->bars[b]))];
  QStringList parts;
  for (size_t f = 0; f < counts.size(); ++f)
    if (counts[f] > 0) parts << tr("%L1 %2").arg(counts[f]).arg(QLatin1String(name(static_cast<Fill>(f))));
  if (of.mark_count > 0) parts << tr("%L1 arrivals").arg(of.mark_count);
  return parts.isEmpty() ? tr("nothing happens here") : parts.join(QStringLiteral(", "));
}

}  // namespace bakery::views
