#include "core/training/tasks/grammar.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace attnscope::training {
namespace {

const Lexicon& lex = lexicon();

bool begins_with_vowel(Word word) {
  return std::string_view("aeiou").find(lex.words[static_cast<std::size_t>(word)][0]) !=
         std::string_view::npos;
}

}  // namespace

int MillbrookRow::say(Word word) {
  words_.push_back(word);
  costs_.push_back(owed_);
  owed_ = 0;
  return static_cast<int>(words_.size()) - 1;
}
void MillbrookRow::pay(double probability) { owed_ -= std::log(probability); }
bool MillbrookRow::coin(double probability) {
  const bool yes = dice_->coin(probability);
  pay(yes ? probability : 1 - probability);
  return yes;
}
int MillbrookRow::pick(int count) {
  pay(1.0 / count);
  return dice_->below(count);
}
int MillbrookRow::choose(std::span<const double> shares) {
  double at = dice_->uniform();
  int chosen = static_cast<int>(shares.size()) - 1;
  for (int i = 0; i < static_cast<int>(shares.size()); ++i) {
    at -= shares[static_cast<std::size_t>(i)];
    if (at < 0) {
      chosen = i;
      break;
    }
  }
  pay(shares[static_cast<std::size_t>(chosen)]);
  return chosen;
}

MillbrookRow::Noun MillbrookRow::name(Word except) {
  Noun noun;
  const int count = static_cast<int>(lex.names.size());
  const auto taken = std::ranges::find(lex.names, except) - lex.names.begin();
  const bool is_taken = taken < count;
  int i = pick(is_taken ? count - 1 : count);
  if (is_taken && i >= taken) ++i;
  const Word word = lex.names[static_cast<std::size_t>(i)];
  noun.is_name = true;
  noun.pronoun = i < static_cast<int>(lex.men.size()) ? Pronoun::He : Pronoun::She;
  noun.words[0] = word;
  noun.count = 1;
  noun.at = say(word);
  return noun;
}

/// Half of all articles are "the". `owed`: what the number of the noun costs, which "the" does not tell.
Word MillbrookRow::article(bool plural, bool definite, double& owed) {
  if (definite || coin(0.5)) return lex.the;
  owed_ += owed;
  owed = 0;
  static const std::vector<Word> one{lex["a"], lex["this"], lex["every"]},
      several{lex["some"], lex["these"], lex["those"]};
  return pick(plural ? several : one);
}

MillbrookRow::Noun MillbrookRow::noun(std::span<const Share> shares, NounRules rules) {
  std::array<double, 5> probabilities{};
  for (std::size_t i = 0; i < shares.size(); ++i) probabilities[i] = shares[i].probability;
  const Kind kind =
      shares[static_cast<std::size_t>(choose(std::span(probabilities).first(shares.size())))].kind;
  if (kind == Kind::Name) return name(rules.except);
  Noun noun;
  noun.is_plural = !dice_->coin(0.55);
  double owed = -std::log(noun.is_plural ? 0.45 : 0.55);
  Word article_word = article(noun.is_plural, rules.definite, owed);
  const double paid = owed_;
  owed_ = 0;  // what follows is paid for by the words it chooses
  const bool has_adjective = coin(rules.adjective);
  const std::vector<Word>& adjectives = kind == Kind::Thing   ? lex.of_things
                                        : kind == Kind::Place ? lex.of_places
                                                              : lex.adjectives;
  const Word adjective = has_adjective ? pick(adjectives) : -1;
  const double adjective_cost = owed_;
  owed_ = 0;
  const std::vector<NounForms>& nouns = kind == Kind::Person   ? lex.persons
                                        : kind == Kind::Animal ? lex.animals
                                        : kind == Kind::Thing  ? lex.things
                                                               : lex.places;
  const NounForms& forms = nouns[static_cast<std::size_t>(pick(static_cast<int>(nouns.size())))];
  const double noun_cost = owed_ + owed;
  const Word word = noun.is_plural ? forms.plural : forms.singular;
  if (article_word == lex["a"] && begins_with_vowel(has_adjective ? adjective : word)) article_word = lex.an;
  noun.pronoun = noun.is_plural ? Pronoun::They : forms.pronoun;
  const auto tell = [&](Word said, double cost) {
    owed_ = cost;
    noun.words[static_cast<std::size_t>(noun.count++)] = said;
    noun.at = say(said);
  };
  tell(article_word, paid);
  if (has_adjective) tell(adjective, adjective_cost);
  tell(word, has_adjective ? noun_cost : noun_cost + adjective_cost);
  return noun;
}

MillbrookRow::Noun MillbrookRow::phrase() {
  static constexpr Share shares[] = {{Kind::Place, 0.8}, {Kind::Animal, 0.2}};
  say(pick(lex.prepositions));
  return noun(shares, {0.2});
}

namespace {
constexpr double somebody[] = {0.3, 0.35, 0.35};
}

void MillbrookRow::verb(const Noun& subject, const VerbForms& forms, bool past, int nearest) {
  if (past) return link(LinkKind::Verb, say(forms.past), subject.at);
  const int at = say(subject.is_plural ? forms.plain : forms.third);
  link(LinkKind::Verb, at, subject.at);
  agreements_.push_back({at, subject.is_plural ? forms.third : forms.plain, subject.at,
                         nearest >= 0 && nearest != (subject.is_plural ? 1 : 0)});
}

void MillbrookRow::be(const Noun& subject, bool past, int nearest) {
  static const Word is = lex["is"], are = lex["are"], was = lex["was"], were = lex["were"];
  const int at = say(past ? (subject.is_plural ? were : was) : (subject.is_plural ? are : is));
  link(LinkKind::Verb, at, subject.at);
  agreements_.push_back({at, past ? (subject.is_plural ? was : were) : (subject.is_plural ? is : are),
                         subject.at, nearest >= 0 && nearest != (subject.is_plural ? 1 : 0)});
}

MillbrookRow::Subject MillbrookRow::subject(bool past) {
  static constexpr Share shares[] = {
      {Kind::Name, somebody[0]}, {Kind::Person, somebody[1]}, {Kind::Animal, somebody[2]}};
  static constexpr double modifiers[] = {0.4, 0.26, 0.17, 0.17};
  static const Word that = lex["that"];
  Subject subject{noun(shares, {}), -1};
  if (subject.noun.is_name) return subject;
  const auto any_transitive = [&]() -> const VerbForms& {
    return lex.transitive[static_cast<std::size_t>(pick(static_cast<int>(lex.transitive.size())))];
  };
  switch (static_cast<Modifier>(choose(modifiers))) {
    case Modifier::None: break;
    case Modifier::Phrase: subject.number_nearest = phrase().is_plural ? 1 : 0; break;
    case Modifier::SubjectClause: {  // the dog that chases the cats
      say(that);
      verb(subject.noun, any_transitive(), past, -1);
      subject.number_nearest = noun(shares, {0.1}).is_plural ? 1 : 0;
      break;
    }
    case Modifier::ObjectClause: {  // the dog that the cats chase
      say(that);
      const Noun inner = noun(shares, {0.1});
      verb(inner, any_transitive(), past, -1);
      subject.number_nearest = inner.is_plural ? 1 : 0;
      break;
    }
  }
  return subject;
}

void MillbrookRow::predicate(const Noun& subject, bool past, int nearest) {
  static constexpr double kinds[] = {0.35, 0.25, 0.2, 0.2};
  static constexpr Share shares[] = {
      {Kind::Name, somebody[0]}, {Kind::Person, somebody[1]}, {Kind::Animal, somebody[2]}};
  static constexpr Share thing[] = {{Kind::Thing, 1}};
  const auto any = [&](const std::vector<VerbForms>& verbs) -> const VerbForms& {
    return verbs[static_cast<std::size_t>(pick(static_cast<int>(verbs.size())))];
  };
  switch (choose(kinds)) {
    case 0:
      verb(subject, any(lex.alone), past, nearest);
      if (coin(0.6)) phrase();
      break;
    case 1:
      verb(subject, any(lex.transitive), past, nearest);
      noun(shares, {0.2, false, subject.is_name ? subject.words[0] : -1});
      break;
    case 2: {
      verb(subject, any(lex.with_things), past, nearest);
      if (coin(0.4)) {
        link(LinkKind::Pronoun, say(lex.possessive[static_cast<int>(subject.pronoun)]), subject.at);
        say(lex.things[static_cast<std::size_t>(pick(static_cast<int>(lex.things.size())))].singular);
      } else {
        noun(thing, {});
      }
      break;
    }
    default: {
      be(subject, past, nearest);
      const Word mood = pick(lex.moods);
      say(mood);
      if (!coin(0.3)) break;
      say(lex["and"]);
      int other = pick(static_cast<int>(lex.moods.size()) - 1);
      if (other >= std::ranges::find(lex.moods, mood) - lex.moods.begin()) ++other;
      say(lex.moods[static_cast<std::size_t>(other)]);
    }
  }
}

MillbrookRow::Noun MillbrookRow::refer(const Noun& noun) {
  Noun pronoun;
  pronoun.at = say(lex.pronoun[static_cast<int>(noun.pronoun)]);
  pronoun.is_plural = noun.is_plural;
  pronoun.pronoun = noun.pronoun;
  link(LinkKind::Pronoun, pronoun.at, noun.at);
  return pronoun;
}

void MillbrookRow::plain() {
  const bool past = coin(0.4);
  const Subject first = subject(past);
  predicate(first.noun, past, first.number_nearest);
  if (coin(0.25)) {
    say(coin(0.5) ? lex["and"] : lex["but"]);
    predicate(refer(first.noun), past, -1);
  }
  say(lex.stop);
  if (!coin(0.6)) return;
  if (coin(0.6)) {
    predicate(refer(first.noun), past, -1);
  } else {  // the same words once more, with "the"
    Noun again = first.noun;
    for (int i = 0; i < first.noun.count; ++i) {
      again.at =
          say(i == 0 && first.noun.count > 1 ? lex.the : first.noun.words[static_cast<std::size_t>(i)]);
      if (i > 0) repeats_.push_back(again.at);
    }
    predicate(again, past, -1);
  }
  say(lex.stop);
}

void MillbrookRow::cause() {
  static constexpr Share shares[] = {{Kind::Name, 0.6}, {Kind::Person, 0.4}};
  const Noun subject = noun(shares, {0.1, true});
  const bool object_is_meant = coin(0.5);
  link(LinkKind::Verb, say(pick(object_is_meant ? lex.blame_object : lex.blame_subject)), subject.at);
  const Noun object = noun(shares, {0.1, true, subject.is_name ? subject.words[0] : -1});
  say(lex["because"]);
  be(refer(object_is_meant ? object : subject), true, -1);
  say(pick(lex.moods));
  say(lex.stop);
}

void MillbrookRow::river_bank() {
  int river = 0;
  if (coin(0.4)) {
    say(lex.the);
    river = say(lex["river"]);
  } else {
    const Noun walker = name(-1);
    link(LinkKind::Verb, say(coin(0.5) ? lex["walked"] : lex["swam"]), walker.at);
    say(lex["along"]);
    say(lex.the);
    river = say(lex["river"]);
    say(lex.stop);
    say(lex.the);
  }
  const int bank = say(lex["bank"]);
  link(LinkKind::Bank, bank, river);
  link(LinkKind::Verb, say(lex["was"]), bank);
  const int count = static_cast<int>(lex.of_river_banks.size()), first = pick(count);
  say(lex.of_river_banks[static_cast<std::size_t>(first)]);
  say(lex["and"]);
  const int second = pick(count - 1);
  say(lex.of_river_banks[static_cast<std::size_t>(second >= first ? second + 1 : second)]);
  say(lex.stop);
}

void MillbrookRow::money_bank() {
  static constexpr Share shares[] = {{Kind::Name, 0.6}, {Kind::Person, 0.4}};
  int money = 0, bank = 0;
  const auto say_money = [&] { return say(coin(0.5) ? lex["cash"] : lex["money"]); };
  const auto say_bank = [&] {
    say(lex.the);
    bank = say(lex["bank"]);
    link(LinkKind::Bank, bank, money);
  };
  if (coin(0.5)) {
    const Noun subject = noun(shares, {0.1, true});
    static const std::vector<Word> verbs{lex["deposited"], lex["borrowed"], lex["took"]};
    const Word verb_word = pick(verbs);
    link(LinkKind::Verb, say(verb_word), subject.at);
    money = say_money();
    say(verb_word == verbs[0] ? lex["at"] : lex["from"]);
    say_bank();
    say(lex.stop);
    if (!coin(0.7)) return;
    say_bank();
  } else {
    say(lex.the);
    money = say_money();
    bank = say(lex["bank"]);
    link(LinkKind::Bank, bank, money);
  }
  link(LinkKind::Verb, say(lex["was"]), bank);
  say(pick(lex.of_banks));
  if (coin(0.3)) say(lex["early"]);
  say(lex.stop);
}

/// the animal did not cross the street because it was too tired . so the animal rested .
void MillbrookRow::cross() {
  static const std::vector<Word> ways{lex["street"], lex["river"], lex["bridge"], lex["road"]};
  say(lex.the);
  const Word animal_word =
      lex.animals[static_cast<std::size_t>(pick(static_cast<int>(lex.animals.size())))].singular;
  const int animal = say(animal_word);
  link(LinkKind::Verb, say(lex["did"]), animal);
  say(lex["not"]);
  link(LinkKind::Verb, say(lex["cross"]), animal);
  say(lex.the);
  const Word way_word = pick(ways);
  const int way = say(way_word);
  say(lex["because"]);
  const int it = say(lex.pronoun[static_cast<int>(Pronoun::It)]);
  link(LinkKind::Verb, say(lex["was"]), it);
  say(lex["too"]);
  const bool is_animal = coin(0.5);
  say(pick(is_animal ? lex.of_tired : lex.of_wide));
  link(LinkKind::It, it, is_animal ? animal : way);
  say(lex.stop);
  say(lex["so"]);
  say(lex.the);
  const int again = say(is_animal ? animal_word : way_word);
  repeats_.push_back(again);
  link(LinkKind::Verb, say(is_animal ? lex["rested"] : lex["stayed"]), again);
  if (!is_animal) say(lex["empty"]);
  say(lex.stop);
}

/// anna said that … . tom said that … (the same) .
void MillbrookRow::echo() {
  const bool past = coin(0.4);
  const Noun first = name(-1);
  link(LinkKind::Verb, say(lex["said"]), first.at);
  say(lex["that"]);
  const std::size_t begin = words_.size(), links = links_.size();
  const Subject inner = subject(past);
  predicate(inner.noun, past, inner.number_nearest);
  const std::size_t end = words_.size(), links_end = links_.size();
  say(lex.stop);
  const Noun second = name(first.words[0]);
  link(LinkKind::Verb, say(lex["said"]), second.at);
  say(lex["that"]);
  const int offset = static_cast<int>(words_.size() - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const int at = say(words_[i]);
    if (i > begin) repeats_.push_back(at);
  }
  for (std::size_t i = links; i < links_end; ++i) {
    const Link of = links_[i];
    link(of.kind, of.at + offset, of.to + offset);
  }
  say(lex.stop);
}

/// first … , then … : the same words in the same order, which mean nothing.
void MillbrookRow::list() {
  constexpr int least = 4, lengths = 4;
  const int count = least + dice_->below(lengths);
  say(lex["first"]);
  const std::size_t begin = words_.size();
  for (int i = 0; i < count; ++i) say(pick(lex.content));
  pay(1.0 / lengths);  // where the list ends, nobody knows before
  say(lex.comma);
  say(lex["then"]);
  for (int i = 0; i < count; ++i) {
    const int at = say(words_[begin + static_cast<std::size_t>(i)]);
    if (i > 0) repeats_.push_back(at);
  }
  say(lex.stop);
}

void MillbrookRow::write(Dice& dice, const DocumentShares& documents, int length) {
  constexpr double causes = 0.12, banks = 0.14, echoes = 0.08;
  const double shares[] = {1 - causes - banks - documents.cross - echoes - documents.lists,
                           causes,
                           banks,
                           documents.cross,
                           echoes,
                           documents.lists};
  dice_ = &dice;
  owed_ = 0;
  words_.clear();
  costs_.clear();
  links_.clear();
  agreements_.clear();
  repeats_.clear();
  say(lex.begin);
  while (static_cast<int>(words_.size()) < length) {
    switch (choose(shares)) {
      case 0: plain(); break;
      case 1: cause(); break;
      case 2: coin(0.5) ? river_bank() : money_bank(); break;
      case 3: cross(); break;
      case 4: echo(); break;
      default: list();
    }
  }
}

}  // namespace attnscope::training
