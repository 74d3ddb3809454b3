// app/session: the plots over time as a session keeps them: the moments in sight, with times counted back
// from that of saving. Armed triggers are not kept.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/state/oscilloscope.hpp"

namespace attnscope {

struct KeptTrace {
  TracedCell cell;
  std::vector<Moment> moments;   // oldest first; seconds are negative or 0
  std::optional<double> frozen;  // when it was stopped; seconds likewise
  bool empty() const { return moments.empty() && !frozen; }
};

KeptTrace kept(const Oscilloscope&, double now, double time_base);
/// Puts a kept trace back, its times counted back from `now`.
void put_back(const KeptTrace&, Oscilloscope&, double now);

nlohmann::json to_json(const KeptTrace&);
/// False if the JSON is not a trace.
bool from_json(const nlohmann::json&, KeptTrace&);

}  // namespace attnscope
