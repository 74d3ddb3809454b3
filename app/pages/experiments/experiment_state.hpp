// app/pages/experiments: which experiment is looked at, and at which value of its sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/kit/table.hpp"
#include "app/state/view_state.hpp"

namespace attnscope {

struct ExperimentState {
  std::string name = "scaling";  // see core/experiments; one that there is not: the first
  std::optional<double> value;   // of the sweep, the nearest that it has; empty: where it begins

  // Of the moment.
  std::map<std::string, double> values;      // of the experiments that were looked at before
  std::map<std::string, TableOrder> orders;  // of each experiment's table
  std::size_t tile =
      static_cast<std::size_t>(-1);  // of a row that is taken tile by tile; beyond the end: the last
  double tile_due = 0;    // when the next one is taken by itself, in seconds of ImGui; 0: it is not
  float list_scroll = 0;  // logical pixels
};

/// What a session keeps of it.
void fields(PageFields&, ExperimentState&);
/// What its table is called as a file, without ending.
std::string experiment_file_name(const ViewState&);

inline ExperimentState& experiment_of(ViewState& view) { return view.pages.of<ExperimentState>(); }
inline const ExperimentState& experiment_of(const ViewState& view) {
  return view.pages.of<ExperimentState>();
}

}  // namespace attnscope
