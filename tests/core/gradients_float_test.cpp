// The backward pass in float: the numbers of double, whatever the threads and the storage, and the measures
// of gradients.
#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/backward/gradients.hpp"
#include "core/attention/run_stage.hpp"
#include "core/compare.hpp"
#include "core/document/precision.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "support/seeds.hpp"

namespace attnscope::gradients_float_test {
namespace {

/// The gradients that Gradients of float and double both have, in double.
template <class T>
std::vector<std::vector<double>> all_of(const GradientsOf<T>& g) {
  std::vector<std::vector<double>> all;
  const auto add = [&](const TensorPtrOf<T>& tensor) {
    all.push_back(tensor ? compare::in_double(*tensor) : std::vector<double>{});
  };
  for (const TensorPtrOf<T>& tensor : {g.output, g.weights, g.masked, g.scores, g.query, g.key, g.value, g.x,
                                       g.key_vectors, g.value_vectors})
    add(tensor);
  for (const ParameterInfo& row : parameter_table) add(g[row.parameter]);
  return all;
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// A number in which float and double disagree by more than 1e-4 of the largest of its tensor, or by more
/// than 1e-6 of the largest of all, for tensors that are nothing but rounding.
std::string float_disagreement(const Gradients& found, const GradientsOf<double>& wanted) {
  const auto a = all_of(found), b = all_of(wanted);
  double scale = 0;
  for (const auto& tensor : b) scale = std::max(scale, largest_of(tensor));
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a[t].size() != b[t].size()) return fmt::format("gradient {}: size", t);
    const double tolerance = std::max(1e-4 * largest_of(b[t]), 1e-6 * scale);
    for (std::size_t i = 0; i < a[t].size(); ++i)
      if (!(std::abs(a[t][i] - b[t][i]) <= tolerance))
        return fmt::format("gradient {}, value {}: {:.9g}, expected {:.9g}", t, i, a[t][i], b[t][i]);
  }
  return {};
}

/// Two heads, the sum of the output as loss, and W_O of the given size, for the first head times `first`.
ResultPtr with_output_weights(float size, float first = 1) {
  samples::Random random(3);
  Document document = samples::text_document(random, {5}, 2, 8);
  auto w = std::make_shared<Tensor>(Shape{8, 8});
  for (std::int64_t i = 0; i < 8; ++i) w->matrix()(i, i) = i < 4 ? size * first : size;
  document.layer().weights[Parameter::WOutput] = w;
  document.loss.kind = Loss::Kind::Sum;
  return Pipeline(make_cpu_backend(1)).run(document);
}

}  // namespace

TEST_CASE("Gradients in float are those in double") {
  ThreadPool caller_only(1);
  const Work work{caller_only, {}};
  int compared = 0;
  for (std::uint64_t i = 0; i < 600; ++i) {
    samples::Random random(seeds::of_case("float gradients", i));
    const Document document = samples::any_differentiable_document(random);
    const Trace trace = run_stages(work, document, sources_of<float>(document));
    const auto exact = run_stages(work, document, sources_of<double>(document));
    const auto buckets = [](const auto& tensor) {
      return tensor ? compare::in_double(*tensor) : std::vector<double>{};
    };
    if (buckets(trace[Stage::Bucket]) != buckets(exact[Stage::Bucket])) continue;  // another mask
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of float gradients");
    const Gradients found = backward(work, document, sources_of<float>(document), trace);
    const auto wanted = backward(work, document, sources_of<double>(document), exact);
    REQUIRE(float_disagreement(found, wanted) == "");
    ++compared;
  }
  CHECK(compared > 550);
}

TEST_CASE("Gradients are the same bits whatever the number of threads") {
  samples::Random random(seeds::of_case("gradient threads", 0));
  Document document = samples::text_document(random, {140, 90}, 4, 64);
  document.layer().masking.causal = true;
  document.loss.kind = Loss::Kind::MeanSquared;
  const ResultPtr one = Pipeline(make_cpu_backend(1)).run(document);
  for (const int threads : {2, 3, 7}) {
    const ResultPtr many = Pipeline(make_cpu_backend(threads)).run(document);
    CHECK((all_of(*one->layer().gradients) == all_of(*many->layer().gradients)));
    CHECK(one->layer().gradients->loss == many->layer().gradients->loss);
  }
}

TEST_CASE("Stored numbers give the gradients of the numbers that were stored") {
  ThreadPool caller_only(1);
  const Work work{caller_only, {}};
  samples::Random random(5);
  Document document = samples::text_document(random, {1}, 2, 8);
  document.input.numbers =
      Vectors{random.tensor({2, 4, 8}), random.tensor({2, 5, 8}), random.tensor({2, 5, 8})};
  document.layer().positions = Positions::None;
  document.precision = Precision::BFloat16;
  document.loss.kind = Loss::Kind::Sum;
  Document rounded = document;
  Vectors& vectors = rounded.input.change<Vectors>();
  for (TensorPtr* tensor : {&vectors.query, &vectors.key, &vectors.value})
    *tensor = stored(Precision::BFloat16, *tensor);
  const auto gradients_of = [&](const Document& of) {
    const Sources<float> sources = sources_of<float>(of);
    return all_of(backward(work, of, sources, run_stages(work, of, sources)));
  };
  CHECK((gradients_of(document) == gradients_of(rounded)));
}

TEST_CASE("A head whose gradients vanish or explode is flagged") {
  const ResultPtr plain = with_output_weights(1);
  REQUIRE(plain->layer().head_gradients.size() == 2);
  for (const HeadGradients& head : plain->layer().head_gradients) {
    CHECK(!head.vanishing);
    CHECK(head.query > 1e-6);
  }
  for (std::int64_t h = 0; h < 2; ++h) {
    const auto columns =
        (*plain->layer().gradients)[Parameter::WKey]->matrix().middleCols(h * 4, 4).cast<double>();
    CHECK(std::abs(plain->layer().head_gradients[static_cast<std::size_t>(h)].key - columns.norm()) < 1e-12);
  }
  // The loss as a whole is a thousand times as large: no head stands out.
  const ResultPtr large = with_output_weights(1000);
  for (const HeadGradients& head : large->layer().head_gradients) {
    CHECK(head.value > 100);
    CHECK(!head.exploding);
    CHECK(!head.vanishing);
  }
  const ResultPtr none = with_output_weights(0);
  for (const HeadGradients& head : none->layer().head_gradients) {
    CHECK(head.vanishing);
    CHECK(!head.exploding);
    CHECK(head.value == 0);
  }
  const ResultPtr louder = with_output_weights(1, 1000), fainter = with_output_weights(1, 1e-6f);
  CHECK(louder->layer().head_gradients[0].exploding);
  CHECK(!louder->layer().head_gradients[1].exploding);
  CHECK(!louder->layer().head_gradients[1].vanishing);
  // Of two heads the smaller one is the median: the other stands out beside it.
  CHECK(fainter->layer().head_gradients[1].exploding);
  CHECK(!fainter->layer().head_gradients[0].exploding);
  const ResultPtr broken = with_output_weights(1, std::numeric_limits<float>::quiet_NaN());
  CHECK(broken->layer().head_gradients[0].exploding);  // head 0 reads the NaN, head 1 does not
  CHECK(!broken->layer().head_gradients[1].exploding);
  CHECK(std::isfinite(broken->layer().head_gradients[1].query));
  Document silent = plain->document;
  silent.loss = {};
  const ResultPtr without = Pipeline(make_cpu_backend(1)).run(silent);
  CHECK(!without->layer().gradients);
  CHECK(without->layer().head_gradients.empty());
}

TEST_CASE("Heads of given Q, K and V are judged by the gradients of Q, K and V") {
  samples::Random random(6);
  Document document = samples::given_document(random.tensor({2, 4, 3, 5}), random.tensor({2, 2, 6, 5}),
                                              random.tensor({2, 2, 6, 4}));
  document.loss.kind = Loss::Kind::Sum;
  const ResultPtr result = Pipeline(make_cpu_backend(1)).run(document);
  for (std::int64_t h = 0; h < 4; ++h) {
    const auto norm = [](const Tensor& tensor, std::int64_t head) {
      const double first = tensor.matrix(0, head).cast<double>().squaredNorm();
      return std::sqrt(first + tensor.matrix(1, head).cast<double>().squaredNorm());
    };
    const HeadGradients& head = result->layer().head_gradients[static_cast<std::size_t>(h)];
    CHECK(std::abs(head.query - norm(*result->layer().gradients->query, h)) < 1e-12);
    CHECK(std::abs(head.key - norm(*result->layer().gradients->key, h / 2)) < 1e-12);
    CHECK(std::abs(head.value - norm(*result->layer().gradients->value, h / 2)) < 1e-12);
  }
}

}  // namespace attnscope::gradients_float_test
