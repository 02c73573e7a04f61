// SPDX-License-Identifier: Apache-2.0
// The two renderers of a simulation: JSON for machines, text for people.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/session/simulation.h"

namespace bakery {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string shown(double value, const char* format = "%.6g") {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

const char* verdict(const SimulationResult& result) {
  if (!result.errors.empty()) return "refused";
  if (result.stopped) return "stopped";
  return result.agrees() ? "agrees" : "differs";
}

uint32_t line_of(const Analysis& analysis, Index op) {
  return op == kNone ? 0 : analysis.source.position(analysis.schedule.ops[op].span.begin).line;
}

Json shape_json(const Analysis& analysis, const ShapeResult& shape) {
  Json out;
  out["shape"] = Json::object();
  for (const auto& [name, value] : shape.scalars) out["shape"][name] = value;
  out["correct"] = shape.correct;
  out["checked"] = shape.checked;
  out["mismatches"] = shape.mismatches;
  out["unwritten"] = shape.unwritten;
  out["max_abs_error"] = number(shape.max_abs_error);
  out["max_rel_error"] = number(shape.max_rel_error);
  out["tiles"] = shape.tiles;
  out["ctas"] = shape.ctas;
  out["steps"] = shape.steps;
  out["stuck"] = shape.stuck;
  out["wall_ms"] = number(std::round(shape.milliseconds * 10) / 10);
  out["first_mismatches"] = Json::array();
  for (const ValueMismatch& mismatch : shape.first) {
    Json one;
    one["tensor"] = mismatch.tensor;
    one["index"] = mismatch.index;
    one["expected"] = number(mismatch.expected);
    one["got"] = number(mismatch.got);
    one["written"] = mismatch.written;
    one["cta"] = mismatch.written ? Json(mismatch.cta) : Json(nullptr);
    one["role"] = mismatch.role;
    one["line"] = mismatch.written ? Json(line_of(analysis, mismatch.op)) : Json(nullptr);
    one["tile"] = Json::object();
    for (const LoopValue& value : mismatch.tile) one["tile"][value.name] = value.value;
    out["first_mismatches"].push_back(std::move(one));
  }
  out["observations"] = shape.observations;
  return out;
}

std::string describe(const Analysis& analysis, const ValueMismatch& mismatch) {
  std::string text = "    " + mismatch.tensor + "[";
  for (size_t d = 0; d < mismatch.index.size(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(mismatch.index[d]);
  text += "]: expected " + shown(mismatch.expected) + ", ";
  if (!mismatch.written) return text + "never written\n";
  text += "got " + shown(mismatch.got) + " from CTA " + std::to_string(mismatch.cta) + ", `" + mismatch.role + "`, line " +
          std::to_string(line_of(analysis, mismatch.op));
  for (size_t i = 0; i < mismatch.tile.size(); ++i)
    text += (i == 0 ? ", " : " ") + mismatch.tile[i].name + "=" + std::to_string(mismatch.tile[i].value);
  return text + "\n";
}

}  // namespace

std::string to_json(const Analysis& analysis, const Contract& contract, const SimulationResult& result) {
  Json out;
  out["schedule"] = analysis.schedule.name;
  out["file"] = analysis.source.name();
  out["target"] = analysis.target ? Json(analysis.target->name) : Json(nullptr);
  out["hash"] = analysis.hash;
  out["contract"] = contract.file;
  out["oracle"] = contract.oracle ? contract.oracle->name : "";
  out["verdict"] = verdict(result);
  out["shapes"] = Json::array();
  for (const ShapeResult& shape : result.shapes) out["shapes"].push_back(shape_json(analysis, shape));
  out["findings"] = Json::array();
  for (const Finding& finding : result.findings) out["findings"].push_back(Json::parse(to_json(analysis, finding)));
  out["errors"] = Json::array();
  for (const ContractError& error : result.errors)
    out["errors"].push_back({{"file", contract.file}, {"line", error.line}, {"column", error.column}, {"message", error.message}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const Analysis& analysis, const Contract& contract, const SimulationResult& result) {
  std::string out;
  for (const ContractError& error : result.errors) out += to_text(contract.file, error) + "\n";
  for (const Finding& finding : result.findings) out += to_text(analysis, finding);
  size_t agree = 0;
  for (const ShapeResult& shape : result.shapes) {
    agree += shape.correct;
    out += std::string(shape.correct ? "agrees   " : "DIFFERS  ") + shape.text + ": ";
    if (shape.mismatches == 0) out += std::to_string(shape.checked) + " elements";
    else out += std::to_string(shape.mismatches) + " of " + std::to_string(shape.checked) + " elements differ";
    if (shape.unwritten > 0) out += ", " + std::to_string(shape.unwritten) + " of them never written";
    out += ", largest error " + shown(shape.max_abs_error, "%.3g") + " (relative " + shown(shape.max_rel_error, "%.3g") + "), " +
           std::to_string(shape.ctas) + (shape.ctas == 1 ? " CTA, " : " CTAs, ") + shown(shape.milliseconds, "%.0f") + " ms\n";
    for (const ValueMismatch& mismatch : shape.first) out += describe(analysis, mismatch);
    for (const std::string& observation : shape.observations) out += "    machine: " + observation + "\n";
  }
  if (result.stopped) out += "stopped\n";
  else if (result.errors.empty())
    out += (analysis.schedule.name.empty() ? analysis.source.name() : analysis.schedule.name) + " on the reference machine: " +
           std::to_string(agree) + " of " + std::to_string(result.shapes.size()) + " shapes agree with `" + contract.oracle->name + "`\n";
  return out;
}

}  // namespace bakery
