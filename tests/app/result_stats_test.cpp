// Statistics of a result for pictures: a large one is scanned by a worker, not in a frame, and until then
// rough numbers are marked as such.
#include "app/results/result_stats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "core/analysis/attention_sums.hpp"
#include "core/base/random.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/temporary_directory.hpp"
#include "support/wait.hpp"

namespace attnscope::result_stats_test {

using namespace attnscope::test;

namespace {

constexpr std::int64_t heads = 4;
constexpr Plane weights = Stage::Softmax, scores = Stage::Score;
constexpr Plane difference{Stage::Softmax, Plane::Kind::Difference};

Tensor numbers(std::int64_t tokens, std::uint64_t seed) {
  Tensor tensor(Shape{1, heads, tokens, 8});
  fill_normal(tensor.values(), seed, 0, 1);
  return tensor;
}

ResultPtr result_of(std::int64_t tokens, std::uint64_t seed, std::uint64_t ticket) {
  Document document;
  document.layer().positions = Positions::None;
  document.layer().masking.causal = true;
  document.input.change<Given>().query = std::make_shared<const Tensor>(numbers(tokens, seed));
  document.input.change<Given>().key = std::make_shared<const Tensor>(numbers(tokens, seed + 1));
  document.input.change<Given>().value = std::make_shared<const Tensor>(numbers(tokens, seed + 2));
  return Pipeline(make_cpu_backend(1)).run(document, {}, nullptr, ticket);
}

SeeRow causal() {
  return [](std::int64_t query, std::span<std::uint8_t> seen) {
    for (std::size_t j = 0; j < seen.size(); ++j) seen[j] = static_cast<std::int64_t>(j) <= query;
  };
}

SeeRow everything() {
  return [](std::int64_t, std::span<std::uint8_t> seen) {
    std::fill(seen.begin(), seen.end(), std::uint8_t{1});
  };
}

void ask_all(ResultStats& stats, std::int64_t tokens) {
  for (std::int64_t h = 0; h < heads; ++h) {
    stats.range(weights, 0, h);
    stats.range(scores, 0, h);
    stats.histogram(weights, 0, h, {0, 1, 48});
    stats.weights(0, h);
    stats.kept(weights, 0, h, {0.7f, 0, tokens});
  }
}

}  // namespace

TEST_CASE("the largest of a matrix of weights, and of the values' own input, is looked for once",
          "[results]") {
  const auto matrix = std::make_shared<Tensor>(Shape{2, 3}), own = std::make_shared<Tensor>(Shape{2, 1, 2});
  std::ranges::copy(std::array{1.f, -5.f, NAN, 2.f, 0.f, 3.f}, matrix->values().begin());
  std::ranges::copy(std::array{0.f, -0.5f, 7.f, INFINITY}, own->values().begin());
  const auto result = std::make_shared<Result>(*result_of(4, 1, 1));
  result->document.layer().weights[Parameter::WLatent] = matrix;
  ResultStats stats(result);
  result->document.input.change<Vectors>().value = own;
  CHECK(stats.largest(Parameter::WLatent, 0, 3) == 5);
  CHECK(stats.largest(Parameter::WLatent, 0, 1) == 2);
  CHECK(stats.largest(Parameter::WQueryLatent, 0, 1) == 1);  // there is none
  CHECK(stats.largest_value_input(0) == 0.5f);
  CHECK(stats.largest_value_input(1) == 7);
  // Every frame asks: the numbers of a result do not change, and are not gone through again.
  matrix->values().front() = 9;
  own->values().front() = 9;
  CHECK(stats.largest(Parameter::WLatent, 0, 3) == 5);
  CHECK(stats.largest_value_input(0) == 0.5f);
}

TEST_CASE("the columns of a long head's picture are added up once", "[results]") {
  const auto survey = std::make_shared<Survey>();
  survey->known.first_head = 2;
  survey->known.mean = Tensor(Shape{heads, 7, 8});
  fill_normal(survey->known.mean.values(), 3, 0, 1);
  const auto result = std::make_shared<Result>(*result_of(4, 1, 1));
  const auto layer = std::make_shared<LayerResult>(result->layer());
  layer->surveys = {survey};
  result->layers = {layer};
  ResultStats stats(result);
  const std::vector<float> means = column_means(std::as_const(survey->known.mean).matrix(1));
  CHECK(stats.picture_columns(0, 3) == means);
  survey->known.mean.values()[7 * 8] += 1;
  CHECK(stats.picture_columns(0, 3) == means);
  CHECK(stats.picture_columns(0, 2) != means);
}

TEST_CASE("what axes go up to, and what a token is given, are those of a loop over all rows", "[results]") {
  const ResultPtr now = result_of(40, 1, 1), held = result_of(40, 9, 2);
  const Measures &a = now->layer().measures, &b = held->layer().measures;
  ResultStats stats(now);
  CHECK(stats.largest_entropy_change(0, false) == 0);  // nothing is held
  stats.compare_with(held);
  double most = 0, change = 0, share = 0;
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < 40; ++i) {
      most = std::max(most, std::log(static_cast<double>(i + 1)));
      if (i == 0) continue;  // one key
      most = std::max(most, a.row(0, h, i).entropy);
      change = std::max(change, std::abs(a.row(0, h, i).entropy - b.row(0, h, i).entropy));
      share = std::max(share, std::abs(a.row(0, h, i).normalised - b.row(0, h, i).normalised));
    }
  CHECK(stats.largest_entropy(0) == most);
  CHECK(change > 0);
  CHECK(stats.largest_entropy_change(0, false) == change);
  CHECK(stats.largest_entropy_change(0, true) == share);
  const ResultPtr other = result_of(40, 17, 2);  // another result, though its number is the held one's
  stats.compare_with(other);
  CHECK(stats.largest_entropy_change(0, false) != change);
  stats.compare_with(held);
  CHECK(stats.largest_entropy_change(0, false) == change);
  stats.compare_with(now);
  CHECK(stats.largest_entropy_change(0, true) == 0);
  for (std::int64_t h = 0; h < heads; ++h) {
    const auto matrix = stats.matrix(weights, 0, h);
    for (const std::int64_t token : {0, 1, 17, 39}) {
      float to = 0, from = 0;
      for (std::int64_t i = 1; i < 40; ++i) to = std::max(to, matrix(i, token));
      for (std::int64_t j = 0; j < 40 && token > 0; ++j) from = std::max(from, matrix(token, j));
      CHECK(stats.most_given({0, h, token, true}) == to);
      CHECK(stats.most_given({0, h, token, false}) == from);
      CHECK(stats.most_given({0, h, token, true}) == to);
    }
  }
}

TEST_CASE("of very many vectors a sample has every dimension, and all that is not finite is counted",
          "[results]") {
  constexpr std::int64_t width = 64, vectors = 70'000;  // more than four million numbers
  const auto queries = std::make_shared<Tensor>(Shape{1, 1, vectors, width});
  for (std::int64_t i = 0; i < vectors; ++i) {
    queries->matrix()(i, 0) = i % 2 == 0 ? NAN : INFINITY;
    queries->matrix()(i, width - 1) = -3;
  }
  const auto result = std::make_shared<Result>(*result_of(4, 1, 1));
  const auto layer = std::make_shared<LayerResult>(result->layer());
  layer->trace[Stage::Query] = queries;
  result->layers = {layer};
  ResultStats stats(result);
  CHECK(stats.largest(Stage::Query) == 3);
  CHECK(stats.not_finite(Stage::Query) == vectors);
}

TEST_CASE("of a small result everything is there when it is asked for") {
  const ResultPtr result = result_of(40, 1, 1);
  ResultStats stats(result);
  ask_all(stats, 40);
  CHECK_FALSE(stats.is_computing());
  CHECK(stats.range(weights, 0, 2) == value_range(stats.matrix(weights, 0, 2), causal()));
  CHECK(stats.histogram(weights, 0, 2, {0, 1, 48})->cells == 40 * 41 / 2);
  CHECK_FALSE(stats.finish());
}

TEST_CASE("the lines of heads are chosen once for a request, those of one token at once", "[results]") {
  const LineRequest::Indices all_heads{0, heads};
  for (const std::int64_t tokens : {40, 320}) {  // the larger one is gone through by the worker
    ResultStats stats(result_of(tokens, 1, 1));
    const KeptRequest keep{0.7f, 0, tokens};
    LineRequest request{.queries = {0, 20}, .keys = {5, 12}, .faintest = 0.0016f, .most = 100};
    const auto ask = [&] { return stats.lines(weights, 0, all_heads, keep, request); };
    const auto settled = [&] {
      ask();
      while (stats.finish()) ask();
      CHECK_FALSE(stats.is_computing());
      return ask();
    };
    const KeptLinesPtr first = settled();
    std::vector<KeptWeightsPtr> kept;
    for (std::int64_t h = 0; h < heads; ++h) kept.push_back(stats.kept(weights, 0, h, keep));
    CHECK(first->lines == choose_lines(kept, 0, request).lines);
    CHECK(first->lines.size() == 100);
    CHECK(first->too_many > 0);
    CHECK(ask() == first);  // the same object: nothing is gone through again
    request.query = 7;
    const KeptLinesPtr of_query = ask();  // no worker is waited for
    CHECK_FALSE(stats.is_computing());
    CHECK(of_query->lines == choose_lines(kept, 0, request).lines);
    CHECK(std::ranges::all_of(of_query->lines, [](const KeptLine& line) { return line.of.query == 7; }));
    CHECK(ask() == of_query);
    request.query.reset();
    CHECK(ask() == first);  // still there
    request.keys = {5, 30};
    CHECK((tokens < 100 || ask() == first));  // of a large result the last ones, while others are chosen
    CHECK(settled()->lines == choose_lines(kept, 0, request).lines);
  }
}

TEST_CASE("no frame waits for the cells of a large result") {
  constexpr std::int64_t tokens = 1024;
  const ResultPtr result = result_of(tokens, 1, 1);
  REQUIRE_FALSE(result->layer().is_long());
  ResultStats stats(result);
  double begun = own_seconds();
  ask_all(stats, tokens);
  const double asked = own_seconds() - begun;
  CHECK(stats.is_computing());
  begun = own_seconds();
  std::vector<Histogram> histograms;
  std::vector<ValueRange> ranges;
  for (std::int64_t h = 0; h < heads; ++h) {
    ranges.push_back(value_range(stats.matrix(weights, 0, h), causal()));
    histograms.push_back(histogram(stats.matrix(weights, 0, h), causal(), {0, 1, 48}));
    CHECK(weight_spread(stats.matrix(weights, 0, h), causal()).cells == tokens * (tokens + 1) / 2);
  }
  const double counted = own_seconds() - begun;
  CHECK(asked < counted / 3);

  // The rough numbers are of a few rows, and do not change within a frame.
  const ValueRange rough = stats.range(weights, 0, 1);
  CHECK(rough.high > 0);
  CHECK(rough.high <= ranges[1].high);
  CHECK(stats.histogram(weights, 0, 1, {0, 1, 48})->bins.size() == 48);
  REQUIRE(stats.finish());
  CHECK_FALSE(stats.is_computing());
  for (std::int64_t h = 0; h < heads; ++h) {
    const auto k = static_cast<std::size_t>(h);
    CHECK(stats.range(weights, 0, h) == ranges[k]);
    CHECK(stats.range(scores, 0, h) == value_range(stats.matrix(scores, 0, h), everything()));
    CHECK(stats.histogram(weights, 0, h, {0, 1, 48})->bins == histograms[k].bins);
    CHECK(stats.weights(0, h)->cells == tokens * (tokens + 1) / 2);
    CHECK(stats.kept(weights, 0, h, {0.7f, 0, tokens})->kept ==
          keep_strongest(stats.matrix(weights, 0, h), causal(), {0.7f, 0, tokens}).kept);
  }
  CHECK_FALSE(stats.is_computing());  // all of them were known already
}

TEST_CASE("what is shown of the result before stays until the worker has the new one's") {
  constexpr std::int64_t tokens = 256;
  const ResultPtr first = result_of(tokens, 1, 1), second = result_of(tokens, 7, 2);
  ResultStats before(first);
  before.range(scores, 0, 1);
  before.histogram(scores, 0, 1, {-4, 4, 48});
  REQUIRE(before.finish());
  const ValueRange was = before.range(scores, 0, 1);
  const std::vector<std::int64_t> bins = before.histogram(scores, 0, 1, {-4, 4, 48})->bins;

  ResultStats stats(second, nullptr, &before);
  CHECK(stats.range(scores, 0, 1) == was);
  CHECK(stats.histogram(scores, 0, 1, {-4, 4, 48})->bins == bins);
  REQUIRE(stats.finish());
  CHECK(stats.range(scores, 0, 1) == value_range(stats.matrix(scores, 0, 1), everything()));
  CHECK_FALSE(stats.range(scores, 0, 1) == was);
  CHECK(stats.histogram(scores, 0, 1, {-4, 4, 48})->bins != bins);

  ResultStats longer(result_of(tokens + 1, 7, 3), nullptr, &before);  // it has no such rows
  CHECK_FALSE(longer.range(scores, 0, 1) == was);
}

TEST_CASE("ends that are dragged are counted one after the other, and the last of them is there") {
  constexpr std::int64_t tokens = 256;
  ResultStats stats(result_of(tokens, 1, 1));
  for (int i = 0; i < 200; ++i) {
    stats.begin_frame();
    stats.histogram(scores, 0, 0, {-1 - 0.01f * static_cast<float>(i), 3, 48});
  }
  const HistogramRequest last{-1 - 1.99f, 3, 48};
  while (stats.finish()) stats.histogram(scores, 0, 0, last);
  // In stages before the mask, too, only cells that it leaves count.
  CHECK(stats.histogram(scores, 0, 0, last)->bins ==
        histogram(stats.matrix(scores, 0, 0), causal(), last).bins);
}

TEST_CASE("the difference of large results comes from the worker, with pairs and ranges of its own") {
  constexpr std::int64_t tokens = 256;
  const ResultPtr a = result_of(tokens, 1, 1), b = result_of(tokens, 7, 2);
  ResultStats stats(a);
  stats.compare_with(b);
  CHECK(stats.tensor(difference) == nullptr);
  CHECK(stats.moved(0, 1) == nullptr);
  CHECK(stats.range(difference, 0, 1) == ValueRange{});
  REQUIRE(stats.finish());
  const auto expected = [&](std::int64_t h, std::int64_t other) {
    return Eigen::MatrixXf(a->layer().trace[Stage::Softmax]->matrix(0, h) -
                           b->layer().trace[Stage::Softmax]->matrix(0, other));
  };
  const auto is_difference = [&](std::int64_t h, std::int64_t other) {
    return (stats.matrix(difference, 0, h) - expected(h, other)).cwiseAbs().maxCoeff() == 0;
  };
  CHECK(is_difference(1, 1));
  REQUIRE(stats.moved(0, 1));
  CHECK(stats.moved(0, 1)->rows.size() == tokens);
  const std::uint64_t made = stats.made_in(difference);

  stats.pair_heads(1, 2);
  CHECK(stats.tensor(difference));
  CHECK(is_difference(1, 1));  // the old one is shown, and marked as such
  CHECK(stats.made_in(difference) == made);
  REQUIRE(stats.finish());
  CHECK(is_difference(1, 2));
  CHECK(stats.made_in(difference) != made);
  stats.range(difference, 0, 1);
  REQUIRE(stats.finish());
  CHECK(stats.range(difference, 0, 1).high == expected(1, 2).maxCoeff());
  CHECK(stats.range(difference, 0, 1).low == expected(1, 2).minCoeff());
  CHECK_FALSE(stats.is_computing());

  stats.compare_with(nullptr);
  CHECK(stats.tensor(difference) == nullptr);
}

TEST_CASE("a window settles on the numbers that the worker has made") {
  const TemporaryDirectory directory;
  const Tensor q = numbers(300, 1), k = numbers(300, 2), v = numbers(300, 3);
  write_safetensors(directory / "x.safetensors",
                    std::array{NamedTensor{"Q", &q}, NamedTensor{"K", &k}, NamedTensor{"V", &v}});
  Robot robot({.width = 1600, .height = 1000});
  robot.app().files().opening.open(directory / "x.safetensors");
  robot.settle();
  click(robot, "Stage: Scores");
  robot.leave();
  robot.settle();
  REQUIRE(robot.app().settled());
  REQUIRE(shown(robot).dimensions.queries == 300);
  CHECK_FALSE(robot.app().finish_numbers());  // there was no pending work
  const Image image = robot.pixels();
  robot.frame(3);
  const Image again = robot.pixels();
  constexpr int plots = 800;  // from here on time moves
  std::int64_t different = 0;
  for (int y = 0; y < plots; ++y)
    for (int x = 0; x < image.width; ++x) different += image.at(x, y) != again.at(x, y);
  CHECK(different == 0);
}

}  // namespace attnscope::result_stats_test
