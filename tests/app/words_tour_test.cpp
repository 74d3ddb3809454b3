// words_sources_test.cpp finds in the sources whether every text has its words in every language. This test
// goes through the main views and checks what only a window can tell: texts reach the screen through the
// string table, and fit there in an artificial language that is a third longer than the template.
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/kit/ui/words.hpp"
#include "app/words_template.hpp"
#include "robot/layout.hpp"
#include "robot/main_views.hpp"

namespace attnscope::words_tour_test {

using namespace attnscope::test;

namespace {

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

LanguageTable pseudo_table() {
  std::string text = "language Pseudo\n";
  for (const std::string& key : keys_of_template()) text += "< " + key + "\n> " + pseudo(key) + "\n";
  return read_table(text, "pseudo");
}

/// The text without the user's own words, also where they are cut.
std::string without(const std::set<std::string>& own_texts, std::string text) {
  for (const std::string& own_text : own_texts) {
    if (text.ends_with("…") && own_text.starts_with(text.substr(0, text.size() - 3))) return "";
    for (std::size_t at = text.find(own_text); at != std::string::npos; at = text.find(own_text))
      text.erase(at, own_text.size());
  }
  return text;
}

}  // namespace

TEST_CASE("words: in another language no English is left in the main views, and it has room", "[words]") {
  const LanguageTable table = pseudo_table();
  REQUIRE(table.phrases.size() > 500);
  for (const MainView& view : main_views()) {
    INFO(view.name);
    Robot robot({.width = 1600, .height = 1000});
    view.show(robot);
    robot.leave();
    robot.settle();
    const std::size_t in_english = collisions(texts_of(robot)).size();
    // Words that are not translated: the tokens, the title, the backend's name.
    const std::string& backend = robot.app().shown()->backend;
    std::set<std::string> own_texts{backend, robot.document().title,
                                    robot.document().input.sequences[0].text};
    for (const Token& token : robot.document().input.sequences[0].tokens) own_texts.insert(token.text);
    robot.app().words().speak(table);
    std::set<std::string> not_known;
    robot.app().words().watch = [&](std::string_view key, bool known) {
      if (!known) not_known.emplace(key);
    };
    robot.settle();
    INFO(fmt::format("{}", fmt::join(not_known, "\n")));
    CHECK(not_known.empty());
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
