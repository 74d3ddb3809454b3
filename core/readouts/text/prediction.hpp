// core/readouts/text: a model's prediction: the distribution over the next token (or a masked one), in double
// from float logits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attnscope {

/// ln Σ e^x = max + ln Σ e^(x − max); −∞ for an empty span.
double log_sum_exp(std::span<const float> logits);

/// The distribution p = e^(x − ln Σ e^x) of logits, computed entry by entry. The logits must outlive it.
class Softmax {
 public:
  explicit Softmax(std::span<const float> logits) : Softmax(logits, log_sum_exp(logits)) {}
  /// `log_sum`: log_sum_exp() of the logits, if known already.
  Softmax(std::span<const float> logits, double log_sum) : logits_(logits), log_sum_(log_sum) {}
  double operator[](std::size_t id) const { return std::exp(static_cast<double>(logits_[id]) - log_sum_); }

 private:
  std::span<const float> logits_;
  double log_sum_;
};

/// ln softmax(logits): x − max − ln Σ e^(x − max).
std::vector<double> log_softmax(std::span<const float> logits);

/// Stands for a token's id if the logits hold NaN, so that no token is likeliest.
inline constexpr std::int64_t not_a_token = -1;

struct PredictedToken {
  std::int64_t id = 0;
  double logit = 0, log_probability = 0;
  double probability() const { return std::exp(log_probability); }
  bool operator==(const PredictedToken&) const = default;
};
/// The k likeliest tokens (all if there are fewer) in descending order; of equals the smaller id comes first.
/// If the logits hold NaN, not_a_token alone, with NaN.
std::vector<PredictedToken> likeliest(std::span<const float> logits, std::int64_t k);
/// 1 = the likeliest; equals rank by id.
std::int64_t rank_of(std::span<const float> logits, std::int64_t id);
/// rank_of() for every token, for logits without NaN.
std::vector<std::int64_t> ranks_of(std::span<const float> logits);
/// H = −Σ p ln p, nats.
double prediction_entropy(std::span<const float> logits);
/// Kullback–Leibler divergence KL(p ‖ q) = Σ p ln(p / q) of the two distributions, nats, at least 0; NaN if
/// either holds NaN.
double divergence(std::span<const float> logits_p, std::span<const float> logits_q);

/// The effect of a change of the model on one prediction.
struct PredictionChange {
  double divergence = 0;                       // KL(before ‖ after), nats
  std::int64_t top_before = 0, top_after = 0;  // the likeliest, or not_a_token
  double top_logit_change = 0;                 // of top_before: after − before
  double difference_change = 0;  // of top_before's logit minus that of `other`: after − before
};
/// `other`: the token to compare with the likeliest one ("why this one, not that one?").
PredictionChange prediction_change(std::span<const float> before, std::span<const float> after,
                                   std::int64_t other);

}  // namespace attnscope
