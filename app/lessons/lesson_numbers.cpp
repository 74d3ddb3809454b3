#include "app/lessons/lesson_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/state/stage_names.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/document/known.hpp"
#include "core/edits/switches.hpp"

namespace attnscope::lessons {
namespace {

/// The places of one look-up: rows and keys first, then the head if it is given.
struct Asked {
  const LayerResult& of;
  const LayerResult* other;  // the other side of the comparison; null: none
  std::int64_t head;
  std::array<std::int64_t, 2> place{};
  std::array<Stage, 2> stages{};  // given in quotes
};

double cell(const Asked& asked, Stage stage) {
  const TensorPtr& tensor = asked.of.trace[stage];
  if (!tensor) throw Error(fmt::format("This step computes no {}.", info(stage).name));
  return static_cast<double>(tensor->matrix(0, asked.head)(asked.place[0], asked.place[1]));
}
const RowMeasures& row(const Asked& asked) { return asked.of.measures.row(0, asked.head, asked.place[0]); }

/// A token's vector; of the head if the stage has heads.
Eigen::VectorXd vector_of(const LayerResult& of, Stage stage, std::int64_t head, std::int64_t token) {
  const TensorPtr& tensor = of.trace[stage];
  if (!tensor) throw Error(fmt::format("This step computes no {}.", info(stage).name));
  const bool by_head = tensor->shape().rank() == 4;
  const std::int64_t heads = by_head ? tensor->shape()[1] : 1, all = of.dimensions.heads;
  const auto matrix =
      by_head ? tensor->matrix(0, head * heads / std::max<std::int64_t>(1, all)) : tensor->matrix(0);
  if (token < 0 || token >= matrix.rows())
    throw Error(fmt::format("{} has {} rows of {} numbers; asked for row {}.", info(stage).name,
                            matrix.rows(), matrix.cols(), token));
  return matrix.row(token).cast<double>().transpose();
}
Eigen::VectorXd named_vector(const Asked& asked) {
  return vector_of(asked.of, asked.stages[0], asked.head, asked.place[0]);
}

/// A number of a token's vector.
double component(const Asked& asked, Stage stage) {
  const Eigen::VectorXd vector = vector_of(asked.of, stage, asked.head, asked.place[0]);
  if (asked.place[1] >= vector.size())
    throw Error(fmt::format("A row of {} has {} numbers; asked for {}.", info(stage).name, vector.size(),
                            asked.place[1]));
  return vector[asked.place[1]];
}

/// The distance of a token's vector from that of the same token on the held side.
double moved(const Asked& asked, Stage stage) {
  if (asked.other == nullptr) throw Error("Nothing is held that a vector could have moved from.");
  const Eigen::VectorXd here = vector_of(asked.of, stage, asked.head, asked.place[0]);
  const Eigen::VectorXd there =
      vector_of(*asked.other, stage, std::min(asked.head, asked.other->dimensions.heads - 1),
                asked.place[0] + asked.of.dimensions.past - asked.other->dimensions.past);
  if (here.size() != there.size())
    throw Error(fmt::format("{} is {} numbers wide, and {} in what is held.", info(stage).name, here.size(),
                            there.size()));
  return (here - there).norm();
}

/// The contribution of a vector to a sum, as a share of that sum: a·s / s·s. The shares of all parts sum to
/// 1.
double share_in_sum(const Asked& asked) {
  const Eigen::VectorXd part = named_vector(asked),
                        sum = vector_of(asked.of, asked.stages[1], asked.head, asked.place[0]);
  if (part.size() != sum.size())
    throw Error(fmt::format("{} is {} numbers wide, {} {}: one cannot be a share of the other.",
                            info(asked.stages[0]).name, part.size(), info(asked.stages[1]).name, sum.size()));
  return part.dot(sum) / sum.squaredNorm();
}

/// The dot product of vectors of two stages, of two tokens.
double dot(const Asked& asked) {
  const Eigen::VectorXd a = named_vector(asked),
                        b = vector_of(asked.of, asked.stages[1], asked.head, asked.place[1]);
  if (a.size() != b.size())
    throw Error(fmt::format("{} is {} numbers wide, {} {}: they have no product.", info(asked.stages[0]).name,
                            a.size(), info(asked.stages[1]).name, b.size()));
  return a.dot(b);
}

double deviation(const Eigen::VectorXd& vector) {
  return std::sqrt((vector.array() - vector.mean()).square().mean());
}

/// The standard deviation of a row's scaled scores, over the keys that the row sees.
double spread_of_row(const Asked& asked) {
  const TensorPtr &scaled = asked.of.trace[Stage::Scale], &masked = asked.of.trace[Stage::Mask];
  if (!scaled || !masked) throw Error("This step computes no scores.");
  const auto scores = scaled->matrix(0, asked.head).row(asked.place[0]);
  const auto seen = masked->matrix(0, asked.head).row(asked.place[0]);
  std::vector<double> of_seen;
  for (std::int64_t j = 0; j < scores.size(); ++j)
    if (std::isfinite(seen(j))) of_seen.push_back(static_cast<double>(scores(j)));
  if (of_seen.empty()) return 0;
  return deviation(Eigen::Map<const Eigen::VectorXd>(of_seen.data(), std::ssize(of_seen)));
}

/// The norm of one row of a plane of gradients.
double gradient_row(const Asked& asked, const TensorPtr& tensor) {
  if (!tensor) throw Error("This step has no gradients: its Document needs a \"loss\".");
  return tensor->matrix(0, asked.head).row(asked.place[0]).cast<double>().norm();
}
const HeadGradients& gradients_of_head(const Asked& asked) {
  if (asked.of.head_gradients.empty())
    throw Error("This step has no gradients: its Document needs a \"loss\".");
  return asked.of.head_gradients[static_cast<std::size_t>(asked.head)];
}
const HeadMeasures& head_of(const Asked& asked) { return asked.of.measures.head(0, asked.head); }

/// The standard deviation of a head's finite numbers.
double spread(const Asked& asked, Stage stage) {
  const TensorPtr& tensor = asked.of.trace[stage];
  if (!tensor) throw Error(fmt::format("This step computes no {}.", info(stage).name));
  const auto values = tensor->matrix(0, asked.head);
  double sum = 0, squares = 0, count = 0;
  for (std::int64_t i = 0; i < values.rows(); ++i)
    for (std::int64_t j = 0; j < values.cols(); ++j) {
      const auto x = static_cast<double>(values(i, j));
      if (!std::isfinite(x)) continue;
      sum += x;
      squares += x * x;
      ++count;
    }
  return std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
}

struct Name {
  std::string_view name, call, what;
  std::size_t places;  // rows and keys before the head
  bool of_head;        // a head may follow them
  double (*value)(const Asked&);
  std::size_t stages = 0;  // given in quotes, before all places
};

constexpr std::array names = std::to_array<Name>({
    {"tokens", "tokens", "queries of the sequence", 0, false,
     [](const Asked& a) { return static_cast<double>(a.of.dimensions.queries); }},
    {"keys", "keys", "keys of the sequence", 0, false,
     [](const Asked& a) { return static_cast<double>(a.of.dimensions.keys); }},
    {"heads", "heads", "heads of the layer", 0, false,
     [](const Asked& a) { return static_cast<double>(a.of.dimensions.heads); }},
    {"d_k", "d_k", "dimensions of a query", 0, false,
     [](const Asked& a) { return static_cast<double>(a.of.dimensions.d_k); }},
    {"d_model", "d_model", "numbers of a token's vector", 0, false,
     [](const Asked& a) { return static_cast<double>(a.of.document.layer().d_model); }},
    {"kv_heads", "kv_heads", "heads of keys and values", 0, false,
     [](const Asked& a) { return static_cast<double>(a.of.dimensions.kv_heads); }},
    {"temperature", "temperature", "τ of the softmax", 0, false,
     [](const Asked& a) { return static_cast<double>(a.of.document.layer().temperature); }},
    {"softcap", "softcap", "c of the soft-cap; 0 = none", 0, false,
     [](const Asked& a) { return static_cast<double>(a.of.document.layer().soft_cap); }},
    {"divided", "divided", "1 where scores are divided by √dₖ", 0, false,
     [](const Asked& a) { return edit::is_divided(a.of.document) ? 1.0 : 0.0; }},
    {"causal", "causal", "1 where no query sees a later key", 0, false,
     [](const Asked& a) { return a.of.document.layer().masking.causal ? 1.0 : 0.0; }},
    {"score", "score(query, key)", "q·k", 2, true, [](const Asked& a) { return cell(a, Stage::Score); }},
    {"scaled", "scaled(query, key)", "the score after the division by √dₖ", 2, true,
     [](const Asked& a) { return cell(a, Stage::Scale); }},
    {"masked", "masked(query, key)", "the logit after the mask", 2, true,
     [](const Asked& a) { return cell(a, Stage::Mask); }},
    {"weight", "weight(query, key)", "the attention weight", 2, true,
     [](const Asked& a) { return cell(a, weights_stage(a.of.document)); }},
    {"entropy", "entropy(query)", "H of the row's weights, nats", 1, true,
     [](const Asked& a) { return row(a).entropy; }},
    {"normalised", "normalised(query)", "H / ln(allowed keys)", 1, true,
     [](const Asked& a) { return row(a).normalised; }},
    {"perplexity", "perplexity(query)", "e^H", 1, true, [](const Asked& a) { return row(a).effective; }},
    {"largest", "largest(query)", "the largest weight of the row", 1, true,
     [](const Asked& a) { return row(a).largest; }},
    {"strongest", "strongest(query)", "the key that has it", 1, true,
     [](const Asked& a) { return static_cast<double>(row(a).strongest); }},
    {"allowed", "allowed(query)", "keys that the query may see", 1, true,
     [](const Asked& a) { return static_cast<double>(row(a).allowed); }},
    {"logsumexp", "logsumexp(query)", "ln Σ e^logit of the row", 1, true,
     [](const Asked& a) { return row(a).log_sum_exp; }},
    {"openness", "openness(query)", "how much gradient the softmax lets through; uniform attention has 1", 1,
     true, [](const Asked& a) { return row(a).jacobian; }},
    {"mean_entropy", "mean_entropy()", "the mean of H over the rows with a choice", 0, true,
     [](const Asked& a) { return a.of.measures.head(0, a.head).entropy; }},
    {"mean_largest", "mean_largest()", "the mean of the rows' largest weights", 0, true,
     [](const Asked& a) { return a.of.measures.head(0, a.head).mean_largest; }},
    {"spread_of_scores", "spread_of_scores()", "σ of the head's scores", 0, true,
     [](const Asked& a) { return spread(a, Stage::Score); }},
    {"spread_of_scaled", "spread_of_scaled()", "σ of the scaled scores", 0, true,
     [](const Asked& a) { return spread(a, Stage::Scale); }},
    {"self", "self(query)", "the weight on the query's own token", 1, true,
     [](const Asked& a) { return row(a).self; }},
    {"previous", "previous(query)", "the weight on the token before", 1, true,
     [](const Asked& a) { return row(a).previous; }},
    {"first", "first(query)", "the weight on the first token", 1, true,
     [](const Asked& a) { return row(a).first; }},
    {"extra", "extra(query)", "the weight on keys that belong to no token", 1, true,
     [](const Asked& a) { return row(a).extra; }},
    {"distance", "distance(query)", "the mean distance in tokens, by weight", 1, true,
     [](const Asked& a) { return row(a).distance; }},
    {"dropped", "dropped(query)", "what full attention had put on keys that a window or pattern hides", 1,
     true, [](const Asked& a) { return row(a).dropped; }},
    {"mean_first", "mean_first()", "the mean of the rows' weights on the first token", 0, true,
     [](const Asked& a) { return head_of(a).first; }},
    {"mean_previous", "mean_previous()", "the mean of the rows' weights on the token before", 0, true,
     [](const Asked& a) { return head_of(a).previous; }},
    {"mean_distance", "mean_distance()", "the mean of the rows' distances", 0, true,
     [](const Asked& a) { return head_of(a).distance; }},
    {"mean_normalised", "mean_normalised()", "the mean of H / ln(allowed keys)", 0, true,
     [](const Asked& a) { return head_of(a).normalised; }},
    {"mean_openness", "mean_openness()", "the mean of the rows' openness", 0, true,
     [](const Asked& a) { return head_of(a).jacobian; }},
    {"uniform_first", "uniform_first()", "what uniform attention would put on the first token, mean", 0, true,
     [](const Asked& a) { return head_of(a).uniform.first; }},
    {"uniform_previous", "uniform_previous()", "what uniform attention would put on the token before, mean",
     0, true, [](const Asked& a) { return head_of(a).uniform.previous; }},
    {"uniform_distance", "uniform_distance()", "the mean distance of uniform attention", 0, true,
     [](const Asked& a) { return head_of(a).uniform.distance; }},
    {"received", "received(key)", "attention received: the sum of the key's column", 1, true,
     [](const Asked& a) { return head_of(a).received.at(static_cast<std::size_t>(a.place[0])); }},
    {"q", "q(token, dimension)", "a number of the query", 2, true,
     [](const Asked& a) { return component(a, Stage::Query); }},
    {"k", "k(token, dimension)", "a number of the key", 2, true,
     [](const Asked& a) { return component(a, Stage::Key); }},
    {"v", "v(token, dimension)", "a number of the value", 2, true,
     [](const Asked& a) { return component(a, Stage::Value); }},
    {"x", "x(token, dimension)", "a number of the token's vector, positions included", 2, false,
     [](const Asked& a) { return component(a, Stage::Position); }},
    {"mixed", "mixed(query, dimension)", "a number of the head's output: the weighted sum of values", 2, true,
     [](const Asked& a) { return component(a, Stage::Mix); }},
    {"output", "output(query, dimension)", "a number of the layer's output", 2, false,
     [](const Asked& a) { return component(a, Stage::Output); }},
    {"gradient_of_scores", "gradient_of_scores(query)", "‖dL/dS‖ of the row", 1, true,
     [](const Asked& a) { return gradient_row(a, a.of.gradients ? a.of.gradients->scores : nullptr); }},
    {"gradient_of_weights", "gradient_of_weights(query)", "‖dL/dA‖ of the row", 1, true,
     [](const Asked& a) { return gradient_row(a, a.of.gradients ? a.of.gradients->weights : nullptr); }},
    {"gradient_of_wq", "gradient_of_wq()", "‖dL/dW_Q‖ of the head", 0, true,
     [](const Asked& a) { return gradients_of_head(a).query; }},
    {"gradient_of_wv", "gradient_of_wv()", "‖dL/dW_V‖ of the head", 0, true,
     [](const Asked& a) { return gradients_of_head(a).value; }},
    {"sum", "sum(query)", "the sum of the row's weights", 1, true,
     [](const Asked& a) {
       const TensorPtr& weights = a.of.trace[weights_stage(a.of.document)];
       return weights->matrix(0, a.head).row(a.place[0]).cast<double>().sum();
     }},
    {"spread", "spread(query)", "σ of the row's scaled scores over the keys that it sees", 1, true,
     spread_of_row},
    {"mixed_length", "mixed_length(query)", "‖z‖, the length of the head's output", 1, true,
     [](const Asked& a) { return vector_of(a.of, Stage::Mix, a.head, a.place[0]).norm(); }},
    {"mixed_moved", "mixed_moved(query)", "‖z − z held‖ of the same token's head output", 1, true,
     [](const Asked& a) { return moved(a, Stage::Mix); }},
    {"output_moved", "output_moved(query)", "‖y − y held‖ of the same token's output", 1, false,
     [](const Asked& a) { return moved(a, Stage::Output); }},
    {"length", "length(\"STAGE\", token)", "‖·‖ of a token's vector in a stage: \"residual\", \"output\" …", 1,
     true, [](const Asked& a) { return named_vector(a).norm(); }, 1},
    {"mean", "mean(\"STAGE\", token)", "the mean of its numbers", 1, true,
     [](const Asked& a) { return named_vector(a).mean(); }, 1},
    {"deviation", "deviation(\"STAGE\", token)", "the standard deviation of its numbers", 1, true,
     [](const Asked& a) { return deviation(named_vector(a)); }, 1},
    {"positive", "positive(\"STAGE\", token)", "the share of its numbers above 0", 1, true,
     [](const Asked& a) { return (named_vector(a).array() > 0).cast<double>().mean(); }, 1},
    {"number", "number(\"STAGE\", token, dimension)", "one of its numbers", 2, true,
     [](const Asked& a) { return component(a, a.stages[0]); }, 1},
    {"moved", "moved(\"STAGE\", token)", "‖·‖ of its difference to what is held", 1, true,
     [](const Asked& a) { return moved(a, a.stages[0]); }, 1},
    {"share", "share(\"PART\", \"SUM\", token)", "a·s / s·s of two stages; those of all parts add up to 1", 1,
     true, share_in_sum, 2},
    {"dot", "dot(\"STAGE\", \"STAGE\", token, token)", "the product of two tokens' vectors", 2, true, dot, 2},
});

std::int64_t place_of(double value, std::int64_t count, std::string_view call, std::string_view what) {
  if (!(value == std::floor(value)) || value < 0 || value >= static_cast<double>(count))
    throw Error(
        fmt::format("{} is asked for {} {}; there are {}, counted from 0.", call, what, value, count));
  return static_cast<std::int64_t>(value);
}

/// Looser than needed: rows of vectors and their dimensions are checked where the tensor is known.
constexpr std::int64_t most_places = 1 << 20;

/// The name of the call's i-th argument: "query" in "weight(query, key)".
std::string_view place_word(std::string_view call, std::size_t i) {
  std::string_view inside = call.substr(call.find('(') + 1);
  inside = inside.substr(0, inside.find(')'));
  for (; i > 0; --i) inside.remove_prefix(inside.find(", ") + 2);
  return inside.substr(0, inside.find(','));
}

Stage stage_called(std::string_view name) {
  const auto found = std::ranges::find(Names<Stage>::list, name);
  if (found == Names<Stage>::list.end())
    throw Error(fmt::format("\"{}\" is no stage; there are {}.", name, fmt::join(Names<Stage>::list, ", ")));
  const auto stage = static_cast<Stage>(found - Names<Stage>::list.begin());
  if (!holds_vectors(stage)) throw Error(fmt::format("\"{}\" holds no vectors of tokens.", name));
  return stage;
}

/// `other`: the other side of the comparison.
double value_of(const LayerResult& of, const LayerResult* other, std::int64_t usual_head,
                std::string_view asked_name, std::span<const double> arguments) {
  const NameParts parts = name_parts(asked_name);
  const auto known = std::ranges::find(names, parts.name, &Name::name);
  if (known == names.end())
    throw Error(fmt::format(
        "\"{}\" is no number of what is shown; \"attnscope lesson names\" lists what there is.", parts.name));
  if (parts.words.size() != known->stages)
    throw Error(fmt::format("{} has {} words in quotes; expected {}.", known->call, parts.words.size(),
                            known->stages));
  if (of.is_long()) throw Error("Numbers of a sequence this long are not looked up in lessons.");
  const bool has_head = known->of_head && arguments.size() == known->places + 1;
  if (arguments.size() != known->places && !has_head)
    throw Error(fmt::format("{} has {} arguments; expected {}{}.", known->call, arguments.size(),
                            known->places, known->of_head ? ", and a head behind them" : ""));
  Asked asked{of, other, usual_head, {}, {}};
  for (std::size_t i = 0; i < parts.words.size(); ++i) asked.stages[i] = stage_called(parts.words[i]);
  if (has_head) asked.head = place_of(arguments.back(), of.dimensions.heads, known->call, "head");
  const auto at = [&](std::size_t i, std::string_view what) {
    const std::int64_t count = what == "query" ? of.dimensions.queries
                               : what == "key" ? of.dimensions.keys
                                               : most_places;
    asked.place[i] = place_of(arguments[i], count, known->call, what);
  };
  // The names of the arguments after those of stages.
  for (std::size_t i = 0; i < known->places; ++i) at(i, place_word(known->call, known->stages + i));
  return known->value(asked);
}

}  // namespace

LookUp look_up_in(const NumbersOf& numbers) {
  return [numbers](std::string_view name, std::span<const double> arguments) {
    constexpr std::string_view held = "held.";
    if (!name.starts_with(held)) return value_of(numbers.a, numbers.b, numbers.head, name, arguments);
    if (numbers.b == nullptr) throw Error(fmt::format("\"{}\" is asked for where nothing is held.", name));
    return value_of(*numbers.b, &numbers.a, std::min(numbers.head, numbers.b->dimensions.heads - 1),
                    name.substr(held.size()), arguments);
  };
}

std::optional<Stage> plane_called(const LayerResult& result, std::string_view name) {
  if (name == "weights") return weights_stage(result.document);
  const auto found = std::ranges::find(Names<Stage>::list, name);
  if (found == Names<Stage>::list.end()) return std::nullopt;
  const auto stage = static_cast<Stage>(found - Names<Stage>::list.begin());
  if (!holds_scores_or_weights(stage) || !result.trace[stage]) return std::nullopt;
  return stage;
}

std::optional<Stage> vectors_called(const LayerResult& result, std::string_view name) {
  const auto found = std::ranges::find(Names<Stage>::list, name);
  if (found == Names<Stage>::list.end()) return std::nullopt;
  const auto stage = static_cast<Stage>(found - Names<Stage>::list.begin());
  if (!holds_vectors(stage) || !result.trace[stage] || !is_known(result.document, stage)) return std::nullopt;
  return stage;
}

std::vector<std::string_view> stage_names() {
  std::vector<std::string_view> all;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    if (holds_scores_or_weights(stage) || holds_vectors(stage)) all.push_back(Names<Stage>::list[i]);
  }
  return all;
}

std::vector<KnownName> known_names() {
  std::vector<KnownName> all;
  for (const Name& name : names) all.push_back({name.call, name.what});
  return all;
}

}  // namespace attnscope::lessons
