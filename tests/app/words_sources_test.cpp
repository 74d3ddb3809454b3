// A missing text of a language is found in the sources, without a window: every text that they can make is in
// assets/languages/english.txt and in every table, and a text that is joined from unknown pieces is refused.
// ATTNSCOPE_DESCRIBE=1 writes the template again, with new texts at its end.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/kit/ui/words.hpp"
#include "app/words_template.hpp"
#include "core/files/document/open.hpp"
#include "robot/source_program.hpp"
#include "support/seeds.hpp"

namespace attnscope::words_sources_test {

using namespace attnscope::test;

namespace {

std::vector<std::string> keys_in(std::string_view source) {
  std::vector<std::string> keys;
  for (const SourceWords& part : words_of_source(source)) keys.push_back(part.key);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

using Keys = std::vector<std::string>;

std::set<std::string> translated_keys(std::string_view code) {
  std::set<std::string> keys;
  for (const auto& [key, phrase] : load_table(ATTNSCOPE_ASSETS, code).phrases) keys.insert(key);
  return keys;
}

/// Names of keys from Dear ImGui, and messages of the system.
const std::set<std::string> of_others{"PageUp", "End", "Cannot read \"{}\": No such file or directory.",
                                      "Cannot write \"{}\": No such file or directory."};

/// The menu's names of the shipped examples, as keys.
std::set<std::string> example_titles() {
  std::set<std::string> keys;
  for (const Example& example : list_examples(ATTNSCOPE_ASSETS)) keys.insert(key_of(example.name).text);
  return keys;
}

/// The keys that no literal of the sources makes, nor one with gaps that are filled elsewhere.
std::vector<std::string> not_said(const std::set<std::string>& keys) {
  std::set<std::string> said = of_others;
  said.merge(example_titles());
  std::vector<std::string> open;
  for (const SourceWords& part : all_source_words()) {
    if (part.is_resolved)
      said.insert(part.key);
    else if (part.key.size() > 24)  // a sentence with enough known words
      open.push_back(part.key);
  }
  std::vector<std::string> all;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(all), [&](const std::string& key) {
    return !said.contains(key) && std::none_of(open.begin(), open.end(),
                                               [&](const std::string& each) { return can_say(each, key); });
  });
  return all;
}

void write_template() {
  std::vector<std::string> lines;
  std::ifstream old(words_template);
  for (std::string line; std::getline(old, line);) lines.push_back(line);
  old.close();
  const std::set<std::string> keys = keys_of_template();
  const std::vector<std::string> stale = not_said(keys);
  std::ofstream file(words_template);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_stale =
        lines[i].starts_with("< ") && std::ranges::find(stale, lines[i].substr(2)) != stale.end();
    if (is_stale)
      ++i;
    else
      file << lines[i] << "\n";
  }
  for (const auto& [key, place] : shown_words())
    if (!keys.contains(key) && key.find("<?>") == std::string::npos) file << "< " << key << "\n>\n";
}

}  // namespace

TEST_CASE("words: literals are read as the compiler and the string table read them", "[words]") {
  CHECK(keys_in("// \"not this one\"\n#include \"nor/this.hpp\"\nconst char c = '\"';\nint n = 10'000;\n"
                "void f() { say(\"The first \"\n    \"sentence. The second \\u2212 one.\");\n"
                "say(fmt::format(\"Head {} of {:.2f}\", own(a), 4)); say(\"is not \\\"shown\\\" here\");\n"
                "say(R\"(raw \"words\" here)\"); }") == Keys{"Head {} of {}", "The first sentence.",
                                                             "The second − one.", "is not \"{}\" here",
                                                             "raw \"{}\" here"});
}

TEST_CASE("words: what is glued is one text, through variables, functions and parameters", "[words]") {
  CHECK(keys_in(R"(void f(int n) { const std::string words = "step " + std::to_string(n);
                   ui.text(x, y, words + (n == 1 ? " token" : " tokens"), {}); })") ==
        Keys{"step {} token", "step {} tokens"});
  CHECK(keys_in(R"(std::string name(int n) { return n == 0 ? "first" : "last"; }
                   void f() { ui.text(x, y, "the " + name(1), {}); })") == Keys{"the first", "the last"});
  CHECK(keys_in(R"(std::string of(const std::string& what) { return "of " + what; }
                   void f() { of("keys"); of("values"); })") == Keys{"of keys", "of values"});
  CHECK(keys_in(R"(void f() { ui.text(x, y, "row of " + inner(name()) + "   ·   " + own(token), {}); })") ==
        Keys{"row of {}"});
  CHECK(keys_in(R"(void f(int n) { ui.text(x, y, "of " + counted(n, "head", "heads") + " here", {}); })") ==
        Keys{"of {} head here", "of {} heads here"});
  // A bug that four tours of the window did not find: each way to join the pieces is a text of its own.
  const Keys glued =
      keys_in(R"(std::string run_words(int n) { std::string words = "seed " + std::to_string(n);
                                if (a) words += ", causal"; if (b) words += ", " + std::to_string(n) + " muted";
                                return words; })");
  CHECK(std::ranges::find(glued, "seed {}, {} muted") != glued.end());
  CHECK(std::ranges::find(glued, "seed {}, causal, {} muted") != glued.end());
}

TEST_CASE("words: what the scanner cannot tell is refused where it is glued", "[words]") {
  CHECK(keys_in(R"(void f() { ui.text(x, y, "head " + page.name, {}); })") == Keys{"head <?>"});
  CHECK(keys_in(R"(void f() { all.words += ", muted"; })") == Keys{"<?>, muted"});
  CHECK(keys_in(R"(void f() { all.words += "  ·  muted"; })") == Keys{"muted"});
  CHECK(keys_in(R"(void f() { ui.text(x, y, std::to_string(n) + page.unit, {}); })") == Keys{"{}<?>"});
  CHECK(keys_in(R"(void f() { ui.text(x, y, page.name, {}); })").empty());  // the text is elsewhere
  // A name for the robot is no text; a button's is one where it has no other words.
  CHECK(keys_in(R"(bool button(const Ui&, const char* label) {} Touch touch(const char* label) {}
                   void f() { touch("Run A"); touch(("Run " + name).c_str()); button(ui, "Begin"); })") ==
        Keys{"Begin"});
}

TEST_CASE("words: every text of the sources is in the template, and none is glued past it", "[words]") {
  if (std::getenv("ATTNSCOPE_DESCRIBE") != nullptr) return write_template();
  const std::map<std::string, std::string> shown = shown_words();
  REQUIRE(shown.size() > 3000);
  const std::vector<std::string> lacking = lacking_in(keys_of_template(), shown);
  INFO(fmt::format("{}", fmt::join(lacking, "\n")));
  CHECK(lacking.empty());
}

TEST_CASE("words: the title of every example is in the template and in German", "[words]") {
  const std::set<std::string> template_keys = keys_of_template(), german = translated_keys("de");
  REQUIRE(example_titles().size() >= 15);
  for (const std::string& title : example_titles()) {
    INFO(title);
    CHECK(template_keys.contains(title));
    CHECK(german.contains(title));
  }
}

TEST_CASE("words: a function that is handed on says its texts by itself, too", "[words]") {
  const std::string source =
      "std::string t(double n) { if (n == 1) return \"one head\"; return \"some heads\"; }\n"
      "void f() { say(t(2) + \" for all\"); table({t, 3}); }";
  CHECK(keys_in(source) == Keys{"one head", "one head for all", "some heads", "some heads for all"});
}

TEST_CASE("words: a call means the functions of its own file, and no local one of another", "[words]") {
  const std::string shows = "namespace { void touch(std::string label) { say(label); } }\n";
  const std::string names = "void touch(const char* label);\nvoid f() { touch(\"heat map\"); }\n";
  const std::string drawn = "void touch(const char* label) { id(label); }\n";
  const auto keys = [](std::initializer_list<std::string> sources) {
    SourceProgram program;
    int number = 0;
    for (const std::string& each : sources) program.add(std::to_string(++number) + ".cpp", each);
    std::vector<SourceWords> all;
    for (const ProgramText& text : program.texts()) add_words(text, all);
    std::set<std::string> distinct;
    for (const SourceWords& each : all) distinct.insert(each.key);
    return distinct;
  };
  CHECK(keys({drawn, names}).empty());
  CHECK(keys({shows, drawn, names}).empty());
  CHECK(keys({drawn, names + "namespace { void touch(std::string label) { say(label); } }"})
            .contains("heat map"));
}

TEST_CASE("words: functions that call each other say the same texts in any order", "[words]") {
  const std::string first = "std::string a(int n) { if (n) return \"one part\"; return b(n); }\n";
  const std::string second = "std::string b(int n) { if (n) return a(n); return \"other parts\"; }\n";
  const std::string uses = "void f() { say(\"of \" + a(1)); say(\"for \" + b(1)); }\n";
  const Keys all{"for one part",   "for other parts", "of one part",
                 "of other parts", "one part",        "other parts"};
  CHECK(keys_in(first + second + uses) == all);
  CHECK(keys_in(second + first + uses) == all);
  CHECK(keys_in(uses + "void g() { say(\"and \" + b(2)); }\n" + second + first).size() == all.size() + 2);
}

TEST_CASE("words: every text of the template is said in the sources", "[words]") {
  const std::vector<std::string> stale = not_said(keys_of_template());
  INFO(fmt::format("{}", fmt::join(stale, "\n")));
  CHECK(stale.empty());
}

TEST_CASE("words: what is listed as not shown stands in the sources", "[words]") {
  std::set<std::string> there;
  for (const SourceWords& part : all_source_words()) {
    std::string line = part.file + ": " + part.key;
    std::replace(line.begin(), line.end(), '\n', ' ');
    if (is_shown(part)) there.insert(line);
  }
  std::ifstream file(std::filesystem::path(ATTNSCOPE_TESTS) / "app" / "words_not_shown.txt");
  for (std::string line; std::getline(file, line);) {
    INFO(line);
    CHECK((line.starts_with('#') || there.contains(line)));
  }
}

TEST_CASE("words: every language has every text of the template, and no other", "[words]") {
  const std::set<std::string> keys = keys_of_template();
  std::size_t tables = 0;
  for (const Language& language : list_languages(ATTNSCOPE_ASSETS)) {
    if (language.code == english) continue;
    ++tables;
    const LanguageTable table = load_table(ATTNSCOPE_ASSETS, language.code);
    CHECK(table.name == language.name);
    std::vector<std::string> lacking, unknown;
    for (const std::string& key : keys)
      if (!table.phrases.contains(key)) lacking.push_back(key);
    for (const auto& [key, phrase] : table.phrases)
      if (!keys.contains(key)) unknown.push_back(key);
    INFO(language.code << " lacks\n"
                       << fmt::format("{}", fmt::join(lacking, "\n")) << "\nand has\n"
                       << fmt::format("{}", fmt::join(unknown, "\n")));
    CHECK((lacking.empty() && unknown.empty()));
  }
  CHECK(tables > 0);
}

TEST_CASE("words: of 200 texts taken out of German every one is missed by its sources", "[words]") {
  const std::map<std::string, std::string> shown = shown_words();
  const std::set<std::string> whole = translated_keys("de");
  REQUIRE(lacking_in(whole, shown).empty());
  std::vector<std::string> keys;
  for (const auto& [key, place] : shown) keys.push_back(key);
  std::mt19937_64 random(seeds::of_case("words taken out", 0));
  std::shuffle(keys.begin(), keys.end(), random);
  keys.resize(200);
  for (const std::string& key : keys) {
    std::set<std::string> table = whole;
    table.erase(key);
    INFO(key);
    CHECK(lacking_in(table, shown).size() == 1);
  }
}

}  // namespace attnscope::words_sources_test
