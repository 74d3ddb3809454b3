// app/state/regions: the state of the signals: which plot is in which place, and how each is drawn.
#pragma once

#include <array>
#include <cstdint>

#include "app/kit/widgets/zoom.hpp"
#include "app/state/oscilloscope.hpp"
#include "app/state/page/page_state.hpp"

namespace attnscope {

enum class PlotKind : std::uint8_t {
  EntropyRows,    // H of every query, all heads as curves
  EntropyHeads,   // mean H of every head, with the lowest and the highest row
  EntropyMap,     // heads by queries
  Scores,         // histogram before and after scaling
  Weights,        // histogram of the weights
  Time,           // the chosen cell over time, see Oscilloscope
  GradientNorms,  // per head
  Received,       // attention received by every key
};
inline constexpr int plot_kinds = 8;

struct SignalsState {
  /// The plot in each place, from the left; no plot twice.
  std::array<PlotKind, 4> slots{PlotKind::EntropyRows, PlotKind::EntropyHeads, PlotKind::Scores,
                                PlotKind::Time};
  bool rows_normalised = false;  // entropy per row: as a share of ln(allowed) instead of nats
  bool heads_normalised = true;  // the same for entropy per head
  bool difference = false;       // entropy per row: A - B, if B is held
  bool log_weights = false;      // the histogram of weights has a logarithmic axis
  int seconds = 8;               // time base: 4, 8 or 30
  Trigger trigger;
  ZoomRange time_zoom, score_zoom, weight_zoom;
  bool operator==(const SignalsState&) const = default;
};

/// Visits the fields that a session keeps. The trace of an Oscilloscope has none here: see
/// app/session/session_trace.hpp.
void fields(PageFields&, SignalsState&);
void fields(PageFields&, Oscilloscope&);

inline SignalsState& signals_of(ViewState& view) { return pages_of(view).of<SignalsState>(); }
inline const SignalsState& signals_of(const ViewState& view) { return pages_of(view).of<SignalsState>(); }
inline Oscilloscope& scope_of(ViewState& view) { return pages_of(view).of<Oscilloscope>(); }
inline const Oscilloscope& scope_of(const ViewState& view) { return pages_of(view).of<Oscilloscope>(); }

}  // namespace attnscope
