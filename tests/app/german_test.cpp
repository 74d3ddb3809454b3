// The window in German: numbers have a decimal comma wherever they are shown, and a point in code, in names
// and while they are typed.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/kit/ui/own_words.hpp"
#include "app/kit/ui/words.hpp"
#include "app/lesson_robot.hpp"
#include "app/model_robot.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/views/backends/switch.hpp"
#include "controls_robot.hpp"
#include "core/base/error.hpp"
#include "robot/layout.hpp"
#include "robot/main_views.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::german_test {

using namespace attnscope::test;

namespace {

std::string german(std::string_view text) {
  static const Words words = [] {
    Words german_words;
    german_words.speak(load_table(ATTNSCOPE_ASSETS, "de"));
    return german_words;
  }();
  std::string room;
  return std::string(words.translated(text, room));
}

bool is_figure(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// "0.5" or ".5", not the end of a sentence, an ending of a file or "W.5".
bool has_decimal_point(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '.' || !is_figure(text[i + 1])) continue;
    const char before = i == 0 ? ' ' : text[i - 1];
    if (std::isalpha(static_cast<unsigned char>(before)) == 0 && before != '.') return true;
  }
  return false;
}

bool has_decimal_comma(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] == ',' && is_figure(text[i + 1])) return true;
  return false;
}

void speak_german(Robot& robot) {
  robot.app().view().language = "de";
  robot.leave();
  robot.settle();
  REQUIRE(robot.app().message().empty());
}

/// The texts on screen with a decimal point in a number.
std::vector<std::string> with_points(Robot& robot) {
  std::vector<std::string> found;
  for (const PlacedText& placed : texts_of(robot))
    if (has_decimal_point(placed.text)) found.push_back(placed.text);
  return found;
}

std::size_t with_commas(Robot& robot) {
  const std::vector<PlacedText> texts = texts_of(robot);
  return static_cast<std::size_t>(
      std::ranges::count_if(texts, [](const PlacedText& placed) { return has_decimal_comma(placed.text); }));
}

/// Takes out Python: the lines of a step's code, also clipped ones, and their results, which are nothing but
/// a number.
void take_out_code(std::vector<std::string>& texts, const lessons::Step& step) {
  std::ptrdiff_t results = 0;
  for (const auto* code : {&step.numpy, &step.pytorch}) {
    std::ptrdiff_t given = 0;
    for (const lessons::CodeLine& line : *code) {
      given += line.result ? 1 : 0;
      std::erase_if(texts, [&](const std::string& text) {
        const std::string_view cut =
            text.ends_with("…") ? std::string_view(text).substr(0, text.size() - 3) : std::string_view(text);
        return line.code.starts_with(cut);
      });
    }
    results = std::max(results, given);
  }
  const auto is_number = [](const std::string& text) {
    return text.find_first_not_of("0123456789.\u2212e %") == std::string::npos;
  };
  if (std::ranges::count_if(texts, is_number) <= results) std::erase_if(texts, is_number);
}

}  // namespace

TEST_CASE("german: a number has a decimal comma, and a gap between its thousands", "[words][german]") {
  CHECK(german("0.46") == "0,46");
  CHECK(german("\u2212.31") == "\u2212,31");
  CHECK(german("8.1e\u22129") == "8,1e\u22129");
  CHECK(german("32,768") == "32\u00a0768");
  CHECK(german("1,024.5") == "1\u00a0024,5");
  CHECK(german("6.0 KiB") == "6,0 KiB");
  CHECK(german("92.3 \u2192 17.2 %") == "92,3 \u2192 17,2 %");
  CHECK(german("H of " + own("sat")) == "H von sat");
  CHECK(german("0.84 ms") == "0,84 ms");
  CHECK(german("NaN") == "NaN");
  CHECK(german("12") == "12");
}

TEST_CASE("german: lists, versions, dates and a person's own words keep their signs", "[words][german]") {
  CHECK(german("0, 1") == "0, 1");
  CHECK(german("[0,1]") == "[0,1]");
  CHECK(german("0,125") == "0,125");  // a group of thousands does not begin with 0
  CHECK(german("1,2,3") == "1,2,3");
  CHECK(german("1.2.3") == "1.2.3");
  CHECK(german(own("0.5")) == "0.5");
  CHECK(german(own("out.v2 0.5")) == "out.v2 0.5");
  CHECK(german(own_number("0.5 \u2192 0.25")) == "0,5 \u2192 0,25");
  CHECK(german(inner("0.5")) == "0,5");
  CHECK(german("As in Llama (SwiGLU) and T5 1.1 (GEGLU).") == "Wie in Llama (SwiGLU) und T5 1.1 (GEGLU).");
  CHECK(german("unheard of 0.5") == "unheard of 0.5");  // a text that stays English keeps its point, too
}

TEST_CASE("german: own numbers are own words in every other way", "[words][german]") {
  CHECK(key_of("mean " + own_number("0.5")).text == "mean {}");
  CHECK(plain(own_number("0.5")) == "0.5");
  CHECK(own(own_number("0.5")) == own("0.5"));
  std::string room;
  CHECK(Words().translated("mean " + own_number("0.5"), room) == "mean 0.5");
}

TEST_CASE("german: a table says its decimal sign, which is a point or a comma", "[words][german]") {
  CHECK(read_table("language X\n", "x").decimal == ".");
  CHECK(read_table("language X\ndecimal ,\n", "x").decimal == ",");
  CHECK(message_of<Error>([] {
          read_table("language X\ndecimal ;\n", "x");
        }).find("expected \".\" or \",\"") != std::string::npos);
}

TEST_CASE("german: the backend that computes is said in German", "[words][german]") {
  CHECK(german(backend_words("CPU \u00b7 2 threads")) == "CPU \u00b7 2 Threads");
  CHECK(german(backend_words("CPU \u00b7 1 thread")) == "CPU \u00b7 1 Thread");
  CHECK(german(backend_words("CUDA \u00b7 heads 0.5")) == "CUDA \u00b7 heads 0.5");
}

TEST_CASE("german: no number of the main views has a point", "[words][german]") {
  for (const MainView& view : main_views()) {
    INFO(view.name);
    Robot robot({.width = 1600, .height = 1000});
    view.show(robot);
    robot.settle();
    const std::size_t points = with_points(robot).size();
    REQUIRE(points > 0);
    speak_german(robot);
    INFO(fmt::format("{}", fmt::join(with_points(robot), "\n")));
    CHECK(with_points(robot).empty());
    CHECK(2 * with_commas(robot) > points);  // longer words push some numbers out of sight
    robot.app().view().language = "en";
    robot.settle();
    CHECK_FALSE(with_points(robot).empty());
  }
}

TEST_CASE("german: no number of experiments and the lab has a point", "[words][german]") {
  for (const ImGuiKey page : {ImGuiKey_F9, ImGuiKey_F10}) {
    Robot robot({.width = 1600, .height = 1000});
    robot.key(page);
    robot.settle();
    speak_german(robot);
    INFO(fmt::format("{}", fmt::join(with_points(robot), "\n")));
    CHECK(with_points(robot).empty());
  }
}

TEST_CASE("german: at 1280 x 720 the names of Experiments, Training and an input are whole",
          "[words][german]") {
  const auto cut = [](Robot& robot) {
    std::vector<std::string> found;
    for (const PlacedText& text : texts_of(robot))
      if (text.text.ends_with("…") && text.text.size() > 3) found.push_back(text.text);
    return found;
  };
  Robot robot({.width = 1280,
               .height = 720,
               .system_fonts = true,
               .file = std::string(ATTNSCOPE_ASSETS) + "/examples/10-kv-cache.json"});
  speak_german(robot);
  CHECK(cut(robot) == std::vector<std::string>{});
  for (const ImGuiKey page : {ImGuiKey_F9, ImGuiKey_F10}) {
    robot.key(page);
    robot.settle();
    CHECK(cut(robot) == std::vector<std::string>{});
  }
}

TEST_CASE("german: a file that says no language leaves the window's", "[words][german]") {
  Robot robot({.width = 1280, .height = 720});
  speak_german(robot);
  robot.app().files().opening.open(std::string(ATTNSCOPE_ASSETS) + "/examples/10-kv-cache.json");  // a view
  robot.settle();
  CHECK(robot.app().view().language == "de");
}

TEST_CASE("german: an example that is open is called what the menu calls it", "[words][german]") {
  Robot robot({.width = 1600,
               .height = 1000,
               .file = std::string(ATTNSCOPE_ASSETS) + "/examples/2-three-tokens.json"});
  speak_german(robot);
  std::vector<std::string> said;
  for (const PlacedText& text : texts_of(robot)) said.push_back(text.text);
  CHECK(std::ranges::count(said, "Drei Tokens von Hand") == 1);
  CHECK(std::ranges::count(said, "Three tokens by hand") == 0);
}

TEST_CASE("german: a lesson's words have commas, its code has points", "[words][german]") {
  Player robot({.width = 1600, .height = 1000});
  robot.app().view().language = "de";
  robot.settle();
  for (const char* name : {"01-three-tokens", "04-why-divide"}) {
    const std::string lesson = name;
    robot.app().lessons().go_to({lesson, 0});
    robot.settle();
    REQUIRE_FALSE(robot.lesson().is_english);
    std::size_t commas = 0;
    for (std::size_t step = 0; step < robot.lesson().lesson.steps.size(); ++step) {
      robot.app().lessons().go_to({lesson, static_cast<std::int64_t>(step)});
      robot.settle();
      const lessons::Step& said = robot.lesson().lesson.steps[step];
      std::vector<std::string> found = with_points(robot);
      take_out_code(found, said);
      INFO(lesson << ", step " << step << "\n" << fmt::format("{}", fmt::join(found, "\n")));
      CHECK(found.empty());
      commas += with_commas(robot);
    }
    CHECK(commas > 20);
  }
}

TEST_CASE("german: a lesson without a translation says so in the list, and its numbers are known for English",
          "[words][german]") {
  Player robot({.width = 1600, .height = 2600});
  robot.press(ImGuiKey_F8);
  CHECK_FALSE(shows(robot, "in English"));
  speak_german(robot);
  const std::vector<PlacedText> texts = texts_of(robot);
  const auto marked = std::ranges::count_if(
      texts, [](const PlacedText& placed) { return placed.text.find("auf Englisch") != std::string::npos; });
  const std::filesystem::path lessons = std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons";
  std::ptrdiff_t all = 0, translated = 0;
  for (const auto& file : std::filesystem::directory_iterator(lessons)) {
    if (file.path().extension() != ".md") continue;
    (file.path().stem().extension() == ".de" ? translated : all) += 1;
  }
  REQUIRE(translated > 0);
  CHECK(marked == all - translated);
  for (const auto& file : std::filesystem::directory_iterator(lessons)) {
    const std::filesystem::path name = file.path().stem();
    if (file.path().extension() != ".md" || name.extension() == ".de") continue;
    robot.app().lessons().go_to({name.native(), 0});
    INFO(name);
    REQUIRE(robot.app().lessons().open());
    CHECK(robot.app().lessons().open()->is_english ==
          !std::filesystem::exists(lessons / (name.native() + ".de.md")));
  }
}

TEST_CASE("german: a number is typed with a comma or a point, and files keep the point", "[words][german]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  speak_german(robot);
  for (const char* typed : {"0,5", "0.5"}) {
    robot.type_number("Temperature value", "2");
    REQUIRE(robot.document().layer().temperature == 2);
    robot.type_number("Temperature value", typed);
    CHECK(robot.document().layer().temperature == 0.5f);
    CHECK(shows(robot, "0,50"));
  }
  robot.app().files().saving.save(directory / "numbers.csv");
  robot.app().files().saving.save(directory / "session.json");
  robot.settle();
  CHECK(bytes_of(directory / "numbers.csv").find("0.") != std::string::npos);
  CHECK(bytes_of(directory / "session.json").find("0.5") != std::string::npos);
}

TEST_CASE("german: the name of a head keeps its point", "[words][german]") {
  CHECK(german("head 1.3") == "Kopf 1.3");
  CHECK(german("head 1.3 · zeroed") == "Kopf 1.3 · genullt");
}

TEST_CASE("german: how many heads do not fit and how long one text is, is said in German",
          "[words][german]") {
  CHECK(german(
            "d_model 96 cannot be split over 65 heads: 96 / 65 is not a whole number; 48 heads would fit.") ==
        "d_model 96 lässt sich nicht auf 65 Köpfe verteilen: 96 / 65 ist keine ganze Zahl; 48 Köpfe gingen.");
  CHECK(
      german(
          "The clean text has 1 token and the corrupted one 14; patching takes what stands at a position of "
          "one to the same position of the other, so as many are needed.")
          .starts_with("Der saubere Text hat 1 Token und der verfälschte 14;"));
}

namespace {

/// Whether this text is drawn in German, also in a card or a list.
bool is_said(Robot& robot, std::string_view key) {
  bool known = false;
  robot.app().view().language = "en";
  robot.frame(4);
  robot.app().words().watch = [&](std::string_view said, bool is_known) {
    known = known || (said == key && is_known);
  };
  robot.app().view().language = "de";
  robot.frame(4);
  robot.app().words().watch = nullptr;
  return known;
}

/// Letters, the model, in fonts of the system.
RobotOptions letters_in_system_fonts(const TemporaryDirectory& directory) {
  RobotOptions options = with_letters(directory);
  options.system_fonts = true;
  return options;
}

}  // namespace

TEST_CASE("german: a model's layer, its training and a text that is too long for it", "[words][german]") {
  const TemporaryDirectory directory;
  Robot robot(letters_in_system_fonts(directory));
  type_text(robot, "ab c de a");
  speak_german(robot);
  CHECK(shows(robot, "letters · Schicht"));
  CHECK(shows(robot, " kB"));
  CHECK_FALSE(shows(robot, "0,0 MB"));
  std::string longer;
  for (int i = 0; i < letters_gpt_positions; ++i) longer += "ab c ";
  robot.retype("##Text", longer);
  CHECK(is_said(robot, "The text has {} tokens; {} has positions for {}."));
  robot.app().files().opening.open(std::string(ATTNSCOPE_ASSETS) + "/models/millbrook");
  robot.settle();
  CHECK(shows(robot, "Seed 0 · Schritt 2600"));
}

TEST_CASE("german: no note of a model's screens is cut", "[words][german]") {
  const TemporaryDirectory directory;
  Robot robot(letters_in_system_fonts(directory));
  type_text(robot, "ab c de a");
  for (const char* language : {"de", "en"}) {
    robot.app().view().language = language;
    for (const ModelScreen screen : {ModelScreen::Heads, ModelScreen::Atlas, ModelScreen::Patching}) {
      model_state_of(robot.app().view()).screen = screen;
      for (const GridOrder order : {GridOrder::Layers, GridOrder::Groups}) {
        model_state_of(robot.app().view()).order = order;
        robot.settle();
        for (const PlacedText& text : texts_of(robot)) {
          if (text.y0 < 132 || text.y1 > 165 || text.x0 < 264) continue;  // of the title's line
          INFO(language << ": " << text.text);
          CHECK_FALSE(text.text.ends_with("…"));
        }
      }
    }
  }
}

TEST_CASE("german: the menu has room for its examples and shortcuts", "[words][german]") {
  Robot robot({.width = 1600, .height = 1000});
  speak_german(robot);
  robot.click("File");
  robot.frame(3);
  const RecordedItem* const row = robot.items().find("Picture of the middle");
  REQUIRE(row != nullptr);
  CHECK(row->max.x - row->min.x >= 340);
  CHECK(is_said(robot, "A mask bug: zeroed after the softmax"));
  CHECK(german("A mask bug: zeroed after the softmax").size() < 45);
}

TEST_CASE("german: the button that fits the map shows its word, a weight's number has a comma",
          "[words][german]") {
  Robot robot({.width = 1600, .height = 1000, .system_fonts = true});
  speak_german(robot);
  focus_of(robot.app().view()).zoom = 3;
  robot.settle();
  CHECK(shows(robot, "Einpassen"));
  robot.key(ImGuiKey_W);
  robot.settle();
  robot.move(robot.centre("weight map"));
  robot.frame(90);
  CHECK((shows(robot, "] = 0,") || shows(robot, "] = −0,")));
}

}  // namespace attnscope::german_test
