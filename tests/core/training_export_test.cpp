// A trained network as a folder that the model reader opens: the same logits and the same attention as the
// trainer's own, for each shape that is known; and sentences for those that are not.
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/run_model.hpp"
#include "core/tokenizers/tokenizer.hpp"
#include "core/training/files/export_model.hpp"
#include "core/training/files/recipe_json.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::training::export_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::message_of;
using test::TemporaryDirectory;

struct Case {
  std::string name;
  Recipe recipe;
};

Recipe short_run(std::string_view task) {
  Recipe recipe = find_task(task)->recipe;
  recipe.steps = 20;
  recipe.measured_sequences = 4;
  recipe.optimiser.warm_up = 1;
  return recipe;
}

std::vector<Case> every_shape() {
  std::vector<Case> cases{{"GPT-NeoX without an MLP", short_run("induction")},
                          {"GPT-NeoX", short_run("brackets")},
                          {"GPT-2, tied", short_run("millbrook")},
                          {"Reader", short_run("small-reader")},
                          {"GPT-2, not tied, unscaled, without an MLP", short_run("induction")}};
  NetworkSpec& last = cases.back().recipe.network;
  last.positions = Positions::Learned;
  last.scaled = false;
  for (const auto& [name, task] : {std::pair("GPT-NeoX, not rotated in layer 1 of 0 to 2", "brackets"),
                                   std::pair("Reader, not rotated in layer 1 of 0 to 2", "small-reader")}) {
    NetworkSpec& spec = cases.emplace_back(Case{name, short_run(task)}).recipe.network;
    spec.layers = 3;
    spec.no_rope_layer_interval = 2;
  }
  return cases;
}

double distance(const float* a, const float* b, std::int64_t count) {
  double worst = 0;
  for (std::int64_t i = 0; i < count; ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a[i] - b[i])));
  return worst;
}

}  // namespace

TEST_CASE("the folder of a trained network gives the trainer's own logits", "[training]") {
  for (const Case& one : every_shape()) {
    INFO(one.name);
    const NetworkSpec& network = one.recipe.network;
    const bool reads_both_ways = one.name.starts_with("Reader");
    const TemporaryDirectory folder;
    Trainer trainer(one.recipe, 2);
    trainer.train(20);
    export_model(folder.path(), trainer);

    const OpenedModelPtr opened = open_whole_model(folder.path());
    CHECK(opened->model->ignored.size() == (reads_both_ways ? 2 : 0));  // the read-out for masked words
    CHECK(opened->model->missing.empty());
    std::vector<std::int32_t> tokens;
    Dice dice(3, 1, 4);
    for (int i = 0; i < network.length - 1; ++i) tokens.push_back(dice.below(network.vocabulary));
    const Probe probe = trainer.probe(tokens, reads_both_ways ? 1 : 0);
    ThreadPool pool(1);
    const Work work{pool, {}};
    ModelInput input;
    input.ids.assign(tokens.begin(), tokens.end());
    const ModelRun run = run_model(*opened->model, input, {}, work);
    REQUIRE(run.logits.rows() * run.logits.width == probe.logits.size());
    CHECK(distance(run.logits.values.data(), probe.logits.data(), probe.logits.size()) < 1e-5);
    const AttentionOf of = opened->model->spec.encoder ? AttentionOf::Encoder : AttentionOf::Decoder;
    for (int layer = 0; layer < network.layers; ++layer) {
      CHECK(is_rotary(opened->model->spec.stack(of).blocks[static_cast<std::size_t>(layer)].positions) ==
            network.rotates(layer));
      for (int head = 0; head < network.heads; ++head) {
        const Tensor weights =
            head_weights(*opened->model, run, of, static_cast<std::size_t>(layer), head, work);
        CHECK(distance(weights.data(), probe.weights.matrix(layer, head).data(), weights.size()) < 1e-5);
      }
    }
    // No row depends on a later one: the beginning alone gives the same.
    if (network.causal) {
      const Probe beginning = trainer.probe(std::span(tokens).first(7), 0);
      CHECK(distance(beginning.logits.data(), probe.logits.data(), beginning.logits.size()) < 1e-5);
    }
    // What transformers opens as a GPT-NeoX rotates in every layer.
    const std::string config = test::bytes_of(folder / "config.json");
    const auto has = [&](const char* word) { return config.find(word) != config.npos; };
    CHECK(has("no_rope_layer_interval") == (network.no_rope_layer_interval > 0));
    CHECK(has("\"gpt_neox\"") == (one.name.starts_with("GPT-NeoX") && network.no_rope_layer_interval == 0));
    CHECK(exported_fact(folder.path(), steps_fact) == "20");
    CHECK(recipe_from_json(exported_fact(folder.path(), recipe_fact), "header") == trainer.recipe());
  }
}

TEST_CASE("a network of patches is a ViT that sees a grey picture as the trainer does", "[training]") {
  const TemporaryDirectory folder;
  Trainer trainer(short_run("shapes"), 2);
  trainer.train(20);
  export_model(folder.path(), trainer);
  const OpenedModelPtr opened = open_whole_model(folder.path());
  const ModelSpec& spec = opened->model->spec;
  CHECK(opened->model->ignored.empty());
  CHECK(opened->model->missing.empty());
  REQUIRE(spec.image);
  CHECK(spec.head.classes == std::vector<std::string>{"square", "circle", "triangle", "cross"});

  const int side = spec.image->patch, width = spec.image->width, across = width / side;
  const float* const patches = trainer.evaluation().batch().sequence(0).patches;
  ModelInput input;
  input.image = Tensor(Shape{3, width, width});
  for (int colour = 0; colour < 3; ++colour)
    for (int y = 0; y < width; ++y)
      for (int x = 0; x < width; ++x)
        input.image.data()[(colour * width + y) * width + x] =
            patches[(y / side * across + x / side) * side * side + y % side * side + x % side];
  ThreadPool pool(1);
  const Work work{pool, {}};
  const ModelRun run = run_model(*opened->model, input, {}, work);
  const Probe probe = trainer.probe_measured(0);
  REQUIRE(run.logits.rows() * run.logits.width == 4);  // of the class token
  CHECK(distance(run.logits.values.data(), probe.logits.data(), 4) < 1e-5);
  for (int layer = 0; layer < 2; ++layer)
    for (int head = 0; head < 4; ++head) {
      const Tensor weights = head_weights(*opened->model, run, AttentionOf::Encoder,
                                          static_cast<std::size_t>(layer), head, work);
      CHECK(distance(weights.data(), probe.weights.matrix(layer, head).data(), weights.size()) < 1e-5);
    }
}

TEST_CASE("the tokenizer of a folder reads what the task's tokens are", "[training]") {
  struct Text {
    const char *task, *text;
    std::vector<std::string> tokens;
  };
  for (const Text& one : {Text{"small-reader",
                               "The cat sat on the zebra.",
                               {"<bos>", "the", "cat", "sat", "on", "the", "<unk>", "."}},
                          Text{"induction", "t3 t14 t3", {"<bos>", "t3", "t14", "t3"}},
                          Text{"brackets", "([])", {"<bos>", "(", "[", "]", ")"}}}) {
    INFO(one.task);
    const TemporaryDirectory folder;
    const Trainer trainer(short_run(one.task), 1);
    export_model(folder.path(), trainer);
    const OpenedModelPtr opened = open_whole_model(folder.path());
    std::vector<std::string> found;
    ModelText text;
    text.text = one.text;
    for (const std::int64_t id : tokens_of(*opened, text).input.ids)
      found.push_back(*opened->tokenizer->token(static_cast<tokenizers::Id>(id)));
    CHECK(found == one.tokens);
  }
}

TEST_CASE("a network that no family has the shape of is refused with a sentence", "[training]") {
  for (const TaskRow& task : tasks()) {
    INFO(task.key);
    const std::string message = message_of<Error>([&] { model_shape(task.recipe.network); });
    const bool is_known = task.recipe.network.causal ? task.recipe.network.positions != Positions::None &&
                                                           !task.recipe.network.read_outs[0].bias
                                                     : task.key.ends_with("reader") || task.key == "shapes";
    CHECK(message.empty() == is_known);
    if (!is_known) CHECK(test::is_sentence(message));
  }
  NetworkSpec spec = find_task("induction")->recipe.network;
  spec.arrangement = Arrangement::PostNorm;
  CHECK_THAT(message_of<Error>([&] { model_shape(spec); }), ContainsSubstring("norms"));
}

}  // namespace attnscope::training::export_test
