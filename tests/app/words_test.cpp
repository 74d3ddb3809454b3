// The string table: the key of a text, valid and refused tables, words that are never translated, and the
// choice of a language. words_tour_test.cpp goes through the texts on screen.
#include "app/kit/ui/words.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "app/kit/ui/own_words.hpp"
#include "controls_robot.hpp"
#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "robot/layout.hpp"
#include "robot/main_views.hpp"
#include "support/program.hpp"
#include "support/seeds.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::words_test {

namespace {

std::string said(const Words& words, std::string_view text) {
  std::string room;
  return std::string(words.translated(text, room));
}

Words words_with(std::string_view lines) {
  Words words;
  words.speak(read_table("language Test\n" + std::string(lines), "test.txt"));
  return words;
}

std::string refusal(std::string_view text) {
  return test::message_of<Error>([&] { read_table(text, "test.txt"); });
}

}  // namespace

TEST_CASE("words: numbers, own words and quotes are placeholders of a key", "[words]") {
  CHECK(key_of("Head 3 of 8").text == "Head {} of {}");
  CHECK(key_of("mean \u22120.25, to 1,024.5 or 3e-05.").text == "mean {}, to {} or {}.");
  CHECK(key_of("weight .45 or \u2212.5.").text == "weight {} or {}.");
  CHECK(key_of("float64 and W_q1 and dₖ").text == "float64 and W_q1 and dₖ");
  CHECK(key_of("A \u2212 B").text == "A \u2212 B");
  CHECK(key_of("Cannot write \"a 3 b\": no").text == "Cannot write \"{}\": no");
  CHECK(key_of("of “" + own("the 7th \"cat\"") + "”").text == "of “{}”");
  CHECK(key_of("a set {x}").text == "a set {{x}}");
  CHECK(key_of("an open \" quote").text == "an open \" quote");
  CHECK(key_of("a set of 6.0 KiB, 3.1 M and 2 k; of 3 k/v").text == "a set of {}, {} and {}; of {} k/v");
  CHECK(key_of("looks at " + inner("[zero]") + ".").text == "looks at {}.");
  CHECK(key_of("12 %").arguments == std::vector<std::string_view>{"12"});
}

TEST_CASE("words: a table translates parts, reorders placeholders and leaves the rest", "[words]") {
  const Words words = words_with(
      "< Head {} of {}\n> {2} K\u00f6pfe, {1}\n< masked\n> maskiert\n< of “{}”\n> von „{}“\n< not yet\n>\n");
  CHECK(said(words, "Head 3 of 8") == "8 K\u00f6pfe, 3");
  CHECK(said(words, "Head 3 of 8 · masked   0.25") == "8 K\u00f6pfe, 3 · maskiert   0.25");
  CHECK(said(words, "Nothing is masked. Head 3 of 8") == "Nothing is masked. 8 K\u00f6pfe, 3");
  CHECK(said(words, "  masked ") == "  maskiert ");
  CHECK(said(words, "of “" + own("masked  · 3") + "”") == "von „masked  · 3“");
  CHECK(said(words, own("masked")) == "masked");
  CHECK(said(words, "not yet") == "not yet");
  CHECK(said(words, "unheard of " + own("cat")) == "unheard of cat");
  CHECK(said(words, "Head 3 of 8") == "8 K\u00f6pfe, 3");  // from what was kept
}

TEST_CASE("words: an inner text is translated by itself inside another", "[words]") {
  const Words words =
      words_with("< looks at {}, {}\n> sieht {2}, {1}\n< head {}\n> Kopf {}\n< layer {}\n> Schicht {}\n");
  CHECK(said(words, "looks at " + inner("head 3") + ", " + own("head 3")) == "sieht head 3, Kopf 3");
  CHECK(said(words, inner("head 3") + " → " + inner("layer 4")) ==
        "Kopf 3 → Schicht 4");  // no words but theirs
  CHECK(said(words, "looks at " + inner("head 3 · " + inner("layer 4")) + ", 5") ==
        "sieht 5, Kopf 3 · Schicht 4");
  CHECK(said(words, "unheard of " + inner("head 3")) == "unheard of head 3");  // the whole stays English
  CHECK(plain(inner("a " + own("b"))) == "a b");
  CHECK(said(Words(), "of " + inner("head 3")) == "of head 3");
}

TEST_CASE("words: NaN and infinity are numbers where no key has them", "[words]") {
  const Words words = words_with("< mean {}\n> Mittel {}\n< {} is NaN\n> {} ist NaN\n");
  CHECK(said(words, "mean NaN") == "Mittel NaN");
  CHECK(said(words, "mean \u2212\u221e") == "Mittel \u2212\u221e");
  CHECK(said(words, "3 is NaN") == "3 ist NaN");
  CHECK(said(words, "mean NaNs") == "mean NaNs");
}

TEST_CASE("words: where there is no number, another language than English writes a dash", "[words]") {
  const Words words = words_with("< mean {}\n> Mittel {}\n");
  CHECK(said(words, "n/a") == "–");
  CHECK(said(words, "mean n/a") == "Mittel –");
  CHECK(said(words, "mean " + own_number("n/a")) == "Mittel –");
  CHECK(said(words, "H n/a · 3") == "H – · 3");
  CHECK(said(words, own("n/a")) == "n/a");  // a word of the user
  CHECK(said(words, "n/another") == "n/another");
  CHECK(said(Words(), "mean n/a") == "mean n/a");
  CHECK(key_of("n/a to n/a").text == "{} to {}");
}

TEST_CASE("words: a quotation without words has the language's marks, what is quoted keeps its own",
          "[words]") {
  const Words words = words_with("quotes „ “\n< without “{}”\n> ohne „{}“\n");
  CHECK(said(words, "“" + own("cat") + "”") == "„cat“");
  CHECK(said(words, "… “" + own("3.5") + "” | “" + own("say “hi”") + "” +2") == "… „3.5“ | „say “hi”“ +2");
  CHECK(said(words, "without “" + own("cat") + "”") == "ohne „cat“");
  CHECK(said(words, own("“")) == "“");
  CHECK(said(Words(), "“" + own("cat") + "”") == "“cat”");
  // The word keeps its direction: the quotation marks are outside, in the order of the line.
  CHECK(said(words, "“" + own("بيت") + "”") == "„\u2068بيت\u2069“");
  CHECK(said(Words(), "“" + own("بيت") + "” +2") == "“\u2068بيت\u2069” +2");
}

TEST_CASE("words: English is said as it stands, without a copy", "[words]") {
  const Words words;
  const std::string text = "Head 3 of 8";
  std::string room;
  CHECK(words.translated(text, room).data() == text.data());
  CHECK(room.empty());
  CHECK(words.translated("key " + own("cat"), room) == "key cat");
}

TEST_CASE("words: more texts than are kept are still said right", "[words]") {
  const Words words = words_with("< row {}\n> Zeile {}\n");
  for (int i = 0; i < 10'000; ++i)
    REQUIRE(said(words, fmt::format("row {}", i)) == fmt::format("Zeile {}", i));
}

TEST_CASE("words: a table that is none is refused with its line", "[words]") {
  CHECK(refusal("< a word\n> ein Wort\n").find("language") != std::string::npos);
  const struct {
    const char *lines, *found;
  } bad[] = {
      {"hello\n", "line 2: found \"hello\""},
      {"> ein Wort\n", "line 2: found a translation"},
      {"< a word\n", "found the end"},
      {"< a word\n\n> ein Wort\n", "line 3: found"},
      {"< a word\n> ein\n< a word\n> zwei\n", "a second time"},
      {"< Head {}\n> Kopf\n", "expected each of 1 placeholders once"},
      {"< Head {}\n> Kopf {1} {1}\n", "expected each of 1 placeholders once"},
      {"< Head {} {}\n> Kopf {} {2}\n", "all have a number, or none"},
      {"< Head {}\n> Kopf {2}\n", "expected each of 1"},
      {"< Head 3\n> Kopf 3\n", "expected \"Head {}\""},
      {"< Head {x}\n> Kopf\n", "expected \"{}\""},
      {"< 3\n> drei\n", "expected words"},
      {"language Again\n", "a second language"},
      {"quotes „\n", "two marks of a quotation"},
      {"quotes „ “ ”\n", "two marks of a quotation"},
      {"< a\tword\n> ein\n", "control character"},
  };
  for (const auto& [lines, found] : bad) {
    INFO(lines);
    const std::string sentence = refusal("language Test\n" + std::string(lines));
    INFO(sentence);
    CHECK(sentence.find(found) != std::string::npos);
    CHECK(sentence.starts_with("test.txt, line "));
    CHECK(sentence.ends_with('.'));
  }
  CHECK(refusal("language \xff\n").find("UTF-8") != std::string::npos);
  CHECK(refusal(std::string(5'000'000, '#')).find("bytes") != std::string::npos);
  CHECK(read_table("\xEF\xBB\xBF# a comment\r\nlanguage Deutsch\r\n< a word\r\n> ein Wort\r\n", "x")
            .phrases.size() == 1);
}

TEST_CASE("words: whatever bytes a table has, it is read or refused in one sentence", "[words]") {
  std::mt19937_64 random(seeds::of_case("words", 0));
  const std::string_view seeds[] = {"language Test\n",
                                    "< a word {}\n",
                                    "> ein {} Wort\n",
                                    "{1}",
                                    "{{",
                                    "\"",
                                    "#",
                                    "\x02",
                                    "\x03",
                                    "\x04",
                                    "\x05",
                                    "\n",
                                    "\xC3",
                                    "\u00e4",
                                    "3",
                                    " · ",
                                    "  ",
                                    ">",
                                    "<"};
  for (int round = 0; round < 3000; ++round) {
    std::string text = random() % 2 ? "language Test\n" : "";
    for (auto left = random() % 12; left > 0; --left) text += seeds[random() % std::size(seeds)];
    INFO(text);
    const std::string sentence = refusal(text);
    if (!sentence.empty()) {
      REQUIRE(sentence.ends_with('.'));
      REQUIRE(sentence.find('\n') == std::string::npos);
      REQUIRE(is_valid_utf8(sentence));
    }
    const Words words = words_with("< a word {}\n> {} Wort\n");
    const std::string out = said(words, text);  // any text is drawn
    REQUIRE(out.find('\x02') == std::string::npos);
  }
}

TEST_CASE("words: the system asks for a language that there is", "[words]") {
  const std::vector<Language> there{{"en", "English"}, {"de", "Deutsch"}, {"fr", "Français"}};
  CHECK(preferred_language("", "de_DE.UTF-8", there) == "de");
  CHECK(preferred_language("sv:fr:de", "de_DE.UTF-8", there) == "fr");
  CHECK(preferred_language("", "C.UTF-8", there) == "en");
  CHECK(preferred_language("", "", there) == "en");
  CHECK(preferred_language("en_GB:de", "de_DE", there) == "en");
}

TEST_CASE("words: tables are listed behind English, and a bad one leaves the window in English", "[words]") {
  const test::TemporaryDirectory assets;
  std::filesystem::create_directories(assets / "languages");
  assets.write("languages/english.txt", "language English\n");
  assets.write("languages/xx.txt", "# pseudo\nlanguage Xish\n< Explore\n> Explorez\n");
  assets.write("languages/bad.txt", "language Bad\n< Explore\n");
  assets.write("languages/no!code.txt", "language None\n");
  const std::vector<Language> there = list_languages(assets.path());
  REQUIRE(there.size() == 3);
  CHECK((there[0].name == "English" && there[1].name == "Bad" && there[2].name == "Xish"));
  CHECK(load_table(assets.path(), "xx").phrases.size() == 1);
  for (const char* code : {"bad", "yy", "../x", ""}) {
    INFO(code);
    CHECK_THROWS_AS(load_table(assets.path(), code), Error);
  }
  CHECK(list_languages(assets / "nowhere").size() == 1);

  Robot robot;
  robot.app().view().language = "yy";
  robot.frame();
  CHECK(robot.app().message().find("There is no language \"yy\"") == 0);
  CHECK(robot.app().view().language == "en");
}

TEST_CASE("words: a person's own words are never translated", "[words]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.retype("##Text", "masked Heads weights Explore");
  robot.leave();
  robot.settle();
  const auto count = [&](std::string_view text) {
    const std::vector<PlacedText> texts = texts_of(robot);
    return std::count_if(texts.begin(), texts.end(), [&](const PlacedText& t) { return t.text == text; });
  };
  const auto before = count("Heads");
  robot.app().words().speak(read_table("language Test\n< Heads\n> Köpfe\n< Explore\n> Schauen\n", "x"));
  robot.settle();
  CHECK(count("Köpfe") == 2);  // a region and a section of the controls
  CHECK(count("Heads") == before - 2);
  CHECK(count("Heads") >= 3);  // a chip, labels of the map
  CHECK(count("Schauen") == 1);
  CHECK(robot.has("Mode: Explore"));  // IDs stay English
}

TEST_CASE("words: the look menu changes the language, a session keeps it and another document leaves it",
          "[words]") {
  const test::TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  test::choose(robot, "Look", "Deutsch");
  CHECK(robot.app().view().language == "de");
  robot.app().files().saving.save(directory / "session.json");
  robot.app().files().opening.open(directory.write("words.txt", "one two three"));
  robot.settle();
  CHECK(robot.app().view().language == "de");
  test::choose(robot, "Look", "English");
  CHECK(robot.app().view().language == "en");
  robot.app().files().opening.open(directory / "session.json");
  robot.settle();
  CHECK(robot.app().view().language == "de");
  const std::vector<PlacedText> texts = texts_of(robot);
  CHECK(std::any_of(texts.begin(), texts.end(), [](const PlacedText& t) { return t.text == "Erkunden"; }));
}

TEST_CASE("words: a picture is rendered in the language that is asked for, never in the system's",
          "[words]") {
  const test::TemporaryDirectory directory;
  ::setenv("LANGUAGE", "de", 1);
  CHECK(test::run(directory, "render --size 800x500 -o plain.svg").exit_code == 0);
  ::unsetenv("LANGUAGE");
  CHECK(test::run(directory, "render --size 800x500 --language de -o german.svg").exit_code == 0);
  CHECK(test::bytes_of(directory / "plain.svg").find(">Explore<") != std::string::npos);
  CHECK(test::bytes_of(directory / "german.svg").find(">Erkunden<") != std::string::npos);
  test::check_refusal(directory, "render --language xx -o a.png", 2,
                      "--language is \"xx\", expected one of en");
  test::check_refusal(directory, "--language de render -o a.png", 2, "render has its own");
}

TEST_CASE("words: a lesson's pages are in the language that is asked for, where it stands beside the file",
          "[words]") {
  const test::TemporaryDirectory directory;
  const auto lesson = [](const std::string& title) {
    return "---\nlesson: " + title + "\n---\n```start\n{\"text\": [\"a b\"]}\n```\n## " + title + "\n";
  };
  directory.write("a.md", lesson("Shares"));
  directory.write("a.de.md", lesson("Anteile"));
  const auto has = [&](const std::string& out, const std::string& options, const std::string& title) {
    INFO(options);
    REQUIRE(test::run(directory, "lesson pages a.md -o " + out + options).exit_code == 0);
    return test::bytes_of(directory / out).find(">" + title + "<") != std::string::npos;
  };
  CHECK(has("en.html", "", "Shares"));
  CHECK(has("de.html", " --language de", "Anteile"));
  CHECK_FALSE(has("again.html", " --language de", "Shares"));
}

TEST_CASE("words: nothing but the weights is called A, nothing but the position bias B", "[words]") {
  for (const MainView& view : main_views()) {
    INFO(view.name);
    Robot robot({.width = 1600, .height = 1000});
    view.show(robot);
    robot.key(ImGuiKey_Backslash);
    robot.settle();
    for (const PlacedText& placed : texts_of(robot)) {
      INFO(placed.text);
      CHECK_FALSE((placed.text == "A" || placed.text == "B"));
      CHECK(placed.text.find("A − B") == std::string::npos);
      CHECK(placed.text.find("as B") == std::string::npos);
    }
  }
}

TEST_CASE("words: segments of unequal names share their width, so that no name is cut", "[words]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.app().view().language = "de";
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  const std::vector<PlacedText> texts = texts_of(robot);
  CHECK(std::any_of(texts.begin(), texts.end(),
                    [](const PlacedText& t) { return t.text == "jetzt − gemerkt"; }));
}

}  // namespace attnscope::words_test
