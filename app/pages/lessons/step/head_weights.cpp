#include "app/pages/lessons/step/head_weights.hpp"

#include <Eigen/Core>

#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

Intervention::Kind intervention_of_head(const Document& document, std::int64_t head) {
  const std::vector<Intervention>& all = document.layer().interventions;
  return head >= 0 && head < std::ssize(all) ? all[static_cast<std::size_t>(head)].kind
                                             : Intervention::Kind::None;
}

}  // namespace

bool gives_nothing(const Document& document, std::int64_t head) {
  return intervention_of_head(document, head) == Intervention::Kind::Mute;
}

Stage lesson_weights(const lessons::Lesson& lesson, const LayerResult& result, std::int64_t head) {
  const Document& document = result.document;
  // In a model the picture of a mean-ablated head shows the weights that it computes, too.
  const bool is_mean = lesson.of_model() && intervention_of_head(document, head) == Intervention::Kind::Mean;
  return is_mean || gives_nothing(document, head) ? own_weights_stage(document) : weights_stage(document);
}

Stage lesson_weights(const LessonPage& page, const LayerResult& result, std::int64_t head) {
  return lesson_weights(page.lesson(), result, head);
}

double length_before_zeroing(const LayerResult& result, std::int64_t head, std::int64_t row) {
  const Dimensions& d = result.dimensions;
  if (!result.trace[Stage::Value]) return 0;
  const auto weights = result.trace[own_weights_stage(result.document)]->matrix(0, head);
  const auto values = result.trace[Stage::Value]->matrix(0, head * d.kv_heads / d.heads);
  const Eigen::RowVectorXd given = weights.row(row).cast<double>() * values.cast<double>();
  return given.norm();
}

}  // namespace attnscope
