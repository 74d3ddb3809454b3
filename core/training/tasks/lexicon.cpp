#include "core/training/tasks/lexicon.hpp"

#include <sstream>

namespace attnscope::training {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

class Adder {
 public:
  explicit Adder(Lexicon& lexicon) : lexicon_(lexicon) {}

  Word word(const std::string& text, bool is_content = true) {
    const auto [at, is_new] = lexicon_.number.try_emplace(text, static_cast<Word>(lexicon_.words.size()));
    if (is_new) {
      lexicon_.words.push_back(text);
      lexicon_.is_content.push_back(is_content ? 1 : 0);
    }
    return at->second;
  }
  std::vector<Word> list(std::string_view text, bool is_content = true) {
    std::vector<Word> words;
    for (const std::string& one : split(text)) words.push_back(word(one, is_content));
    return words;
  }
  /// "boy boys he girl girls she"
  std::vector<NounForms> persons(std::string_view text) {
    const std::vector<std::string> parts = split(text);
    std::vector<NounForms> nouns;
    for (std::size_t i = 0; i < parts.size(); i += 3) {
      const Pronoun pronoun = parts[i + 2] == "he" ? Pronoun::He : Pronoun::She;
      const Word singular = word(parts[i]);
      nouns.push_back({singular, word(parts[i + 1]), pronoun});
    }
    return nouns;
  }
  std::vector<NounForms> nouns(std::string_view text) {
    std::vector<NounForms> nouns;
    for (const std::string& one : split(text)) {
      const Word singular = word(one);
      nouns.push_back({singular, word(one == "box" ? "boxes" : one + "s"), Pronoun::It});
    }
    return nouns;
  }
  /// "sit sat sleep slept"
  std::vector<VerbForms> verbs(std::string_view text) {
    const std::vector<std::string> parts = split(text);
    std::vector<VerbForms> verbs;
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      const Word plain = word(parts[i]), third = word(parts[i] == "carry" ? "carries" : parts[i] + "s");
      verbs.push_back({plain, third, word(parts[i + 1])});
    }
    return verbs;
  }

 private:
  Lexicon& lexicon_;
};

}  // namespace

Lexicon::Lexicon() {
  Adder add(*this);
  add.list("<pad> <unk> <bos> <mask> . ,", false);
  add.list(
      "the a an that this these those some every and but because he she it they his her its their is are was "
      "were too "
      "not did cross at in from river bank water money cash deposited borrowed took walked swam along early "
      "said first "
      "then so rested stayed",
      false);
  men = add.list("tom leo max ben paul");
  women = add.list("anna mary lucy nora kate");
  names = men;
  names.insert(names.end(), women.begin(), women.end());
  persons = add.persons(
      "boy boys he girl girls she man men he woman women she king kings he queen queens she uncle uncles he "
      "aunt aunts "
      "she");
  animals = add.nouns("cat dog bird horse fox rabbit duck goat animal");
  things = add.nouns("ball book letter key cup hat lamp apple box");
  places = add.nouns("table chair mat tree house road hill bridge garden boat river wall street");
  alone = add.verbs("sit sat sleep slept run ran wait waited sing sang jump jumped rest rested play played");
  transitive = add.verbs("see saw chase chased follow followed know knew like liked hear heard find found");
  with_things = add.verbs("carry carried open opened drop dropped lose lost hold held want wanted");
  blame_object = add.list("helped thanked praised comforted");
  blame_subject = add.list("called visited bored surprised");
  adjectives = add.list("old young big small brown black white quiet");
  moods = add.list("happy tired hungry lonely kind calm");
  of_things = add.list("red green blue round heavy light");
  of_places = add.list("wide long narrow empty");
  of_river_banks = add.list("steep muddy green wide");
  of_banks = add.list("closed open busy full");
  of_tired = add.list("tired hungry old young");
  of_wide = add.list("wide long narrow busy");
  prepositions = add.list("on near under behind beside");
  for (std::size_t i = 0; i < words.size(); ++i)
    if (is_content[i] != 0) content.push_back(static_cast<Word>(i));
  const Lexicon& self = *this;
  unknown = self["<unk>"];
  begin = self["<bos>"];
  mask = self["<mask>"];
  stop = self["."];
  comma = self[","];
  the = self["the"];
  an = self["an"];
  const char *const subjects[] = {"he", "she", "it", "they"}, *const owners[] = {"his", "her", "its",
                                                                                 "their"};
  for (int i = 0; i < 4; ++i) {
    pronoun[i] = self[subjects[i]];
    possessive[i] = self[owners[i]];
  }
}

const Lexicon& lexicon() {
  static const Lexicon words;
  return words;
}

}  // namespace attnscope::training
