#include "app/session/session_trace.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace attnscope {

using nlohmann::json;

KeptTrace kept(const Oscilloscope& scope, double now, double time_base) {
  KeptTrace trace;
  trace.cell = scope.cell();
  if (scope.frozen()) trace.frozen = scope.trace_end(now) - now;
  const MomentRing& all = scope.moments();
  const double start = scope.axis_end(now, time_base) - time_base;
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Of the moments before the axis begins only the last is kept: it holds where the axis begins.
    if (i + 1 < all.size() && all[i + 1].seconds <= start) continue;
    Moment moment = all[i];
    moment.seconds -= now;
    trace.moments.push_back(moment);
  }
  return trace;
}

void put_back(const KeptTrace& trace, Oscilloscope& scope, double now) {
  scope.disarm();
  scope.clear();
  for (Moment moment : trace.moments) {
    moment.seconds += now;
    scope.observe(trace.cell, moment, {}, 0);
  }
  if (trace.frozen) scope.freeze(now + *trace.frozen);
}

json to_json(const KeptTrace& trace) {
  const auto number = [](float value) { return std::isfinite(value) ? json(value) : json(nullptr); };
  json moments = json::array();
  for (const Moment& m : trace.moments)
    moments.push_back({m.seconds, number(m.entropy), number(m.weight), number(m.scale), number(m.ceiling)});
  return {{"cell", {trace.cell.sequence, trace.cell.head, trace.cell.query, trace.cell.key}},
          {"frozen", trace.frozen ? json(*trace.frozen) : json(nullptr)},
          {"moments", std::move(moments)}};
}

bool from_json(const json& object, KeptTrace& trace) {
  if (!object.is_object()) return false;
  const auto cell = object.find("cell"), frozen = object.find("frozen"), moments = object.find("moments");
  if (cell == object.end() || moments == object.end() || !cell->is_array() || cell->size() != 4 ||
      !moments->is_array() || moments->size() > Oscilloscope::capacity)
    return false;
  for (const json& part : *cell)
    if (!part.is_number_unsigned()) return false;
  KeptTrace read;
  read.cell = {(*cell)[0].get<std::int64_t>(), (*cell)[1].get<std::int64_t>(), (*cell)[2].get<std::int64_t>(),
               (*cell)[3].get<std::int64_t>()};
  double last = -std::numeric_limits<double>::infinity();
  for (const json& row : *moments) {
    if (!row.is_array() || row.size() != 5 || !row[0].is_number()) return false;
    std::array<float, 4> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!row[i + 1].is_number() && !row[i + 1].is_null()) return false;
      values[i] = row[i + 1].is_null() ? std::numeric_limits<float>::quiet_NaN() : row[i + 1].get<float>();
    }
    const double seconds = row[0].get<double>();
    if (!(seconds >= last && seconds <= 0)) return false;
    last = seconds;
    read.moments.push_back({seconds, values[0], values[1], values[2], values[3]});
  }
  if (frozen != object.end() && frozen->is_number() && frozen->get<double>() <= 0)
    read.frozen = frozen->get<double>();
  trace = std::move(read);
  return true;
}

}  // namespace attnscope
