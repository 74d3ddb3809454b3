// The command line that the window copies: a shell and the program's own parser read back the state on
// screen, the program computes the same from it, and the message names what the command line cannot express.
#include "app/exports/copied_command.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/cli/models/model_commands.hpp"
#include "app/files_robot.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/model_robot.hpp"
#include "core/edits/model.hpp"
#include "support/program.hpp"
#include "support/small_folders.hpp"

namespace attnscope::copied_command_test {
namespace {

using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;
using Unsaid = CopiedCommand::Unsaid;

/// The line as a POSIX shell splits it.
std::vector<std::string> words_of_shell(const std::string& line) {
  FILE* const pipe = ::popen(("printf '%s\\0' " + line).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::vector<std::string> words(1);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c == 0)
      words.emplace_back();
    else
      words.back() += static_cast<char>(c);
  }
  REQUIRE(::pclose(pipe) == 0);
  words.pop_back();
  return words;
}

/// The line as the program reads it.
struct ReadBack {
  std::optional<RunModelOptions> run;
  std::optional<AtlasOptions> atlas;

  explicit ReadBack(const std::string& line) {
    const std::vector<std::string> words = words_of_shell(line);
    REQUIRE(words.at(0) == "attnscope");
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    CLI::App app("", "attnscope");
    const ModelCommands commands(app);
    app.parse(static_cast<int>(arguments.size()), arguments.data());
    run = commands.asked_run();
    atlas = commands.asked_atlas();
  }
};

ModelContext within_of(const OpenedModelPtr& model, const std::string& text) {
  ModelContext within;
  within.model = model;
  within.path = model->path;
  within.of = output_attention(model->model->spec);
  within.input.text = text;
  return within;
}

ModelContext within_of_letters(const TemporaryDirectory& directory, const std::string& text) {
  const std::filesystem::path folder = directory / "it's a \"folder\" $HOME";
  write_letters_gpt(folder);
  return within_of(open_whole_model(folder), text);
}

std::string clipboard() {
  const char* const text = ImGui::GetClipboardText();
  return text != nullptr ? text : "";
}

void copy_from_palette(Robot& robot) {
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type("Copy as command line");
  robot.frame(2);
  robot.key(ImGuiKey_Enter);
  robot.settle();
}

}  // namespace

TEST_CASE("a shell and the program read back the text that was on screen", "[command]") {
  const TemporaryDirectory directory;
  ModelContext within = within_of_letters(directory, "ab");
  for (const std::string text :
       {"ab", "it's ab", "'", "ab ''", "ab\ncd\t e\n", "$HOME `id` $(id) \"ab\" \\ \\n !", "-a", "--text ab",
        "[ab]", "[[ab,c]]", " ab ", "ä → a 日本", "a*?~;&|<>(){}#=%", "run"}) {
    CAPTURE(text);
    within.input.text = text.find_first_of("abcde ") == text.npos ? text + "ab" : text;
    const CopiedCommand made = command_of_model({.within = within});
    CHECK(made.says_all());
    const ReadBack back(made.line);
    REQUIRE(back.run);
    CHECK(back.run->text == within.input.text);
    CHECK(back.run->model == within.path);
    CHECK(back.run->out == "run.safetensors");
    CHECK_FALSE(back.run->ids);
    CHECK_FALSE(back.run->pair);
    CHECK(back.run->ablated.empty());
    CHECK(back.run->last_block == -1);
  }
}

TEST_CASE("heads that are zeroed and the layer are read back, other changes are named", "[command]") {
  const TemporaryDirectory directory;
  ModelContext within = within_of_letters(directory, "ab c de");
  within.block = 1;
  within = edit::put(std::move(within), HeadChange{.block = 2, .head = 3});
  within = edit::put(std::move(within), HeadChange{.block = 0, .head = 1});
  const CopiedCommand zeroed = command_of_model({.within = within, .one_layer = true});
  CHECK(zeroed.says_all());
  const ReadBack back(zeroed.line);
  REQUIRE(back.run);
  REQUIRE(back.run->ablated.size() == 2);
  CHECK(back.run->ablated[0].block == 2);
  CHECK(back.run->ablated[0].head == 3);
  CHECK(back.run->ablated[1].block == 0);
  CHECK(back.run->ablated[1].head == 1);
  CHECK(back.run->first_block == 1);
  CHECK(back.run->last_block == 1);
  CHECK(back.run->emit == std::set<ModelPart>{ModelPart::Queries, ModelPart::Keys, ModelPart::Values,
                                              ModelPart::Entropy, ModelPart::Received});

  within = edit::mlp_off(std::move(within), {AttentionOf::Decoder, 1}, true);
  within = edit::put(std::move(within), HeadChange{.block = 1, .head = 0, .kind = HeadChange::Kind::Mean});
  within = edit::put(std::move(within), HeadChange{.block = 1, .head = 2, .rows = {1}});
  const CopiedCommand partly = command_of_model({.within = within});
  CHECK(ReadBack(partly.line).run->ablated.size() == 2);
  REQUIRE(partly.changes == std::vector<std::size_t>{0, 3, 4});  // the layer's, and two of four heads
  CHECK(edit::words_of_change(within, 0).line() == "layer 1 · MLP off");
  CHECK(edit::words_of_change(within, 3).line() == "head 1.0 · mean of its outputs");

  // Effects are measured on the unchanged model.
  const CopiedCommand effects = command_of_model({.within = within, .effects = true, .row = 2});
  CHECK(effects.says_all());
  const ReadBack atlas(effects.line);
  CHECK_FALSE(atlas.run);
  REQUIRE(atlas.atlas);
  CHECK(atlas.atlas->text == "ab c de");
  CHECK(atlas.atlas->request.row == 2);
  CHECK(atlas.atlas->out == "atlas.csv");
}

TEST_CASE("what is no plain text is read back as the numbers of its tokens", "[command]") {
  const TemporaryDirectory directory;
  ModelContext letters = within_of_letters(directory, "ab c");
  letters.input.continued = {3, 4};
  const ReadBack continued(command_of_model({.within = letters}).line);
  CHECK(continued.run->ids == tokens_of(*letters.model, letters.input).input.ids);
  CHECK_FALSE(continued.run->text);

  write_small_bert(directory / "bert");
  ModelContext bert = within_of(open_whole_model(directory / "bert"), "the cat sat");
  CHECK(ReadBack(command_of_model({.within = bert}).line).run->text == "the cat sat");
  bert.input.special = false;
  const ReadBack bare(command_of_model({.within = bert}).line);
  CHECK(bare.run->ids == tokens_of(*bert.model, bert.input).input.ids);
  CHECK(bare.run->ids->size() == 3);
  bert.input.special = true;
  bert.input.pair = "the mat's $sea";
  const CopiedCommand pair = command_of_model({.within = bert});
  CHECK(pair.says_all());
  CHECK(ReadBack(pair.line).run->text == "the cat sat");
  CHECK(ReadBack(pair.line).run->pair == "the mat's $sea");
  // `atlas` takes no pair, and an empty one counts as none.
  CHECK(command_of_model({.within = bert, .effects = true}).others == std::vector{Unsaid::Pair});
  bert.input.pair = "";
  CHECK(command_of_model({.within = bert}).others == std::vector{Unsaid::Pair});
}

TEST_CASE("what a decoder has said is read back", "[command]") {
  const TemporaryDirectory directory;
  write_small_t5(directory / "t5");
  ModelContext within = within_of(open_whole_model(directory / "t5"), "the cat sat");
  within.input.decoder_text = "die Katze";
  const CopiedCommand made = command_of_model({.within = within});
  CHECK(made.says_all());
  const ReadBack back(made.line);
  CHECK(back.run->text == "the cat sat");
  CHECK(back.run->decoder_text == "die Katze");
  within.input.continued = {11};
  CHECK(command_of_model({.within = within}).others == std::vector{Unsaid::Decoder});
}

TEST_CASE("a file is drawn as it is looked at", "[command]") {
  CHECK(command_of_file({.file = "/a/b.json"}) ==
        "attnscope render /a/b.json --view explore --theme dark --head 0 -o picture.png");
  CHECK(command_of_file({.file = "/it's/b c.npz",
                         .layer = "h.1 x",
                         .causal = false,
                         .positions = Positions::RopeHalf,
                         .mode = Mode::Walk,
                         .theme = ThemeName::Light,
                         .head = 3,
                         .cell = Cell{4, 2}}) ==
        "attnscope render '/it'\\''s/b c.npz' --layer 'h.1 x' --causal no --positions rope-half --view walk "
        "--theme light --head 3 --at 4,2 -o picture.png");
  CHECK(shell_word("") == "''");
}

TEST_CASE("the copied command computes what is on screen", "[command][model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F2);
  robot.settle();
  robot.key(ImGuiKey_M, ImGuiMod_Shift);  // a head is zeroed
  robot.settle();
  robot.key(ImGuiKey_F7);
  robot.settle();
  copy_from_palette(robot);
  const std::string line = clipboard();
  INFO(line);
  REQUIRE(line.starts_with("attnscope run "));
  CHECK(robot.app().message() == "Copied as command line.");
  const Outcome outcome = run(directory, line.substr(std::string("attnscope ").size()));
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const ModelAlone alone(robot);
  REQUIRE(alone.within.changes.heads.size() == 1);
  const SafetensorsFile file(directory / "run.safetensors");
  const TensorEntry* const entry = file.find("logits");
  REQUIRE(entry != nullptr);
  const Tensor logits = to_tensor<float>(*entry, file.path());
  REQUIRE(logits.size() == static_cast<std::int64_t>(alone.changed.logits.values.size()));
  double furthest = 0, changed = 0;
  for (std::int64_t i = 0; i < logits.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    furthest = std::max(furthest, std::abs(static_cast<double>(logits.data()[i]) -
                                           static_cast<double>(alone.changed.logits.values[at])));
    changed = std::max(changed, std::abs(static_cast<double>(logits.data()[i]) -
                                         static_cast<double>(alone.clean.logits.values[at])));
  }
  CHECK(furthest < 1e-4);
  CHECK(changed > 1e-3);
}

TEST_CASE("what the command line has no word for is said, and a session has one", "[command][model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.click("Divide by √dₖ");
  robot.settle();
  copy_from_palette(robot);
  CHECK(clipboard().starts_with("attnscope run "));
  CHECK(clipboard().find("--ablate") == std::string::npos);
  const std::string told = plain(robot.app().message());
  CHECK_THAT(told, ContainsSubstring("The command line has no word for layer "));
  CHECK_THAT(told, ContainsSubstring("÷√dₖ off."));
  CHECK(told.ends_with("Save a session for that."));

  robot.app().files().saving.save(directory / "the session.json");
  robot.settle();
  from_file_menu(robot, "Copy command");
  CHECK_THAT(clipboard(), ContainsSubstring("render '" + (directory / "the session.json").native() + "' "));
  CHECK_THAT(clipboard(), ContainsSubstring(" --view model "));
  CHECK(robot.app().message() == "Copied as command line, which draws the session.");
  robot.key(ImGuiKey_A);
  robot.settle();
  from_file_menu(robot, "Copy command");
  CHECK(clipboard().starts_with("attnscope atlas "));
}

TEST_CASE("a lone layer is drawn from its file, and what is in none is said", "[command]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  copy_from_palette(robot);
  CHECK_THAT(clipboard(), ContainsSubstring("attnscope render "));
  CHECK_THAT(clipboard(), ContainsSubstring(".json --view explore --theme dark --head "));
  CHECK(robot.app().message() == "Copied as command line.");
  robot.key(ImGuiKey_S);
  robot.settle();
  copy_from_palette(robot);
  CHECK_THAT(robot.app().message(), ContainsSubstring("What was changed since is not in it"));
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  robot.key(ImGuiKey_F4);
  robot.settle();
  REQUIRE(robot.app().view().mode == Mode::Compare);
  copy_from_palette(robot);
  CHECK_THAT(clipboard(), ContainsSubstring(" --view compare "));
  CHECK_THAT(robot.app().message(), ContainsSubstring("The command line has no word for what is held."));
  robot.key(ImGuiKey_F9);
  robot.settle();
  copy_from_palette(robot);
  CHECK_THAT(robot.app().message(), ContainsSubstring("has no word for what is done on this page"));
}

}  // namespace attnscope::copied_command_test
