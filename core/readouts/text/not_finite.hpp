// core/readouts: where the numbers of a run stop being numbers.
#pragma once

#include <string>

#include "core/models/run_model.hpp"

namespace attnscope {

/// "From block 1 on the residual stream holds NaN or infinity, first in row 0."; empty where
/// the output's rows are numbers. Reads the run only: of good runs its last rows, of others all.
std::string not_finite_sentence(const Model&, const ModelRun&);

}  // namespace attnscope
