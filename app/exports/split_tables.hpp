// app/exports: the parts of a score and of a logit as tables, without grouping.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "app/results/changed_model.hpp"
#include "core/readouts/logit_split.hpp"
#include "core/readouts/score_split.hpp"

namespace attnscope {

/// A matrix: rows are parts of the query, columns are parts of the key. Its numbers sum to the score. Throws
/// Cancelled.
std::string score_parts_table(const ScoreSplit&, const std::stop_token&);

/// One line per part: its kind, its layer and head if it has them, and its contribution.
std::string logit_parts_table(const LogitSplit&, const ChangedModel&);

}  // namespace attnscope
