// A run with numbers that are not finite says where the first of them is.
#include "core/readouts/text/not_finite.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/models/reading/open_model.hpp"
#include "core/small_models.hpp"
#include "support/put_number.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::not_finite_test {
namespace {

/// Of a GPT-2 of three blocks with other weights, on six tokens, none of which is the last one.
std::string told_of(const std::function<void(oracle::GptWeights&)>& spoil) {
  const test::TemporaryDirectory directory;
  oracle::GptWeights weights = small_models::gpt_weights();
  spoil(weights);
  small_models::write_gpt(directory / "gpt", weights);
  const ModelPtr model = open_model(directory / "gpt");
  ThreadPool pool(2);
  ModelInput input;
  input.ids = {3, 1, 4, 1, 5, 9};
  return not_finite_sentence(*model, run_model(*model, input, {}, Work{pool, {}}));
}

/// Of a T5 of two and two blocks in which one number of a norm is NaN.
std::string told_of_t5(const char* norm) {
  const test::TemporaryDirectory directory;
  copy_golden_model(directory / "t5", "t5_gated");
  test::put_number(directory / "t5" / "model.safetensors", norm, 3, std::nanf(""));
  const ModelPtr model = open_model(directory / "t5");
  ThreadPool pool(2);
  ModelInput input;
  input.ids = {3, 4, 5};
  input.decoder_ids = {0, 6};
  return not_finite_sentence(*model, run_model(*model, input, {}, Work{pool, {}}));
}

}  // namespace

TEST_CASE("NaN and infinity are named where they begin", "[readouts]") {
  using Weights = oracle::GptWeights;
  const double nan = std::nan("");
  CHECK(told_of([](Weights&) {}).empty());
  CHECK(told_of([&](Weights& w) { w.positions[4][3] = nan; }) ==
        "The embeddings hold NaN or infinity, first in row 4.");
  CHECK(told_of([&](Weights& w) { w.blocks[0].norm1[3] = nan; }) ==
        "From block 0 on the residual stream holds NaN or infinity, first in row 0.");
  CHECK(told_of([&](Weights& w) { w.blocks[1].norm1[3] = nan; }) ==
        "From block 1 on the residual stream holds NaN or infinity, first in row 0.");
  CHECK(told_of([](Weights& w) { w.blocks[2].down_bias[3] = INFINITY; }) ==
        "From block 2 on the residual stream holds NaN or infinity, first in row 0.");
  CHECK(told_of([&](Weights& w) { w.norm[3] = nan; }) ==
        "Behind the final norm there is NaN or infinity, first in row 0.");
  CHECK(told_of([&](Weights& w) { w.tokens[small_models::gpt_tokens - 1][3] = nan; }) ==
        "The logits hold NaN or infinity, first in row 0.");
}

TEST_CASE("NaN of an encoder-decoder is named with its stack", "[readouts]") {
  CHECK(told_of_t5("encoder.block.1.layer.0.layer_norm.weight") ==
        "From block 1 of the encoder on the residual stream holds NaN or infinity, first in row 0.");
  CHECK(told_of_t5("decoder.block.1.layer.1.layer_norm.weight") ==
        "From block 1 on the residual stream holds NaN or infinity, first in row 0.");
  CHECK(told_of_t5("decoder.final_layer_norm.weight") ==
        "Behind the final norm there is NaN or infinity, first in row 0.");
}

}  // namespace attnscope::not_finite_test
