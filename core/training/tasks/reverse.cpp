// Reverse: the answer at row i is the token at row n − 1 − i.
#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

class ReverseMaker final : public Maker {
 public:
  explicit ReverseMaker(const Recipe& recipe) : tokens_(recipe.network.vocabulary) {}

  void make(Dice& dice, Example& example) const override {
    const int n = static_cast<int>(example.tokens.size());
    for (std::int32_t& token : example.tokens) token = dice.below(tokens_);
    for (int i = 0; i < n; ++i) {
      const int from = n - 1 - i;
      example.targets[0][static_cast<std::size_t>(i)] = example.tokens[static_cast<std::size_t>(from)];
      if (example.notes == nullptr) continue;
      example.notes->count_row(0, i);
      example.notes->look(0, i);
      example.notes->key(from);
    }
  }
  std::vector<std::string> tokens() const override { return numbered_tokens(tokens_); }

 private:
  int tokens_;
};

}  // namespace

TaskRow reverse_task() {
  TaskRow row;
  row.key = "reverse";
  row.about = "Say the tokens in the opposite order: one head learns the anti-diagonal.";
  row.groups = {{"answers"}};
  row.scores = {{"mirror"}};
  row.goal = 0.999;
  Recipe& recipe = row.recipe;
  recipe.task = row.key;
  recipe.steps = 1500;
  recipe.measure_every = 10;
  recipe.measured_sequences = 128;
  recipe.network.vocabulary = 16;
  recipe.network.length = 12;
  recipe.network.read_outs = {{16}};
  row.control = recipe;
  row.control.network.positions = Positions::RopeHalf;
  row.control.optimiser.rate = 5e-3;
  row.control_words =
      "Rotary positions know how far two tokens are apart, not where they stand: one layer cannot find the "
      "mirror.";
  row.fits = [](const Recipe& of) {
    expect_field("network.read_outs.classes", of.network.read_outs[0].classes, of.network.vocabulary,
                 "the tokens");
  };
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<ReverseMaker>(of); };
  return row;
}

}  // namespace attnscope::training
