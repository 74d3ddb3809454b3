// Effects of ablation: many ablated versions at once give the numbers of a run of the model with each change,
// and those of a naive decoder in double.
#include "core/readouts/ablations.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/readouts/text/prediction.hpp"
#include "core/small_models.hpp"
#include "core/transformers_goldens.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::ablations_test {
namespace {

using Catch::Matchers::ContainsSubstring;
constexpr int n = 9;

std::span<const float> logits_of(const ModelRun& run, std::int64_t row) {
  return {run.logits.row(row), static_cast<std::size_t>(run.logits.width)};
}

RunRequest with_ablated(const Model& model, const HeadSet& set, AblationKind kind) {
  RunRequest changed;
  for (const HeadPlace& place : set)
    changed.changes.heads.push_back(
        {.of = output_attention(model.spec),
         .block = place.block,
         .head = place.head,
         .kind = kind == AblationKind::Zero ? HeadChange::Kind::Zero : HeadChange::Kind::Mean});
  return changed;
}

/// Mean negative log-likelihood of the next tokens in the decoder's text.
double loss_of(const Model& model, const ModelRun& run) {
  const std::vector<std::int64_t>& ids = model.spec.encoder ? run.input.decoder_ids : run.input.ids;
  double sum = 0;
  for (std::int64_t i = 0; i + 1 < run.logits.rows(); ++i)
    sum -= log_softmax(logits_of(run, i))[static_cast<std::size_t>(ids[static_cast<std::size_t>(i + 1)])];
  return sum / static_cast<double>(run.logits.rows() - 1);
}

/// Against a run of the whole model.
void check_effect(const Model& model, const ModelRun& base, const HeadSet& set,
                  const AblationRequest& request, const AblationEffect& found, const Work& work) {
  const ModelRun with = run_model(model, base.input, with_ablated(model, set, request.kind), work);
  const std::int64_t rows = base.logits.rows(), row = rows == 1 ? 0 : request.row.value_or(rows - 1);
  CHECK(std::abs(found.divergence - divergence(logits_of(base, row), logits_of(with, row))) < 1e-5);
  const PredictedToken top = likeliest(logits_of(base, row), 1)[0];
  CHECK(std::abs(found.top_logit_change - (static_cast<double>(with.logits.row(row)[top.id]) - top.logit)) <
        1e-5);
  CHECK(found.top_token == likeliest(logits_of(with, row), 1)[0].id);
  const bool every_row = model.spec.head.input == HeadInput::EveryRow;
  CHECK(std::isnan(found.mean_divergence) == !(request.all_positions && every_row));
  const bool next = model.spec.head.kind == HeadKind::NextToken;
  CHECK(std::isnan(found.likelihood_change) == !(request.all_positions && next));
  if (!request.all_positions || !every_row) return;
  double mean = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    mean += divergence(logits_of(base, i), logits_of(with, i)) / static_cast<double>(rows);
  CHECK(std::abs(found.mean_divergence - mean) < 1e-5);
  if (next) CHECK(std::abs(found.likelihood_change - (loss_of(model, with) - loss_of(model, base))) < 1e-5);
}

void check_atlas(const Model& model, const ModelRun& base, const AblationRequest& request, const Work& work) {
  AblationProgress progress;
  const std::vector<AtlasEntry> atlas = ablation_atlas(model, base, request, &progress, work);
  CHECK(atlas.size() == all_heads(model.spec).size());
  CHECK(progress.done == progress.total);
  CHECK(progress.total > 0);
  for (const AtlasEntry& entry : atlas) {
    CAPTURE(entry.head.block, entry.head.head, request.all_positions);
    check_effect(model, base, {entry.head}, request, entry.effect, work);
  }
}

/// All versions at once in one matrix give the same bits.
void check_bits(const Model& model, const ModelRun& base, const Work& work) {
  std::vector<HeadSet> sets;
  for (const HeadPlace& head : all_heads(model.spec)) sets.push_back({head});
  std::size_t given = 0;
  pass_ablations(
      {.model = model, .base = base, .all_rows = true}, sets,
      [&](std::size_t set, const Tensor& stream) {
        const ModelRun with =
            run_model(model, base.input, with_ablated(model, sets[set], AblationKind::Zero), work);
        const KeptRows& expected = with.last(model).hidden.back();
        REQUIRE(stream.size() == std::ssize(expected.values));
        CHECK(std::equal(expected.values.begin(), expected.values.end(), stream.data()));
        ++given;
      },
      nullptr, work);
  CHECK(given == sets.size());
}

}  // namespace

TEST_CASE("the atlas is what each head's ablation gives alone", "[readouts][atlas]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const auto& [family, model] : small_models::every_family(directory.path())) {
    CAPTURE(family);
    ModelInput input;
    input.ids = small_models::some_ids(n, small_models::other_tokens);
    const ModelRun base = run_model(*model, input, {}, work);
    CHECK(all_heads(model->spec).size() == 4 * model->spec.decoder->blocks.size());
    for (const AblationRequest& request :
         {AblationRequest{}, AblationRequest{AblationKind::Mean, false},
          AblationRequest{AblationKind::Zero, true}, AblationRequest{AblationKind::Zero, false, 4}})
      check_atlas(*model, base, request, work);
    check_bits(*model, base, work);
  }
}

TEST_CASE("the beginning and the end of an answer have no atlas", "[readouts][atlas]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const ModelPtr model = open_model(std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models/bert_answer");
  ModelInput input;
  input.ids = {5, 6, 7};
  const ModelRun base = run_model(*model, input, {}, work);
  CHECK_THROWS_WITH(ablation_atlas(*model, base, {.row = 1}, nullptr, work),
                    ContainsSubstring("where an answer begins"));
}

TEST_CASE("the atlas of encoders, of classes, of pictures and of an encoder-decoder", "[readouts][atlas]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const std::string name :
       {"bert_masked", "roberta", "distilbert", "bert_tokens", "bert_classify", "distilbert_classify",
        "vit_classify", "gpt2_classify", "t5_gated", "bloom_after_norm"}) {
    CAPTURE(name);
    const std::filesystem::path folder = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models" / name;
    const ModelPtr model = open_model(folder);
    const SafetensorsFile file(folder / "goldens.safetensors");
    ModelInput input = transformers_goldens::input_of({file, "batch."}, 0);
    input.mask.clear();
    const ModelRun base = run_model(*model, input, {}, work);
    for (const AblationKind kind : {AblationKind::Zero, AblationKind::Mean})
      for (const bool all : {false, true}) check_atlas(*model, base, {kind, all, 3}, work);
    check_bits(*model, base, work);
    if (!model->spec.decoder && model->spec.head.input == HeadInput::EveryRow)
      CHECK_THROWS_WITH(ablation_atlas(*model, base, {}, nullptr, work), ContainsSubstring("say which one"));
  }
}

TEST_CASE("an ablation's effect against naive doubles", "[readouts][atlas]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  const oracle::GptWeights weights = small_models::gpt_weights();
  small_models::write_gpt(directory / "gpt", weights);
  const ModelPtr model = open_model(directory / "gpt");
  ModelInput input;
  input.ids = small_models::some_ids(n, small_models::gpt_tokens);
  const std::vector<int> ids(input.ids.begin(), input.ids.end());
  oracle::GptHooks hooks;
  hooks.output = [](int block, int head, oracle::GptRows& output) {
    if (block == 1 && head == 2)
      for (oracle::GptRow& row : output) row.assign(row.size(), 0.0);
  };
  const oracle::GptRow base = oracle::run_gpt(weights, ids).logits.back(),
                       with = oracle::run_gpt(weights, ids, hooks).logits.back();
  double sum_base = 0, sum_with = 0, expected = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    sum_base += std::exp(base[i]);
    sum_with += std::exp(with[i]);
  }
  for (std::size_t i = 0; i < base.size(); ++i)
    expected += std::exp(base[i]) / sum_base * (base[i] - std::log(sum_base) - with[i] + std::log(sum_with));
  const std::vector<HeadSet> sets{{{1, 2}}};
  const auto found = ablation_effects(*model, run_model(*model, input, {}, work), sets, {}, nullptr, work);
  CHECK(std::abs(found[0].divergence - expected) < 1e-5);
  const auto top = static_cast<std::size_t>(std::ranges::max_element(base) - base.begin());
  const double share = std::exp(with[top]) / sum_with - std::exp(base[top]) / sum_base;
  CHECK(std::abs(found[0].top_probability_change - share) < 1e-5);
  CHECK(std::abs(found[0].top_logit_change - (with[top] - base[top])) < 1e-5);
}

TEST_CASE("heads are pruned in the order of their effects", "[readouts][atlas]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  const ModelPtr model = open_model(directory / "gpt");
  ModelInput input;
  input.ids = small_models::some_ids(n, small_models::gpt_tokens);
  const ModelRun base = run_model(*model, input, {}, work);
  const AblationRequest request{AblationKind::Zero, true};
  const std::vector<AtlasEntry> atlas = ablation_atlas(*model, base, request, nullptr, work);
  const std::vector<AtlasEntry> curve = pruning_curve(*model, base, atlas, request, nullptr, work);
  REQUIRE(curve.size() == 12);
  HeadSet removed;
  double before = 0;
  for (const AtlasEntry& entry : curve) {
    removed.push_back(entry.head);
    const AblationEffect& alone =
        atlas[static_cast<std::size_t>(entry.head.block * 4 + entry.head.head)].effect;
    CHECK(alone.mean_divergence >= before);
    before = alone.mean_divergence;
    check_effect(*model, base, removed, request, entry.effect, work);
  }
}

TEST_CASE("what has no effect to measure is refused, and a measurement stops", "[readouts][atlas]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  const ModelPtr model = open_model(directory / "gpt");
  ModelInput input;
  input.ids = small_models::some_ids(n, small_models::gpt_tokens);
  const ModelRun base = run_model(*model, input, {}, work);
  const ModelRun changed = run_model(*model, input, {.changes = {.heads = {{}}}}, work);
  CHECK_THROWS_WITH(ablation_atlas(*model, changed, {}, nullptr, work),
                    ContainsSubstring("without other changes"));
  CHECK_THROWS_WITH(ablation_atlas(*model, base, {.row = n}, nullptr, work), ContainsSubstring("no row 9"));
  const std::vector<HeadSet> none{{{3, 0}}};
  CHECK_THROWS_WITH(ablation_effects(*model, base, none, {}, nullptr, work),
                    ContainsSubstring("no head 3.0"));
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(ablation_atlas(*model, base, {}, nullptr, Work{pool, stop.get_token()}), Cancelled);
}

}  // namespace attnscope::ablations_test
