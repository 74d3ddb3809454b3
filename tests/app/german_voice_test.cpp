// The style of the German texts: the reader is not addressed, and each thing has one name.
#include <array>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/words.hpp"
#include "app/views/parts/title_words.hpp"
#include "app/words_template.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::german_voice_test {

using namespace attnscope::test;

namespace {

const std::filesystem::path assets = ATTNSCOPE_ASSETS;

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || (static_cast<unsigned char>(c) & 0x80u) != 0;
}

/// Its words, each with whether it begins a sentence or a part of one.
std::vector<std::pair<std::string, bool>> words_in(std::string_view text) {
  std::vector<std::pair<std::string, bool>> all;
  bool begins = true;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_letter(text[i])) {
      begins = begins || std::string_view(".:;,!?").find(text[i]) != std::string_view::npos;
      ++i;
      continue;
    }
    const std::size_t first = i;
    while (i < text.size() && is_letter(text[i])) ++i;
    all.emplace_back(text.substr(first, i - first), begins);
    begins = false;
  }
  return all;
}

const std::set<std::string, std::less<>> pronouns{"du",     "Du",     "dich",   "Dich",   "dir",  "Dir",
                                                  "dein",   "Dein",   "deine",  "Deine",  "euch", "Ihnen",
                                                  "deinem", "deinen", "deiner", "deines", "wir",  "uns"};
const std::set<std::string, std::less<>> commands{
    "tippe",  "Tippe",   "wähle",   "Wähle",  "zieh",     "Zieh",      "ziehe",
    "Ziehe",  "schalte", "Schalte", "öffne",  "Öffne",    "beginne",   "Beginne",
    "drücke", "Drücke",  "klicke",  "Klicke", "versuche", "bearbeite", "Bearbeite",
    "starte", "Starte",  "ändere",  "Ändere", "achte",    "Achte",     "vergleiche"};

std::vector<std::string> addressed_in(std::string_view text) {
  std::vector<std::string> found;
  for (const auto& [word, begins] : words_in(text))
    if (pronouns.contains(word) || (begins && commands.contains(word))) found.push_back(word);
  return found;
}

/// A second name of a thing, and its right name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> second_names{
    {{"besondere Tokens", "Sondertokens"},
     {"besonderen Tokens", "Sondertokens"},
     {"Spezialtoken", "Sondertokens"},
     {"Querys", "Queries"},
     {"dem Softmax", "der Softmax"},
     {"den Softmax", "die Softmax"},
     {"verborgen", "verdeckt"},
     {"Residual-Strom", "Residualstrom"},
     {"Residual Stream", "Residualstrom"},
     {"Token-Vektor", "Tokenvektor"},
     {"Startwert", "Seed"},
     {"Kommandozeile", "Befehlszeile"},
     {"weiche Grenze", "Soft-Cap"},
     {"weichen Grenze", "Soft-Cap"},
     {"Verlust", "Loss"},
     {"Linse", "Lens"},
     {"Einbettung", "Embedding"},
     {"Attention-Sink", "Attention-Senke"},
     {"gleichmäßige Attention", "gleichverteilte Attention"},
     {"gleichmäßiger Attention", "gleichverteilter Attention"},
     {"auf null gesetzt", "genullt"},
     {"Durchgang", "Durchlauf"},
     {"Experiment", "Versuch"},
     {"Schirm", "Ansicht, Bildschirm"}}};

std::vector<std::filesystem::path> german_lessons() {
  std::vector<std::filesystem::path> all;
  for (const auto& file : std::filesystem::directory_iterator(assets / "lessons"))
    if (file.path().native().ends_with(".de.md")) all.push_back(file.path());
  return all;
}

}  // namespace

TEST_CASE("german: who reads it is not addressed", "[words][german]") {
  CHECK(addressed_in("Nichts offen: wähle eine Datei.") == std::vector<std::string>{"wähle"});
  CHECK(addressed_in("Eine Suche, deine.") == std::vector<std::string>{"deine"});
  const Entries rows = entries_of(assets / "languages" / "de.txt");
  REQUIRE(rows.size() > 4000);
  for (const auto& [english, german] : rows) {
    INFO(german);
    CHECK(addressed_in(german).empty());
  }
  for (const std::filesystem::path& lesson : german_lessons()) {
    INFO(lesson);
    CHECK(addressed_in(bytes_of(lesson)).empty());
  }
}

TEST_CASE("german: a thing has one name", "[words][german]") {
  for (const auto& [second, name] : second_names) {
    INFO(second << ", which is " << name);
    for (const auto& [english, german] : entries_of(assets / "languages" / "de.txt")) {
      INFO(german);
      CHECK(german.find(second) == std::string::npos);
    }
    for (const std::filesystem::path& lesson : german_lessons()) {
      INFO(lesson);
      CHECK(bytes_of(lesson).find(second) == std::string::npos);
    }
  }
}

TEST_CASE("german: quotes are German ones", "[words][german]") {
  for (const auto& [english, german] : entries_of(assets / "languages" / "de.txt")) {
    INFO(german);
    CHECK(german.find('"') == std::string::npos);
  }
}

TEST_CASE("german: a layer of a model that was closed is called by its number, a person's title as it is",
          "[words][german]") {
  Words words;
  words.speak(load_table(ATTNSCOPE_ASSETS, "de"));
  const auto said = [&](const std::string& text) {
    std::string room;
    return std::string(words.translated(text, room));
  };
  CHECK(said(kept_title_words("reader · layer 2")) == "reader · Schicht 2");
  CHECK(said("“" + inner(kept_title_words("reader · layer 2")) +
             "” was closed with changes that are in no file.")
            .starts_with("„reader · Schicht 2“"));
  CHECK(said(kept_title_words("notes · layer by layer")) == "notes · layer by layer");
  CHECK(said(kept_title_words("a layer 2")) == "a layer 2");
  CHECK(said(kept_title_words("")) == "");
}

TEST_CASE("german: one of something is one, in English and in German", "[words][german]") {
  Words words;
  words.speak(load_table(ATTNSCOPE_ASSETS, "de"));
  const std::array<std::pair<std::string_view, std::string_view>, 8> told{
      {{"1 head in the model", "1 Kopf im Modell"},
       {"1 layer × 4 heads", "1 Schicht × 4 Köpfe"},
       {"1 weight is exactly 0", "1 Gewicht ist genau 0"},
       {"of 1 key", "von 1 Key"},
       {"1 head, 5 × 4", "1 Kopf, 5 × 4"},
       {"2 heads, 5 × 4", "2 Köpfe, 5 × 4"},
       {"One pair: 0.934.", "Ein Paar: 0,934."},
       {"Redundancy in 1 seed, divided work in 0.", "Redundanz bei 1 Seed, geteilte Arbeit bei 0."}}};
  for (const auto& [english, german] : told) {
    std::string room;
    CHECK(words.translated(english, room) == german);
  }
}

}  // namespace attnscope::german_voice_test
