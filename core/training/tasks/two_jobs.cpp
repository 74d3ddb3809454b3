// Two jobs, two heads: one read-out names the previous token, the other the first one.
#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

class TwoJobsMaker final : public Maker {
 public:
  explicit TwoJobsMaker(const Recipe& recipe) : tokens_(recipe.network.vocabulary) {}

  void make(Dice& dice, Example& example) const override {
    for (std::int32_t& token : example.tokens) token = dice.below(tokens_);
    for (std::size_t i = 1; i < example.tokens.size(); ++i) {
      example.targets[0][i] = example.tokens[i - 1];
      example.targets[1][i] = example.tokens[0];
      if (example.notes != nullptr) note(static_cast<int>(i), *example.notes);
    }
  }
  std::vector<std::string> tokens() const override { return numbered_tokens(tokens_); }

 private:
  static void note(int row, Notes& notes) {
    for (const int job : {0, 1}) {
      notes.count_row(job, row);
      notes.look(job, row);
      notes.key(job == 0 ? row - 1 : 0);
    }
  }
  int tokens_;
};

}  // namespace

TaskRow two_jobs_task() {
  TaskRow row;
  row.key = "two-jobs";
  row.about =
      "Name the previous token and the first one: two heads share the work; the seed decides which does "
      "what.";
  row.groups = {{"previous", 0}, {"first", 1}};
  row.scores = {{"previous", 0}, {"first", 1}};
  row.goal = 0.995;
  Recipe& recipe = row.recipe;
  recipe.task = row.key;
  recipe.steps = 600;
  recipe.measured_sequences = 128;
  recipe.stops_at_goal = false;
  recipe.network.vocabulary = 16;
  recipe.network.heads = 2;
  recipe.network.causal = true;
  recipe.network.read_outs = {{16}, {16}};
  recipe.optimiser.rate = 5e-3;
  recipe.optimiser.clip = 0;
  row.control = recipe;
  row.control.network.heads = 1;
  row.control.network.head_width = 2;
  row.control_words =
      "One head of two dimensions: a mean of two tokens in so little room does not name both.";
  row.fits = [](const Recipe& of) {
    for (const ReadOut& read_out : of.network.read_outs)
      expect_field("network.read_outs.classes", read_out.classes, of.network.vocabulary, "the tokens");
  };
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<TwoJobsMaker>(of); };
  return row;
}

}  // namespace attnscope::training
