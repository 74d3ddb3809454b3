// app/session: the trace against time as a session keeps it: what is in sight of it, with times counted back
// from the moment in which it was saved. Armed triggers are of the moment and not kept.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/state/oscilloscope.hpp"

namespace attnscope {

struct KeptTrace {
  TracedCell cell;
  std::vector<Moment> moments;   // oldest first; seconds are negative or 0
  std::optional<double> frozen;  // when it stopped, likewise
  bool empty() const { return moments.empty() && !frozen; }
};

KeptTrace kept(const Oscilloscope&, double now, double time_base);
/// The same trace, as if it had come to this time.
void put_back(const KeptTrace&, Oscilloscope&, double now);

nlohmann::json to_json(const KeptTrace&);
/// False where it is no trace.
bool from_json(const nlohmann::json&, KeptTrace&);

}  // namespace attnscope
