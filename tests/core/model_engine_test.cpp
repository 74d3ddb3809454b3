// Models in the background: published readings equal the results of core/models and core/readouts, and work
// that is not wanted any more stops.
#include "core/engine/model/model_engine.hpp"

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
#include "core/engine/model/model_work.hpp"
#include "core/models/model_head.hpp"
#include "core/models/opened/first_text.hpp"
#include "core/opened_models.hpp"
#include "core/readouts/contribution.hpp"
#include "core/readouts/patching.hpp"
#include "core/readouts/unembed.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_engine_test {
namespace {

namespace fs = std::filesystem;

using opened_models::within_of;

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

void check_numbers(const RunNumbers& told, const Model& model, const ModelRun& run, const Work& work) {
  const RunNumbers expected = run_numbers(model, run, work);
  CHECK(told.stream_norms == expected.stream_norms);
  CHECK((told.median_entropy == expected.median_entropy || std::isnan(expected.median_entropy)));
  REQUIRE(told.attentions.size() == expected.attentions.size());
  for (const RunNumbers::Attention& attention : expected.attentions)
    for (int block = 0; block < std::ssize(attention.entropy); ++block)
      for (std::int64_t head = 0; head < std::ssize(attention.entropy[static_cast<std::size_t>(block)]);
           ++head) {
        const double value =
            attention.entropy[static_cast<std::size_t>(block)][static_cast<std::size_t>(head)];
        const double found = told.entropy_of(attention.of, block, head);
        CHECK((found == value || (std::isnan(found) && std::isnan(value))));
      }
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
  REQUIRE((reading->numbers && reading->clean_numbers));
  CHECK((reading->numbers == reading->clean_numbers) == reading->within.changes.empty());
  check_numbers(*reading->numbers, *reading->within.model->model, *reading->run, work);
  check_numbers(*reading->clean_numbers, *reading->within.model->model, *reading->clean, work);
  if (ModelLens::exists(spec)) check_lens(*reading, work);
  if (reading->prediction->row < 0) return;
  check_effects(*reading, work);
  check_alone(*reading, work);
  const ModelPrediction& told = *reading->prediction;
  CHECK(told.top_after == likeliest(told.after, 10));
  CHECK(told.divergence == divergence(told.before, told.after));
  CHECK(told.log_sum_before == log_sum_exp(told.before));
  CHECK(told.log_sum_after == log_sum_exp(told.after));
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
  ModelContext within = within_of(model, "abcab");
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
    ModelContext within = within_of(model, "");
    within.input = first_text(*model);
    within.changes.heads = {{.of = within.of, .block = 1, .head = 1}};
    engine.submit(within, {.picture_side = 8, .contributions = true});
    engine.wait_idle();
    const ModelReadingPtr reading = engine.latest();
    check_all(reading, 8, work);
    CHECK(static_cast<bool>(reading->battery) == (std::string(name) != "t5"));  // as long as it can read
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
    engine.submit(within, {.effects = false});  // an attention that most models do not have
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
  ModelContext within = within_of(opened_models::small_gpt(directory / "gpt"), "abcabcab");
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
  CHECK(engine.latest()->run == before->run);  // undone: nothing is run again
  CHECK(engine.latest()->left_out.empty());
}

TEST_CASE("what a layer by itself does not show of the changes is told", "[models]") {
  const test::TemporaryDirectory directory;
  ModelEngine engine({}, 1);
  ModelContext within = within_of(opened_models::small_gpt(directory / "gpt"), "abcabcab");
  within.block = 1;
  within.changes.heads = {{.block = 1, .head = 2}};
  engine.submit(within, {.effects = false});
  engine.wait_idle();
  CHECK(engine.latest()->left_out.empty());  // a muted head is muted in the layer, too
  within.changes.heads[0].rows = {3};
  engine.submit(within, {.effects = false});
  engine.wait_idle();
  CHECK_THAT(engine.latest()->left_out, Catch::Matchers::ContainsSubstring("head 1.2"));
}

TEST_CASE("what cannot be run is said in a sentence, and what was good stays", "[models]") {
  const test::TemporaryDirectory directory;
  ModelEngine engine({}, 1);
  CHECK_FALSE(engine.latest());
  CHECK_FALSE(engine.busy());
  CHECK(std::string(engine.running_task().what).empty());
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
  ModelContext within = within_of(model, "abc");
  within.changes.heads = {{.block = 7}};
  engine.submit(within);
  engine.wait_idle();
  CHECK_THAT(engine.latest()->error, Catch::Matchers::ContainsSubstring("There is no head 7.0"));
  CHECK(engine.latest_good() == good);
  within.changes = {};
  within.block = 9;
  engine.submit(within);
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());  // the run has finished, the block has not
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

}  // namespace attnscope::model_engine_test
