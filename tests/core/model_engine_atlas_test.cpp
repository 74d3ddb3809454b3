// The atlas in the background: pruning curve and activation patching reach the numbers of a direct
// computation.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/engine/model/model_engine.hpp"
#include "core/engine/model/model_work.hpp"
#include "core/opened_models.hpp"
#include "core/readouts/patching.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_engine_atlas_test {

using opened_models::within_of;

TEST_CASE("the pruning curve fills in to what it is at once", "[models]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(1);
  const Work work{pool, {}};
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  ModelEngine engine({}, 1);
  engine.submit(within_of(model, "abcabcab"), {.effects = false, .pruning = true});
  engine.wait_idle();
  const ModelReadingPtr reading = engine.latest();
  REQUIRE(reading->pruning);
  const AblationRequest request{.row = 7};
  const auto atlas = ablation_atlas(*model->model, *reading->clean, request, nullptr, work);
  const auto curve = pruning_curve(*model->model, *reading->clean, atlas, request, nullptr, work);
  REQUIRE(reading->pruning->curve.size() == curve.size());
  CHECK(reading->pruning->known == std::ssize(curve));
  for (std::size_t i = 0; i < curve.size(); ++i) {
    CHECK(reading->pruning->curve[i].head == curve[i].head);
    CHECK(reading->pruning->curve[i].effect.divergence == curve[i].effect.divergence);
    CHECK(reading->pruning->curve[i].effect.top_token == curve[i].effect.top_token);
  }
  CHECK(reading->pruning->is_whole());
  CHECK(std::isfinite(reading->effects->pruning_seconds));

  // The baseline: here every count is measured, since there are fewer heads than counts.
  const std::vector<AtlasEntry>& random = reading->pruning->random;
  REQUIRE(random.size() == curve.size());
  CHECK(reading->pruning->random_counts == std::ssize(curve));
  std::vector<HeadSet> sets;
  for (const AtlasEntry& entry : random) {
    HeadSet more = sets.empty() ? HeadSet() : sets.back();
    more.push_back(entry.head);
    sets.push_back(std::move(more));
  }
  const auto effects = ablation_effects(*model->model, *reading->clean, sets, request, nullptr, work);
  for (std::size_t i = 0; i + 1 < random.size(); ++i)
    CHECK(random[i].effect.divergence == effects[i].divergence);
  CHECK(random.back().effect.divergence == curve.back().effect.divergence);

  engine.submit(within_of(model, "abcabcab"), {.effects = false});
  engine.wait_idle();
  REQUIRE(engine.latest()->pruning);  // results that are not wanted any more stay
  CHECK(engine.latest()->pruning->is_whole());
  engine.submit(within_of(model, "abcabca"), {.effects = false});
  engine.wait_idle();
  CHECK_FALSE(engine.latest()->pruning);
}

TEST_CASE("pruning is expected to take as long as its versions pass blocks", "[models]") {
  EffectsReading effects;
  for (int block = 0; block < 2; ++block)
    for (int head = 0; head < 2; ++head) {
      effects.heads.push_back({block, head});
      // The heads of the last block are removed first.
      effects.effects.push_back({.divergence = 2.0 - block + 0.1 * head});
    }
  double random = 0;
  int first = 2;
  const std::vector<HeadPlace> order = shuffled(effects.heads, pruning_seed);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    first = std::min(first, order[i].block);
    random += 2 - first;
  }
  // Each head alone passes 2 + 2 + 1 + 1 blocks, the curve 1 + 1 + 2 + 2.
  CHECK(std::abs(expected_pruning_seconds(effects, 3) - 3 * (6 + random) / 6) < 1e-12);
  CHECK(order.size() == 4);
  CHECK(std::ranges::is_permutation(order, effects.heads));
  CHECK(order != effects.heads);
}

TEST_CASE("patching of a pair of texts fills in to what it is at once", "[models]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(1);
  const Work work{pool, {}};
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  ModelEngine engine({}, 1);
  ModelWants wants{.effects = false};
  wants.corrupted = within_of(model, "abdabcab").input;
  engine.submit(within_of(model, "abcabcab"), wants);
  engine.wait_idle();
  const ModelReadingPtr reading = engine.latest();
  REQUIRE(reading->patching);
  const PatchingReading& found = *reading->patching;
  REQUIRE(found.problem == "");
  CHECK(found.first_row == 2);
  CHECK(found.rows == 8);
  CHECK(found.token != found.other);
  CHECK(found.known == std::ssize(found.whole) + std::ssize(found.cells));
  const ModelRun corrupted = run_model(*model->model, found.corrupted->input, {}, work);
  const PatchedPair pair{*model->model, *reading->clean, corrupted, 7, found.token, found.other};
  CHECK(found.clean_answer == answer_of(pair, *reading->clean, work));
  CHECK(found.corrupted_answer == answer_of(pair, corrupted, work));
  CHECK(found.estimates == direct_effects(pair, work));
  std::vector<PatchPlace> whole, cells;
  for (const HeadPlace& head : found.heads) {
    whole.push_back({head, -1});
    for (std::int64_t row = 0; row < found.rows; ++row) cells.push_back({head, row});
  }
  CHECK(found.whole == patch_effects(pair, whole, nullptr, work));
  CHECK(found.cells == patch_effects(pair, cells, nullptr, work));
  CHECK(found.recovered(found.clean_answer - found.corrupted_answer) == 1);

  wants.corrupted->text = "abd";
  engine.submit(within_of(model, "abcabcab"), wants);
  engine.wait_idle();
  CHECK_THAT(engine.latest()->patching->problem,
             Catch::Matchers::ContainsSubstring("has 8 tokens and the corrupted one 3"));
  CHECK(engine.latest()->is_complete);
  wants.corrupted->text = "";
  engine.submit(within_of(model, "abcabcab"), wants);
  engine.wait_idle();
  CHECK_THAT(engine.latest()->patching->problem, Catch::Matchers::ContainsSubstring("There are no tokens"));
}

}  // namespace attnscope::model_engine_atlas_test
