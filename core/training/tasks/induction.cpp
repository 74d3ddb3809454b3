// Induction: random tokens that repeat with a random period. What comes next is known from the second round
// on, to a model that looks for the last time it saw this token and copies what came after.
#include <cmath>

#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

enum Groups { repeats, first_round };
enum Scores { induction, previous };

class InductionMaker final : public Maker {
 public:
  explicit InductionMaker(const Recipe& recipe)
      : tokens_(recipe.network.vocabulary),
        least_(whole_data_of(recipe, "least_period")),
        most_(whole_data_of(recipe, "most_period")) {}

  void make(Dice& dice, Example& example) const override {
    const int n = static_cast<int>(example.tokens.size());
    const int period = dice.between(least_, std::max(least_, most_));
    // Token 0 begins the sequence; token number i of what follows repeats the one a period before.
    const auto at = [&](int i) -> std::int32_t& { return example.tokens[static_cast<std::size_t>(i)]; };
    at(0) = 0;
    for (int i = 1; i <= n; ++i) {
      const std::int32_t next = i <= period ? 1 + dice.below(tokens_ - 1) : at(i - period);
      if (i < n) at(i) = next;
      example.targets[0][static_cast<std::size_t>(i - 1)] = next;
    }
    if (example.notes != nullptr) note(example, period, *example.notes);
  }
  std::vector<std::string> tokens() const override {
    std::vector<std::string> names = numbered_tokens(tokens_);
    names[0] = "<bos>";
    return names;
  }

 private:
  static void note(const Example& example, int period, Notes& notes) {
    const int n = static_cast<int>(example.tokens.size());
    for (int i = 0; i < n; ++i) {
      if (i < period) notes.count_row(first_round, i);
      if (i > 0) {
        notes.look(previous, i);
        notes.key(i - 1);
      }
      if (i < period + 1) continue;
      notes.count_row(repeats, i);
      notes.look(induction, i);
      for (int j = 1; j <= i; ++j)
        if (example.tokens[static_cast<std::size_t>(j - 1)] == example.tokens[static_cast<std::size_t>(i)])
          notes.key(j);
    }
  }
  int tokens_, least_, most_;
};

TaskRow induction_row(std::string_view key, int width, int heads, double rate) {
  TaskRow row;
  row.key = key;
  row.about = "Random tokens that repeat: two layers learn to look back and copy, all at once.";
  row.groups = {{"repeats"}, {"first round"}};
  row.scores = {{"induction"}, {"previous"}};
  row.data = {{"least_period", 1, 1000}, {"most_period", 1, 1000}};
  row.goal_group = repeats;
  row.goal = 0.985;
  row.floor_group = first_round;
  row.floor = [](const Recipe& recipe) { return std::log(recipe.network.vocabulary - 1.0); };
  row.floor_words = "The first round is random: who gets below this line sees the answer.";
  Recipe& recipe = row.recipe;
  recipe.task = key;
  recipe.data = {{"least_period", 6}, {"most_period", 20}};
  recipe.steps = 1500;
  recipe.network.layers = 2;
  recipe.network.width = width;
  recipe.network.heads = heads;
  recipe.network.vocabulary = 32;
  recipe.network.length = 48;
  recipe.network.positions = Positions::RopeHalf;
  recipe.network.causal = true;
  recipe.network.read_outs = {{32, false, false}};
  recipe.optimiser.rate = rate;
  row.control = recipe;
  row.control.network.layers = 1;
  row.control_words =
      "One layer cannot know what stood before a key: a head of an earlier layer has to write it there.";
  row.fits = [](const Recipe& of) {
    expect_field("network.read_outs.classes", of.network.read_outs[0].classes, of.network.vocabulary,
                 "the tokens");
  };
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<InductionMaker>(of); };
  return row;
}

}  // namespace

TaskRow induction_task() { return induction_row("induction", 64, 4, 1e-3); }
TaskRow small_induction_task() { return induction_row("small-induction", 32, 2, 3e-3); }

}  // namespace attnscope::training
