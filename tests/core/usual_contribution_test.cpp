// Contributions in the pictures of heads: the norms of a picture's columns and the value that the colours of
// the grid go up to, which come with the norms and not from a view.
#include "core/engine/model/usual_contribution.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/engine/model/model_engine.hpp"
#include "core/opened_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::usual_contribution_test {
namespace {

/// Pictures of four heads, 2 x 2 cells of two keys each; of head h the largest weight is (h + 1) / 8.
AttentionRun four_heads() {
  AttentionRun run;
  run.pictures.cells = {1, 2};
  run.pictures.mean = Tensor(Shape{4, 2, 2});
  for (std::int64_t head = 0; head < 4; ++head) {
    const float most = static_cast<float>(head + 1) / 8;
    std::ranges::copy(std::array{most, 0.f, most / 2, most / 2}, run.pictures.mean.matrix(head).data());
  }
  return run;
}

}  // namespace

TEST_CASE("the norm of a picture's column is the mean of its keys' norms", "[models]") {
  ValueNorms norms;
  norms[static_cast<std::size_t>(AttentionOf::Decoder)] = {{{1, 3, 8}}};
  std::vector<float> columns{5};
  take_column_norms(norms, AttentionOf::Decoder, 0, 0, {1, 2}, 2, columns);
  CHECK(columns == std::vector<float>{2, 8});  // the last column has one key
  take_column_norms(norms, AttentionOf::Decoder, 0, 0, {1, 2}, 3, columns);
  CHECK(columns == std::vector<float>{2, 8, 0});  // the third has none
  take_column_norms(norms, AttentionOf::Decoder, 0, 1, {1, 2}, 2, columns);
  CHECK(columns == std::vector<float>{1, 1});  // the norms of this head are not known
  take_column_norms(norms, AttentionOf::Encoder, 0, 0, {1, 2}, 1, columns);
  CHECK(columns == std::vector<float>{1});
}

TEST_CASE("the usual contribution is the 75th percentile of the heads' largest", "[models]") {
  ModelRun run;
  ValueNorms norms;
  CHECK(usual_contribution(run, norms) == 1);  // no pictures
  run.decoder.attention.push_back(four_heads());
  // In each head 2 · the largest weight, in the first column, is more than 3 · half of it, in the second.
  norms[static_cast<std::size_t>(AttentionOf::Decoder)] = {
      {{2, 2, 3, 3}, {2, 2, 3, 3}, {2, 2, 3, 3}, {2, 2, 3, 3}}};
  CHECK(usual_contribution(run, norms) == 1);  // of 1/4, 1/2, 3/4 and 1 the fourth
  run.decoder.attention.push_back(four_heads());
  norms[static_cast<std::size_t>(AttentionOf::Decoder)].push_back(
      {{100, 100, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  // 0, 0, 0, 1/4, 1/2, 3/4, 1, 100/8: one head of the last block is much larger and does not count.
  CHECK(usual_contribution(run, norms) == 1);
  std::ranges::fill(run.decoder.attention[0].pictures.mean.values(), 0.f);
  std::ranges::fill(run.decoder.attention[1].pictures.mean.values(), 0.f);
  CHECK(usual_contribution(run, norms) == 1);  // nothing is above 0
  run.decoder.attention.pop_back();
  run.decoder.attention[0] = four_heads();
  norms[static_cast<std::size_t>(AttentionOf::Decoder)][0] = {
      {8, 8, 0, 0}, {8, 8, 0, 0}, {8, 8, 0, 0}, {1, 1, 0, 0}};
  CHECK(usual_contribution(run, norms) == 3);  // of 1/2, 1, 2 and 3
}

TEST_CASE("a reading brings the usual contribution with its norms", "[models]") {
  const test::TemporaryDirectory directory;
  ModelEngine engine({}, 1);
  const ModelContext within =
      opened_models::within_of(opened_models::small_gpt(directory / "gpt"), "abcabcab");
  engine.submit(within, {.picture_side = 4, .effects = false, .contributions = true});
  engine.wait_idle();
  const ModelReadingPtr reading = engine.latest();
  REQUIRE(reading->value_norms);
  CHECK(reading->usual_contribution == usual_contribution(*reading->run, *reading->value_norms));
  CHECK(reading->usual_contribution != 1);
}

}  // namespace attnscope::usual_contribution_test
