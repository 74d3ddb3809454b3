// core/readouts/text: finds where the numbers of a run become NaN or infinite.
#pragma once

#include <string>

#include "core/models/run_model.hpp"

namespace attnscope {

/// "From block 1 on the residual stream holds NaN or infinity, first in row 0."; empty if the output's rows
/// are finite. Reads only the run: its last rows if these are finite, else all.
std::string not_finite_sentence(const Model&, const ModelRun&);

}  // namespace attnscope
