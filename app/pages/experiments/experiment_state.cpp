#include "app/pages/experiments/experiment_state.hpp"

namespace attnscope {

void fields(PageFields& visit, ExperimentState& state) {
  visit("name", state.name);
  visit("value", state.value, -1e12, 1e12, InUndo::No);
}

std::string experiment_file_name(const ViewState& view) { return "experiment " + experiment_of(view).name; }

}  // namespace attnscope
