// Brackets (Dyck-2): two kinds of brackets, nested at most `depth` deep. Which kind closes next is certain;
// whether one closes or opens is not. Tokens: 0 begins, 1 2 open, 3 4 close.
#include <vector>

#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

constexpr int far_distance = 8;
enum BracketGroups { closers, far_closers, every_row };

class BracketsMaker final : public Maker {
 public:
  explicit BracketsMaker(const Recipe& recipe)
      : depth_(whole_data_of(recipe, "depth")), pool_(whole_data_of(recipe, "pool")), seed_(recipe.seed) {}

  void make(Dice& dice, Example& example) const override {
    if (example.is_test || pool_ == 0) return write(dice, example);
    // A pool of sequences that come again and again, as in a book that is read more than once.
    Dice member(seed_, stream_of("brackets"), static_cast<std::uint64_t>(dice.below(pool_)));
    write(member, example);
  }
  std::vector<std::string> tokens() const override { return {"<bos>", "(", "[", ")", "]"}; }

 private:
  struct Open {
    std::int32_t kind, place;
  };
  void write(Dice& dice, Example& example) const {
    constexpr int most_depth = 64;
    Open open[most_depth];
    int depth = 0;
    const int n = static_cast<int>(example.tokens.size());
    example.tokens[0] = 0;
    for (int i = 1; i <= n; ++i) {
      std::int32_t token = 0;
      int opener = -1;
      if (depth == 0 || (depth < depth_ && dice.coin(0.5))) {
        const std::int32_t kind = dice.below(2);
        open[depth++] = {kind, i};
        token = 1 + kind;
      } else {
        const Open last = open[--depth];
        token = 3 + last.kind;
        opener = last.place;
      }
      if (i < n) example.tokens[static_cast<std::size_t>(i)] = token;
      example.targets[0][static_cast<std::size_t>(i - 1)] = token;
      if (example.notes != nullptr) note(i - 1, token, opener, *example.notes);
    }
  }
  /// `row` predicts a token, which closes the bracket at `opener` where there is one.
  static void note(int row, std::int32_t token, int opener, Notes& notes) {
    notes.count_row(every_row, row);
    if (opener < 0) return;
    // Whether a bracket opens or closes is a matter of chance; which kind closes is not.
    const std::int32_t other = token == 3 ? 4 : 3;
    notes.count_row(closers, row);
    notes.rival(other);
    if (row + 1 - opener > far_distance) {
      notes.count_row(far_closers, row);
      notes.rival(other);
    }
    notes.look(0, row);
    notes.key(opener);
  }
  int depth_, pool_;
  std::uint64_t seed_;
};

}  // namespace

TaskRow brackets_task() {
  TaskRow row;
  row.key = "brackets";
  row.about = "Two kinds of nested brackets: the row before a closing one finds the bracket that it closes.";
  row.groups = {{"closers"}, {"far closers"}, {"every row"}};
  row.scores = {{"opener"}};
  row.data = {{"depth", 1, 64}, {"pool", 0, 1e6}};
  row.goal_group = closers;
  row.goal = 0.995;
  Recipe& recipe = row.recipe;
  recipe.task = row.key;
  recipe.data = {{"depth", 6}, {"pool", 4000}};
  recipe.steps = 2500;
  recipe.measured_sequences = 128;
  recipe.network.layers = 2;
  recipe.network.width = 64;
  recipe.network.heads = 4;
  recipe.network.inner = 128;
  recipe.network.vocabulary = 5;
  recipe.network.length = 32;
  recipe.network.positions = Positions::RopeHalf;
  recipe.network.causal = true;
  recipe.network.read_outs = {{5, false, false}};
  recipe.optimiser.rate = 3e-3;
  row.control = recipe;
  row.control.network.layers = 1;
  row.control.steps = 800;
  row.control_words =
      "One layer matches brackets that stand close together and loses those more than 8 tokens apart.";
  row.fits = [](const Recipe& of) {
    expect_field("network.vocabulary", of.network.vocabulary, 5, "a beginning and four brackets");
    expect_field("network.read_outs.classes", of.network.read_outs[0].classes, 5,
                 "a beginning and four brackets");
  };
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<BracketsMaker>(of); };
  return row;
}

}  // namespace attnscope::training
