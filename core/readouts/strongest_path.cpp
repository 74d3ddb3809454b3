#include "core/readouts/strongest_path.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/contribution.hpp"
#include "core/readouts/part_groups.hpp"

namespace attnscope {
namespace {

/// The head that adds most to a score through one of its sides.
struct Strongest {
  StreamPart part;
  bool through_query = false;
  double adds = 0;
};

std::optional<Strongest> strongest_of(const ScoreSplit& split, bool through_query) {
  const std::vector<StreamPart>& parts = through_query ? split.query_parts : split.key_parts;
  const std::vector<double> sums = through_query ? query_sums(split) : key_sums(split);
  std::optional<Strongest> best;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].kind == StreamPart::Kind::Head && sums[i] > (best ? best->adds : 0))
      best = Strongest{parts[i], through_query, sums[i]};
  return best;
}

class Path {
 public:
  Path(const Model& model, const ModelRun& run, const ScoreQuestion& asked, const Work& work)
      : model_(model), run_(run), asked_(asked), work_(work) {}

  std::vector<PathHead> find(const ScoreSplit& split) {
    PathHead first{.block = static_cast<int>(asked_.block),
                   .head = asked_.head,
                   .query = asked_.query,
                   .key = asked_.key};
    first.weight = weights_of(first)[static_cast<std::size_t>(asked_.key)];
    first.score = split.score;
    path_.push_back(first);
    for (const bool through_query : {true, false})
      if (const std::optional<Strongest> best = strongest_of(split, through_query)) follow(*best, 0);
    return std::move(path_);
  }

 private:
  std::vector<double> weights_of(const PathHead& at) const {
    const Tensor row = head_weight_rows(model_, run_, asked_.of, static_cast<std::size_t>(at.block), at.head,
                                        {at.query, at.query + 1}, work_);
    return {row.values().begin(), row.values().end()};
  }

  int add(const Strongest& found, int into) {
    const PathHead& to = path_[static_cast<std::size_t>(into)];
    PathHead made{.block = found.part.block, .head = found.part.head};
    made.query = found.through_query ? to.query : to.key;
    const std::vector<double> adds = contribution_norms(
        model_, run_, asked_.of, static_cast<std::size_t>(made.block), made.head, made.query, work_);
    made.key = std::ranges::max_element(adds) - adds.begin();
    made.weight = weights_of(made)[static_cast<std::size_t>(made.key)];
    made.score = std::numeric_limits<double>::quiet_NaN();
    made.into = into;
    made.through_query = found.through_query;
    made.adds = found.adds;
    path_.push_back(made);
    return static_cast<int>(path_.size()) - 1;
  }

  /// Adds this head, and the head that adds most to its own score; ends with this head if its score is not
  /// split: in a block with other settings than the model's, or of a key that its mask hides.
  void follow(const Strongest& found, int into) {
    const int at = add(found, into);
    PathHead& here = path_[static_cast<std::size_t>(at)];
    const ScoreQuestion asked{
        asked_.of, static_cast<std::size_t>(here.block), here.head, here.query, here.key, asked_.over_mean};
    ScoreSplit split;
    try {
      split = split_score(model_, run_, asked, work_);
    } catch (const Error&) {
      return;
    }
    here.score = split.score;
    const std::optional<Strongest> query = strongest_of(split, true), key = strongest_of(split, false);
    if (!query && !key) return;
    add(!key || (query && query->adds >= key->adds) ? *query : *key, at);
  }

  const Model& model_;
  const ModelRun& run_;
  const ScoreQuestion& asked_;
  const Work& work_;
  std::vector<PathHead> path_;
};

}  // namespace

std::vector<PathHead> strongest_path(const Model& model, const ModelRun& run, const ScoreQuestion& asked,
                                     const ScoreSplit& split, const Work& work) {
  return Path(model, run, asked, work).find(split);
}

}  // namespace attnscope
