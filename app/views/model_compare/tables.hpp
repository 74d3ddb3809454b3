// app/views/model_compare: how far heads are from what is held, as a table. The list on the screen and the
// file are made of it.
#pragma once

#include <string>
#include <vector>

#include "app/kit/table.hpp"
#include "app/state/model_head.hpp"
#include "core/engine/model/model_difference.hpp"

namespace attnscope {

/// "0.12", "3e−3": of a distance or a weight.
std::string distance_words(double value);
/// The same with its sign: of a change.
std::string change_words(double value);

/// A head of A, in any of its attentions.
using ComparedHead = ModelHead;

/// All heads that are known, attention after attention, layer after layer.
std::vector<ComparedHead> known_heads(const ModelDifference&);

/// A row a head; numbers of one that is not known or that what is held lacks are not known. The table refers
/// to the difference and must not outlive it.
Table compared_heads_table(const ModelDifference&, std::vector<ComparedHead>);

}  // namespace attnscope
