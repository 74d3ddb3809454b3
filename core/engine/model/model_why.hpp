// core/engine: attribution of one run: the score of one cell and the logit of one token as sums over the
// contributions to the residual stream.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/models/run_model.hpp"
#include "core/readouts/logit_split.hpp"
#include "core/readouts/score_split.hpp"
#include "core/readouts/strongest_path.hpp"

namespace attnscope {

struct WhyQuestion {
  ScoreQuestion score;
  std::optional<std::int64_t> token = {};  // whose logit is split; nullopt: the likeliest
  /// The token whose logit is subtracted; nullopt: models that predict the next token subtract the mean of
  /// all logits, which changes no probability; others subtract nothing.
  std::optional<std::int64_t> minus = {};
  bool operator==(const WhyQuestion&) const = default;
};

struct WhyReading {
  WhyQuestion asked;
  std::shared_ptr<const ModelRun> run;  // the run that was split
  ScoreSplit score;
  std::string score_problem;  // one sentence; then `score` is not set
  LogitSplit logit;
  std::int64_t row = -1, token = -1;  // of the logit
  std::string logit_problem;
  /// The heads on the strongest path to the score; null: not known yet, empty if there is no score.
  std::shared_ptr<const std::vector<PathHead>> path;
};

/// One thread at a time.
class ModelWhy {
 public:
  /// Whether reading() has the answer to this question.
  bool is_known(const WhyQuestion& asked, const std::shared_ptr<const ModelRun>& run,
                std::optional<std::int64_t> row) const {
    return known_ && known_->asked == asked && known_->run == run && known_->row == row.value_or(-1);
  }
  /// `row`: the row of the prediction, nullopt if nothing is predicted; `likeliest`: its likeliest token.
  /// Throws Cancelled.
  void split(const Model&, const std::shared_ptr<const ModelRun>&, const WhyQuestion&,
             std::optional<std::int64_t> row, std::int64_t likeliest, const Work&);
  /// The strongest path to the score that was split last; takes about twice as long as the split.
  bool has_path() const { return known_ && known_->path; }
  void find_path(const Model&, const Work&);
  std::shared_ptr<const WhyReading> reading() const { return known_; }

 private:
  std::shared_ptr<const WhyReading> known_;
  std::optional<MeanLogit> mean_;  // of the model
};

}  // namespace attnscope
