// Weights of watched layers against their definition in float64: grouped heads, growing caches, masks,
// biases, soft-cap, window, sinks, and numbers sent as float16 or bfloat16.
#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "core/base/error.hpp"
#include "core/watch/watched_weights.hpp"
#include "support/temporary_directory.hpp"
#include "support/watched_model.hpp"

namespace attnscope::watch_weights_test {

using attnscope::test::as_read;
using attnscope::test::message_of;
using attnscope::test::ModelLayer;
using attnscope::test::WatchedModel;
using Mask = ModelLayer::Mask;

namespace {

/// Scores of eight products and a bias reach 5: a weight's relative error is below 3e-6.
constexpr double tolerance = 3e-6;

struct Watched {
  WatchedModel model;
  WatchedSnapshotPtr text;
};

/// A prompt and passes of one token each.
Watched watch(const std::vector<ModelLayer>& layers, std::int64_t batch, std::int64_t prompt,
              std::int64_t tokens, std::uint64_t seed = 1) {
  WatchedModel model(seed, batch, tokens, layers);
  const WatchedSnapshotPtr text = test::grown(model, prompt, tokens);
  return {std::move(model), text};
}

double largest_error(const Watched& watched, std::size_t index, const Work& work) {
  const WatchedLayer& layer = *watched.text->layers[index];
  double largest = 0;
  for (std::int64_t b = 0; b < layer.batch; ++b)
    for (std::int64_t h = 0; h < layer.heads; ++h) {
      const Tensor weights = watched_weights(layer, {h, b, 0, -1}, work);
      for (std::int64_t row = 0; row < layer.rows(); ++row) {
        const std::vector<double> expected =
            watched.model.weights(index, b, h, layer.position(row), layer.end_of(row), layer.keys());
        const std::vector<float> alone = watched_row(layer, h, row, b, work);
        const std::vector<std::uint8_t> seen = watched_visible(layer, h, row, b);
        for (std::int64_t j = 0; j < layer.keys(); ++j) {
          const auto at = static_cast<std::size_t>(j);
          const double found = double{weights.matrix()(row, j)};
          const double error = std::abs(found - expected[at]);
          if (!(error <= largest)) largest = error;
          if (weights.matrix()(row, j) != alone[at])
            largest = std::max(largest, std::abs(found - double{alone[at]}));
          if ((seen[at] == 0) != (expected[at] == 0) || (seen[at] == 0 && found != 0)) return INFINITY;
        }
      }
    }
  return largest;
}

}  // namespace

TEST_CASE("weights of watched layers are those of their definition", "[watch]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  const std::vector<std::pair<std::string, ModelLayer>> cases{
      {"one head a key head", {.heads = 3, .kv_heads = 3}},
      {"grouped heads", {.heads = 6, .kv_heads = 2, .d_k = 16, .d_v = 4}},
      {"one key head", {.heads = 4, .kv_heads = 1}},
      {"scale", {.scale = -1.25}},
      {"soft-cap", {.scale = 2, .soft_cap = 1.5}},
      {"window", {.window = 4}},
      {"window of one", {.window = 1}},
      {"sinks", {.has_sinks = true}},
      {"boolean mask", {.mask = Mask::Boolean}},
      {"boolean mask of each head", {.mask_per_head = true, .mask = Mask::Boolean}},
      {"mask of each sequence", {.mask_per_sequence = true, .mask = Mask::Boolean}},
      {"added mask", {.mask_per_head = true, .mask_per_sequence = true, .mask = Mask::Added}},
      {"bias", {.has_bias = true}},
      {"bias and mask", {.mask = Mask::Added, .has_bias = true}},
      {"float16", {.dtype = "F16"}},
      {"bfloat16", {.dtype = "BF16"}},
      {"all of it",
       {.heads = 8,
        .kv_heads = 4,
        .soft_cap = 4,
        .window = 6,
        .has_sinks = true,
        .mask_per_head = true,
        .mask = Mask::Boolean,
        .has_bias = true,
        .dtype = "BF16"}}};
  for (const auto& [name, layer] : cases) {
    INFO(name);
    CHECK(largest_error(watch({layer}, 2, 9, 15), 0, work) < tolerance);  // with a cache that grew
    CHECK(largest_error(watch({layer}, 1, 13, 13), 0, work) < tolerance);
    ModelLayer open = layer;
    open.causal = false;
    open.kind = "encoder";
    CHECK(largest_error(watch({open}, 2, 11, 11), 0, work) < tolerance);
  }
}

TEST_CASE("a mask hides with the least number of its type, too", "[watch]") {
  // transformers and PyTorch write finfo.min where a key is hidden: a row of nothing else sees no key.
  ThreadPool pool(2);
  const Work work{pool, {}};
  constexpr std::int64_t tokens = 6, row = 4;
  const WatchedModel model(3, 1, tokens, {ModelLayer{.mask = Mask::Added}});
  std::vector<attnscope::test::WatchRecordBytes> records = model.records({0, 0, tokens});
  for (auto& [name, blob] : records[0].blobs)
    if (name == "mask") {
      const std::vector<float> least(static_cast<std::size_t>(tokens), std::numeric_limits<float>::lowest());
      for (std::int64_t h = 0; h < blob.shape[1]; ++h)
        std::memcpy(blob.bytes.data() + static_cast<std::size_t>((h * tokens + row) * tokens) * sizeof(float),
                    least.data(), least.size() * sizeof(float));
    }
  WatchedText text;
  text.take(as_read(records));
  const WatchedSnapshotPtr now = text.snapshot();
  const Tensor weights = watched_weights(*now->layers[0], {1, 0, 0, -1}, work);
  for (std::int64_t key = 0; key < tokens; ++key) CHECK(weights.matrix()(row, key) == 0);
  CHECK(weights.matrix().row(row - 1).sum() > 0.999f);
}

TEST_CASE("rows with a gap between them have their own weights", "[watch]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const std::int64_t window : {0, 5}) {
    WatchedModel model(2, 1, 20, {ModelLayer{.window = window}});
    WatchedText text;
    text.take(as_read(model.records({0, 0, 6})));
    text.take(as_read(model.records({4, 12, 1, true}), 6));
    text.take(as_read(model.records({5, 13, 1})));
    const Watched watched{std::move(model), text.snapshot()};
    REQUIRE(watched.text->rows == 8);
    CHECK(largest_error(watched, 0, work) < tolerance);
  }
}

TEST_CASE("small pictures are means and maxima of the weights", "[watch]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const Mask mask : {Mask::None, Mask::Boolean})
    for (const std::int64_t side : {64, 8, 3}) {
      const Watched watched = watch({ModelLayer{.mask_per_head = true, .mask = mask}}, 2, 20, 23);
      const WatchedLayer& layer = *watched.text->layers[0];
      const WatchedPictures made = watched_pictures(layer, side, 1, work);
      INFO("side " << side << ", cells of " << made.rows_per_cell << " × " << made.keys_per_cell);
      CHECK(made.mean.shape()[1] <= side);
      CHECK(made.mean.shape()[2] <= side);
      double worst = 0;
      for (std::int64_t h = 0; h < layer.heads; ++h) {
        const Tensor weights = watched_weights(layer, {h, 1, 0, -1}, work);
        for (std::int64_t down = 0; down < made.mean.shape()[1]; ++down)
          for (std::int64_t across = 0; across < made.mean.shape()[2]; ++across) {
            const std::int64_t row = down * made.rows_per_cell, key = across * made.keys_per_cell;
            const auto cell =
                weights.matrix().block(row, key, std::min(made.rows_per_cell, layer.rows() - row),
                                       std::min(made.keys_per_cell, layer.keys() - key));
            worst = std::max(worst, std::abs(double{cell.mean() - made.mean.matrix(h)(down, across)}));
            worst = std::max(worst, std::abs(double{cell.maxCoeff() - made.max.matrix(h)(down, across)}));
          }
        for (std::int64_t row = 0; row < layer.rows(); ++row) {
          const auto line = weights.matrix().row(row);
          CHECK(std::abs(line.maxCoeff() - made.largest.matrix()(h, row)) < 3e-6f);
          const auto strongest = made.strongest[static_cast<std::size_t>(h * layer.rows() + row)];
          CHECK(line.maxCoeff() - line(strongest) < 3e-6f);
          double entropy = 0, allowed = 0;
          const auto seen = watched_visible(layer, h, row, 1);
          for (std::int64_t j = 0; j < layer.keys(); ++j) {
            if (line(j) > 0) entropy -= double{line(j)} * std::log(double{line(j)});
            allowed += seen[static_cast<std::size_t>(j)];
          }
          CHECK(std::abs(entropy - double{made.entropy.matrix()(h, row)}) < 1e-5);
          if (allowed < 2)
            CHECK(std::isnan(made.normalised.matrix()(h, row)));
          else
            CHECK(std::abs(entropy / std::log(allowed) - double{made.normalised.matrix()(h, row)}) < 1e-5);
        }
      }
      CHECK(worst < 3e-6);
    }
}

TEST_CASE("pictures of some rows are those of all", "[watch]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  const Watched watched = watch({ModelLayer{}}, 1, 20, 20);
  const WatchedPictures all = watched_pictures(*watched.text->layers[0], 32, 0, work);
  const WatchedPictures last =
      watched_pictures(*watched.text->layers[0], 32, 0, work, {.begin = 19, .end = 20});
  CHECK(last.mean.shape() == Shape{4, 1, 20});
  for (std::int64_t h = 0; h < 4; ++h) {
    CHECK(last.entropy.matrix()(h, 0) == all.entropy.matrix()(h, 19));
    CHECK((last.mean.matrix(h).row(0) - all.mean.matrix(h).row(19)).cwiseAbs().maxCoeff() < 1e-6f);
  }
}

TEST_CASE("pictures that went on are those that are made anew", "[watch]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  const auto largest = [](const Tensor& a, const Tensor& b) {
    REQUIRE(a.shape() == b.shape());
    double worst = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) {
      const float x = a.data()[i], y = b.data()[i];
      if (std::isnan(x) != std::isnan(y)) return double{INFINITY};
      if (!std::isnan(x)) worst = std::max(worst, std::abs(double{x} - double{y}));
    }
    return worst;
  };
  for (const ModelLayer& of : {ModelLayer{}, ModelLayer{.window = 4}, ModelLayer{.mask = Mask::Boolean}}) {
    const WatchedModel model(1, 1, 40, {of});
    WatchedText text;
    text.take(as_read(model.records({0, 0, 13})));
    WatchedLayerPtr before = text.snapshot()->share(0);
    WatchedPictures pictures = watched_pictures(*before, 8, 0, work);
    int continued = 0;
    for (std::int64_t i = 13; i < 40; ++i) {
      text.take(as_read(model.records({i, i, 1})));
      const WatchedLayerPtr now = text.snapshot()->share(0);
      const WatchedPictures anew = watched_pictures(*now, 8, 0, work);
      if (const auto made = continued_pictures(*before, pictures, *now, 8, 0, work)) {
        ++continued;
        CHECK(made->rows_per_cell == anew.rows_per_cell);
        CHECK(made->keys_per_cell == anew.keys_per_cell);
        CHECK(largest(made->mean, anew.mean) < 1e-6);
        CHECK(largest(made->max, anew.max) < 1e-6);
        CHECK(largest(made->entropy, anew.entropy) < 1e-5);
        CHECK(largest(made->normalised, anew.normalised) < 1e-5);
        CHECK(largest(made->largest, anew.largest) < 1e-6);
        CHECK(made->strongest == anew.strongest);
        pictures = *made;
      } else {
        pictures = anew;
      }
      if (i % 3 == 0) pictures = anew;
      before = now;
    }
    CHECK(continued == 27 - 2);  // 16 and 32 tokens are the most of cells of 2 and 4
  }
}

TEST_CASE("pictures of another layer are not gone on with", "[watch]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const Watched one = watch({ModelLayer{}}, 1, 9, 12), other = watch({ModelLayer{.scale = 1}}, 1, 9, 12);
  const WatchedLayer &a = *one.text->layers[0], &b = *other.text->layers[0];
  const WatchedPictures pictures = watched_pictures(a, 8, 0, work);
  CHECK(continued_pictures(a, pictures, a, 8, 0, work));
  CHECK_FALSE(continued_pictures(a, pictures, b, 8, 0, work));
}

TEST_CASE("what a head does is measured beside uniform attention", "[watch]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const Watched watched = watch({ModelLayer{}}, 1, 10, 12);
  const WatchedLayer& layer = *watched.text->layers[0];
  const std::vector<std::int64_t> ids{5, 1, 2, 5, 1, 3, 5, 1, 2, 2, 9, 5};
  const Tensor weights = watched_weights(layer, {2, 0, 0, -1}, work);
  const WatchedMeasures found = watched_measures(layer, {2, 0, 0, -1}, weights, ids);
  PatternScore previous, duplicate, induction, first;
  double normalised = 0;
  for (std::int64_t i = 1; i < 12; ++i) {
    const auto w = watched.model.weights(0, 0, 2, i, i + 1, 12);
    const double uniform = 1 / static_cast<double>(i + 1);
    const auto add = [&](PatternScore& score, const std::function<bool(std::int64_t)>& counts) {
      double mass = 0, count = 0;
      for (std::int64_t j = 0; j <= i; ++j)
        if (counts(j)) mass += w[static_cast<std::size_t>(j)], count += 1;
      if (count == 0 || count == static_cast<double>(i + 1)) return;
      score.score += mass;
      score.uniform += count * uniform;
      ++score.rows;
    };
    const auto id = [&](std::int64_t j) { return ids[static_cast<std::size_t>(j)]; };
    add(previous, [&](std::int64_t j) { return j == i - 1; });
    add(first, [&](std::int64_t j) { return j == 0; });
    add(duplicate, [&](std::int64_t j) { return j != i && id(j) == id(i); });
    add(induction, [&](std::int64_t j) { return j > 0 && j - 1 != i && id(j - 1) == id(i); });
    double entropy = 0;
    for (const double x : w) entropy -= x > 0 ? x * std::log(x) : 0;
    normalised += entropy / std::log(static_cast<double>(i + 1)) / 11;
  }
  const auto check = [](const PatternScore& a, const PatternScore& b) {
    CHECK(a.rows == b.rows);
    CHECK_THAT(a.score, Catch::Matchers::WithinAbs(b.score / static_cast<double>(b.rows), 1e-6));
    CHECK_THAT(a.uniform, Catch::Matchers::WithinAbs(b.uniform / static_cast<double>(b.rows), 1e-9));
  };
  check(found.previous, previous);
  check(found.first, first);
  check(found.duplicate, duplicate);
  check(found.induction, induction);
  CHECK(found.rows == 11);
  CHECK_THAT(found.normalised, Catch::Matchers::WithinAbs(normalised, 1e-5));
  const WatchedMeasures without = watched_measures(layer, {2, 0, 0, -1}, weights, {});
  CHECK(std::isnan(without.induction.score));
  CHECK(without.previous.score == found.previous.score);
}

TEST_CASE("places that are not known are refused in a sentence", "[watch]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const Watched watched = watch({ModelLayer{}}, 1, 5, 5);
  for (const WatchedPlace place :
       {WatchedPlace{4, 0, 0, -1}, WatchedPlace{-1, 0, 0, -1}, WatchedPlace{0, 1, 0, -1},
        WatchedPlace{0, 0, 5, 6}, WatchedPlace{0, 0, 2, 2}, WatchedPlace{0, 0, 0, 9}})
    CHECK(test::is_sentence(
        message_of<Error>([&] { watched_weights(*watched.text->layers[0], place, work); })));
}

TEST_CASE("the process's own output is compared with what is computed here", "[watch]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const WatchedModel model(3, 2, 7, {ModelLayer{}});
  std::vector<test::WatchRecordBytes> records = model.records({0, 0, 7});
  Tensor output(Shape{2, 7, 4, 8});
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 0; i < 7; ++i)
      for (std::int64_t h = 0; h < 4; ++h) {
        const auto w = model.weights(0, b, h, i, 7, 7);
        for (std::int64_t d = 0; d < 8; ++d) {
          double sum = 0;
          for (std::int64_t j = 0; j < 7; ++j)
            sum += w[static_cast<std::size_t>(j)] * double{model.layers()[0].value->matrix(b, h / 2)(j, d)};
          output.data()[((b * 7 + i) * 4 + h) * 8 + d] = static_cast<float>(sum);
        }
      }
  WatchedText text;
  text.take(as_read(records));
  CHECK_FALSE(watched_output_error(*text.snapshot()->layers[0], work).has_value());
  records[0].blobs.emplace_back("output", test::watch_blob(output));
  text.take(as_read(records));
  CHECK(watched_output_error(*text.snapshot()->layers[0], work).value() < 1e-5);
  output.data()[3] += 1;
  records[0].blobs.back().second = test::watch_blob(output);
  text.take(as_read(records));
  CHECK_THAT(watched_output_error(*text.snapshot()->layers[0], work).value(),
             Catch::Matchers::WithinAbs(1, 1e-4));
}

}  // namespace attnscope::watch_weights_test
