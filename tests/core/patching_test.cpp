// Activation patching: the effect of a patched head equals that of running the model with the change, and
// that of a naive decoder in double; the estimate is the direct effect.
#include "core/readouts/patching.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/ablations.hpp"
#include "core/readouts/logit_split.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::patching_test {
namespace {

using Catch::Matchers::ContainsSubstring;

ModelInput input_of(const Model& model, const std::vector<std::int64_t>& ids) {
  ModelInput input;
  input.ids = ids;
  if (model.spec.encoder && model.spec.decoder) {
    input.ids = {3, 4, 5};
    input.decoder_ids = ids;
  }
  return input;
}

const std::vector<std::int64_t> clean_ids{1, 5, 2, 7, 1, 5, 2}, corrupted_ids{1, 5, 9, 7, 1, 6, 2};

/// The answer with the head patched, by a run of the whole model.
double answer_with(const PatchedPair& pair, const PatchPlace& place, const Work& work) {
  const AttentionOf of = output_attention(pair.model.spec);
  const auto block = static_cast<std::size_t>(place.head.block);
  const Tensor outputs = head_outputs(pair.model, pair.clean, of, block, {}, work);
  const auto matrix = std::as_const(outputs).matrix(place.head.head);
  auto own = std::make_shared<Tensor>(Shape{matrix.rows(), matrix.cols()});
  own->matrix() = matrix;
  HeadChange change{
      .of = of, .block = place.head.block, .head = place.head.head, .kind = HeadChange::Kind::Replaced};
  change.tensor = own;
  if (place.row >= 0) change.rows = {place.row};
  const ModelRun run = run_model(pair.model, pair.corrupted.input, {.changes = {.heads = {change}}}, work);
  const float* logits = run.logits.row(run.logits.rows() == 1 ? 0 : pair.row);
  return static_cast<double>(logits[pair.token]) - static_cast<double>(logits[pair.other]);
}

void check_pair(const Model& model, std::int64_t row, const Work& work) {
  const ModelRun clean = run_model(model, input_of(model, clean_ids), {}, work),
                 corrupted = run_model(model, input_of(model, corrupted_ids), {}, work);
  const PatchedPair pair{model, clean, corrupted, row, 0, 1};
  const std::int64_t rows = corrupted.last(model).normed.rows();
  std::vector<PatchPlace> places;
  for (const HeadPlace& head : all_heads(model.spec))
    for (std::int64_t at = -1; at < rows; ++at) places.push_back({head, at});
  AblationProgress progress;
  const std::vector<double> effects = patch_effects(pair, places, &progress, work);
  CHECK(progress.done == progress.total);
  const double without = answer_of(pair, corrupted, work);
  double largest = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    CAPTURE(places[i].head.block, places[i].head.head, places[i].row);
    CHECK(std::abs(effects[i] - (answer_with(pair, places[i], work) - without)) < 2e-5);
    if (places[i].row >= 0 && places[i].row < first_patched_row(pair)) CHECK(effects[i] == 0);
    largest = std::max(largest, std::abs(effects[i]));
  }
  CHECK(largest > 1e-3);
}

/// Each head's contribution to the answer in the clean run minus that in the corrupted one, with the norm's
/// scale of the latter, from the splits of both logits. A LayerNorm also removes the mean of a head's
/// contribution.
std::vector<double> from_splits(const PatchedPair& pair, const Work& work) {
  const Model& model = pair.model;
  const AttentionOf of = output_attention(model.spec);
  const StackView stack = stack_of(model, pair.corrupted, of);
  const std::int64_t d = model.spec.d_model;
  const LogitSplit clean = split_logit(model, pair.clean, pair.row, pair.token, pair.other, work),
                   corrupted = split_logit(model, pair.corrupted, pair.row, pair.token, pair.other, work);
  REQUIRE(clean.parts == corrupted.parts);
  std::vector<double> means(clean.parts.size());
  TensorOf<double> mean(Shape{1, d});
  for (double& value : mean.values()) value = 1 / static_cast<double>(d);
  double direction = 0;  // the sum of the direction that the answer reads
  if (stack.spec.norm().kind == NormKind::LayerNorm) {
    for (const auto& [run, sign] : {std::pair(&pair.clean, 1.0), std::pair(&pair.corrupted, -1.0)})
      project_stream(
          {model, *run, of, stack.spec.blocks.size()}, mean, pair.row, pair.row + 1,
          [&, by = sign](std::size_t part, std::int64_t, std::span<const double> value) {
            means[part] += by * value[0];
          },
          work);
    const float* const x = stack.run.hidden.back().row(pair.row);
    const double of_row = std::accumulate(x, x + d, 0.0) / static_cast<double>(d);
    for (std::size_t part = 0; part < corrupted.parts.size(); ++part)
      if (corrupted.parts[part].kind == StreamPart::Kind::Centring)
        direction = -corrupted.values[part] / of_row;
    REQUIRE(direction != 0);
  }
  std::vector<double> effects;
  const double scale = corrupted.norm_scale / clean.norm_scale;
  for (std::size_t part = 0; part < clean.parts.size(); ++part)
    if (clean.parts[part].kind == StreamPart::Kind::Head)
      effects.push_back(clean.values[part] * scale - corrupted.values[part] - means[part] * direction);
  return effects;
}

/// A T5 whose decoder output is scaled before the unembedding.
ModelPtr scaled_t5(const std::filesystem::path& folder) {
  std::filesystem::copy(std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models/t5_gated", folder,
                        std::filesystem::copy_options::recursive);
  nlohmann::json config;
  std::ifstream(folder / "config.json") >> config;
  config["scale_decoder_outputs"] = true;
  std::ofstream(folder / "config.json") << config;
  return open_model(folder);
}

void check_estimate(const Model& model, const Work& work) {
  const ModelRun clean = run_model(model, input_of(model, clean_ids), {}, work),
                 corrupted = run_model(model, input_of(model, corrupted_ids), {}, work);
  const PatchedPair pair{model, clean, corrupted, 6, 3, 8};
  const std::vector<double> estimates = direct_effects(pair, work), expected = from_splits(pair, work);
  REQUIRE(estimates.size() == all_heads(model.spec).size());
  REQUIRE(estimates.size() == expected.size());
  double largest = 0;
  for (const double one : expected) largest = std::max(largest, std::abs(one));
  REQUIRE(largest > 1e-4);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(estimates[i] - expected[i]) < 1e-5 * largest);
  }
}

}  // namespace

TEST_CASE("the estimate of patching is the difference of two splits of the logit", "[readouts][patching]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const auto& [family, model] : small_models::every_family(directory.path())) {
    CAPTURE(family);
    check_estimate(*model, work);
  }
  const ModelPtr scaled = scaled_t5(directory / "t5");
  CHECK(std::abs(scaled->spec.logit_scale * std::sqrt(static_cast<double>(scaled->spec.d_model)) - 1) <
        1e-12);
  check_estimate(*scaled, work);
  // The prediction has the scale that the estimate uses.
  const ModelPtr plain = open_model(std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models/t5_gated");
  const ModelRun with = run_model(*scaled, input_of(*scaled, clean_ids), {}, work),
                 without = run_model(*plain, input_of(*plain, clean_ids), {}, work);
  for (std::size_t i = 0; i < with.logits.values.size(); ++i)
    CHECK(std::abs(static_cast<double>(with.logits.values[i]) -
                   scaled->spec.logit_scale * static_cast<double>(without.logits.values[i])) < 1e-6);
  // Parallel blocks that are none, windows, norms of queries and keys, caps, biases by distance.
  for (const std::string name :
       {"t5_gated", "gpt_neox_serial", "mistral_window", "qwen2_window", "qwen3", "gemma2", "bloom"}) {
    CAPTURE(name);
    const ModelPtr model = open_model(std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models" / name);
    check_estimate(*model, work);
  }
}

TEST_CASE("a patched head is what the model gives with its output replaced", "[readouts][patching]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const auto& [family, model] : small_models::every_family(directory.path())) {
    CAPTURE(family);
    check_pair(*model, 6, work);
  }
  for (const std::string name : {"bert_masked", "bert_classify", "gpt2_classify", "t5_gated"}) {
    CAPTURE(name);
    check_pair(*open_model(std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models" / name), 4, work);
  }
}

TEST_CASE("patching and its estimate against naive doubles", "[readouts][patching]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  const oracle::GptWeights weights = small_models::gpt_weights();
  small_models::write_gpt(directory / "gpt", weights);
  const ModelPtr model = open_model(directory / "gpt");
  const std::vector<int> ids_a(clean_ids.begin(), clean_ids.end()),
      ids_b(corrupted_ids.begin(), corrupted_ids.end());
  const oracle::GptRun clean = oracle::run_gpt(weights, ids_a), corrupted = oracle::run_gpt(weights, ids_b);
  const ModelRun a = run_model(*model, input_of(*model, clean_ids), {}, work),
                 b = run_model(*model, input_of(*model, corrupted_ids), {}, work);
  const PatchedPair pair{*model, a, b, 6, 3, 8};
  const auto answer = [](const oracle::GptRun& run) { return run.logits.back()[3] - run.logits.back()[8]; };
  CHECK(std::abs(answer_of(pair, a, work) - answer(clean)) < 1e-5);
  CHECK(first_patched_row(pair) == 2);

  oracle::GptHooks hooks;
  hooks.output = [&](int block, int head, oracle::GptRows& output) {
    if (block == 1 && head == 2) output[5] = clean.outputs[1][2][5];
  };
  const double patched = answer(oracle::run_gpt(weights, ids_b, hooks)) - answer(corrupted);
  const std::vector<PatchPlace> places{{{1, 2}, 5}};
  CHECK(std::abs(patch_effects(pair, places, nullptr, work)[0] - patched) < 1e-5);

  const std::vector<double> estimates = direct_effects(pair, work);
  const std::vector<HeadPlace> heads = all_heads(model->spec);
  REQUIRE(estimates.size() == heads.size());
  const oracle::GptRow& stream = corrupted.hidden.back().back();
  const double width = static_cast<double>(stream.size());
  const double mean = std::accumulate(stream.begin(), stream.end(), 0.0) / width;
  double variance = 0;
  for (const double x : stream) variance += (x - mean) * (x - mean) / width;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const auto block = static_cast<std::size_t>(heads[i].block),
               head = static_cast<std::size_t>(heads[i].head);
    const oracle::GptRow &with = clean.outputs[block][head].back(),
                         &without = corrupted.outputs[block][head].back();
    oracle::GptRow added(stream.size(), 0.0);
    for (std::size_t k = 0; k < with.size(); ++k)
      for (std::size_t c = 0; c < added.size(); ++c)
        added[c] += (with[k] - without[k]) * weights.blocks[block].out[head * with.size() + k][c];
    const double centre = std::accumulate(added.begin(), added.end(), 0.0) / width;
    double expected = 0;
    for (std::size_t c = 0; c < added.size(); ++c)
      expected += (added[c] - centre) / std::sqrt(variance + weights.epsilon) * weights.norm[c] *
                  (weights.tokens[3][c] - weights.tokens[8][c]);
    CAPTURE(heads[i].block, heads[i].head);
    CHECK(std::abs(estimates[i] - expected) < 1e-5);
  }
}

TEST_CASE("a pair without a wanted answer is asked for the likeliest of each text", "[readouts][patching]") {
  const std::vector<float> clean{1, 4, 3, 2}, corrupted{5, 0, 1, 2};
  CHECK(asked_answer(clean, corrupted, {}, {}) == AskedAnswer{1, 0});
  CHECK(asked_answer(clean, corrupted, 2, {}) == AskedAnswer{2, 0});
  CHECK(asked_answer(clean, corrupted, {}, 3) == AskedAnswer{1, 3});
  CHECK(asked_answer(clean, corrupted, 2, 3) == AskedAnswer{2, 3});
  // If both answers are the same token, the one that was not asked for is replaced.
  CHECK(asked_answer(clean, clean, {}, {}) == AskedAnswer{1, 2});
  CHECK(asked_answer(clean, corrupted, 0, {}) == AskedAnswer{0, 1});
  CHECK(asked_answer(clean, corrupted, {}, 1) == AskedAnswer{2, 1});
  CHECK(asked_answer(clean, corrupted, 1, 1) == AskedAnswer{1, 1});
  const std::vector<float> odd{1, std::nanf(""), 3, 2};
  CHECK(asked_answer(odd, corrupted, {}, {}).token == -1);
  CHECK(asked_answer(clean, odd, {}, {}).other == -1);
}

TEST_CASE("what cannot be patched is said in a sentence", "[readouts][patching]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(1);
  const Work work{pool, {}};
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  const ModelPtr model = open_model(directory / "gpt");
  const ModelRun clean = run_model(*model, input_of(*model, clean_ids), {}, work),
                 shorter = run_model(*model, input_of(*model, {1, 2}), {}, work),
                 changed =
                     run_model(*model, input_of(*model, corrupted_ids), {.changes = {.heads = {{}}}}, work);
  const std::vector<PatchPlace> some{{{0, 0}, 0}}, odd_head{{{3, 0}, 0}}, odd_row{{{0, 0}, 7}};
  const auto effects = [&](const PatchedPair& pair, std::span<const PatchPlace> places) {
    return patch_effects(pair, places, nullptr, work);
  };
  CHECK_THROWS_WITH(effects({*model, clean, shorter}, some),
                    ContainsSubstring("has 7 tokens and the corrupted one 2"));
  CHECK_THROWS_WITH(effects({*model, clean, changed}, some), ContainsSubstring("without other changes"));
  CHECK_THROWS_WITH(effects({*model, clean, clean, 7}, some), ContainsSubstring("There is no row 7"));
  CHECK_THROWS_WITH(effects({*model, clean, clean, 0, 99}, some), ContainsSubstring("There is no answer 99"));
  CHECK_THROWS_WITH(effects({*model, clean, clean}, odd_head), ContainsSubstring("There is no head 3.0"));
  CHECK_THROWS_WITH(effects({*model, clean, clean}, odd_row), ContainsSubstring("There is no row 7"));
  CHECK(effects({*model, clean, clean}, some)[0] == 0);
  const ModelPtr bert = open_model(std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models/bert_masked");
  const ModelRun run = run_model(*bert, input_of(*bert, clean_ids), {}, work);
  CHECK(direct_effects({*bert, run, run}, work).empty());
}

}  // namespace attnscope::patching_test
