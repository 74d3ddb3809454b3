// Generation token by token: the prediction of every step, what a row reads from the cache and its cost,
// against a naive decoder in double; and the same in the background while tokens are added and removed.
#include "core/readouts/generation.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/edits/model.hpp"
#include "core/engine/model/model_work.hpp"
#include "core/models/opened/model_cost.hpp"
#include "core/opened_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::generation_test {
namespace {

constexpr int rows = 9;

struct Opened {
  test::TemporaryDirectory directory;
  oracle::GptWeights weights = small_models::gpt_weights();
  ThreadPool pool{2};
  Work work{pool, {}};
  OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  std::vector<std::int64_t> ids = small_models::some_ids(rows, small_models::gpt_tokens);
  oracle::GptRun expected = oracle::run_gpt(weights, {ids.begin(), ids.end()});
};

/// ln softmax of a row, naively.
std::vector<double> log_probabilities(const oracle::GptRow& logits) {
  double sum = 0;
  for (const double x : logits) sum += std::exp(x);
  std::vector<double> all;
  for (const double x : logits) all.push_back(x - std::log(sum));
  return all;
}

std::vector<float> as_floats(const oracle::GptRow& row) { return {row.begin(), row.end()}; }

}  // namespace

TEST_CASE("a step of generation: probability, rank and entropy of what was chosen", "[generation]") {
  const Opened o;
  for (std::int64_t row = 0; row < rows; ++row) {
    const oracle::GptRow& logits = o.expected.logits[static_cast<std::size_t>(row)];
    const std::vector<double> expected = log_probabilities(logits);
    double entropy = 0;
    for (const double x : expected) entropy -= std::exp(x) * x;
    for (const std::int64_t id : {0, 5, 22}) {
      const GeneratedToken token = generated_token(as_floats(logits), row, id, 3);
      CHECK(token.row == row);
      CHECK(token.id == id);
      CHECK(std::abs(token.log_probability - expected[static_cast<std::size_t>(id)]) < 1e-5);
      CHECK(std::abs(token.entropy - entropy) < 1e-5);
      std::int64_t likelier = 0;
      for (const double x : expected) likelier += x > expected[static_cast<std::size_t>(id)] ? 1 : 0;
      CHECK(token.rank == likelier + 1);
      CHECK(token.top.size() == 3);
    }
  }
}

TEST_CASE("what a row reads of the cache is the mean of its heads' weights", "[generation]") {
  const Opened o;
  ModelInput input;
  input.ids = o.ids;
  const ModelRun run = run_model(*o.model->model, input, {}, o.work);
  for (const std::int64_t row : {0, 4, rows - 1}) {
    const Tensor reads = cache_reads(*o.model->model, run, row, o.work);
    REQUIRE(reads.shape() == Shape{small_models::gpt_blocks, rows});
    for (std::int64_t block = 0; block < small_models::gpt_blocks; ++block)
      for (std::int64_t key = 0; key < rows; ++key) {
        double mean = 0;
        for (const oracle::GptRows& head : o.expected.weights[static_cast<std::size_t>(block)])
          mean += key > row ? 0
                            : head[static_cast<std::size_t>(row)][static_cast<std::size_t>(key)] /
                                  small_models::gpt_heads;
        CHECK(std::abs(static_cast<double>(reads.matrix()(block, key)) - mean) < 2e-6);
      }
  }
}

TEST_CASE("the work of a row with a cache, and of all rows without one", "[generation]") {
  const Opened o;
  const Model& model = *o.model->model;
  const StackSpec& stack = *model.spec.decoder;
  constexpr double d = small_models::gpt_width;
  // W_Q, W_K, W_V, W_O and the MLP; q·k and α·v of every key that is seen.
  const auto inner = static_cast<double>(o.weights.blocks[0].up[0].size());
  const auto row_work = [&](std::int64_t row) {
    return small_models::gpt_blocks * (4 * d * d + 2 * d * inner + 2 * d * static_cast<double>(row + 1));
  };
  double all = 0;
  for (std::int64_t row = 0; row < 7; ++row) all += row_work(row);
  CHECK(multiply_adds(stack, model.decoder, {6, 7, 0}) == row_work(6));
  CHECK(multiply_adds(stack, model.decoder, {0, 7, 0}) == all);
  CHECK(cached_numbers(stack) == small_models::gpt_blocks * 2 * small_models::gpt_width);
  CHECK(cached_cross_numbers(stack) == 0);
  StackSpec windowed = stack;
  for (LayerSpec& block : windowed.blocks) block.masking.window.left = 2;
  CHECK(multiply_adds(windowed, model.decoder, {6, 7, 0}) == row_work(2));
}

TEST_CASE("appended tokens and their predictions follow in the model's engine", "[generation][model]") {
  const Opened o;
  ModelContext within;
  within.model = o.model;
  within.input.text = "abcd";
  ModelWants wants;
  wants.generation = true;
  wants.lens = wants.scores = wants.effects = false;
  ModelWork engine(o.model);
  const auto read = [&] {
    ModelReading reading = engine.first(within, wants, o.work);
    while (engine.more(o.work) != ModelWork::Stage::Done) {
    }
    engine.fill(reading);
    REQUIRE(reading.generation);
    return *reading.generation;
  };
  const auto check = [&](const GenerationReading& generation) {
    const std::vector<std::int64_t>& continued = within.input.continued;
    REQUIRE(generation.tokens.size() == continued.size());
    const ModelRun run = run_model(*o.model->model, tokens_of(*o.model, within.input).input, {}, o.work);
    CHECK(generation.rows == std::ssize(run.input.ids));
    CHECK(generation.first == generation.rows - std::ssize(continued));
    for (std::size_t i = 0; i < continued.size(); ++i) {
      const std::int64_t row = generation.first + static_cast<std::int64_t>(i) - 1;
      const std::span logits(run.logits.row(row), static_cast<std::size_t>(run.logits.width));
      CHECK(generation.tokens[i] == generated_token(logits, row, continued[i], 5));
    }
    const Tensor reads = cache_reads(*o.model->model, run, generation.row, o.work);
    CHECK(generation.reads == reads);
  };
  check(read());
  for (const std::int64_t id : {3, 7, 1, 20}) {
    within = edit::appended(within, id);
    check(read());
  }
  wants.row = 4;  // a step back: nothing is lost
  const GenerationReading back = read();
  CHECK(back.row == 4);
  CHECK(back.tokens.size() == 4);
  check(back);
  wants.row.reset();
  within = edit::appended(edit::continued_up_to(within, 1), 9);
  CHECK(within.input.continued == std::vector<std::int64_t>{3, 9});
  check(read());
  within.changes.blocks.push_back({.of = AttentionOf::Decoder, .block = 1, .mlp_off = true});
  const GenerationReading changed = read();
  const ModelRun run = run_model(*o.model->model, tokens_of(*o.model, within.input).input,
                                 {.changes = within.changes}, o.work);
  const std::span logits(run.logits.row(3), static_cast<std::size_t>(run.logits.width));
  CHECK(changed.tokens[0] == generated_token(logits, 3, 3, 5));
}

TEST_CASE("tokens of a model whose rotation follows the length of the text are measured anew",
          "[generation][model]") {
  const Opened o;
  const auto model = std::make_shared<Model>(*o.model->model);
  for (LayerSpec& block : model->spec.decoder->blocks) {
    block.positions = Positions::RopeHalf;
    block.position_settings.rope_scaling = RopeScaling::Dynamic;
    block.position_settings.rope_trained = 4;
  }
  const auto turned = std::make_shared<OpenedModel>(*o.model);
  turned->model = model;
  ModelContext within;
  within.model = turned;
  within.input.text = "abcd";
  ModelWants wants;
  wants.lens = wants.scores = wants.effects = false;
  wants.generation = true;
  ModelWork engine(turned);
  for (const std::int64_t id : {3, 7, 1, 20}) {
    within = edit::appended(within, id);
    ModelReading reading = engine.first(within, wants, o.work);
    while (engine.more(o.work) != ModelWork::Stage::Done) {
    }
    engine.fill(reading);
    REQUIRE(reading.generation);
    const ModelRun run = run_model(*model, tokens_of(*turned, within.input).input, {}, o.work);
    for (std::size_t i = 0; i < within.input.continued.size(); ++i) {
      const std::int64_t row = reading.generation->first + static_cast<std::int64_t>(i) - 1;
      const std::span logits(run.logits.row(row), static_cast<std::size_t>(run.logits.width));
      CHECK(reading.generation->tokens[i] == generated_token(logits, row, within.input.continued[i], 5));
    }
  }
}

TEST_CASE("a wanted next token comes with the prediction, and is the one that sample() draws",
          "[generation][model][sampling]") {
  const Opened o;
  ModelContext within;
  within.model = o.model;
  within.input.text = "abcd";
  ModelWants wants;
  wants.lens = wants.scores = wants.effects = false;
  ModelWork engine(o.model);
  CHECK(engine.first(within, wants, o.work).next == nullptr);
  for (const SamplingSettings& settings :
       {SamplingSettings{}, SamplingSettings{.temperature = 1, .seed = 3}, SamplingSettings{.temperature = 1},
        SamplingSettings{.temperature = 2, .top_k = 5, .top_p = 0.9, .seed = 4}}) {
    wants.sampling = settings;
    for (int i = 0; i < 3; ++i) {
      const ModelReading reading = engine.first(within, wants, o.work);
      REQUIRE(reading.next);
      const std::int64_t count = std::ssize(reading.tokens->input.ids);
      CHECK(reading.next->settings == settings);
      CHECK(reading.next->row == count - 1);
      CHECK(reading.next->id ==
            sample(reading.prediction->after, settings, static_cast<std::uint64_t>(count)));
      CHECK(engine.first(within, wants, o.work).next == reading.next);  // not drawn again
      within = edit::appended(within, reading.next->id);
    }
    wants.row = 1;
    const ModelReading back = engine.first(within, wants, o.work);
    CHECK(back.next->row == 1);
    CHECK(back.next->id == sample(back.prediction->after, settings, 2));
    wants.row.reset();
  }
  wants.sampling.reset();
  CHECK(engine.first(within, wants, o.work).next == nullptr);
}

}  // namespace attnscope::generation_test
