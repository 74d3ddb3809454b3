// app/state: what a session keeps of a look, and its names in the file: a line for a field, a list of names,
// in order, for an enumeration, fields() for a view's struct. The rest is of the moment.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/state/editing_state.hpp"
#include "app/state/focus_state.hpp"
#include "app/state/heads_state.hpp"
#include "app/state/inspector_state.hpp"
#include "app/state/long_state.hpp"
#include "app/state/page/names.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/selection.hpp"
#include "app/state/signals_state.hpp"
#include "app/state/stage_names.hpp"
#include "app/state/view_state.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(ThemeName, {"dark", "light", "contrast"});
ATTNSCOPE_NAMES(Plane::Kind, {"value", "gradient", "error", "difference", "magnitude", "ratio"});
ATTNSCOPE_NAMES(RangeMode, {"head", "mean", "all", "lock"});
ATTNSCOPE_NAMES(Direction, {"query-to-keys", "key-to-queries"});
ATTNSCOPE_NAMES(Positions, {"none", "sinusoidal", "learned", "buckets", "alibi", "rope-half",
                            "rope-interleaved", "windows", "disentangled"});
ATTNSCOPE_NAMES(WeightColours, {"magma", "viridis", "cividis", "blues", "grey"});
ATTNSCOPE_NAMES(LongSide, {"a", "b", "difference"});
ATTNSCOPE_NAMES(HeadOrder, {"index", "entropy", "largest", "previous", "next", "self", "first", "distance",
                            "received", "gradient"});
ATTNSCOPE_NAMES(InspectorPage, {"cell", "row", "neurons", "vectors"});
ATTNSCOPE_NAMES(ProductOrder, {"size", "dimension", "sign"});
ATTNSCOPE_NAMES(NeuronStrip, {"key", "product", "value"});
ATTNSCOPE_NAMES(PlotKind, {"entropy-rows", "entropy-heads", "entropy-map", "scores", "weights", "time",
                           "gradient-norms", "received"});
static_assert(Names<PlotKind>::list.size() == plot_kinds);
ATTNSCOPE_NAMES(Edge, {"rising", "falling"});
template <>
struct Names<Editable> {
  static constexpr auto list = [] {
    std::array<std::string_view, editable_count> all{"input",  "memory",    "queries",    "keys",
                                                     "values", "past-keys", "past-values"};
    for (std::size_t i = first_editable_parameter; i < editable_count; ++i)
      all[i] = info(*parameter_of(static_cast<Editable>(i))).id;
    return all;
  }();
};

/// visit(name, value) for everything that is kept; numbers with the least and the greatest that make sense.
template <class Visit>
void fields(Visit& visit, Cell& c) {
  visit("query", c.query, 0, 1 << 30);
  visit("key", c.key, 0, 1 << 30);
}

template <class Visit>
void fields(Visit& visit, Plane& p) {
  visit("stage", p.stage);
  visit("kind", p.kind);
}

template <class Visit>
void fields(Visit& visit, Selection& s) {
  visit("sequence", s.sequence, 0, 1 << 30);
  visit("head", s.head, 0, 1 << 30);
  visit("cell", s.cell);
  visit("locked", s.locked);
}

template <class Visit>
void fields(Visit& visit, RegionSizes& s) {
  for (auto& [name, size] :
       {std::pair{"controls", &s.controls}, std::pair{"heads", &s.heads},
        std::pair{"inspector", &s.inspector}, std::pair{"signals", &s.signals},
        std::pair{"model_head", &s.model_head}, std::pair{"model_stream", &s.model_stream}})
    visit(name, *size, 0, 1e5);
}

template <class Visit>
void fields(Visit& visit, Scrolls& s) {
  visit("controls", s.controls, 0, 1e6);
  visit("heads", s.heads, 0, 1e6);
}

template <class Visit>
void fields(Visit& visit, ShownSections& s) {
  visit("names", s.names);  // a session has the list alone, without an object round it
}

template <class Visit>
void fields(Visit& visit, ZoomRange& z) {
  visit("from", z.from, 0, 1);
  visit("to", z.to, 0, 1);
  if (!(z.from < z.to)) z = {};
}

template <class Visit>
void fields(Visit& visit, FocusState& f) {
  visit("zoom", f.zoom, 1, 1e6);
  visit("query", f.query, 0, 1 << 30);
  visit("key", f.key, 0, 1 << 30);
  visit("turned", f.turned);
  visit("colours", f.colours);
  visit("log", f.log);
  visit("lines", f.lines);
  visit("all_heads", f.all_heads);
  visit("mass", f.mass, 0, 1);
  visit("line_row", f.line_row, 0, 1 << 30);
}

template <class Visit>
void fields(Visit& visit, LongState& l) {
  visit("mean", l.mean);
  visit("side", l.side);
}

template <class Visit>
void fields(Visit& visit, HeadsState& h) {
  visit("order", h.order);
}

template <class Visit>
void fields(Visit& visit, PresenterState& p) {
  visit("on", p.on);
}

template <class Visit>
void fields(Visit& visit, InspectorState& i) {
  visit("page", i.page);
  visit("pinned", i.pinned);
  visit("expanded", i.expanded);
  visit("products", i.products);
  visit("row_by_weight", i.row_by_weight);
  visit("by_contribution", i.by_contribution);
  visit("strip", i.strip);
  visit("product_row", i.product_row, 0, 1 << 30);
  visit("key_row", i.key_row, 0, 1 << 30);
  visit("large_row", i.large_row, 0, 1 << 30);
}

template <class Visit>
void fields(Visit& visit, Trigger& t) {
  visit("level", t.level, -1e6, 1e6);
  visit("edge", t.edge);
}

template <class Visit>
void fields(Visit& visit, SignalsState& s) {
  visit("slots", s.slots);
  visit("rows_normalised", s.rows_normalised);
  visit("heads_normalised", s.heads_normalised);
  visit("difference", s.difference);
  visit("log_weights", s.log_weights);
  visit("seconds", s.seconds, 1, 60);
  visit("trigger", s.trigger);
  visit("time_zoom", s.time_zoom);
  visit("score_zoom", s.score_zoom);
  visit("weight_zoom", s.weight_zoom);
}

template <class Visit>
void fields(Visit& visit, EditingState& e) {
  visit("weights", e.weights);
  visit("zoomed", e.zoomed);
  visit("across", e.across);
  visit("down", e.down);
  visit("painting", e.painting);
  visit("all_heads", e.all_heads);
}

template <class Visit>
void fields(Visit& visit, ViewState& v) {
  const auto modes_there = modes();
  NamedChoice mode{static_cast<std::size_t>(std::ranges::find(modes_there, v.mode) - modes_there.begin()),
                   mode_names()};
  visit("mode", mode);
  v.mode = modes_there[mode.at];
  visit("theme", v.theme);
  visit("language", v.language);
  visit("stage", v.stage);
  visit("vectors", v.vectors);
  visit("range", v.range);
  visit("locked_range", v.locked_range);
  visit("direction", v.direction);
  visit("hidden", v.hidden);
  visit("drawer", v.drawer);
  visit("sizes", v.sizes);
  visit("scrolls", v.scrolls);
  visit("fold", v.fold, -1, 1);
  visit("more", v.more);
  visit("controls", v.sections);
  visit("cost_tokens", v.cost_tokens, 0, 1 << 30);
  visit("memory_text", v.memory_text);
  visit("positions", v.positions);
  visit("focus", *v.focus);
  visit("heads", *v.heads);
  visit("long", *v.long_view);
  for (PageState& page : v.pages.all) visit(page.name(), page);
  visit("presenter", *v.presenter);
  visit("inspector", *v.inspector);
  visit("signals", *v.signals);
  visit("editing", *v.editing);
}

}  // namespace attnscope
