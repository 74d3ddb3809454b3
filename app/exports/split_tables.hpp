// app/exports: the parts of a score and of a logit as tables, none grouped with others; and what tables say
// of the model that their numbers are of.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "core/document/within.hpp"
#include "core/readouts/logit_split.hpp"
#include "core/readouts/score_split.hpp"

namespace attnscope {

/// A matrix: rows are parts of the query, columns parts of the key. Its numbers add up to the score. Throws
/// Cancelled.
std::string score_parts_table(const ScoreSplit&, const std::stop_token&);
/// A model, and what was changed inside it when the numbers of a table were computed.
struct ChangedModel {
  std::shared_ptr<const OpenedModel> model;
  const ModelChanges& changes;
  /// Of numbers that follow the changes: "changed model", or as_it_is where nothing is changed.
  std::string_view name() const;
  /// "layer 3 · ÷√dₖ off; head 1.5 · zeroed"; "none".
  std::string words() const;
};
/// Of numbers that no change is in.
inline constexpr std::string_view as_it_is = "model as it is";

/// A line a part: what it is, its layer and head where it has one, what it adds.
std::string logit_parts_table(const LogitSplit&, const ChangedModel&);

}  // namespace attnscope
