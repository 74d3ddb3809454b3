// The backward function of every stage by itself: against finite differences of its own forward function in
// float64, number by number.
#include <cmath>
#include <limits>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/backward/run_backward.hpp"
#include "core/attention/dropout.hpp"
#include "core/attention/intervention.hpp"
#include "core/attention/linear.hpp"
#include "core/attention/loss.hpp"
#include "core/attention/mix.hpp"
#include "core/attention/projections.hpp"
#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"
#include "core/attention/softmax.hpp"
#include "core/base/dense.hpp"
#include "core/random_documents.hpp"

namespace attnscope::stages_backward_test {
namespace {

using Values = TensorOf<double>;
using Ptr = TensorPtrOf<double>;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// One family at a time: tensors in double, drawn in the order of the calls.
class Family {
 public:
  Values tensor(const Shape& shape, double spread = 1) {
    const TensorPtr drawn = random_.tensor(shape, spread);
    return {shape, {drawn->values().begin(), drawn->values().end()}};
  }
  samples::Random& random() { return random_; }
  const Work& work() const { return work_; }

 private:
  samples::Random random_{11};
  ThreadPool caller_only_{1};
  Work work_{caller_only_, {}};
};

double weighted(const Values& y, const Values& g) {
  double sum = 0;
  for (std::size_t i = 0; i < y.values().size(); ++i)
    if (g.values()[i] != 0) sum += y.values()[i] * g.values()[i];
  return sum;
}

/// The first number of `gradient` that is not the slope of Σ forward(x)·g; empty when all are. Rounding
/// leaves 1e-11 of the sum, truncation about 1e-10.
template <class Forward>
std::string disagreement(const Values& x, const Values& gradient, const Values& g, Forward&& forward) {
  constexpr double step = 1e-5, tolerance = 1e-7;
  if (!(gradient.shape() == x.shape())) return "shape " + to_string(gradient.shape());
  for (std::size_t i = 0; i < x.values().size(); ++i) {
    Values above = x, below = x;
    above.values()[i] += step;
    below.values()[i] -= step;
    const double slope = (weighted(forward(above), g) - weighted(forward(below), g)) / (2 * step);
    const double found = gradient.values()[i];
    if (!(std::abs(found - slope) <= tolerance * (1 + std::abs(slope))))
      return fmt::format("number {}: {:.9g}, finite difference {:.9g}", i, found, slope);
  }
  return {};
}

Ptr shared(Values tensor) { return std::make_shared<const Values>(std::move(tensor)); }

/// A Document whose only use is its mask: [2][4] heads over [5] queries and [5] keys.
Document masked_document(samples::Random& random) {
  const Shape shape{2, 4, 5, 3};
  Document document =
      samples::given_document(random.tensor(shape), random.tensor(shape), random.tensor(shape));
  document.layer().positions = Positions::None;
  document.layer().masking.causal = true;
  return document;
}
const Shape cells{2, 4, 5, 5};

}  // namespace

TEST_CASE("backward: a projection hands on to its matrix, its bias and its input") {
  Family f;
  const Values x = f.tensor({2, 5, 3}), w = f.tensor({3, 8}), bias = f.tensor({8});
  for (const std::int64_t first : {0, 2}) {
    const Values g = f.tensor({2, 4, 5 - first, 2});
    const Values before = f.tensor(x.shape());
    Values dx = before;
    const auto d = project_backward<double>(f.work(), {x, w, first}, g, dx);
    for (std::size_t i = 0; i < dx.values().size(); ++i) dx.values()[i] -= before.values()[i];
    CHECK(disagreement(x, dx, g,
                       [&](const Values& of) { return project(f.work(), of, w, &bias, 4, first); }) == "");
    CHECK(disagreement(w, d.w, g,
                       [&](const Values& of) { return project(f.work(), x, of, &bias, 4, first); }) == "");
    CHECK(disagreement(bias, d.bias, g,
                       [&](const Values& of) { return project(f.work(), x, w, &of, 4, first); }) == "");
  }
}

TEST_CASE("backward: a learned key gathers its row of all sequences, and stays out of the projection") {
  Family f;
  const Values fresh = f.tensor({3, 2, 4, 2}), extra = f.tensor({4}), g = f.tensor({3, 2, 6, 2});
  CHECK(disagreement(extra, join_keys_backward(g, 4), g,
                     [&](const Values& of) { return join_keys<double>(nullptr, fresh, &of, true); }) == "");
  const Values x = f.tensor({3, 4, 3}), w = f.tensor({3, 4});
  Values dx(x.shape());
  const auto d = project_backward<double>(f.work(), {x, w, 0}, g, dx);
  const auto joined = [&](const Values& from, const Values& by) {
    return join_keys<double>(nullptr, project<double>(f.work(), from, by, nullptr, 2), &extra, true);
  };
  CHECK(disagreement(x, dx, g, [&](const Values& of) { return joined(of, w); }) == "");
  CHECK(disagreement(w, d.w, g, [&](const Values& of) { return joined(x, of); }) == "");
}

TEST_CASE("backward: heads side by side and the output matrix") {
  Family f;
  const Values mixed = f.tensor({2, 3, 4, 2}), side = f.tensor({2, 4, 6});
  CHECK(disagreement(mixed, concat_backward(side, 3), side,
                     [&](const Values& of) { return concat(f.work(), of); }) == "");
  const Values w = f.tensor({6, 5}), bias = f.tensor({5}), g = f.tensor({2, 4, 5});
  const auto d = dense_backward(side, w, g);
  CHECK(disagreement(side, d.x, g, [&](const Values& of) { return dense(f.work(), of, w, &bias); }) == "");
  CHECK(disagreement(w, d.w, g, [&](const Values& of) { return dense(f.work(), side, of, &bias); }) == "");
  CHECK(disagreement(bias, d.bias, g, [&](const Values& of) { return dense(f.work(), side, w, &of); }) == "");
}

TEST_CASE("backward: rotary positions turn back") {
  Family f;
  const std::vector<std::int64_t> first{3, 1};
  const Values x = f.tensor({2, 2, 4, 6}), g = f.tensor(x.shape());
  RopeSettings rope;
  rope.base = 100;
  rope.rotated = 4;
  for (const auto& [kind, scaling] :
       {std::pair{Positions::RopeHalf, RopeScaling::None},
        std::pair{Positions::RopeInterleaved, RopeScaling::None},
        std::pair{Positions::RopeHalf, RopeScaling::Yarn}}) {  // whose cosine and sine are longer than 1
    rope.scaling = scaling;
    rope.factor = 8;
    rope.trained_positions = 4;
    const Rotation<double> rotation = rotation_at<double>(first, 3, rope, kind, 7);
    CHECK(disagreement(x, rotate_backward(f.work(), g, rotation), g,
                       [&](const Values& of) { return rotate(f.work(), of, rotation); }) == "");
  }
}

TEST_CASE("backward: the table of relative positions gathers its buckets") {
  Family f;
  for (const bool two_sided : {false, true}) {
    Document document = masked_document(f.random());
    document.layer().positions = Positions::RelativeBuckets;
    document.layer().position_settings.buckets = 6;
    document.layer().position_settings.bucket_distance = 8;
    document.layer().position_settings.buckets_two_sided = two_sided;
    if (two_sided)
      document.input.change<Given>().lengths = {5, 3};  // the queries of a sequence are at other positions
    const Dimensions size = check(document);
    const Values table = f.tensor({6, 4}), g = f.tensor(cells);
    CHECK(disagreement(table, position_bias_backward(document, size, g), g, [&](const Values& of) {
            const Values bias =
                spread_distances(distance_values(document, size, &of), size.queries, size.keys);
            Values all(cells);
            for (std::int64_t b = 0; b < 2; ++b)
              for (std::int64_t h = 0; h < 4; ++h)
                all.matrix(b, h) = bias.matrix(bias.shape()[0] == 1 ? 0 : b, h);
            return all;
          }) == "");
  }
}

TEST_CASE("backward: scores, their scale and the soft-cap") {
  Family f;
  const Values q = f.tensor({2, 4, 5, 3}), k = f.tensor({2, 2, 6, 3}), g = f.tensor({2, 4, 5, 6});
  const auto d = score_backward(f.work(), q, k, g, {});
  CHECK(disagreement(q, d.query, g, [&](const Values& of) { return score(f.work(), of, k); }) == "");
  CHECK(disagreement(k, d.key, g, [&](const Values& of) { return score(f.work(), q, of); }) == "");
  const Values s = f.tensor(g.shape(), 2);
  Values gradient = g;
  scale_backward(f.work(), -0.7, {}, gradient);
  CHECK(disagreement(s, gradient, g, [&](const Values& of) { return scale(f.work(), of, -0.7); }) == "");
  gradient = g;
  cap_backward(f.work(), cap(f.work(), s, 1.5), 1.5, {}, gradient);
  CHECK(disagreement(s, gradient, g, [&](const Values& of) { return cap(f.work(), of, 1.5); }) == "");
}

TEST_CASE("backward: a mask lets pass what it lets see, and what it only adds to") {
  Family f;
  for (const Masking::Hidden hidden :
       {Masking::Hidden::MinusInfinity, Masking::Hidden::MinusBillion, Masking::Hidden::AddedMinusBillion}) {
    Document document = masked_document(f.random());
    document.layer().masking.hidden = hidden;
    const MaskRule rule(document);
    const Ptr none;
    const Values g_of_rows = f.tensor(cells), s = f.tensor(cells);
    const Values masked = mask<double>(f.work(), s, nullptr, none, rule);
    Values gradient = g_of_rows;
    mask_backward<double>(f.work(), {rule, none, masked}, {}, gradient);
    const bool adds = hidden == Masking::Hidden::AddedMinusBillion;
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t h = 0; h < 4; ++h)
        for (std::int64_t i = 0; i < 5; ++i)
          for (std::int64_t j = 0; j < 5; ++j) {
            const double passed = adds || j <= i ? g_of_rows.matrix(b, h)(i, j) : 0;
            REQUIRE(gradient.matrix(b, h)(i, j) == passed);
          }
    if (adds) continue;  // added to -1e9 a sum keeps too few digits for differences
    Values g = g_of_rows;
    for (std::size_t i = 0; i < g.values().size(); ++i)
      if (gradient.values()[i] == 0) g.values()[i] = 0;
    CHECK(disagreement(s, gradient, g, [&](const Values& of) {
            return mask<double>(f.work(), of, nullptr, none, rule);
          }) == "");
  }
}

TEST_CASE("backward: the softmax with sinks, which have a gradient of their own") {
  Family f;
  const Values masked = f.tensor(cells, 2), g = f.tensor(cells), sinks = f.tensor({4});
  for (const SoftmaxKind kind : {SoftmaxKind::Stable, SoftmaxKind::Naive}) {
    const auto forward = [&](const Values& of, const Values& logits) {
      return softmax<double>(f.work(), kind, of, 1.7, &logits);
    };
    const Values weights = forward(masked, sinks);
    const SoftmaxRun<double> run{kind, 1.7, masked, &weights, &sinks};
    CHECK(disagreement(sinks, sinks_backward<double>(f.work(), run, {}, g), g,
                       [&](const Values& of) { return forward(masked, of); }) == "");
    Values gradient = g;
    softmax_backward<double>(f.work(), run, {}, gradient);
    CHECK(disagreement(masked, gradient, g, [&](const Values& of) { return forward(of, sinks); }) == "");
  }
}

TEST_CASE("backward: normed heads, with the rows of no token as they are") {
  Family f;
  const Values x = f.tensor({2, 2, 4, 6}), g = f.tensor(x.shape()), of_each = f.tensor({6}),
               of_all = f.tensor({12});
  for (const HeadNorm& norm : {HeadNorm{{NormKind::LayerNorm, 0.1}}, HeadNorm{{NormKind::RmsNorm, 0.1}},
                               HeadNorm{{NormKind::RmsNorm, 0.1}, true}}) {
    CAPTURE(norm.settings.kind, norm.all_heads);
    const Values& weight = norm.all_heads ? of_all : of_each;
    const auto forward = [&](const Values& of, const Values& by) {
      return norm_heads<double>(f.work(), norm, &by, of, 3);
    };
    const auto d = norm_heads_backward<double>(f.work(), {norm, &weight, x, 3}, g);
    CHECK(disagreement(x, d.x, g, [&](const Values& of) { return forward(of, weight); }) == "");
    CHECK(disagreement(weight, d.weight, g, [&](const Values& of) { return forward(x, of); }) == "");
  }
}

TEST_CASE("backward: the softmax, kept or run again, and weights hidden after it") {
  Family f;
  const Values masked = f.tensor(cells, 2), g = f.tensor(cells);
  for (const SoftmaxKind kind : {SoftmaxKind::Stable, SoftmaxKind::Naive}) {
    const auto forward = [&](const Values& of) { return softmax(f.work(), kind, of, 1.7); };
    const Values weights = forward(masked);
    Values kept = g, again = g;
    softmax_backward<double>(f.work(), {kind, 1.7, masked, &weights}, {}, kept);
    softmax_backward<double>(f.work(), {kind, 1.7, masked, nullptr}, {}, again);
    CHECK(disagreement(masked, kept, g, forward) == "");
    for (std::size_t i = 0; i < g.values().size(); ++i)
      REQUIRE(std::abs(kept.values()[i] - again.values()[i]) < 1e-14);
  }
  const Document document = masked_document(f.random());
  const MaskRule rule(document);
  const Ptr none;
  Values gradient = g;
  hide_weights_backward(f.work(), none, rule, {}, gradient);
  CHECK(disagreement(masked, gradient, g,
                     [&](const Values& of) { return hide_weights<double>(f.work(), of, none, rule); }) == "");
}

TEST_CASE("backward: linear attention, with and without rotary positions") {
  Family f;
  const Document document = masked_document(f.random());
  const MaskRule rule(document);
  const Ptr none;
  const std::vector<std::int64_t> zero{0};
  RopeSettings rope;
  rope.base = 100;
  rope.rotated = 2;
  const Rotation<double> rotation = rotation_at<double>(zero, 5, rope, Positions::RopeHalf, 5);
  const Values q = f.tensor({2, 4, 5, 3}), k = f.tensor({2, 2, 5, 3}), g = f.tensor(cells);
  for (const Rotation<double>* turn : {static_cast<const Rotation<double>*>(nullptr), &rotation}) {
    const auto forward = [&](const Values& query, const Values& key) {
      return linear_weights<double>(f.work(), {query, key, turn, turn}, none, rule);
    };
    const Values weights = forward(q, k);
    const auto d = linear_backward<double>(f.work(), {{q, k, turn, turn}, none, rule, weights}, g, {});
    CHECK(disagreement(q, d.query, g, [&](const Values& of) { return forward(of, k); }) == "");
    CHECK(disagreement(k, d.key, g, [&](const Values& of) { return forward(q, of); }) == "");
  }
}

TEST_CASE("backward: surgery, dropout and the mix") {
  Family f;
  const Values weights = f.tensor(cells), g = f.tensor(cells);
  const Document document = masked_document(f.random());
  const MaskRule rule(document);
  const Ptr none;
  std::vector<Intervention> intervention(4);
  intervention[1].kind = Intervention::Kind::Uniform;
  intervention[3].kind = Intervention::Kind::Mute;
  Values gradient = g;
  operate_backward(intervention, gradient);
  CHECK(disagreement(weights, gradient, g, [&](const Values& of) {
          return operate<double>(f.work(), of, none, intervention, rule);
        }) == "");
  const Dropout dropout{0.4f, 5};
  gradient = g;
  drop_backward(f.work(), dropout, gradient);
  CHECK(disagreement(weights, gradient, g, [&](const Values& of) { return drop(f.work(), of, dropout); }) ==
        "");
  const Values value = f.tensor({2, 2, 5, 3}), g_mixed = f.tensor({2, 4, 5, 3});
  const auto d = mix_backward(f.work(), weights, value, g_mixed);
  CHECK(disagreement(weights, d.weights, g_mixed,
                     [&](const Values& of) { return mix(f.work(), of, value); }) == "");
  CHECK(disagreement(value, d.value, g_mixed, [&](const Values& of) { return mix(f.work(), weights, of); }) ==
        "");
}

TEST_CASE("backward: both losses, with and without numbers of their own") {
  Family f;
  const Values y = f.tensor({2, 3, 4}), one(Shape{1}, std::vector<double>{1});
  const Ptr x = shared(f.tensor({2, 5, 4})), given = shared(f.tensor(y.shape()));
  for (const Loss::Kind kind : {Loss::Kind::Sum, Loss::Kind::MeanSquared})
    for (const Ptr& numbers : {Ptr{}, given})
      for (const Ptr& tokens : {Ptr{}, x}) {
        Loss loss;
        loss.kind = kind;
        const auto run = differentiate_loss(loss, y, numbers, tokens);
        CHECK(disagreement(y, run.d_output, one, [&](const Values& of) {
                return Values(Shape{1}, {differentiate_loss(loss, of, numbers, tokens).loss});
              }) == "");
      }
}

TEST_CASE("backward: heads whose pattern was put in are not looked at") {
  Family f;
  const std::vector<std::uint8_t> open{1, 0, 1, 1};
  const auto spoil = [](Values tensor) {
    for (std::int64_t b = 0; b < tensor.shape()[0]; ++b) tensor.matrix(b, 1).setConstant(nan_value);
    return tensor;
  };
  const Values weights = spoil(f.tensor(cells)), q = spoil(f.tensor({2, 4, 5, 3}));
  const Values k = f.tensor({2, 2, 5, 3});
  Values gradient = f.tensor(cells);
  for (std::int64_t b = 0; b < 2; ++b) gradient.matrix(b, 1).setZero();
  softmax_backward<double>(f.work(), {SoftmaxKind::Stable, 1, weights, &weights}, open, gradient);
  cap_backward(f.work(), weights, 2.0, open, gradient);
  scale_backward(f.work(), -1, open, gradient);
  for (std::int64_t b = 0; b < 2; ++b) CHECK(gradient.matrix(b, 1).isZero(0));
  const auto d = score_backward(f.work(), q, k, gradient, open);
  for (const double value : d.query.values()) CHECK(std::isfinite(value));
  for (const double value : d.key.values()) CHECK(std::isfinite(value));
}

TEST_CASE("backward: the walk begins wherever it is given a gradient, and adds to what is there") {
  Family f;
  Document document = samples::text_document(f.random(), {4}, 2, 8);
  const Sources<double> sources = sources_of<double>(document);
  const TraceOf<double> trace = run_stages(f.work(), document, sources);
  const Values from_mix = f.tensor(trace[Stage::Mix]->shape()), beside = f.tensor({1, 4, 8});
  const auto walk = [&](bool with_beside) {
    StageGradients<double> at(Stages{Stage::Position});
    at.give(Stage::Mix, Values(from_mix));
    if (with_beside) at.give(Stage::Position, Values(beside));
    run_backward(f.work(), document, sources, trace, at);
    for (const StageInfo& row : stage_table)  // the others were passed on
      CHECK((at.of(row.stage) != nullptr) == (row.stage == Stage::Position));
    CHECK(at.parameters[Parameter::WOutput] == nullptr);
    REQUIRE(at.of(Stage::Position));
    return *at.of(Stage::Position);
  };
  const Values x = *trace[Stage::Position];
  const auto forward = [&](const Values& of) {
    TraceOf<double> moved;
    moved[Stage::Position] = shared(of);
    for (const StageInfo& row : stage_table)
      if (row.stage == Stage::AttentionNorm ||
          (row.level > StageLevel::Source && row.level <= StageLevel::HeadOutput))
        moved[row.stage] = run_stage(f.work(), row.stage, document, sources, moved);
    return *moved[Stage::Mix];
  };
  const Values alone = walk(false), both = walk(true);
  CHECK(disagreement(x, alone, from_mix, forward) == "");
  CHECK((both.matrix() - alone.matrix() - beside.matrix()).cwiseAbs().maxCoeff() < 1e-14);
}

}  // namespace attnscope::stages_backward_test
