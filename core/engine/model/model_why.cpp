#include "core/engine/model/model_why.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace attnscope {

void ModelWhy::split(const Model& model, const std::shared_ptr<const ModelRun>& run, const WhyQuestion& asked,
                     std::optional<std::int64_t> row, std::int64_t likeliest, const Work& work) {
  WhyReading made;
  made.asked = asked;
  made.run = run;
  try {
    made.score = split_score(model, *run, asked.score, work);
  } catch (const Error& error) {
    made.score_problem = error.what();
  }
  try {
    made.row = row.value_or(-1);
    made.token = asked.token.value_or(likeliest);
    if (!row) throw Error("The model predicts nothing here.");
    check_is_sum(model.spec.output_stack(), model.spec.family);
    const bool less_mean = !asked.minus && model.spec.head.kind == HeadKind::NextToken;
    if (less_mean && !mean_) mean_ = mean_logit(model, work);
    made.logit = split_logit(model, *run, *row, made.token, asked.minus, work, less_mean ? &*mean_ : nullptr);
  } catch (const Error& error) {
    made.logit_problem = error.what();
  }
  known_ = std::make_shared<const WhyReading>(std::move(made));
}

void ModelWhy::find_path(const Model& model, const Work& work) {
  auto made = std::make_shared<WhyReading>(*known_);
  std::vector<PathHead> path;
  if (made->score_problem.empty()) {
    try {
      path = strongest_path(model, *made->run, made->asked.score, made->score, work);
    } catch (const Error&) {
      // A frozen pattern does not reach as far as the text: the path stays empty.
    }
  }
  made->path = std::make_shared<const std::vector<PathHead>>(std::move(path));
  known_ = std::move(made);
}

}  // namespace attnscope
