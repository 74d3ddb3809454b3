// core/engine: "why did it look there?" of one run: the score of one cell and the logit of one token as sums
// of what was written into the residual stream.
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
  std::optional<std::int64_t> token = {};  // whose logit is split; nothing: the likeliest
  /// Less the logit of this token; nothing: less the mean of all logits, which moves no probability.
  std::optional<std::int64_t> minus = {};
  bool operator==(const WhyQuestion&) const = default;
};

struct WhyReading {
  WhyQuestion asked;
  std::shared_ptr<const ModelRun> run;  // that was split
  ScoreSplit score;
  std::string score_problem;  // one sentence; then there is no score
  LogitSplit logit;
  std::int64_t row = -1, token = -1;  // whose logit
  std::string logit_problem;
  /// The heads behind the score; null: not known yet, empty where there is no score.
  std::shared_ptr<const std::vector<PathHead>> path;
};

/// One thread at a time.
class ModelWhy {
 public:
  /// Whether this is what reading() has.
  bool is_known(const WhyQuestion& asked, const std::shared_ptr<const ModelRun>& run,
                std::optional<std::int64_t> row) const {
    return known_ && known_->asked == asked && known_->run == run && known_->row == row.value_or(-1);
  }
  /// `row`: whose prediction, with `likeliest` its likeliest token; nothing where nothing is predicted.
  /// Throws Cancelled.
  void split(const Model&, const std::shared_ptr<const ModelRun>&, const WhyQuestion&,
             std::optional<std::int64_t> row, std::int64_t likeliest, const Work&);
  /// The path behind what was split last, which takes about twice as long as the split.
  bool has_path() const { return known_ && known_->path; }
  void find_path(const Model&, const Work&);
  std::shared_ptr<const WhyReading> reading() const { return known_; }

 private:
  std::shared_ptr<const WhyReading> known_;
  std::optional<MeanLogit> mean_;  // of the model
};

}  // namespace attnscope
