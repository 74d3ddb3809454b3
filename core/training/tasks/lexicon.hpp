// core/training/tasks: the words of "Millbrook", a small invented English, and what they are. Every sentence
// of it is made by grammar.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::training {

using Word = std::int32_t;

enum class Pronoun : std::uint8_t { He, She, It, They };

struct NounForms {
  Word singular, plural;
  Pronoun pronoun;  // of the singular
};
struct VerbForms {
  Word plain, third, past;
};

struct Lexicon {
  Lexicon();
  /// A word that the lexicon has.
  Word operator[](std::string_view word) const { return number.find(word)->second; }

  std::vector<std::string> words;
  std::map<std::string, Word, std::less<>> number;
  std::vector<std::uint8_t> is_content;  // neither a special token nor a word of grammar
  std::vector<Word> content;
  std::vector<Word> men, women, names;
  std::vector<NounForms> persons, animals, things, places;
  std::vector<VerbForms> alone, transitive, with_things;  // sleep; chase an animal; carry a thing
  std::vector<Word> blame_object, blame_subject;          // helped: the one who was; called: the one who did
  std::vector<Word> adjectives, moods, of_things, of_places, of_river_banks, of_banks, of_tired, of_wide;
  std::vector<Word> prepositions;
  Word unknown, begin, mask, stop, comma, the, an;
  Word pronoun[4], possessive[4];  // by Pronoun
};

const Lexicon& lexicon();

}  // namespace attnscope::training
