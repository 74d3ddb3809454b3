// Millbrook: the next word of an invented English, and the Reader, which is also asked what each verb,
// pronoun and "bank" refers to.
#include <algorithm>

#include "core/training/tasks/grammar.hpp"
#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

enum MillbrookGroups { repeated_words, every_word, agreement, agreement_across, who };
enum MillbrookScores { subject_head, antecedent_head, induction_head, previous_head };
constexpr int near_subject = 2;  // a subject so close is found by looking at the words before

DocumentShares shares_of(const Recipe& recipe) {
  return {data_of(recipe, "lists"), data_of(recipe, "cross")};
}

class MillbrookMaker final : public Maker {
 public:
  explicit MillbrookMaker(const Recipe& recipe) : shares_(shares_of(recipe)) {}

  void make(Dice& dice, Example& example) const override {
    thread_local MillbrookRow row;
    const int n = static_cast<int>(example.tokens.size());
    row.write(dice, shares_, n + 1);
    for (int i = 0; i < n; ++i) {
      example.tokens[static_cast<std::size_t>(i)] = row.words()[static_cast<std::size_t>(i)];
      example.targets[0][static_cast<std::size_t>(i)] = row.words()[static_cast<std::size_t>(i) + 1];
    }
    if (example.notes != nullptr) note(row, n, *example.notes);
  }
  std::vector<std::string> tokens() const override { return lexicon().words; }

 private:
  /// Of a word at `at` the row before says it, which is where the heads are looked at.
  static void note(const MillbrookRow& row, int n, Notes& notes) {
    const auto word = [&](int i) { return row.words()[static_cast<std::size_t>(i)]; };
    for (int i = 0; i < n; ++i) notes.count_row(every_word, i);
    for (int i = 1; i < n; ++i) {
      notes.look(previous_head, i);
      notes.key(i - 1);
    }
    for (const Agreement& verb : row.agreements()) {
      if (verb.at > n) continue;
      notes.count_row(agreement, verb.at - 1);
      notes.rival(verb.wrong);
      if (verb.attractor) {
        notes.count_row(agreement_across, verb.at - 1);
        notes.rival(verb.wrong);
      }
      if (verb.at - verb.subject <= near_subject) continue;
      notes.look(subject_head, verb.at - 1);
      notes.key(verb.subject);
    }
    for (const Link& link : row.links()) {
      if (link.at > n || (link.kind != LinkKind::Pronoun && link.kind != LinkKind::It)) continue;
      notes.count_row(who, link.at - 1);
      const Lexicon& lex = lexicon();
      const bool possessive = std::ranges::find(lex.possessive, word(link.at)) != std::end(lex.possessive);
      for (const Word other : possessive ? lex.possessive : lex.pronoun)
        if (other != word(link.at)) notes.rival(other);
      notes.look(antecedent_head, link.at - 1);
      notes.key(link.to);
    }
    for (const int at : row.repeats()) {
      if (at > n) continue;
      notes.count_row(repeated_words, at - 1);
      notes.look(induction_head, at - 1);
      for (int j = 1; j < at; ++j)
        if (word(j - 1) == word(at - 1)) notes.key(j);
    }
  }
  DocumentShares shares_;
};

/// What the grammar's own choices cost on the measured rows, nats a word.
double derivation_cost(const Recipe& recipe) {
  MillbrookRow row;
  double sum = 0;
  const int n = recipe.network.length;
  for (int i = 0; i < recipe.measured_sequences; ++i) {
    Dice dice(recipe.seed, 2, static_cast<std::uint64_t>(i));  // DataStream::Measured
    row.write(dice, shares_of(recipe), n + 1);
    for (int at = 1; at <= n; ++at) sum += row.costs()[static_cast<std::size_t>(at)];
  }
  return sum / (static_cast<double>(n) * recipe.measured_sequences);
}

enum ReaderGroups { what_it_is, verbs, pronouns, banks };
enum ReaderScores { it_head, verb_head, pronoun_head, bank_head };

class ReaderMaker final : public Maker {
 public:
  explicit ReaderMaker(const Recipe& recipe)
      : shares_(shares_of(recipe)),
        masked_(data_of(recipe, "masked")),
        unknown_(data_of(recipe, "unknown")) {}

  void make(Dice& dice, Example& example) const override {
    thread_local MillbrookRow row;
    const int n = static_cast<int>(example.tokens.size());
    row.write(dice, shares_, n + 1);
    const Lexicon& lex = lexicon();
    for (int i = 0; i < n; ++i) {
      const Word word = row.words()[static_cast<std::size_t>(i)];
      const bool is_content = lex.is_content[static_cast<std::size_t>(word)] != 0;
      example.tokens[static_cast<std::size_t>(i)] =
          is_content && !example.is_test && dice.coin(unknown_) ? lex.unknown : word;
    }
    for (const Link& link : row.links()) {
      // Who "it" is, is told by the adjective; a row that ends before it does not tell.
      const int told_at = link.kind == LinkKind::It ? link.at + 3 : link.at;
      if (told_at >= n) continue;
      example.targets[1][static_cast<std::size_t>(link.at)] =
          example.tokens[static_cast<std::size_t>(link.to)];
      if (example.notes != nullptr) note(link, *example.notes);
    }
    if (!example.is_test) hide(dice, example);
  }
  std::vector<std::string> tokens() const override { return lexicon().words; }

 private:
  void hide(Dice& dice, Example& example) const {
    const Lexicon& lex = lexicon();
    for (std::size_t i = 1; i < example.tokens.size(); ++i) {
      Word& word = example.tokens[i];
      if (word == lex.unknown || !dice.coin(masked_)) continue;
      example.targets[0][i] = word;
      word = lex.mask;
    }
  }
  static void note(const Link& link, Notes& notes) {
    static constexpr int groups[] = {verbs, pronouns, what_it_is, banks},
                         scores[] = {verb_head, pronoun_head, it_head, bank_head};
    const auto kind = static_cast<std::size_t>(link.kind);
    notes.count_row(groups[kind], link.at);
    if (link.kind == LinkKind::Verb && link.at - link.to <= near_subject) return;
    notes.look(scores[kind], link.at);
    notes.key(link.to);
  }
  DocumentShares shares_;
  double masked_, unknown_;
};

void fits_lexicon(const Recipe& recipe) {
  const int words = static_cast<int>(lexicon().words.size());
  expect_field("network.vocabulary", recipe.network.vocabulary, words, "the words of Millbrook");
  for (const ReadOut& read_out : recipe.network.read_outs)
    expect_field("network.read_outs.classes", read_out.classes, words, "the words of Millbrook");
}

Recipe millbrook_recipe(std::string_view key) {
  const int words = static_cast<int>(lexicon().words.size());
  Recipe recipe;
  recipe.task = key;
  recipe.measure_every = 100;
  recipe.measured_sequences = 256;
  recipe.stops_at_goal = false;
  recipe.network.width = 96;
  recipe.network.inner = 384;
  recipe.network.vocabulary = words;
  recipe.network.length = 48;
  recipe.optimiser.decay = 0.05;
  recipe.optimiser.last_rate = 0.05;
  return recipe;
}

TaskRow reader_row(std::string_view key, int layers, int width, int steps) {
  const int words = static_cast<int>(lexicon().words.size());
  TaskRow row;
  row.key = key;
  row.about =
      "Read invented English, fill in masked words and say what each verb, pronoun and \"bank\" refers to: "
      "to answer, "
      "a head must look there.";
  row.groups = {{"it", 1}, {"verbs", 1}, {"pronouns", 1}, {"bank", 1}};
  row.scores = {{"it", what_it_is}, {"verb", verbs}, {"pronoun", pronouns}, {"bank", banks}};
  row.data = {{"lists", 0, 0.5}, {"cross", 0, 0.15}, {"masked", 0, 0.9}, {"unknown", 0, 0.9}};
  row.goal_group = what_it_is;
  row.goal = 0.98;
  Recipe& recipe = row.recipe = millbrook_recipe(key);
  recipe.data = {{"lists", 0.08}, {"cross", 0.12}, {"masked", 0.15}, {"unknown", 0.03}};
  recipe.steps = steps;
  recipe.network.layers = layers;
  recipe.network.width = width;
  recipe.network.inner = 4 * width;
  recipe.network.heads = 4;
  recipe.network.positions = Positions::RopeHalf;
  recipe.network.read_outs = {{words}, {words}};
  recipe.optimiser.rate = 2e-3;
  recipe.optimiser.warm_up = 150;
  row.control = recipe;
  row.control.network.causal = true;
  row.control_words =
      "Under a causal mask \"it\" cannot see the adjective after it, which alone tells the animal from the "
      "street.";
  row.fits = fits_lexicon;
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<ReaderMaker>(of); };
  return row;
}

}  // namespace

TaskRow millbrook_task() {
  TaskRow row;
  row.key = "millbrook";
  row.about =
      "Say the next word of an invented English: agreement, who is meant, and lists that are read twice.";
  row.groups = {
      {"repeated words"}, {"every word"}, {"agreement"}, {"agreement across another noun"}, {"pronouns"}};
  row.scores = {{"subject", agreement}, {"antecedent", who}, {"induction"}, {"previous"}};
  row.data = {{"lists", 0, 0.5}, {"cross", 0, 0.15}};
  row.goal_group = repeated_words;
  row.goal = 0.99;
  row.floor_group = every_word;
  row.floor = derivation_cost;
  row.floor_words = "What the grammar's own choices cost: who gets far below it has read these rows before.";
  Recipe& recipe = row.recipe = millbrook_recipe(row.key);
  recipe.data = {{"lists", 0.16}, {"cross", 0.12}};
  recipe.steps = 2600;
  recipe.network.layers = 2;
  recipe.network.heads = 8;
  recipe.network.causal = true;
  recipe.network.read_outs = {{recipe.network.vocabulary, true, false}};
  recipe.optimiser.rate = 3e-3;
  recipe.optimiser.warm_up = 200;
  row.control = recipe;
  row.control.network.layers = 1;
  row.control_words =
      "One layer has no induction head: it can tell which words were there, not which of them came next, and "
      "many repeats are lost.";
  row.fits = fits_lexicon;
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<MillbrookMaker>(of); };
  return row;
}

TaskRow reader_task() { return reader_row("reader", 3, 96, 2000); }
TaskRow small_reader_task() { return reader_row("small-reader", 2, 64, 1200); }

}  // namespace attnscope::training
