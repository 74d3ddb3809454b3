// Every text that the interface can say is in assets/languages/english.txt, which is where a translation
// begins; ATTNSCOPE_DESCRIBE=1 writes it anew. The tour that meets them goes in pieces, side by side with
// words_tour_*_test.cpp; what nobody says any more is looked for in words_sources_test.cpp. A language made
// up from it, a third longer, shows that nothing is said past the string table and that the main views have
// room.
#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "app/files/paths.hpp"
#include "app/ui/words.hpp"
#include "app/words_template.hpp"
#include "robot/layout.hpp"
#include "robot/main_views.hpp"
#include "robot/source_words.hpp"
#include "support/second_backend.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::words_tour_test {

using namespace attnscope::test;

namespace {

std::vector<SourceText> texts_of_sources() {
  std::vector<SourceText> all;
  for (const char* room : {"app", "core", "gpu"}) {
    const std::vector<SourceText> more =
        source_texts(std::filesystem::path(ATTNSCOPE_ASSETS).parent_path() / room);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// What is only said where the machine has a second backend.
void tour_of_backends(MetWords& met) {
  const auto second = std::make_shared<SecondBackend>();
  Robot robot({.width = 1600, .height = 1000, .second = second});
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  robot.app().words().watch = [&](std::string_view key, bool) {
    met.try_emplace(std::string(key), "two backends");
  };
  const auto rest_on = [&](const char* label) {
    robot.move(robot.centre(label));
    robot.frame(2);
  };
  robot.key(ImGuiKey_H);
  robot.settle();
  rest_on("Computes: CPU");
  robot.key(ImGuiKey_U);
  robot.settle();
  robot.key(ImGuiKey_H);
  robot.settle();
  rest_on("Backend");
  second->halt_at(Stage::Mix);
  robot.key(ImGuiKey_U);
  robot.settle();
  robot.key(ImGuiKey_U, ImGuiMod_Shift);
  second->await_halt();
  robot.frame(2);
  rest_on("Stop comparing");
  robot.click("Stop comparing");
  robot.settle();
  robot.frame(2);
  rest_on("Compare again");
  second->halt_at(std::nullopt);
  robot.click("Compare again");
  robot.settle();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  using Changes = std::vector<SecondBackend::Change>;
  for (const Changes& changes : {Changes{{Stage::Output, 0, 0.5f}}, Changes{{Stage::Output, 0, 0, nan}},
                                 Changes{{Stage::Mask, 0, 0, nan}}, Changes{}}) {
    second->change(changes);
    robot.key(ImGuiKey_C);
    robot.settle();
    rest_on("parity Output");
  }
  second->fail_at(Stage::Mix, "");
  robot.key(ImGuiKey_U);
  robot.settle();
}

/// What only the first launch says: every way in which a step can turn out.
void tour_of_start(MetWords& met) {
  Robot robot({.width = 1600, .height = 1000});
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  robot.app().words().watch = [&](std::string_view key, bool) { met.try_emplace(std::string(key), "start"); };
  const auto press = [&](ImGuiKey key) {
    robot.key(key);
    robot.settle();
  };
  robot.app().offer_start();
  robot.settle();
  robot.move(robot.centre("Leave the first steps"));
  robot.frame(2);
  for (const ImGuiKey key : {ImGuiKey_S, ImGuiKey_S, ImGuiKey_C, ImGuiKey_C}) press(key);
  robot.retype("##Text", "cat");
  press(ImGuiKey_Enter);
  press(ImGuiKey_S);  // the entropy of one token stays
  const TemporaryDirectory directory;
  robot.app().open(
      directory.write("crossed.json", R"({"attnscope": 1, "text": ["a b"], "memory": ["c d e"]})"));
  robot.settle();
  press(ImGuiKey_C);
}

/// What is said of work that was closed and comes back.
void tour_of_closing(MetWords& met, const std::filesystem::path& directory) {
  Robot robot({.width = 1600, .height = 1000, .state = directory / "state"});
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  robot.app().words().watch = [&](std::string_view key, bool) {
    met.try_emplace(std::string(key), "closing");
  };
  const std::filesystem::path other = list_examples(ATTNSCOPE_ASSETS).back().path;
  robot.app().reopen({});  // there is nothing yet
  robot.frame(2);
  robot.key(ImGuiKey_S);
  robot.settle();
  robot.app().open(other);
  robot.settle();
  robot.app().finish_closing();
  robot.app().offer_last();
  robot.frame(2);
  robot.click("File");
  robot.frame(3);
  robot.move(robot.centre("Reopen last"));
  robot.frame(2);
  robot.click("Reopen last");
  robot.settle();
}

void write_template(const MetWords& met) {
  std::map<std::string, std::vector<std::string>> parts;
  for (const auto& [key, part] : met) parts[part].push_back(key);
  std::ofstream file(words_template);
  file
      << "# Every text of the interface. To teach AttnScope another language: copy this file to CODE.txt, "
         "say\n"
         "# the language's own name in the line \"language\", and write the translation behind every \">\".\n"
         "# What is left empty stays English. {} is a number or a person's own word: as many in the\n"
         "# translation as in the English; {1}, {2} … where their order is another one.\n"
         "language English\n";
  for (const auto& [part, keys] : parts) {
    file << "\n# ---- " << part << "\n";
    for (const std::string& key : keys) file << "< " << key << "\n>\n";
  }
}

/// Letters with accents, and a third more of them: "Entropy" is "[Éñtröþý~~]".
std::string pseudo(std::string_view key) {
  constexpr std::string_view plain_letters = "ACDEINOUYaceinouy";
  constexpr std::array<std::string_view, 17> accented{"Á", "Ç", "Ð", "É", "Í", "Ñ", "Ö", "Ü", "Ý",
                                                      "á", "ç", "é", "í", "ñ", "ö", "ü", "ý"};
  std::string out = "[";
  std::size_t letters = 0;
  for (const char c : key) {
    const std::size_t at = plain_letters.find(c);
    if (at != std::string_view::npos) {
      out += accented[at];
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      out += "þ";
    } else {
      out += c;
    }
    letters += c != '{' && c != '}' ? 1 : 0;
  }
  return out + std::string(letters * 3 / 10, '~') + "]";
}

Table pseudo_table() {
  std::string text = "language Pseudo\n";
  for (const std::string& key : keys_of_template()) text += "< " + key + "\n> " + pseudo(key) + "\n";
  return read_table(text, "pseudo");
}

/// The text without a person's words, also where they are cut.
std::string without(const std::set<std::string>& own_texts, std::string text) {
  for (const std::string& own_text : own_texts) {
    if (text.ends_with("…") && own_text.starts_with(text.substr(0, text.size() - 3))) return "";
    for (std::size_t at = text.find(own_text); at != std::string::npos; at = text.find(own_text))
      text.erase(at, own_text.size());
  }
  return text;
}

}  // namespace

TEST_CASE("words: every text of the interface is in the template of the languages", "[words]") {
  const bool is_asked_for = template_is_asked_for();
  MetWords met;
  take_tour(TourPiece::Clicks, met);
  if (is_asked_for)
    for (const TourPiece piece : {TourPiece::Examples, TourPiece::Settings, TourPiece::Files})
      take_tour(piece, met);
  tour_of_backends(met);
  tour_of_start(met);
  const TemporaryDirectory directory;
  tour_of_closing(met, directory.path());
  if (!is_asked_for) return check_known(met);
  // What only shows when a computation takes long, or fails, is in the sources alone.
  const FileWords sources = words_by_file(texts_of_sources());
  for (const std::string& key : keys_of_template())
    if (said_in(sources, key)) met.try_emplace(key, "seldom");
  write_template(met);
}

TEST_CASE("words: in another language no English is left in the main views, and it has room", "[words]") {
  const Table table = pseudo_table();
  REQUIRE(table.phrases.size() > 500);
  for (const MainView& view : main_views()) {
    INFO(view.name);
    Robot robot({.width = 1600, .height = 1000});
    view.show(robot);
    robot.leave();
    robot.settle();
    const std::size_t in_english = collisions(texts_of(robot)).size();
    // What a person brought: the tokens, the title, the names of what computes.
    const std::string& backend = robot.app().shown()->backend;
    std::set<std::string> own_texts{backend, robot.document().title,
                                    robot.document().input.sequences[0].text};
    for (const Token& token : robot.document().input.sequences[0].tokens) own_texts.insert(token.text);
    robot.app().words().speak(table);
    robot.settle();
    const std::vector<PlacedText> texts = texts_of(robot);
    REQUIRE(texts.size() > 50);
    for (const PlacedText& placed : texts) {
      INFO(placed.text);
      if (placed.text == backend.substr(0, backend.find(' '))) continue;  // where there is little room
      CHECK_FALSE(has_words(without(own_texts, placed.text)));
      CHECK(placed.x1 <= 1601);
    }
    const std::vector<std::string> found = collisions(texts);
    INFO(fmt::format("{}", fmt::join(found, "\n")));
    CHECK(found.size() <= in_english);
  }
}

TEST_CASE("words: every table can be read, says what the interface says, and is whole", "[words]") {
  const std::set<std::string> known = keys_of_template();
  for (const Language& language : list_languages(ATTNSCOPE_ASSETS)) {
    if (language.code == english) continue;
    const Table table = load_table(ATTNSCOPE_ASSETS, language.code);
    CHECK(table.name == language.name);
    for (const auto& [key, phrase] : table.phrases) {
      INFO(language.code << ": " << key);
      CHECK(known.contains(key));
    }
    // Formulae, units and names are the same everywhere.
    CHECK(static_cast<double>(table.phrases.size()) > 0.93 * static_cast<double>(known.size()));
  }
}

TEST_CASE("words: German has room in every main view", "[words]") {
  for (const auto& [width, height] : {std::pair{1600, 1000}, {1280, 720}}) {
    for (const MainView& view : main_views()) {
      INFO(view.name << " at " << width);
      Robot robot({.width = width, .height = height});
      view.show(robot);
      robot.leave();
      robot.settle();
      const std::size_t in_english = collisions(texts_of(robot)).size();
      robot.app().view().language = "de";
      robot.settle();
      REQUIRE(robot.app().message().empty());
      const std::vector<std::string> found = collisions(texts_of(robot));
      INFO(fmt::format("{}", fmt::join(found, "\n")));
      CHECK(found.size() <= in_english);
    }
  }
}

}  // namespace attnscope::words_tour_test
