// Scores of heads and of uniform attention: against a naive decoder in double, and on repeated random tokens.
#include "core/readouts/head_scores.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

#include "core/document/attention_settings.hpp"
#include "core/models/opened/block_tensors.hpp"
#include "core/read_gpt.hpp"

namespace attnscope::head_scores_test {
namespace {

using small_models::ReadGpt;
constexpr int n = ReadGpt::length;

}  // namespace

TEST_CASE("head scores stand beside what uniform attention has", "[readouts][scores]") {
  ReadGpt o;
  const std::vector<std::int64_t> special{o.input.ids[4]};
  const auto scores = head_scores(*o.model, o.run, AttentionOf::Decoder, special, o.work);
  const auto& ids = o.input.ids;
  const auto counts = [&](HeadScore score, std::size_t i, std::size_t j) {
    switch (score) {
      case HeadScore::Previous: return j + 1 == i;
      case HeadScore::Next: return j == i + 1;
      case HeadScore::Duplicate: return j != i && ids[j] == ids[i];
      case HeadScore::Induction: return j > 0 && j - 1 != i && ids[j - 1] == ids[i];
      case HeadScore::First: return j == 0;
      case HeadScore::Special: return ids[j] == special[0];
    }
    return false;
  };
  for (std::size_t s = 0; s < head_score_count; ++s) {
    const auto score = static_cast<HeadScore>(s);
    CAPTURE(name_of(score));
    double mass = 0, uniform = 0, rows = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double of_row = 0, keys = 0;
      for (std::size_t j = 0; j <= i; ++j)
        if (counts(score, i, j)) {
          of_row += o.expected.weights[2][1][i][j];
          ++keys;
        }
      if (keys == 0 || keys == static_cast<double>(i + 1)) continue;
      mass += of_row;
      uniform += keys / static_cast<double>(i + 1);
      ++rows;
    }
    const PatternScore& found = scores[2][1][s];
    CHECK(static_cast<double>(found.rows) == rows);
    if (rows == 0) {
      CHECK(std::isnan(found.score));
      continue;
    }
    CHECK(std::abs(found.score - mass / rows) < 1e-5);
    CHECK(std::abs(found.uniform - uniform / rows) < 1e-9);
  }
}

TEST_CASE("the scores of a head count the keys of its own mask", "[readouts][scores][changes]") {
  ReadGpt o;
  LayerSpec settings = attention_only(o.model->spec.decoder->blocks[1]);
  settings.masking.window = {1, -1};  // of head 0 alone: the others see all keys
  settings.masking.heads = {0};
  RunRequest request;
  request.changes.blocks = {{.block = 1, .attention = SharedValue<LayerSpec>(settings)}};
  const ModelRun run = run_model(*o.model, o.input, request, o.work);
  const auto scores = head_scores(*o.model, run, AttentionOf::Decoder, {}, o.work);
  for (std::int64_t h = 0; h < 2; ++h) {
    CAPTURE(h);
    const Tensor weights = head_weights(*o.model, run, AttentionOf::Decoder, 1, h, o.work);
    double mass = 0, uniform = 0, rows = 0;
    for (int i = 0; i < n; ++i) {
      const int keys = h == 0 ? std::min(i + 1, 2) : n;
      if (keys == 1 || (h == 0 && i > 1)) continue;  // it sees no other key, or not the first one
      mass += static_cast<double>(weights.matrix()(i, 0));
      uniform += 1.0 / keys;
      ++rows;
    }
    const PatternScore& first =
        scores[1][static_cast<std::size_t>(h)][static_cast<std::size_t>(HeadScore::First)];
    CHECK(static_cast<double>(first.rows) == rows);
    CHECK(std::abs(first.score - mass / rows) < 1e-5);
    CHECK(std::abs(first.uniform - uniform / rows) < 1e-9);
  }
}

TEST_CASE("the battery finds a head that looks behind the same token", "[readouts][scores]") {
  const std::vector<std::int64_t> special{0, 2};
  const std::vector<std::int64_t> ids = repeated_random_tokens(23, special, {.tokens = 10, .seed = 9}, 1);
  REQUIRE(ids.size() == 20);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(ids[i] == ids[i + 10]);
    CHECK(std::ranges::count(ids, ids[i]) == 2);
    CHECK(std::ranges::count(special, ids[i]) == 0);
  }
  CHECK(ids != repeated_random_tokens(23, special, {.tokens = 10, .seed = 9}, 2));
  CHECK_THROWS_WITH(repeated_random_tokens(23, special, {.tokens = 22}, 0),
                    "22 different tokens cannot be drawn from 21 that are not special.");
  ReadGpt o;
  const auto scores = battery_scores(*o.model, special, {.tokens = 10, .sequences = 3}, o.work);
  REQUIRE(scores.size() == 3);
  const PatternScore& induction = scores[0][0][static_cast<std::size_t>(HeadScore::Induction)];
  CHECK(induction.rows == 30);  // the second half of each
  // 1/11 … 1/20: one key of those before.
  double uniform = 0;
  for (int i = 11; i <= 20; ++i) uniform += 0.1 / i;
  CHECK(std::abs(induction.uniform - uniform) < 1e-9);
}

}  // namespace attnscope::head_scores_test
