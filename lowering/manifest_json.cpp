// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "core_ir/lowered.h"

namespace bakery {

std::string to_json(const LaunchManifest& m) {
  using Json = nlohmann::ordered_json;
  Json out;
  out["schedule"] = m.schedule;
  out["hash"] = m.hash;
  out["target"] = m.target;
  out["file"] = m.file;
  out["kernel"] = m.kernel;
  out["threads"] = m.threads;
  out["shared_bytes"] = m.shared_bytes;
  out["bounded_waits"] = m.bounded_waits;
  out["tiles"] = m.tiles;
  out["tensor_maps"] = Json::array();
  for (const TensorMapSpec& map : m.maps)
    out["tensor_maps"].push_back({{"tensor", map.tensor}, {"view", map.view}, {"rank", map.rank}, {"dtype", info(map.dtype).name}, {"box", map.box}, {"swizzle", map.swizzle}});
  out["params"] = Json::array();
  for (const KernelParameter& p : m.params) {
    const char* kinds[] = {"tensor_map", "scalar", "faults", "trace"};
    Json one = {{"name", p.name}, {"kind", kinds[static_cast<int>(p.kind)]}};
    if (p.kind == KernelParameter::Kind::tensor_map) one["map"] = p.map;
    if (p.kind == KernelParameter::Kind::scalar) one["dtype"] = info(p.dtype).name;
    out["params"].push_back(std::move(one));
  }
  out["roles"] = Json::array();
  for (const RoleInfo& role : m.roles) out["roles"].push_back({{"name", role.name}, {"warps", role.warps}, {"registers", role.registers}});
  out["barriers"] = Json::array();
  for (const BarrierInfo& b : m.barriers)
    out["barriers"].push_back({{"name", b.name}, {"stages", b.stages}, {"init_count", b.init_count}, {"arrivals", b.arrivals}, {"offset", b.offset}});
  out["assumptions"] = m.assumptions;
  out["waived"] = m.waived;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bakery
