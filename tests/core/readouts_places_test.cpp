// Read-outs at special places: after attention in every arrangement of a block, of heads that share their
// values, and beside rows of padding.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/models/reading/open_model.hpp"
#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"
#include "core/readouts/contribution.hpp"
#include "core/readouts/head_scores.hpp"
#include "core/readouts/lens.hpp"
#include "core/readouts/likelihood.hpp"
#include "core/readouts/norm_view.hpp"
#include "core/readouts/stream.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::readouts_places_test {
namespace {

constexpr int n = 11;
const std::filesystem::path goldens = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models";

ModelInput some_input() {
  ModelInput input;
  input.ids = {5, 9, 4, 16, 9, 7, 12};
  return input;
}

/// Without its MLPs.
Model without_mlp(const Model& whole) {
  Model model = whole;
  for (StackWeights* const stack : {&model.encoder, &model.decoder}) {
    for (BlockWeights& block : stack->blocks) {
      Tensor nothing(block.down.weight.shape());
      std::ranges::fill(nothing.values(), 0.0f);
      block.down.weight = StoredTensor(std::make_shared<const Tensor>(std::move(nothing)));
      block.down.bias.clear();
    }
  }
  return model;
}

/// Without MLPs the stream after attention equals the stream after the block.
void check_stream_behind_attention(const Model& whole, const ModelInput& input, const Work& work) {
  const Model model = without_mlp(whole);
  const ModelRun run = run_model(model, input, {}, work);
  const StackView stack = stack_of(model, run, output_attention(model.spec));
  const std::int64_t rows = stack.run.hidden[0].rows(), width = model.spec.d_model;
  for (int b = 0; b < static_cast<int>(stack.spec.blocks.size()); ++b) {
    CAPTURE(b);
    const auto block = static_cast<std::size_t>(b);
    Tensor x = stream_at(model, run, {b, true}, 0, rows, work);
    if (stack.spec.arrangement() == Arrangement::PostNorm)
      apply_norm(work, stack.spec.norm(), stack.weights.blocks[block].after_mlp_norm, x.data(), rows, width,
                 x.data());
    const KeptRows& behind = stack.run.hidden[block + 1];
    for (std::int64_t i = 0; i < x.size(); ++i)
      CHECK(std::abs(x.data()[i] - behind.values[static_cast<std::size_t>(i)]) < 2e-5f);
  }
}

}  // namespace

TEST_CASE("the stream behind attention is that behind a block whose MLP adds nothing", "[readouts][lens]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const small_models::Family& family : small_models::every_family(directory.path())) {
    CAPTURE(family.name);
    if (family.model->spec.decoder->arrangement() == Arrangement::Parallel) continue;  // has no such place
    ModelInput input;
    input.ids = small_models::some_ids(n, small_models::other_tokens);
    check_stream_behind_attention(*family.model, input, work);
  }
  // A factor of what blocks add; norms of what they add, alone and beside others.
  for (const char* name : {"granite", "olmo2", "exaone4", "glm4"}) {
    CAPTURE(name);
    check_stream_behind_attention(*open_model(goldens / name), some_input(), work);
  }
  for (const std::string name : {"bert", "t5"}) {  // norms after the sum; attention to an encoder
    const std::filesystem::path folder =
        std::filesystem::path(ATTNSCOPE_SHARED) / "vectors/tiny_models" / name;
    if (!exists(folder)) SKIP("no folder shared/vectors/tiny_models");
    CAPTURE(name);
    ModelInput input;
    input.ids = {5, 17, 33, 20, 17, 33, 9, 60};
    if (name == "t5") input.decoder_ids = {0, 7, 30, 12, 7};
    check_stream_behind_attention(*open_model(folder), input, work);
  }
}

TEST_CASE("what a key adds through a head has the factor of what blocks add", "[readouts]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  const ModelPtr granite = open_model(goldens / "granite");
  const double factor = granite->spec.decoder->residual_scale;
  REQUIRE(factor == 0.6);
  Model plain = *granite;
  plain.spec.decoder->residual_scale = 1;
  // Block 0 reads the same numbers in both.
  const ModelRun run = run_model(*granite, some_input(), {}, work),
                 of_plain = run_model(plain, some_input(), {}, work);
  for (std::int64_t head = 0; head < granite->spec.decoder->blocks[0].heads; ++head) {
    const Tensor found = contributions(*granite, run, AttentionOf::Decoder, 0, head, work);
    const Tensor whole = contributions(plain, of_plain, AttentionOf::Decoder, 0, head, work);
    REQUIRE(found.shape() == whole.shape());
    for (std::int64_t i = 0; i < found.size(); ++i)
      CHECK(std::abs(static_cast<double>(found.data()[i]) - factor * static_cast<double>(whole.data()[i])) <
            1e-5);
  }
}

TEST_CASE("heads that share values are measured with those of their group", "[readouts]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  small_models::write_other(directory / "llama", "llama");
  const ModelPtr model = open_model(directory / "llama");
  ModelInput input;
  input.ids = small_models::some_ids(n, small_models::other_tokens);
  const ModelRun run = run_model(*model, input, {}, work);
  const BlockProblem made = problem_of(*model, run, AttentionOf::Decoder, 1);
  const AttentionProblem& p = made.problem;
  REQUIRE(p.heads == 4);
  REQUIRE(p.kv_heads == 2);
  const LinearMap& output = model->decoder.blocks[1].attention.output;
  const TensorOf<double> map = rows_of_map(output, 0, output.d_out());
  for (std::int64_t head = 0; head < 4; ++head) {
    const std::vector<double> found = value_norms(*model, run, AttentionOf::Decoder, 1, head, work);
    for (std::int64_t j = 0; j < n; ++j) {
      const float* const value = p.value.row(head < 2 ? 0 : 1, j);  // heads 0 and 1, 2 and 3
      double squares = 0;
      for (std::int64_t k = 0; k < output.d_out(); ++k) {
        double sum = 0;
        for (std::int64_t c = 0; c < p.d_v; ++c)
          sum += static_cast<double>(value[c]) * map.matrix()(k, head * p.d_v + c);
        squares += sum * sum;
      }
      CHECK(std::abs(found[static_cast<std::size_t>(j)] - std::sqrt(squares)) < 1e-9);
    }
  }
}

TEST_CASE("rows of padding count in no score, and no token is expected behind one", "[readouts][scores]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  const ModelPtr model = open_model(directory / "gpt");
  ModelInput input;
  input.ids = small_models::some_ids(n, small_models::gpt_tokens);
  input.mask.assign(n, 1);
  input.mask[n - 1] = input.mask[n - 2] = 0;
  const auto scores = head_scores(*model, run_model(*model, input, {}, work), AttentionOf::Decoder, {}, work);
  CHECK(scores[1][0][static_cast<std::size_t>(HeadScore::First)].rows == n - 3);  // the first row has one key
  input.mask.assign(n, 1);
  input.mask[0] = input.mask[1] = 0;
  const TextLikelihood text = likelihood_of(*model, run_model(*model, input, {}, work), work);
  REQUIRE(text.tokens.size() == n);
  for (std::size_t i = 0; i < n; ++i) CHECK(std::isnan(text.tokens[i]) == (i <= 2));
}

}  // namespace attnscope::readouts_places_test
