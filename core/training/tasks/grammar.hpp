// core/training/tasks: sentences of Millbrook, drawn choice by choice. Each word knows what the choices that
// led to it cost, −ln of their probability: their mean is what no reader of the grammar gets below for long.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/training/tasks/dice.hpp"
#include "core/training/tasks/lexicon.hpp"

namespace attnscope::training {

/// What a word refers to.
enum class LinkKind : std::uint8_t {
  Verb,     // its subject
  Pronoun,  // who is meant
  It,       // the animal or the place, by the adjective three words on
  Bank,     // river, cash or money
};
struct Link {
  LinkKind kind;
  int at, to;
};
/// A verb in the present tense and the form that would be wrong.
struct Agreement {
  int at;
  Word wrong;
  int subject;
  bool attractor;  // a noun of the other number stands in between
};

struct DocumentShares {
  double lists = 0.08, cross = 0.12;  // of documents; the rest goes to plain sentences
};

/// A row of documents. One object serves many rows, so that nothing is allocated for each.
class MillbrookRow {
 public:
  /// <bos> and documents until there are `length` words at least; what lies behind them is not to be used.
  void write(Dice&, const DocumentShares&, int length);

  std::span<const Word> words() const { return words_; }
  std::span<const double> costs() const { return costs_; }  // nats
  std::span<const Link> links() const { return links_; }
  std::span<const Agreement> agreements() const { return agreements_; }
  std::span<const int> repeats() const {
    return repeats_;
  }  // words that were said before and must come again

 private:
  enum class Kind { Name, Person, Animal, Thing, Place };
  struct Share {
    Kind kind;
    double probability;
  };
  struct Noun {
    int at = 0;
    bool is_plural = false, is_name = false;
    Pronoun pronoun = Pronoun::It;
    std::array<Word, 3> words{};
    int count = 0;
  };
  struct NounRules {
    double adjective = 0.3;
    bool definite = false;
    Word except = -1;  // a name that was used already
  };
  enum class Modifier { None, Phrase, SubjectClause, ObjectClause };

  int say(Word);
  void pay(double probability);
  bool coin(double probability);
  int pick(int count);
  Word pick(const std::vector<Word>& words) {
    return words[static_cast<std::size_t>(pick(static_cast<int>(words.size())))];
  }
  int choose(std::span<const double> shares);

  Noun noun(std::span<const Share>, NounRules);
  Noun name(Word except);
  Word article(bool plural, bool definite, double& owed);
  Noun phrase();
  struct Subject {
    Noun noun;
    int number_nearest = -1;  // of a noun in between: 0 one, 1 several
  };
  Subject subject(bool past);
  void verb(const Noun& subject, const VerbForms&, bool past, int nearest);
  void be(const Noun& subject, bool past, int nearest);
  void predicate(const Noun& subject, bool past, int nearest);
  Noun refer(const Noun&);
  void link(LinkKind kind, int at, int to) { links_.push_back({kind, at, to}); }

  void plain();
  void cause();
  void river_bank();
  void money_bank();
  void cross();
  void echo();
  void list();

  const Lexicon& lex_ = lexicon();
  Dice* dice_ = nullptr;
  double owed_ = 0;
  std::vector<Word> words_;
  std::vector<double> costs_;
  std::vector<Link> links_;
  std::vector<Agreement> agreements_;
  std::vector<int> repeats_;
};

}  // namespace attnscope::training
