// core/experiments: the functions that make the experiments.
#pragma once

#include "core/experiments/experiment.hpp"

namespace attnscope::experiments {

Experiment scaling_experiment();
Experiment masks_experiment();
Experiment cost_experiment();
Experiment sparse_experiment();
Experiment precision_experiment();
Experiment positions_experiment();
Experiment path_experiment();
Experiment cache_experiment();
Experiment same_experiment();
Experiment contribution_experiment();
Experiment dilution_experiment();
Experiment sinks_experiment();
Experiment grouped_experiment();
Experiment temperature_experiment();
Experiment phasors_experiment();

}  // namespace attnscope::experiments
