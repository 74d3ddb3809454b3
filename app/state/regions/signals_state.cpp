#include "app/state/regions/signals_state.hpp"

#include "app/state/regions/zoom_fields.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(PlotKind, {"entropy-rows", "entropy-heads", "entropy-map", "scores", "weights", "time",
                           "gradient-norms", "received"});
static_assert(Names<PlotKind>::list.size() == plot_kinds);
ATTNSCOPE_NAMES(Edge, {"rising", "falling"});

static void fields(PageFields& visit, Trigger& trigger) {
  visit("level", trigger.level, -1e6, 1e6);
  visit("edge", trigger.edge);
}

void fields(PageFields& visit, SignalsState& signals) {
  visit("slots", signals.slots);
  visit("rows_normalised", signals.rows_normalised);
  visit("heads_normalised", signals.heads_normalised);
  visit("difference", signals.difference);
  visit("log_weights", signals.log_weights);
  visit("seconds", signals.seconds, 1, 60);
  visit("trigger", signals.trigger);
  visit("time_zoom", signals.time_zoom);
  visit("score_zoom", signals.score_zoom);
  visit("weight_zoom", signals.weight_zoom);
}

void fields(PageFields&, Oscilloscope&) {}

}  // namespace attnscope
