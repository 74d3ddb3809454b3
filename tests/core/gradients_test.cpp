// The backward pass against finite differences of the forward pass in float64, over random Documents and all
// settings, for every tensor that has a gradient.
#include "core/attention/backward/gradients.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/run_stage.hpp"
#include "core/compare.hpp"
#include "core/document/mask.hpp"
#include "core/family_blocks.hpp"
#include "core/random_documents.hpp"
#include "support/seeds.hpp"

namespace attnscope::gradients_test {
namespace {

using Values = TensorOf<double>;
using Ptr = TensorPtrOf<double>;
using Wide = Sources<double>;
using Found = GradientsOf<double>;

/// A tensor that replaces a stage's own.
struct Override {
  Stage stage;
  Ptr tensor;
};

/// One Document, its numbers in double, its stages and its gradients.
class Case {
 public:
  explicit Case(const Document& document) : document_(document), sources_(sources_of<double>(document)) {
    trace_ = run_stages(work_, document, sources_);
    // Without a given target the mean squared error takes the current X as a constant.
    if (document.loss.kind == Loss::Kind::MeanSquared && !document.loss.given) {
      Values target(output_of(trace_).shape());
      const Ptr& x = trace_[Stage::Position];
      for (std::int64_t b = 0; x && b < target.shape()[0]; ++b)
        target.matrix(b) = x->matrix(b).bottomRows(target.shape()[1]);
      target_ = compare::in_double(target);
    }
    gradients = backward(work_, document, sources_, trace_);
    loss = loss_of(sources_, std::nullopt);
  }

  const Document& document() const { return document_; }
  const Wide& sources() const { return sources_; }
  const TraceOf<double>& trace() const { return trace_; }

  /// The loss with other numbers, or with another tensor in place of a stage's; buckets stay as they are.
  double loss_of(const Wide& sources, const std::optional<Override>& instead) const {
    TraceOf<double> trace;
    for (const StageInfo& row : stage_table) {
      if (instead && instead->stage == row.stage) {
        trace[row.stage] = instead->tensor;
      } else if (row.stage == Stage::Bucket) {
        trace[row.stage] = trace_[row.stage];
      } else {
        trace[row.stage] = run_stage(work_, row.stage, document_, sources, trace);
      }
    }
    const std::vector<double> y = compare::in_double(output_of(trace));
    const Loss& loss_kind = document_.loss;
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (loss_kind.kind == Loss::Kind::Sum) {
        sum += y[i] * (loss_kind.given ? static_cast<double>(loss_kind.given->values()[i]) : 1);
      } else {
        const double target =
            loss_kind.given ? static_cast<double>(loss_kind.given->values()[i]) : target_[i];
        sum += (y[i] - target) * (y[i] - target) / static_cast<double>(y.size());
      }
    }
    return sum;
  }

  static Stage last_of(const TraceOf<double>& trace) {
    if (trace[Stage::BlockOutput]) return Stage::BlockOutput;
    return trace[Stage::Output] ? Stage::Output : Stage::Concat;
  }
  static const Values& output_of(const TraceOf<double>& trace) { return *trace[last_of(trace)]; }

  Found gradients;
  double loss = 0;

 private:
  ThreadPool caller_only_{1};
  Work work_{caller_only_, {}};
  Document document_;
  Wide sources_;
  TraceOf<double> trace_;
  std::vector<double> target_;
};

/// The gradient of an input of the layer: of a parameter, or of the value vectors.
struct SourceGradient {
  std::string_view name;
  std::optional<Parameter> parameter;
  const Ptr& of(const Found& found) const { return parameter ? found[*parameter] : found.value_vectors; }
  const Ptr& of(const Wide& sources) const { return parameter ? sources[*parameter] : sources.value_vectors; }
  Ptr& of(Wide& sources) const { return parameter ? sources[*parameter] : sources.value_vectors; }
};
constexpr std::array<SourceGradient, 35> source_gradients{{
    {"value vectors", {}},
    {"W_Q", Parameter::WQuery},
    {"W_K", Parameter::WKey},
    {"W_V", Parameter::WValue},
    {"W_O", Parameter::WOutput},
    {"b_Q", Parameter::BQuery},
    {"b_K", Parameter::BKey},
    {"b_V", Parameter::BValue},
    {"b_O", Parameter::BOutput},
    {"extra key", Parameter::BiasK},
    {"extra value", Parameter::BiasV},
    {"relative bias", Parameter::RelativeBias},
    {"window bias", Parameter::WindowBias},
    {"relative vectors", Parameter::RelativeVectors},
    {"norm of Q", Parameter::QueryNorm},
    {"norm of K", Parameter::KeyNorm},
    {"W_DKV", Parameter::WLatent},
    {"norm of c", Parameter::LatentNorm},
    {"W_DQ", Parameter::WQueryLatent},
    {"norm of c_Q", Parameter::QueryLatentNorm},
    {"sinks", Parameter::SinkLogits},
    {"norm of attention", Parameter::AttentionNorm},
    {"its bias", Parameter::AttentionNormBias},
    {"norm of the output", Parameter::OutputNorm},
    {"its bias", Parameter::OutputNormBias},
    {"norm of the MLP", Parameter::MlpNorm},
    {"its bias", Parameter::MlpNormBias},
    {"norm of the MLP's output", Parameter::MlpOutputNorm},
    {"its bias", Parameter::MlpOutputNormBias},
    {"W_up", Parameter::WUp},
    {"b_up", Parameter::BUp},
    {"W_gate", Parameter::WGate},
    {"b_gate", Parameter::BGate},
    {"W_down", Parameter::WDown},
    {"b_down", Parameter::BDown},
}};

bool is_of_block(Parameter which) {
  const ParameterKind kind = info(which).kind;
  return kind == ParameterKind::BlockNorm || kind == ParameterKind::BlockMatrix ||
         kind == ParameterKind::BlockBias;
}

/// A gradient and the stage whose tensor it belongs to.
struct StageGradient {
  std::string_view name;
  Ptr Found::*gradient;
  Stage stage;
};
constexpr std::array<StageGradient, 9> stage_gradients{{
    {"x", &Found::x, Stage::Position},
    {"key vectors", &Found::key_vectors, Stage::Memory},
    {"Q", &Found::query, Stage::Query},
    {"K", &Found::key, Stage::Key},
    {"V", &Found::value, Stage::Value},
    {"scores", &Found::scores, Stage::Score},
    {"masked", &Found::masked, Stage::Mask},
    {"weights", &Found::weights, Stage::Drop},
    {"output", &Found::output, Stage::Output},
}};

/// Whether the tensor of a stage may be moved at `i`: masked scores of hidden keys are constants.
std::vector<bool> movable(const Case& c, Stage stage) {
  std::vector<bool> may(static_cast<std::size_t>(c.trace()[stage]->size()), true);
  const MaskRule rule(c.document(), c.trace());
  if (stage != Stage::Mask || rule.after_softmax()) return may;
  const Shape& shape = c.trace()[stage]->shape();
  std::size_t cell = 0;
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h)
      for (std::int64_t i = 0; i < shape[2]; ++i)
        for (std::int64_t j = 0; j < shape[3]; ++j) may[cell++] = rule.allows(b, h, i, j);
  return may;
}

/// Central difference of the loss along `direction` from `at`; `loss_at` gives the loss with the moved
/// tensor.
template <class LossAt>
double slope(const Ptr& at, const std::vector<double>& direction, LossAt&& loss_at) {
  constexpr double step = 1e-5;  // truncation leaves about 1e-10, rounding 1e-11 of the loss
  const auto moved = [&](double by) {
    auto tensor = std::make_shared<Values>(*at);
    for (std::size_t i = 0; i < direction.size(); ++i)
      if (direction[i] != 0) tensor->values()[i] += by * direction[i];
    return loss_at(tensor);
  };
  return (moved(step) - moved(-step)) / (2 * step);
}

/// Empty when the gradient is the slope along a random direction and along two single numbers.
template <class LossAt>
std::string disagreement(samples::Random& random, std::string_view name, const Ptr& gradient, const Ptr& at,
                         const std::vector<bool>& may, double tolerance, LossAt&& loss_at) {
  if (gradient->shape() != at->shape())
    return fmt::format("{}: shape {}, not {}", name, to_string(gradient->shape()), to_string(at->shape()));
  const auto count = static_cast<std::size_t>(at->size());
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<double> direction(count);
    if (trial == 0) {
      for (std::size_t i = 0; i < count; ++i) direction[i] = may[i] ? random.normal() : 0;
    } else {
      const auto i = static_cast<std::size_t>(random.between(0, at->size() - 1));
      direction[i] = may[i] ? 1 : 0;
    }
    double expected = 0, size = 1;
    for (std::size_t i = 0; i < count; ++i) {
      expected += direction[i] * gradient->values()[i];
      size += std::abs(direction[i] * gradient->values()[i]);
      if (!may[i] && gradient->values()[i] != 0) return fmt::format("{}: {} is not 0", name, i);
    }
    const double found = slope(at, direction, loss_at);
    if (!(std::abs(found - expected) <= tolerance * size))
      return fmt::format("{}, direction {}: {:.9g}, finite difference {:.9g}", name, trial, expected, found);
  }
  return {};
}

/// The first gradient that is not the slope of the loss; empty when there is none.
std::string first_disagreement(samples::Random& random, const Case& c) {
  // At the key of zeros the second derivative of φ jumps: there a difference is off by step / 4.
  const double tolerance = c.document().layer().linear && c.document().layer().add_zero_attn ? 1e-5 : 2e-7;
  if (std::abs(c.gradients.loss - c.loss) > 1e-12 * (1 + std::abs(c.loss))) return "loss";
  for (const SourceGradient& row : source_gradients) {
    const Ptr& gradient = row.of(c.gradients);
    const Ptr& source = row.of(c.sources());
    const LayerSpec& layer = c.document().layer();
    const bool bias = row.parameter && info(*row.parameter).kind == ParameterKind::Position;
    const bool norm = row.parameter == Parameter::QueryNorm || row.parameter == Parameter::KeyNorm;
    const bool latent_norm = row.parameter && info(*row.parameter).kind == ParameterKind::LatentNorm;
    const bool used = bias          ? bias_table(layer.positions) == row.parameter
                      : latent_norm ? layer.latent.normed
                      : norm        ? c.document().layer().qk_norm.kind != QkNorm::Kind::None
                      : row.parameter == Parameter::SinkLogits ? true
                      : row.parameter && is_of_block(*row.parameter)
                          ? reads(c.document().layer().block, *row.parameter)
                          : !c.document().input.is_given();
    const bool wanted = source && used;
    if (static_cast<bool>(gradient) != wanted) return fmt::format("{} is missing or too many", row.name);
    if (!gradient) continue;
    const std::string found = disagreement(random, row.name, gradient, source,
                                           std::vector<bool>(static_cast<std::size_t>(source->size()), true),
                                           tolerance, [&](const Ptr& moved) {
                                             Wide sources = c.sources();
                                             row.of(sources) = moved;
                                             return c.loss_of(sources, std::nullopt);
                                           });
    if (!found.empty()) return found;
  }
  for (const StageGradient& row : stage_gradients) {
    const Ptr& gradient = c.gradients.*row.gradient;
    const Stage stage = row.stage == Stage::Output ? Case::last_of(c.trace()) : row.stage;
    const Ptr& at = c.trace()[stage];
    if (static_cast<bool>(gradient) != static_cast<bool>(at)) return fmt::format("{} is missing", row.name);
    if (!gradient) continue;
    const std::string found =
        disagreement(random, row.name, gradient, at, movable(c, stage), tolerance, [&](const Ptr& moved) {
          return c.loss_of(c.sources(), Override{stage, moved});
        });
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

TEST_CASE("Gradients are the slopes of the loss") {
  for (std::uint64_t i = 0; i < 400; ++i) {
    samples::Random random(seeds::of_case("gradients", i));
    const std::string found = first_disagreement(random, Case(samples::any_differentiable_document(random)));
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of gradients");
    REQUIRE(found == "");
  }
}

/// The least distance of the activation's input from 0, where ReLU has no slope.
double from_the_kink(const Case& c) {
  double least = 1;
  for (const double u : c.trace()[Stage::Up]->values()) least = std::min(least, std::abs(u));
  return least;
}

TEST_CASE("Gradients of every family's block are the slopes of the loss") {
  for (std::uint64_t i = 0; i < 10; ++i) {
    for (const auto& [family, document] : samples::family_blocks(1000 * i)) {
      INFO(family << ", " << i);
      const Case c(document);
      if (document.layer().block.activation == Activation::Relu && from_the_kink(c) < 1e-3) continue;
      samples::Random random(i);
      CHECK(first_disagreement(random, c) == "");
    }
  }
}

}  // namespace attnscope::gradients_test
