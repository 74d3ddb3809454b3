// app/state: the names of the stages in sessions and lessons.
#pragma once

#include "app/state/page/names.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(Stage, {"embedding",
                        "position",
                        "memory",
                        "normed-input",
                        "query-latent",
                        "latent",
                        "fused",
                        "queries",
                        "keys",
                        "values",
                        "normed-queries",
                        "normed-keys",
                        "rotated-queries",
                        "rotated-keys",
                        "buckets",
                        "scores",
                        "scaled",
                        "capped",
                        "bias",
                        "masked",
                        "weights",
                        "linear",
                        "surgery",
                        "dropped",
                        "mixed",
                        "concat",
                        "output",
                        "normed-output",
                        "residual",
                        "normed-residual",
                        "mlp-input",
                        "mlp-gate",
                        "mlp-up",
                        "mlp-activation",
                        "mlp-output",
                        "normed-mlp-output",
                        "mlp-residual",
                        "block-output"});
static_assert(Names<Stage>::list.size() == stage_count);

}  // namespace attnscope
