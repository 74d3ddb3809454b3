// The documents of Millbrook, one function for each kind.
#include "core/training/tasks/grammar.hpp"

namespace attnscope::training {

void MillbrookRow::plain() {
  const bool past = coin(0.4);
  const Subject first = subject(past);
  predicate(first.noun, past, first.number_nearest);
  if (coin(0.25)) {
    say(coin(0.5) ? lex_["and"] : lex_["but"]);
    predicate(refer(first.noun), past, -1);
  }
  say(lex_.stop);
  if (!coin(0.6)) return;
  if (coin(0.6)) {
    predicate(refer(first.noun), past, -1);
  } else {  // the same words once more, with "the"
    Noun again = first.noun;
    for (int i = 0; i < first.noun.count; ++i) {
      again.at =
          say(i == 0 && first.noun.count > 1 ? lex_.the : first.noun.words[static_cast<std::size_t>(i)]);
      if (i > 0) repeats_.push_back(again.at);
    }
    predicate(again, past, -1);
  }
  say(lex_.stop);
}

void MillbrookRow::cause() {
  static constexpr Share shares[] = {{Kind::Name, 0.6}, {Kind::Person, 0.4}};
  const Noun subject = noun(shares, {0.1, true});
  const bool object_is_meant = coin(0.5);
  link(LinkKind::Verb, say(pick(object_is_meant ? lex_.blame_object : lex_.blame_subject)), subject.at);
  const Noun object = noun(shares, {0.1, true, subject.is_name ? subject.words[0] : -1});
  say(lex_["because"]);
  be(refer(object_is_meant ? object : subject), true, -1);
  say(pick(lex_.moods));
  say(lex_.stop);
}

void MillbrookRow::river_bank() {
  int river = 0;
  if (coin(0.4)) {
    say(lex_.the);
    river = say(lex_["river"]);
  } else {
    const Noun walker = name(-1);
    link(LinkKind::Verb, say(coin(0.5) ? lex_["walked"] : lex_["swam"]), walker.at);
    say(lex_["along"]);
    say(lex_.the);
    river = say(lex_["river"]);
    say(lex_.stop);
    say(lex_.the);
  }
  const int bank = say(lex_["bank"]);
  link(LinkKind::Bank, bank, river);
  link(LinkKind::Verb, say(lex_["was"]), bank);
  const int count = static_cast<int>(lex_.of_river_banks.size()), first = pick(count);
  say(lex_.of_river_banks[static_cast<std::size_t>(first)]);
  say(lex_["and"]);
  const int second = pick(count - 1);
  say(lex_.of_river_banks[static_cast<std::size_t>(second >= first ? second + 1 : second)]);
  say(lex_.stop);
}

void MillbrookRow::money_bank() {
  static constexpr Share shares[] = {{Kind::Name, 0.6}, {Kind::Person, 0.4}};
  int money = 0, bank = 0;
  const auto say_money = [&] { return say(coin(0.5) ? lex_["cash"] : lex_["money"]); };
  const auto say_bank = [&] {
    say(lex_.the);
    bank = say(lex_["bank"]);
    link(LinkKind::Bank, bank, money);
  };
  if (coin(0.5)) {
    const Noun subject = noun(shares, {0.1, true});
    static const std::vector<Word> verbs{lex_["deposited"], lex_["borrowed"], lex_["took"]};
    const Word verb_word = pick(verbs);
    link(LinkKind::Verb, say(verb_word), subject.at);
    money = say_money();
    say(verb_word == verbs[0] ? lex_["at"] : lex_["from"]);
    say_bank();
    say(lex_.stop);
    if (!coin(0.7)) return;
    say_bank();
  } else {
    say(lex_.the);
    money = say_money();
    bank = say(lex_["bank"]);
    link(LinkKind::Bank, bank, money);
  }
  link(LinkKind::Verb, say(lex_["was"]), bank);
  say(pick(lex_.of_banks));
  if (coin(0.3)) say(lex_["early"]);
  say(lex_.stop);
}

/// the animal did not cross the street because it was too tired . so the animal rested .
void MillbrookRow::cross() {
  static const std::vector<Word> ways{lex_["street"], lex_["river"], lex_["bridge"], lex_["road"]};
  say(lex_.the);
  const Word animal_word =
      lex_.animals[static_cast<std::size_t>(pick(static_cast<int>(lex_.animals.size())))].singular;
  const int animal = say(animal_word);
  link(LinkKind::Verb, say(lex_["did"]), animal);
  say(lex_["not"]);
  link(LinkKind::Verb, say(lex_["cross"]), animal);
  say(lex_.the);
  const Word way_word = pick(ways);
  const int way = say(way_word);
  say(lex_["because"]);
  const int it = say(lex_.pronoun[static_cast<int>(Pronoun::It)]);
  link(LinkKind::Verb, say(lex_["was"]), it);
  say(lex_["too"]);
  const bool is_animal = coin(0.5);
  say(pick(is_animal ? lex_.of_tired : lex_.of_wide));
  link(LinkKind::It, it, is_animal ? animal : way);
  say(lex_.stop);
  say(lex_["so"]);
  say(lex_.the);
  const int again = say(is_animal ? animal_word : way_word);
  repeats_.push_back(again);
  link(LinkKind::Verb, say(is_animal ? lex_["rested"] : lex_["stayed"]), again);
  if (!is_animal) say(lex_["empty"]);
  say(lex_.stop);
}

/// anna said that … . tom said that … (the same) .
void MillbrookRow::echo() {
  const bool past = coin(0.4);
  const Noun first = name(-1);
  link(LinkKind::Verb, say(lex_["said"]), first.at);
  say(lex_["that"]);
  const std::size_t begin = words_.size(), links = links_.size();
  const Subject inner = subject(past);
  predicate(inner.noun, past, inner.number_nearest);
  const std::size_t end = words_.size(), links_end = links_.size();
  say(lex_.stop);
  const Noun second = name(first.words[0]);
  link(LinkKind::Verb, say(lex_["said"]), second.at);
  say(lex_["that"]);
  const int offset = static_cast<int>(words_.size() - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const int at = say(words_[i]);
    if (i > begin) repeats_.push_back(at);
  }
  for (std::size_t i = links; i < links_end; ++i) {
    const Link of = links_[i];
    link(of.kind, of.at + offset, of.to + offset);
  }
  say(lex_.stop);
}

/// first … , then … : the same words in the same order, which mean nothing.
void MillbrookRow::list() {
  constexpr int least = 4, lengths = 4;
  const int count = least + dice_->below(lengths);
  say(lex_["first"]);
  const std::size_t begin = words_.size();
  for (int i = 0; i < count; ++i) say(pick(lex_.content));
  pay(1.0 / lengths);  // where the list ends cannot be known before
  say(lex_.comma);
  say(lex_["then"]);
  for (int i = 0; i < count; ++i) {
    const int at = say(words_[begin + static_cast<std::size_t>(i)]);
    if (i > 0) repeats_.push_back(at);
  }
  say(lex_.stop);
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
  say(lex_.begin);
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
