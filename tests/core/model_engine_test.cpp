// Models behind the window: what is published equals what the functions of core/models and core/readouts
// give, and what is not wanted any more stops.
#include "core/engine/model_engine.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/engine/model_work.hpp"
#include "core/models/model_head.hpp"
#include "core/opened_models.hpp"
#include "core/readouts/contribution.hpp"
#include "core/readouts/patching.hpp"
#include "core/readouts/unembed.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_engine_test {
namespace {

namespace fs = std::filesystem;

Within within_of(const OpenedModelPtr& model, const std::string& text) {
  Within within;
  within.model = model;
  within.input.text = text;
  within.of = output_attention(model->model->spec);
  return within;
}

void check_run(const ModelReading& reading, const ModelRun& found, const ModelChanges& changes, int side,
               const Work& work) {
  const Model& model = *reading.within.model->model;
  RunRequest request{.entropy = true, .received = true, .picture_side = side, .changes = changes};
  const ModelRun expected = run_model(model, reading.tokens->input, request, work);
  const StackRun &a = found.last(model), &b = expected.last(model);
  REQUIRE(a.hidden == b.hidden);
  REQUIRE(a.normed == b.normed);
  for (std::size_t i = 0; i < b.attention.size(); ++i) {
    CHECK(a.attention[i].queries == b.attention[i].queries);
    CHECK(a.attention[i].entropy == b.attention[i].entropy);
    CHECK(a.attention[i].pictures.mean == b.attention[i].pictures.mean);
    CHECK(a.attention[i].pictures.largest == b.attention[i].pictures.largest);
    CHECK(
        ((a.attention[i].received.matrix() - b.attention[i].received.matrix()).array().abs() < 1e-5f).all());
  }
  if (!model.spec.has_logits()) return;
  const std::int64_t row = reading.prediction->row;
  const bool one_row = model.spec.head.input != HeadInput::EveryRow;
  if (row < 0) return;
  const float* logits = expected.logits.row(one_row ? 0 : row);
  const std::vector<float>& told = changes.empty() ? reading.prediction->before : reading.prediction->after;
  REQUIRE(std::ssize(told) == expected.logits.width);
  CHECK(std::equal(told.begin(), told.end(), logits));
}

void check_lens(const ModelReading& reading, const Work& work) {
  const Model& model = *reading.within.model->model;
  REQUIRE(reading.lens);
  const LensReading& lens = *reading.lens;
  CHECK(lens.places == lens_places(model.spec));
  REQUIRE(lens.rows == reading.run->last(model).normed.rows());
  for (std::size_t place = 0; place < lens.places.size(); ++place) {
    const Tensor logits = lens_logits(model, *reading.run, lens.places[place], 0, lens.rows, work);
    for (std::int64_t row = 0; row < lens.rows; ++row) {
      const std::span of_row(logits.data() + row * logits.shape()[1],
                             static_cast<std::size_t>(logits.shape()[1]));
      CAPTURE(place, row);
      REQUIRE(lens.at(row, place).top == likeliest(of_row, 5));
    }
  }
}

void check_effects(const ModelReading& reading, const Work& work) {
  const Model& model = *reading.within.model->model;
  REQUIRE(reading.effects);
  const EffectsReading& effects = *reading.effects;
  CHECK(effects.heads == all_heads(model.spec));
  CHECK(effects.known == std::ssize(effects.heads));
  AblationRequest request;
  request.row = effects.row;
  const auto expected = ablation_atlas(model, *reading.clean, request, nullptr, work);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(effects.effects[i].divergence == expected[i].effect.divergence);
    CHECK(effects.effects[i].top_logit_change == expected[i].effect.top_logit_change);
    CHECK(effects.effects[i].top_token == expected[i].effect.top_token);
  }
}

void check_alone(const ModelReading& reading, const Work& work) {
  const Model& model = *reading.within.model->model;
  const ModelChanges& changes = reading.within.changes;
  std::vector<double> expected;
  const auto add = [&](ModelChanges single) {
    const ModelRun run = run_model(model, reading.tokens->input, {.changes = std::move(single)}, work);
    expected.push_back(
        divergence(reading.prediction->before, predicted_logits(model, run, reading.prediction->row, work)));
  };
  for (const BlockChange& change : changes.blocks) add({.heads = {}, .blocks = {change}});
  for (const HeadChange& change : changes.heads) add({.heads = {change}, .blocks = {}});
  REQUIRE(reading.alone);
  CHECK(reading.alone->divergences == expected);
}

void check_all(const ModelReadingPtr& reading, int side, const Work& work) {
  REQUIRE(reading);
  REQUIRE(reading->error == "");
  CHECK(reading->is_complete);
  const ModelSpec& spec = reading->within.model->model->spec;
  check_run(*reading, *reading->run, reading->within.changes, side, work);
  check_run(*reading, *reading->clean, {}, side, work);
  CHECK((reading->run == reading->clean) == reading->within.changes.empty());
  if (ModelLens::exists(spec)) check_lens(*reading, work);
  if (reading->prediction->row < 0) return;
  check_effects(*reading, work);
  check_alone(*reading, work);
  const ModelPrediction& told = *reading->prediction;
  CHECK(told.top_after == likeliest(told.after, 10));
  CHECK(told.divergence == divergence(told.before, told.after));
}

std::string edited(std::string text, std::mt19937& chance) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(chance()) % n; };
  const auto letter = [&] { return static_cast<char>('a' + below(14)); };
  const std::size_t at = below(text.size() + 1);
  switch (below(4)) {
    case 0: text.insert(at, 1 + below(3), letter()); break;
    case 1: text.erase(at, 1 + below(3)); break;
    case 2:
      if (at < text.size()) text[at] = letter();
      break;
    default: text += letter();
  }
  if (text.empty()) text = "a";
  return text.substr(0, 13);
}

void edit_at_random(const OpenedModelPtr& model, int edits, unsigned seed) {
  ThreadPool pool(1);
  const Work work{pool, {}};
  ModelEngine engine({}, 2);
  std::mt19937 chance(seed);
  Within within = within_of(model, "abcab");
  const int blocks = static_cast<int>(all_heads(model->model->spec).back().block) + 1;
  for (int i = 0; i < edits; ++i) {
    ModelWants wants{.picture_side = chance() % 4 == 0 ? 4 : 8};
    switch (chance() % 6) {
      case 0: within.block = static_cast<int>(chance()) % blocks; break;
      case 1:
        within.changes.heads.push_back({.of = within.of,
                                        .block = static_cast<int>(chance() % 2),
                                        .head = static_cast<int>(chance() % 4),
                                        .kind = static_cast<HeadChange::Kind>(chance() % 6)});
        break;
      case 2: within.changes = {}; break;
      case 3:
        within.changes.blocks = {{.of = within.of, .block = static_cast<int>(chance() % 2), .scale = 1.0}};
        break;
      default: within.input.text = edited(within.input.text, chance);
    }
    if (chance() % 4 == 0) wants.row = 0;
    CAPTURE(i, within.input.text, within.changes.heads.size(), within.changes.blocks.size());
    const std::uint64_t ticket = engine.submit(within, wants);
    engine.wait_idle();
    const ModelReadingPtr reading = engine.latest();
    REQUIRE(reading->ticket == ticket);
    check_all(reading, wants.picture_side, work);
  }
}

}  // namespace

TEST_CASE("after random edits everything that is published equals what it is made of", "[models]") {
  const test::TemporaryDirectory directory;
  edit_at_random(opened_models::small_gpt(directory / "gpt"), 60, 1);
  for (const std::string& family : small_models::other_families) {
    CAPTURE(family);
    small_models::write_other(directory / family, family);
    edit_at_random(opened_models::with_letters(directory / family), 25, 2);
  }
}

TEST_CASE("models of every kind that lie beside the checkout are read to the end", "[models]") {
  const fs::path models = fs::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  ThreadPool pool(1);
  const Work work{pool, {}};
  for (const char* name : {"bert", "distilbert", "gpt2", "gpt_neox", "llama", "mistral_window4", "t5"}) {
    CAPTURE(name);
    const OpenedModelPtr model = open_whole_model(models / name);
    ModelEngine engine({}, 2);
    Within within = within_of(model, "");
    within.input = first_text(*model);
    within.changes.heads = {{.of = within.of, .block = 1, .head = 1}};
    engine.submit(within, {.picture_side = 8, .contributions = true});
    engine.wait_idle();
    const ModelReadingPtr reading = engine.latest();
    check_all(reading, 8, work);
    const Tensor& positions = model->model->position_table;
    const bool fits = positions.size() == 0 || positions.shape()[0] > 100;
    CHECK(static_cast<bool>(reading->battery) == (std::string(name) != "t5" && fits));
    CHECK(reading->scores);
    REQUIRE(reading->value_norms);
    for (std::size_t of = 0; of < 3; ++of) {
      const auto& blocks = (*reading->value_norms)[of];
      CHECK(blocks.empty() == !has_attention(model->model->spec, static_cast<AttentionOf>(of)));
      for (std::size_t block = 0; block < blocks.size(); ++block)
        for (std::size_t head = 0; head < blocks[block].size(); ++head) {
          const std::vector<double> norms =
              value_norms(*model->model, *reading->run, static_cast<AttentionOf>(of), block,
                          static_cast<std::int64_t>(head), work);
          CHECK(blocks[block][head] == std::vector<float>(norms.begin(), norms.end()));
        }
    }
    within.of = within.of == AttentionOf::Encoder ? AttentionOf::Decoder : AttentionOf::Encoder;
    engine.submit(within, {.effects = false});  // an attention that most models lack
    engine.wait_idle();
    const bool is_there = has_attention(model->model->spec, within.of);
    CHECK(engine.latest()->error == "");
    CHECK(static_cast<bool>(engine.latest()->scores) == is_there);
    CHECK(static_cast<bool>(engine.latest()->block) == is_there);
    CHECK(reading->block);
    within = reading->within;
    CHECK(reading->layer.within.read() == within);
  }
}

TEST_CASE("another block or other wants run nothing again", "[models]") {
  const test::TemporaryDirectory directory;
  ModelEngine engine({}, 1);
  Within within = within_of(opened_models::small_gpt(directory / "gpt"), "abcabcab");
  engine.submit(within, {.effects = false});
  engine.wait_idle();
  const ModelReadingPtr before = engine.latest();
  CHECK(before->effects->known == 0);
  within.block = 2;
  engine.submit(within, {.effects = true});
  engine.wait_idle();
  const ModelReadingPtr after = engine.latest();
  CHECK(after->run == before->run);
  CHECK(after->tokens == before->tokens);
  CHECK(after->prediction == before->prediction);
  CHECK(after->lens == before->lens);
  CHECK(after->scores == before->scores);
  CHECK(after->battery == before->battery);
  CHECK(after->block->block == 2);
  CHECK(after->effects->known == 12);
  within.changes.heads = {{.block = 0, .head = 0}};
  engine.submit(within);
  engine.wait_idle();
  CHECK(engine.latest()->clean == before->run);
  CHECK(engine.latest()->effects->known == 12);
  within.changes = {};
  engine.submit(within);
  engine.wait_idle();
  CHECK(engine.latest()->run == before->run);  // taken back: nothing is run again
  CHECK(engine.latest()->left_out.empty());
}

TEST_CASE("what a layer by itself does not show of the changes is told", "[models]") {
  const test::TemporaryDirectory directory;
  ModelEngine engine({}, 1);
  Within within = within_of(opened_models::small_gpt(directory / "gpt"), "abcabcab");
  within.block = 1;
  within.changes.heads = {{.block = 1, .head = 2}};
  engine.submit(within, {.effects = false});
  engine.wait_idle();
  CHECK(engine.latest()->left_out.empty());  // a muted head is one in the layer, too
  within.changes.heads[0].rows = {3};
  engine.submit(within, {.effects = false});
  engine.wait_idle();
  CHECK_THAT(engine.latest()->left_out, Catch::Matchers::ContainsSubstring("head 1.2"));
}

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
  REQUIRE(engine.latest()->pruning);  // what is not wanted any more stays
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
      // The heads of the last block go first.
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

TEST_CASE("newer input stops what is later than the run", "[models]") {
  const test::TemporaryDirectory directory;
  std::atomic<int> told{0}, go_on{0};
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, bool>> seen;  // ticket, whether it was complete
  std::atomic<ModelEngine*> self{nullptr};
  ModelEngine engine(
      [&] {
        const ModelReadingPtr latest = self.load()->latest();
        {
          const std::lock_guard lock(mutex);
          seen.emplace_back(latest->ticket, latest->is_complete);
        }
        ++told;
        told.notify_all();
        go_on.wait(0);  // the worker stands here until the test lets it go on
      },
      1);
  self = &engine;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  engine.submit(within_of(model, "abcabc"));
  told.wait(0);  // the run is published; nothing later is made yet
  CHECK_FALSE(engine.latest()->is_complete);
  CHECK(engine.latest()->prediction);
  CHECK(engine.busy());
  const std::uint64_t second = engine.submit(within_of(model, "abcabcd"));
  go_on = 1;
  go_on.notify_all();
  engine.wait_idle();
  CHECK(engine.latest()->ticket == second);
  CHECK(engine.latest()->is_complete);
  const std::lock_guard lock(mutex);
  CHECK(std::ranges::count(seen, std::pair<std::uint64_t, bool>(1, true)) == 0);
}

TEST_CASE("what cannot be run is said in a sentence, and what was good stays", "[models]") {
  const test::TemporaryDirectory directory;
  ModelEngine engine({}, 1);
  CHECK_FALSE(engine.latest());
  CHECK_FALSE(engine.busy());
  CHECK(std::string(engine.doing().what).empty());
  engine.submit({});
  engine.wait_idle();
  CHECK(engine.latest()->error == "No model is open.");
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  engine.submit(within_of(model, "abc"));
  engine.wait_idle();
  const ModelReadingPtr good = engine.latest_good();
  REQUIRE(good);
  engine.submit(within_of(model, ""));
  engine.wait_idle();
  CHECK(engine.latest()->error == "There are no tokens; a model needs at least one. Type a word.");
  CHECK(engine.latest()->is_complete);
  engine.submit(within_of(model, std::string(200, 'a')));
  engine.wait_idle();
  CHECK_THAT(engine.latest()->error,
             Catch::Matchers::ContainsSubstring("The text has 200 tokens; GPT-2 has positions"));
  Within within = within_of(model, "abc");
  within.changes.heads = {{.block = 7}};
  engine.submit(within);
  engine.wait_idle();
  CHECK_THAT(engine.latest()->error, Catch::Matchers::ContainsSubstring("There is no head 7.0"));
  CHECK(engine.latest_good() == good);
  within.changes = {};
  within.block = 9;
  engine.submit(within);
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());  // the run is there, the block is not
  CHECK_FALSE(engine.latest()->block);
  CHECK_FALSE(engine.latest()->layer_problem.empty());
  engine.forget();
  engine.wait_idle();
  CHECK_FALSE(engine.latest());
  CHECK_FALSE(engine.latest_good());
  engine.submit(within_of(model, "abc"));
  engine.wait_idle();
  CHECK(engine.latest()->ticket == 7);
  CHECK(engine.latest()->is_complete);
}

TEST_CASE("under a storm of edits no reading is torn and the last one arrives", "[models]") {
  const test::TemporaryDirectory directory;
  std::atomic<std::uint64_t> newest{0};
  std::atomic<bool> out_of_order{false};
  std::atomic<ModelEngine*> self{nullptr};
  ModelEngine engine(
      [&] {
        const ModelReadingPtr latest = self.load()->latest();
        if (latest && latest->ticket < newest.exchange(latest->ticket)) out_of_order = true;
      },
      2);
  self = &engine;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  std::vector<std::jthread> hands;
  for (int hand = 0; hand < 3; ++hand)
    hands.emplace_back([&, hand] {
      std::string text = "abc";
      for (int i = 0; i < 60; ++i) {
        text = text.size() > 10 ? "ab" : text + static_cast<char>('a' + (i + hand) % 20);
        Within within = within_of(model, text);
        within.block = i % 3;
        if (i % 3 == 0) within.changes.heads = {{.block = i % 2, .head = hand}};
        if (i % 13 == 0) within.input.text.clear();
        engine.submit(std::move(within), {.effects = i % 5 == 0});
        if (i % 17 == hand) engine.cancel();
        if (i % 29 == hand) engine.forget();
        engine.doing();
        const ModelReadingPtr reading = engine.latest();
        if (reading && reading->error.empty() &&
            !(reading->run && reading->clean && reading->tokens && reading->prediction))
          throw Error("a torn reading");
      }
    });
  hands.clear();
  const std::uint64_t last = engine.submit(within_of(model, "abcab"));
  engine.wait_idle();
  CHECK(engine.latest()->ticket == last);
  CHECK(engine.latest()->is_complete);
  CHECK_FALSE(out_of_order);
}

TEST_CASE("the engine may go while it works", "[models]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  for (int i = 0; i < 10; ++i) {
    ModelEngine engine({}, 2);
    engine.submit(within_of(model, "abcabcabcabc"));
    if (i % 2 == 0) engine.submit(within_of(model, "abcabcabcabd"));
  }
}

}  // namespace attnscope::model_engine_test
