// Dumps in the window: missing metadata is asked for once, another layer keeps the settings, and stages that
// the file does not hold are not shown.
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/controls_robot.hpp"
#include "app/scene/scene.hpp"
#include "app/session/session.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/files/files.hpp"
#include "app/window/render.hpp"
#include "core/base/random.hpp"
#include "core/edits/dump.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::dump_view_test {

using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Tensor numbers(Shape shape, std::uint64_t seed) {
  Tensor tensor(shape);
  fill_normal(tensor.values(), seed, 0, 1);
  return tensor;
}

/// Two layers of queries, keys and values: two heads, five tokens.
std::filesystem::path two_layers(const TemporaryDirectory& directory, const std::string& name,
                                 const std::map<std::string, std::string>& metadata = {}) {
  const Tensor a = numbers({2, 5, 4}, 1), b = numbers({2, 5, 4}, 2);
  write_safetensors(directory / name,
                    std::array{NamedTensor{"h.0.q", &a}, NamedTensor{"h.0.k", &b}, NamedTensor{"h.0.v", &a},
                               NamedTensor{"h.1.q", &b}, NamedTensor{"h.1.k", &a}, NamedTensor{"h.1.v", &b}},
                    metadata);
  return directory / name;
}

/// Causal weights of two heads over five tokens, with nothing else.
std::filesystem::path weights_alone(const TemporaryDirectory& directory) {
  Tensor weights(Shape{2, 5, 5});
  for (int row = 0; row < 10; ++row)
    for (int key = 0; key <= row % 5; ++key)
      weights.data()[row * 5 + key] = 1.0f / static_cast<float>(row % 5 + 1);
  write_safetensors(directory / "w.safetensors", std::array{NamedTensor{"l.0.attn", &weights}});
  return directory / "w.safetensors";
}

/// The keys of all texts that are drawn in some frames.
std::set<std::string> words_on_screen(Robot& robot) {
  std::set<std::string> words;
  robot.app().words().speak_english();  // forgets what was said before
  robot.app().words().watch = [&](std::string_view key, bool) { words.emplace(key); };
  robot.frame(2);
  robot.app().words().watch = nullptr;
  return words;
}

}  // namespace

TEST_CASE("a file is read once: its layers come with what was opened of it", "[dump]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1200, .height = 800});
  const std::filesystem::path path = two_layers(directory, "x.safetensors");
  Session session = open_session(path, robot.app().view());
  std::filesystem::remove(path);
  robot.app().files().opening.open(std::move(session), path);
  robot.settle();
  CHECK(robot.document().title == "x.safetensors · h.0");
  const FilesState& files = *robot.app().view().files;
  CHECK(files.layers_of == path);
  REQUIRE(files.layers.size() == 2);
  CHECK(files.layers[1].name == "h.1");
  CHECK(files.layers[1].facts == "2 heads, 5 × 4");
}

TEST_CASE("a dump that does not say whether it is causal asks once and shows a guess meanwhile", "[dumps]") {
  const TemporaryDirectory directory;
  Robot robot(tall);
  robot.app().files().opening.open(two_layers(directory, "gpt2.safetensors"));
  robot.settle();
  CHECK(robot.document().layer().masking.causal);  // the guess is on screen already
  REQUIRE(robot.has("Causal: Yes, causal"));
  CHECK(robot.has("Guessed"));
  CHECK(words_on_screen(robot).contains("guessed: causal, positions"));
  CHECK(words_on_screen(robot).contains("\"{}\" in the names belongs to decoders."));
  click(robot, "Causal: No");
  CHECK_FALSE(robot.document().layer().masking.causal);
  CHECK_FALSE(is_causal_guessed(robot.document()));
  CHECK_FALSE(robot.has("Causal: No"));
  CHECK(robot.has("Positions applied: RoPE, pairs"));
  CHECK(guessed_words(robot.document()) == "guessed: positions");
  click(robot, "Positions applied: RoPE, pairs");
  CHECK(robot.document().layer().positions == Positions::RopeInterleaved);
  CHECK_FALSE(robot.has("Keep the guesses"));
  CHECK_FALSE(robot.has("Guessed"));
  choose(robot, "Layer", "h.1##layer");  // answered for the whole file
  CHECK(robot.document().title == "gpt2.safetensors · h.1");
  CHECK_FALSE(robot.has("Keep the guesses"));
  CHECK_FALSE(robot.document().layer().masking.causal);
  CHECK(robot.document().layer().positions == Positions::RopeInterleaved);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(guessed_words(robot.document()) == "guessed: positions");  // undo takes the answer back
}

TEST_CASE("Esc keeps the guess, and the guess goes on saying so", "[dumps]") {
  const TemporaryDirectory directory;
  Robot robot(tall);
  robot.app().files().opening.open(two_layers(directory, "gpt2.safetensors"));
  robot.settle();
  const Document before = robot.document();
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK_FALSE(robot.has("Keep the guesses"));
  CHECK(robot.document() == before);
  CHECK(robot.has("Guessed"));
  choose(robot, "Layer", "h.1##layer");
  CHECK_FALSE(robot.has("Keep the guesses"));  // not asked again
  CHECK(robot.has("Guessed"));
  click(robot, "Guessed");  // only on a click
  CHECK(robot.has("Keep the guesses"));
  click(robot, "Keep the guesses");
  CHECK_FALSE(robot.has("Keep the guesses"));
  robot.key(ImGuiKey_C);  // switching the mask answers the question
  robot.settle();
  CHECK_FALSE(robot.document().layer().masking.causal);
  CHECK_FALSE(is_causal_guessed(robot.document()));
  CHECK(are_positions_guessed(robot.document()));
}

TEST_CASE("a dump that says everything asks nothing and shows its tokens", "[dumps]") {
  const TemporaryDirectory directory;
  Robot robot(tall);
  robot.app().files().opening.open(two_layers(
      directory, "d.safetensors",
      {{"tokens", R"(["The","cat","sat","on","it"])"}, {"causal", "true"}, {"positions_applied", "true"}}));
  robot.settle();
  CHECK_FALSE(robot.has("Keep the guesses"));
  CHECK_FALSE(robot.has("Guessed"));
  CHECK(robot.document().layer().masking.causal);
  CHECK(query_label(shown(robot), 0, 1) == own("cat"));
  robot.app().files().saving.save(directory / "numbers.csv");
  robot.settle();
  CHECK_THAT(bytes_of(directory / "numbers.csv"), ContainsSubstring(",The,cat,sat,on,it"));
}

TEST_CASE("another layer of a dump keeps mask, scale, head, cell, zoom and colours", "[dumps]") {
  const TemporaryDirectory directory;
  Robot robot(tall);
  robot.app().files().opening.open(two_layers(directory, "d.safetensors"));
  robot.settle();
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_C);
  robot.key(ImGuiKey_S);
  robot.key(ImGuiKey_L);
  robot.key(ImGuiKey_Comma);  // masked scores
  click(robot, "head 1");
  robot.app().looking().look_at({.head = {}, .cell = Cell{4, 1}, .cells = {}});
  focus_of(robot.app().view()).zoom = 2;
  robot.settle();
  choose(robot, "Layer", "h.1##layer");
  const auto as_before = [&] {
    CHECK(robot.document().layer().masking.causal);
    CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
    CHECK(robot.app().selection().head == 1);
    CHECK(robot.app().selection().cell == Cell{4, 1});
    CHECK(robot.app().selection().locked);
    CHECK(focus_of(robot.app().view()).zoom == 2);
    CHECK(focus_of(robot.app().view()).log);
    CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Mask));
  };
  CHECK(robot.document().title == "d.safetensors · h.1");
  as_before();
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document().title == "d.safetensors · h.0");
  as_before();
  robot.app().files().opening.open(directory / "d.safetensors");  // the file again begins anew
  robot.settle();
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::InverseSqrtDk);
}

TEST_CASE("of weights alone nothing is shown that the file does not hold", "[dumps]") {
  const TemporaryDirectory directory;
  Robot robot(tall);
  robot.app().files().opening.open(weights_alone(directory));
  robot.settle();
  CHECK(robot.app().message().find("taken as heads, queries, keys") != std::string::npos);
  CHECK_FALSE(robot.has("Keep the guesses"));  // measured
  CHECK(robot.document().layer().masking.causal);
  controls_of(robot.app().view()).fold.fill(1);
  controls_of(robot.app().view()).more.fill(true);
  robot.app().held().hold();
  robot.settle();
  const std::set<std::string> invented{"Given Q, K, V",
                                       "Q, K and V given as numbers",
                                       "× {}, scaling is off",
                                       "contribution",
                                       "before and after × {}",
                                       "by hand",
                                       "cos(q, k)",
                                       "log-sum-exp",
                                       "norm {}",
                                       "scaled",
                                       "float64",
                                       "Clear by hand",
                                       "soft-cap",
                                       "Zero key",
                                       "FLOPs",
                                       "loss {}",
                                       "+ {}, allowed"};
  const auto shows_nothing_invented = [&](const std::string& where) {
    const std::set<std::string> words = words_on_screen(robot);
    for (const std::string& word : invented) {
      CAPTURE(where, word);
      CHECK_FALSE(words.contains(word));
    }
  };
  for (const char* page : {"Inspector: Cell", "Inspector: Row", "Inspector: Neurons", "Inspector: Vectors"}) {
    click(robot, page);
    shows_nothing_invented(page);
  }
  click(robot, "Inspector: Cell");
  CHECK(words_on_screen(robot).contains("not in the file"));
  CHECK(words_on_screen(robot).contains("as the file has it"));
  CHECK(words_on_screen(robot).contains("Weights from a file"));
  for (const ImGuiKey mode : {ImGuiKey_F3, ImGuiKey_F4, ImGuiKey_F2}) {
    robot.key(mode);
    robot.settle();
    shows_nothing_invented("mode " + std::to_string(mode));
  }
  robot.key(ImGuiKey_E);  // neurons, large
  robot.settle();
  shows_nothing_invented("large neurons");
  robot.key(ImGuiKey_E);
  robot.settle();
  robot.app().files().saving.save(directory / "all.safetensors");
  robot.settle();
  const SafetensorsFile file(directory / "all.safetensors");
  CHECK(file.find("weights") != nullptr);
  CHECK(file.find("queries") == nullptr);
  CHECK(file.find("scores") == nullptr);
  CHECK(file.find("mix") == nullptr);
}

TEST_CASE("keys that change scores leave weights alone as they are", "[dumps]") {
  const TemporaryDirectory directory;
  Robot robot(tall);
  robot.app().files().opening.open(weights_alone(directory));
  robot.settle();
  const Document before = robot.document();
  for (const ImGuiKey key : {ImGuiKey_S, ImGuiKey_O, ImGuiKey_M, ImGuiKey_B}) {
    robot.key(key);
    robot.settle();
    CHECK(robot.document() == before);
    CHECK_THAT(robot.app().message(), ContainsSubstring("attention weights alone"));
    robot.key(ImGuiKey_Escape);
  }
  robot.key(ImGuiKey_N);  // no mask: the weights do not change
  robot.settle();
  CHECK(robot.document().layer().masking.additive == before.layer().masking.additive);
  CHECK(std::abs(cell_of(robot, Stage::Softmax, 0, 3, 3) - 0.25f) < 1e-6f);
  CHECK(cell_of(robot, Stage::Softmax, 0, 3, 4) == 0);
}

TEST_CASE("queries and keys without values are shown up to the weights", "[dumps]") {
  const TemporaryDirectory directory;
  const Tensor q = numbers({2, 5, 4}, 1);
  write_safetensors(directory / "x.safetensors",
                    std::array{NamedTensor{"h.0.q", &q}, NamedTensor{"h.0.k", &q}}, {{"causal", "true"}});
  Robot robot(tall);
  robot.app().files().opening.open(directory / "x.safetensors");
  robot.settle();
  robot.key(ImGuiKey_Escape);
  CHECK(robot.app().message() == "");
  std::set<std::string> words = words_on_screen(robot);
  CHECK(words.contains("exp({}) / {}"));
  CHECK(words.contains("The file has queries and keys, but no values."));
  CHECK_FALSE(words.contains("contribution"));
  for (const char* page : {"Inspector: Neurons", "Inspector: Vectors"}) {
    click(robot, page);
    CHECK_FALSE(words_on_screen(robot).contains("head's output for “{}”"));
  }
  robot.key(ImGuiKey_F3);
  robot.settle();
  for (int i = 0; i < 40; ++i) robot.key(ImGuiKey_Space);  // to the end
  robot.settle();
  CHECK(robot.has("walk Weights"));
  CHECK_FALSE(robot.has("walk V"));
  CHECK_FALSE(robot.has("walk Mix"));
}

TEST_CASE("labels of a dump are typed into the strip", "[dumps]") {
  const TemporaryDirectory directory;
  Robot robot(tall);
  robot.app().files().opening.open(two_layers(directory, "d.safetensors"));
  robot.settle();
  robot.key(ImGuiKey_Escape);
  robot.retype("##Labels", "The cat");
  CHECK(query_label(shown(robot), 0, 1) == own("1"));
  CHECK(words_on_screen(robot).contains("{} tokens typed, {} expected"));
  robot.retype("##Labels", "The cat sat on it");
  CHECK(query_label(shown(robot), 0, 4) == own("it"));
  CHECK_FALSE(words_on_screen(robot).contains("{} tokens typed, {} expected"));
  robot.app().files().saving.save(directory / "labels.json");
  robot.settle();
  choose(robot, "Layer", "h.1##layer");
  CHECK(query_label(shown(robot), 0, 4) == own("it"));
  Robot* const again = &robot;
  again->app().files().opening.open(directory / "labels.json");
  again->settle();
  CHECK(query_label(shown(*again), 0, 1) == own("cat"));
  CHECK(guessed_words(again->document()) ==
        "guessed: not causal, positions");  // a session keeps that it is a guess
}

TEST_CASE("what opening a text turns off is said", "[dumps]") {
  const TemporaryDirectory directory;
  std::ofstream(directory / "a.txt") << "A text of one line.";
  Robot robot(tall);
  robot.app().files().opening.open(directory / "a.txt");
  robot.settle();
  CHECK_THAT(robot.app().message(), ContainsSubstring("without a causal mask (C turns it on)") &&
                                        ContainsSubstring("noise") && ContainsSubstring("Ctrl+Z"));
  CHECK_THAT(robot.app().message(), !ContainsSubstring("logarithmic"));
  std::string text;
  for (int i = 0; i < 90; ++i) text += "word" + std::to_string(i) + " ";
  std::ofstream(directory / "b.txt") << text;
  robot.app().files().opening.open(directory / "b.txt");
  robot.settle();
  CHECK(focus_of(robot.app().view()).log == (robot.app().message().find("logarithmic") != std::string::npos));
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document().title == "a.txt");
}

TEST_CASE("the command line answers for a dump, and render says what it guessed", "[dumps][cli]") {
  const TemporaryDirectory directory;
  two_layers(directory, "gpt2.safetensors");
  const Outcome guessed = run(directory, "render gpt2.safetensors -o a.png --size 640x480");
  CHECK(guessed.exit_code == 0);
  CHECK_THAT(guessed.err, ContainsSubstring("does not say whether it is causal; guessed yes") &&
                              ContainsSubstring("--causal yes or no"));
  const Outcome told =
      run(directory, "render gpt2.safetensors -o b.png --size 640x480 --causal no --positions applied");
  CHECK(told.exit_code == 0);
  CHECK(told.err.empty());
  CHECK(bytes_of(directory / "a.png") != bytes_of(directory / "b.png"));
  check_refusal(directory, "render gpt2.safetensors -o c.png --causal maybe", 2, "yes or no");
  check_refusal(directory, "--causal yes", 2, "file in the window");
}

}  // namespace attnscope::dump_view_test
