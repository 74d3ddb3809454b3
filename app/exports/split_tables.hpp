// app/exports: the parts of a score and of a logit as tables, none grouped with others.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "app/results/changed_model.hpp"
#include "core/readouts/logit_split.hpp"
#include "core/readouts/score_split.hpp"

namespace attnscope {

/// A matrix: rows are parts of the query, columns parts of the key. Its numbers add up to the score. Throws
/// Cancelled.
std::string score_parts_table(const ScoreSplit&, const std::stop_token&);

/// A line a part: what it is, its layer and head where it has one, what it adds.
std::string logit_parts_table(const LogitSplit&, const ChangedModel&);

}  // namespace attnscope
