#include "core/training/tasks/grammar.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace attnscope::training {
namespace {

bool begins_with_vowel(Word word) {
  return std::string_view("aeiou").find(lexicon().words[static_cast<std::size_t>(word)][0]) !=
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
  const int count = static_cast<int>(lex_.names.size());
  const auto taken = std::ranges::find(lex_.names, except) - lex_.names.begin();
  const bool is_taken = taken < count;
  int i = pick(is_taken ? count - 1 : count);
  if (is_taken && i >= taken) ++i;
  const Word word = lex_.names[static_cast<std::size_t>(i)];
  noun.is_name = true;
  noun.pronoun = i < static_cast<int>(lex_.men.size()) ? Pronoun::He : Pronoun::She;
  noun.words[0] = word;
  noun.count = 1;
  noun.at = say(word);
  return noun;
}

/// Half of all articles are "the". `owed`: what the number of the noun costs, which "the" does not tell.
Word MillbrookRow::article(bool plural, bool definite, double& owed) {
  if (definite || coin(0.5)) return lex_.the;
  owed_ += owed;
  owed = 0;
  static const std::vector<Word> one{lex_["a"], lex_["this"], lex_["every"]},
      several{lex_["some"], lex_["these"], lex_["those"]};
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
  const std::vector<Word>& adjectives = kind == Kind::Thing   ? lex_.of_things
                                        : kind == Kind::Place ? lex_.of_places
                                                              : lex_.adjectives;
  const Word adjective = has_adjective ? pick(adjectives) : -1;
  const double adjective_cost = owed_;
  owed_ = 0;
  const std::vector<NounForms>& nouns = kind == Kind::Person   ? lex_.persons
                                        : kind == Kind::Animal ? lex_.animals
                                        : kind == Kind::Thing  ? lex_.things
                                                               : lex_.places;
  const NounForms& forms = nouns[static_cast<std::size_t>(pick(static_cast<int>(nouns.size())))];
  const double noun_cost = owed_ + owed;
  const Word word = noun.is_plural ? forms.plural : forms.singular;
  if (article_word == lex_["a"] && begins_with_vowel(has_adjective ? adjective : word))
    article_word = lex_.an;
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
  say(pick(lex_.prepositions));
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
  static const Word is = lex_["is"], are = lex_["are"], was = lex_["was"], were = lex_["were"];
  const int at = say(past ? (subject.is_plural ? were : was) : (subject.is_plural ? are : is));
  link(LinkKind::Verb, at, subject.at);
  agreements_.push_back({at, past ? (subject.is_plural ? was : were) : (subject.is_plural ? is : are),
                         subject.at, nearest >= 0 && nearest != (subject.is_plural ? 1 : 0)});
}

MillbrookRow::Subject MillbrookRow::subject(bool past) {
  static constexpr Share shares[] = {
      {Kind::Name, somebody[0]}, {Kind::Person, somebody[1]}, {Kind::Animal, somebody[2]}};
  static constexpr double modifiers[] = {0.4, 0.26, 0.17, 0.17};
  static const Word that = lex_["that"];
  Subject subject{noun(shares, {}), -1};
  if (subject.noun.is_name) return subject;
  const auto any_transitive = [&]() -> const VerbForms& {
    return lex_.transitive[static_cast<std::size_t>(pick(static_cast<int>(lex_.transitive.size())))];
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
      verb(subject, any(lex_.alone), past, nearest);
      if (coin(0.6)) phrase();
      break;
    case 1:
      verb(subject, any(lex_.transitive), past, nearest);
      noun(shares, {0.2, false, subject.is_name ? subject.words[0] : -1});
      break;
    case 2: {
      verb(subject, any(lex_.with_things), past, nearest);
      if (coin(0.4)) {
        link(LinkKind::Pronoun, say(lex_.possessive[static_cast<int>(subject.pronoun)]), subject.at);
        say(lex_.things[static_cast<std::size_t>(pick(static_cast<int>(lex_.things.size())))].singular);
      } else {
        noun(thing, {});
      }
      break;
    }
    default: {
      be(subject, past, nearest);
      const Word mood = pick(lex_.moods);
      say(mood);
      if (!coin(0.3)) break;
      say(lex_["and"]);
      int other = pick(static_cast<int>(lex_.moods.size()) - 1);
      if (other >= std::ranges::find(lex_.moods, mood) - lex_.moods.begin()) ++other;
      say(lex_.moods[static_cast<std::size_t>(other)]);
    }
  }
}

MillbrookRow::Noun MillbrookRow::refer(const Noun& noun) {
  Noun pronoun;
  pronoun.at = say(lex_.pronoun[static_cast<int>(noun.pronoun)]);
  pronoun.is_plural = noun.is_plural;
  pronoun.pronoun = noun.pronoun;
  link(LinkKind::Pronoun, pronoun.at, noun.at);
  return pronoun;
}

}  // namespace attnscope::training
