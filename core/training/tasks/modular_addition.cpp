// Modular addition: a b = gives a + b mod p. A share of all pairs is trained on; the others are the test. The
// network knows the training pairs by heart long before it understands the rest (Power et al. 2022).
#include <numeric>

#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

enum ModularGroups { test_pairs, training_pairs };

class ModularMaker final : public Maker {
 public:
  explicit ModularMaker(const Recipe& recipe) : modulus_(recipe.network.vocabulary - 1) {
    pairs_.resize(static_cast<std::size_t>(modulus_) * static_cast<std::size_t>(modulus_));
    std::iota(pairs_.begin(), pairs_.end(), 0);
    Dice dice(recipe.seed, stream_of("pairs"), 0);
    dice.shuffle(pairs_);
    trained_ = static_cast<int>(data_of(recipe, "share") * static_cast<double>(pairs_.size()));
  }

  void make(Dice& dice, Example& example) const override {
    const int count = static_cast<int>(pairs_.size());
    // Every second sequence of the evaluation is a pair that was trained on.
    const bool trained = !example.is_test || dice.coin(0.5) || trained_ == count;
    const int pair = pairs_[static_cast<std::size_t>(trained ? dice.below(trained_)
                                                             : trained_ + dice.below(count - trained_))];
    const std::int32_t a = pair / modulus_, b = pair % modulus_;
    example.tokens[0] = a;
    example.tokens[1] = b;
    example.tokens[2] = modulus_;
    example.targets[0][2] = (a + b) % modulus_;
    if (example.notes == nullptr) return;
    example.notes->count_row(trained ? training_pairs : test_pairs, 2);
    example.notes->look(0, 2);
    example.notes->key(0);
    example.notes->key(1);
  }
  std::vector<std::string> tokens() const override {
    std::vector<std::string> names;
    for (int i = 0; i < modulus_; ++i) names.push_back(std::to_string(i));
    names.emplace_back("=");
    return names;
  }

 private:
  int modulus_, trained_ = 1;
  std::vector<std::int32_t> pairs_;
};

}  // namespace

TaskRow modular_addition_task() {
  TaskRow row;
  row.key = "modular-addition";
  row.about = "a + b mod 23 from 60 % of the pairs: learned by heart first, understood much later.";
  row.groups = {{"test pairs"}, {"training pairs"}};
  row.scores = {{"both numbers"}};
  row.data = {{"share", 0.05, 1}};
  row.goal_group = test_pairs;
  row.goal = 0.99;
  Recipe& recipe = row.recipe;
  recipe.task = row.key;
  recipe.data = {{"share", 0.6}};
  recipe.steps = 6000;
  recipe.batch = 256;
  recipe.measure_every = 100;
  recipe.measured_sequences = 512;
  recipe.network.width = 64;
  recipe.network.heads = 4;
  recipe.network.inner = 256;
  recipe.network.vocabulary = 24;
  recipe.network.length = 3;
  recipe.network.causal = true;
  recipe.network.read_outs = {{24}};
  recipe.optimiser.rate = 3e-3;
  recipe.optimiser.warm_up = 20;
  recipe.optimiser.schedule = Schedule::Constant;
  recipe.optimiser.decay = 1;
  recipe.optimiser.beta_square = 0.98;
  row.control = recipe;
  row.control.steps = 1000;
  row.control.data = {{"share", 0.3}};
  row.control_words =
      "From 30 % of the pairs it learns those by heart, and finds no rule that fits the others.";
  row.fits = [](const Recipe& of) {
    expect_field("network.length", of.network.length, 3, "a, b and =");
    expect_field("network.read_outs.classes", of.network.read_outs[0].classes, of.network.vocabulary,
                 "the tokens");
  };
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<ModularMaker>(of); };
  return row;
}

}  // namespace attnscope::training
