// Recipes: written and read back, and refused with a sentence that names the field, what was found and what
// was expected.
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/training/files/recipe_json.hpp"
#include "core/training/tasks/lexicon.hpp"
#include "core/training/trainer.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::training::recipe_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string refusal(const std::string& json) {
  return test::message_of<Error>([&] { check(recipe_from_json(json, "recipe.json")); });
}

}  // namespace

TEST_CASE("every task's recipe and control come back as they were written", "[training]") {
  for (const TaskRow& task : tasks())
    for (const Recipe& recipe : {task.recipe, task.control}) {
      INFO(task.key);
      CHECK(recipe_from_json(recipe_json(recipe), "recipe.json") == recipe);
      if (task.prepare == nullptr) check(recipe);
    }
}

TEST_CASE("what a recipe leaves out is as its task has it", "[training]") {
  const Recipe recipe = recipe_from_json(
      R"({"task": "induction", "seed": 18446744073709551615, "network": {"layers": 3}, "optimiser": {"rate": 0.005},
          "data": {"most_period": 12}})",
      "recipe.json");
  Recipe expected = find_task("induction")->recipe;
  expected.seed = ~std::uint64_t{0};
  expected.network.layers = 3;
  expected.optimiser.rate = 0.005;
  expected.data["most_period"] = 12;
  CHECK(recipe == expected);
}

TEST_CASE("a recipe that does not fit is refused with a sentence", "[training]") {
  struct Case {
    const char *json, *says;
  };
  for (const Case& one : {
           Case{R"({})", "task"},
           Case{R"({"task": "inductoin"})", "small-induction"},
           Case{R"({"task": "induction", "lr": 1})", "lr"},
           Case{R"({"task": "induction", "network": {"depth": 3}})", "network.depth"},
           Case{R"({"task": "induction", "network": {"layers": "two"}})", "network.layers"},
           Case{R"({"task": "induction", "network": {"layers": 0}})", "network.layers is 0"},
           Case{R"({"task": "induction", "network": {"heads": 7}})", "network.heads is 7"},
           Case{R"({"task": "induction", "network": {"positions": "rope"}})", "network.positions"},
           Case{R"({"task": "induction", "network": {"heads": 64, "head_width": 3}})", "even"},
           Case{R"({"task": "induction", "network": {"no_rope_layer_interval": true}})",
                "network.no_rope_layer_interval"},
           Case{R"({"task": "induction", "network": {"no_rope_layer_interval": -1}})",
                "network.no_rope_layer_interval"},
           Case{R"({"task": "induction", "network": {"no_rope_layer_interval": 3}})",
                "network.no_rope_layer_interval is 3; a whole number from 0 to 2 was expected."},
           Case{R"({"task": "induction", "network": {"positions": "none", "no_rope_layer_interval": 2}})",
                "network.no_rope_layer_interval is 2; 0 was expected: no layer rotates where "
                "network.positions is none."},
           Case{R"({"task": "reverse", "network": {"no_rope_layer_interval": 1}})",
                "network.positions is learned."},
           Case{R"({"task": "induction", "optimiser": {"rate": 0}})", "optimiser.rate is 0"},
           Case{R"({"task": "induction", "optimiser": {"schedule": "linear"}})", "optimiser.schedule"},
           Case{R"({"task": "induction", "data": {"period": 5}})", "data.period"},
           Case{R"({"task": "induction", "data": {"least_period": 0}})", "data.least_period is 0"},
           Case{R"({"task": "induction", "network": {"vocabulary": 40}})", "40 was expected"},
           Case{R"({"task": "induction", "network": {"read_outs": []}})", "network.read_outs"},
           Case{R"({"task": "two-jobs", "network": {"read_outs": [{"classes": 16}]}})", "two-jobs asks 2"},
           Case{R"({"task": "look-up", "data": {"letters": 9}})", "network.vocabulary"},
           Case{R"({"task": "reader", "network": {"vocabulary": 100}})", "words of Millbrook"},
           Case{R"({"task": "modular-addition", "network": {"length": 4}})", "network.length is 4"},
           Case{R"({"task": "induction", "steps": 0})", "steps is 0"},
           Case{R"({"task": "induction", "seed": -1})", "seed"},
           Case{R"({"task": "induction", "seed": 1, "seed": 2})", "seed"},
       }) {
    INFO(one.json);
    const std::string message = refusal(one.json);
    CHECK_THAT(message, ContainsSubstring(one.says));
    CHECK(test::is_sentence(message));
  }
}

TEST_CASE("a network refuses positions that only layers have, by their names", "[training]") {
  NetworkSpec spec = find_task("induction")->recipe.network;
  for (const auto& [positions, name] :
       {std::pair{Positions::RopeInterleaved, "rope-interleaved"},
        std::pair{Positions::RelativeBuckets, "buckets"}, std::pair{Positions::RelativeWindows, "windows"},
        std::pair{Positions::Disentangled, "disentangled"}}) {
    spec.positions = positions;
    CHECK(test::message_of<Error>([&] { check(spec); }) ==
          std::string("network.positions is ") + name +
              "; learned, rotary, alibi, sinusoidal or none was expected.");
  }
}

TEST_CASE("a recipe says in which layers a network does not rotate, counted as SmolLM3 counts",
          "[training]") {
  const Recipe recipe = recipe_from_json(
      R"({"task": "induction", "network": {"layers": 5, "no_rope_layer_interval": 2}})", "recipe.json");
  check(recipe);
  CHECK(recipe_from_json(recipe_json(recipe), "recipe.json") == recipe);
  NetworkSpec spec = recipe.network;
  CHECK(spec.no_rope_layer_interval == 2);
  const auto rotated = [&] {
    std::string layers;
    for (int layer = 0; layer < spec.layers; ++layer) layers += spec.rotates(layer) ? '1' : '0';
    return layers;
  };
  CHECK(rotated() == "10101");
  CHECK(in_words(spec).ends_with(", RoPE in 3 of 5 layers"));
  spec.no_rope_layer_interval = 4;
  CHECK(rotated() == "11101");
  spec.no_rope_layer_interval = 0;
  CHECK(rotated() == "11111");
  CHECK_THAT(in_words(spec), !ContainsSubstring("RoPE"));
  spec.positions = Positions::Learned;
  CHECK(rotated() == "00000");
  // The training page names a task's positions in words that hold for all of its layers.
  for (const TaskRow& task : tasks()) {
    CHECK(task.recipe.network.no_rope_layer_interval == 0);
    CHECK(task.control.network.no_rope_layer_interval == 0);
  }
}

TEST_CASE("a network refuses arrangements and norms that only layers and models have", "[training]") {
  const NetworkSpec plain = find_task("induction")->recipe.network;
  const auto refused = [&](Arrangement arrangement, NormKind norm) {
    NetworkSpec spec = plain;
    spec.arrangement = arrangement;
    spec.norm = norm;
    return test::message_of<Error>([&] { check(spec); });
  };
  for (const Arrangement arrangement : {Arrangement::None, Arrangement::Sandwich, Arrangement::Parallel})
    CHECK_THAT(refused(arrangement, NormKind::LayerNorm),
               ContainsSubstring("pre-norm or post-norm was expected"));
  CHECK_THAT(refused(Arrangement::PreNorm, NormKind::RmsNorm), ContainsSubstring("network is rms;"));
  CHECK_THAT(refused(Arrangement::PostNorm, NormKind::None), ContainsSubstring("post-norm without norms"));
  Recipe recipe = find_task("induction")->recipe;
  for (const auto& [arrangement, norm] : {std::pair{Arrangement::PostNorm, NormKind::LayerNorm},
                                          std::pair{Arrangement::PreNorm, NormKind::None}}) {
    recipe.network.arrangement = arrangement;
    recipe.network.norm = norm;
    CHECK(recipe_from_json(recipe_json(recipe), "recipe.json") == recipe);
  }
}

TEST_CASE("a text of one's own is cut into characters or words", "[training]") {
  const test::TemporaryDirectory folder;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "der Bär läuft. ";
  folder.write("text.txt", text);
  const auto recipe = [&](const std::string& unit) {
    return read_recipe(folder.write(
        "recipe.json",
        R"({"task": "text", "text": "text.txt", "network": {"length": 16}, "unit": ")" + unit + "\"}"));
  };
  const Recipe characters = recipe("characters"), words = recipe("words");
  CHECK(characters.network.vocabulary == 12);  // <unk>, a blank, a full stop and nine letters
  CHECK(words.network.vocabulary == 4);
  Recipe quick = words;
  quick.steps = 60;
  quick.measured_sequences = 8;
  Trainer trainer(quick, 1);
  CHECK(trainer.maker().tokens() == std::vector<std::string>{"<unk>", "Bär", "der", "läuft."});
  trainer.train(60);
  CHECK(trainer.measure().groups[0].accuracy > 0.95);

  folder.write("text.txt", "too short");
  CHECK(test::is_sentence(test::message_of<Error>([&] { Trainer(recipe("words"), 1); })));
  CHECK_THAT(test::message_of<Error>([&] { recipe("sentences"); }), ContainsSubstring("characters"));
}

}  // namespace attnscope::training::recipe_test
