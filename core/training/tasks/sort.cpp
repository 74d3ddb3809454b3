// Sort: distinct values, a separator, then the same values in order; only the second half is asked for.
#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

class SortMaker final : public Maker {
 public:
  explicit SortMaker(const Recipe& recipe) : values_(recipe.network.vocabulary - 1) {}

  void make(Dice& dice, Example& example) const override {
    thread_local std::vector<std::int32_t> all;
    all.resize(static_cast<std::size_t>(values_));
    std::iota(all.begin(), all.end(), 0);
    dice.shuffle(all);
    const std::size_t count = example.tokens.size() / 2;  // length 2 · count
    std::copy_n(all.begin(), count, example.tokens.begin());
    example.tokens[count] = values_;
    std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = count + i;
      if (i + 1 < count) example.tokens[row + 1] = all[i];
      example.targets[0][row] = all[i];
      if (example.notes == nullptr) continue;
      example.notes->count_row(0, static_cast<int>(row));
      example.notes->look(0, static_cast<int>(row));
      const auto cells = example.tokens.first(count);
      example.notes->key(static_cast<int>(std::ranges::find(cells, all[i]) - cells.begin()));
    }
  }
  std::vector<std::string> tokens() const override {
    std::vector<std::string> names;
    for (int i = 0; i < values_; ++i) names.push_back(std::to_string(i));
    names.emplace_back("<sep>");
    return names;
  }

 private:
  int values_;
};

}  // namespace

TaskRow sort_task() {
  TaskRow row;
  row.key = "sort";
  row.about = "Say ten numbers in order: each row looks for the next larger one.";
  row.groups = {{"answers"}};
  row.scores = {{"next value"}};
  row.goal = 0.995;
  Recipe& recipe = row.recipe;
  recipe.task = row.key;
  recipe.steps = 3000;
  recipe.batch = 64;
  recipe.measured_sequences = 128;
  recipe.network.width = 64;
  recipe.network.heads = 2;
  recipe.network.vocabulary = 25;
  recipe.network.length = 20;
  recipe.network.causal = true;
  recipe.network.read_outs = {{25}};
  row.control = recipe;
  row.control.steps = 600;
  row.control.network.positions = Positions::None;
  row.control.network.heads = 1;
  row.control.network.head_width = 4;
  row.control_words = "One head of four dimensions has no room to tell two dozen values apart.";
  row.fits = [](const Recipe& of) {
    const int count = of.network.length / 2;
    expect_field("network.length", of.network.length, 2 * count, "as many values twice");
    if (count >= of.network.vocabulary)
      throw Error("network.vocabulary is too small: the values of a sequence are all different.");
    expect_field("network.read_outs.classes", of.network.read_outs[0].classes, of.network.vocabulary,
                 "the tokens");
  };
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<SortMaker>(of); };
  return row;
}

}  // namespace attnscope::training
