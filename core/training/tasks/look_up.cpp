// Same-letter look-up: objects (a letter with a colour) in any order, then letters; each answer is the colour
// of the object with that letter. Token letter · colours + colour is an object, letters · colours + letter a
// question.
#include <numeric>

#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

class LookUpMaker final : public Maker {
 public:
  explicit LookUpMaker(const Recipe& recipe)
      : letters_(whole_data_of(recipe, "letters")), colours_(whole_data_of(recipe, "colours")) {}

  void make(Dice& dice, Example& example) const override {
    thread_local std::vector<int> order, colour, place;  // kept: a step makes nothing new
    order.resize(static_cast<std::size_t>(letters_));
    colour.resize(order.size());
    place.resize(order.size());
    std::iota(order.begin(), order.end(), 0);
    dice.shuffle(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto letter = static_cast<std::size_t>(order[i]);
      colour[letter] = dice.below(colours_);
      place[letter] = static_cast<int>(i);
      example.tokens[i] = order[i] * colours_ + colour[letter];
    }
    dice.shuffle(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t row = order.size() + i;
      const auto letter = static_cast<std::size_t>(order[i]);
      example.tokens[row] = letters_ * colours_ + order[i];
      example.targets[0][row] = colour[letter];
      if (example.notes == nullptr) continue;
      example.notes->count_row(0, static_cast<int>(row));
      example.notes->look(0, static_cast<int>(row));
      example.notes->key(place[letter]);
    }
  }
  std::vector<std::string> tokens() const override {
    std::vector<std::string> names;
    for (int letter = 0; letter < letters_; ++letter)
      for (int colour = 0; colour < colours_; ++colour)
        names.push_back(std::string(1, static_cast<char>('a' + letter)) + std::to_string(colour));
    for (int letter = 0; letter < letters_; ++letter)
      names.push_back(std::string(1, static_cast<char>('a' + letter)) + "?");
    return names;
  }

 private:
  int letters_, colours_;
};

}  // namespace

TaskRow look_up_task() {
  TaskRow row;
  row.key = "look-up";
  row.about = "Which colour has the object with this letter? One head without positions finds it by content.";
  row.groups = {{"answers"}};
  row.scores = {{"same letter"}};
  row.data = {{"letters", 2, 26}, {"colours", 2, 9}};
  row.goal = 0.995;
  Recipe& recipe = row.recipe;
  recipe.task = row.key;
  recipe.data = {{"letters", 8}, {"colours", 4}};
  recipe.steps = 600;
  recipe.measured_sequences = 128;
  recipe.network.vocabulary = 8 * 4 + 8;
  recipe.network.positions = Positions::None;
  recipe.network.causal = true;
  recipe.network.read_outs = {{4}};
  recipe.optimiser.rate = 3e-3;
  row.control = recipe;
  row.control.steps = 400;
  row.control.network.width = 64;
  row.control.network.head_width = 256;
  row.control.network.scaled = false;
  row.control.network.drawing.gain = 2;
  row.control.optimiser.rate = 1e-3;
  row.control_words =
      "Without 1/√d_k the scores of 256 dimensions are large from the start: softmax is all but one-hot, and "
      "most "
      "queries get almost no gradient.";
  row.fits = [](const Recipe& of) {
    const int letters = whole_data_of(of, "letters"), colours = whole_data_of(of, "colours");
    expect_field("network.vocabulary", of.network.vocabulary, letters * (colours + 1),
                 "objects and questions");
    expect_field("network.length", of.network.length, 2 * letters,
                 "an object and a question for each letter");
    expect_field("network.read_outs.classes", of.network.read_outs[0].classes, colours, "the colours");
  };
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<LookUpMaker>(of); };
  return row;
}

}  // namespace attnscope::training
