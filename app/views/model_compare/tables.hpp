// app/views/model_compare: the distances of heads to the held model, as a table. The list on the screen and
// the file are made of it.
#pragma once

#include <string>
#include <vector>

#include "app/kit/table.hpp"
#include "app/state/model_head.hpp"
#include "core/engine/model/model_difference.hpp"

namespace attnscope {

/// "0.12", "3e−3": a distance or a weight.
std::string distance_words(double value);
/// The same with its sign: a change.
std::string change_words(double value);

/// A head of A, in any of its attentions.
using ComparedHead = ModelHead;

/// All heads that are known, ordered by attention, then by layer.
std::vector<ComparedHead> known_heads(const ModelDifference&);

/// A row per head; the numbers of a head that is not known, or that the held model lacks, are unknown. The
/// table refers to the difference and must not outlive it.
Table compared_heads_table(const ModelDifference&, std::vector<ComparedHead>);

}  // namespace attnscope
