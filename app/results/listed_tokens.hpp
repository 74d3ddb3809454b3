// app/results: selects the predicted tokens of a list: the likeliest before and after the changes, and kept
// tokens.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "core/engine/model/model_reading.hpp"
#include "core/readouts/text/prediction.hpp"

namespace attnscope {

inline constexpr std::size_t most_tokens_listed = 5;

struct ListedToken {
  std::int64_t id = 0;
  double before = 0, after = 0;  // probabilities
  double largest() const { return std::max(before, after); }
};

/// A prediction with and without the changes, or twice the one without. Refers to the prediction: a frame
/// copies no logits.
struct PredictionSides {
  std::int64_t row = -1;
  std::span<const float> before, after;  // logits
  std::span<const PredictedToken> top_before, top_after;
  double divergence = 0, log_sum_before = 0, log_sum_after = 0;
  Softmax softmax_before() const { return {before, log_sum_before}; }
  Softmax softmax_after() const { return {after, log_sum_after}; }
};
inline PredictionSides both_sides(const ModelPrediction& of) {
  return {of.row,       of.before,     of.after,          of.top_before,
          of.top_after, of.divergence, of.log_sum_before, of.log_sum_after};
}
inline PredictionSides without_changes(const ModelPrediction& of) {
  return {of.row,        of.before, of.before,         of.top_before,
          of.top_before, 0,         of.log_sum_before, of.log_sum_before};
}

/// The word that a mask replaced, and the token that is followed.
using KeptTokens = std::array<std::optional<std::int64_t>, 2>;

inline bool is_kept_token(const KeptTokens& kept, const ListedToken& candidate) {
  return std::ranges::find(kept, std::optional(candidate.id)) != kept.end();
}

/// The likeliest of both lists. Kept tokens are always among them, in the last places if they are not likely.
inline std::vector<ListedToken> listed_tokens(const PredictionSides& prediction, const KeptTokens& kept) {
  std::vector<ListedToken> all;
  if (prediction.after.empty()) return all;
  const std::span<const float> clean = prediction.before.empty() ? prediction.after : prediction.before;
  const Softmax after = prediction.softmax_after(),
                before = prediction.before.empty() ? after : prediction.softmax_before();
  const auto candidate = [&](std::int64_t id) {
    const auto at = static_cast<std::size_t>(id);
    return ListedToken{id, before[at], after[at]};
  };
  for (const std::span<const PredictedToken> list : {prediction.top_before, prediction.top_after}) {
    for (std::size_t i = 0; i < std::min(most_tokens_listed, list.size()); ++i) {
      const std::int64_t id = list[i].id;
      const auto at = static_cast<std::size_t>(id);
      if (at >= clean.size() || at >= prediction.after.size()) continue;
      if (std::any_of(all.begin(), all.end(), [&](const ListedToken& known) { return known.id == id; }))
        continue;
      all.push_back(candidate(id));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const ListedToken& a, const ListedToken& b) { return a.largest() > b.largest(); });
  if (all.size() > most_tokens_listed) all.resize(most_tokens_listed);
  for (const std::optional<std::int64_t>& id : kept) {
    const bool is_known = id && *id >= 0 && *id < std::ssize(clean) && *id < std::ssize(prediction.after);
    if (!is_known || std::ranges::find(all, *id, &ListedToken::id) != all.end()) continue;
    const auto spare = std::find_if(all.rbegin(), all.rend(),
                                    [&](const ListedToken& one) { return !is_kept_token(kept, one); });
    if (all.size() == most_tokens_listed) all.erase(std::next(spare).base());
    all.push_back(candidate(*id));
  }
  return all;
}

}  // namespace attnscope
