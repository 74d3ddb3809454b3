// app/pages/experiments: which experiment is looked at, and at which value of its sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/kit/table.hpp"
#include "app/state/page/page_state.hpp"

namespace attnscope {

struct ExperimentState {
  std::string name = "scaling";  // see core/experiments; an unknown name means the first
  std::optional<double> value;   // the sweep's nearest value is chosen; empty: its default

  // Not kept in a session.
  std::map<std::string, double> values;      // the last chosen value of experiments shown before
  std::map<std::string, TableOrder> orders;  // of each experiment's table
  std::size_t tile =
      static_cast<std::size_t>(-1);  // last tile taken of an online-softmax row; beyond the end: all
  double tile_due = 0;    // when the next tile is taken while playing, in ImGui's seconds; 0: not playing
  float list_scroll = 0;  // logical pixels
};

/// What a session keeps of it.
void fields(PageFields&, ExperimentState&);
/// The file name of the table, without extension.
std::string experiment_file_name(const ViewState&);

inline ExperimentState& experiment_of(ViewState& view) { return pages_of(view).of<ExperimentState>(); }
inline const ExperimentState& experiment_of(const ViewState& view) {
  return pages_of(view).of<ExperimentState>();
}

}  // namespace attnscope
