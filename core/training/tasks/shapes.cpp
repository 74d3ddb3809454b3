// Shapes: a square, a circle, a triangle or a cross in 16 × 16 grey pixels with noise, cut into 16 patches of
// 4 × 4. The class token answers.
#include <array>
#include <cmath>

#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

constexpr int picture_side = 16, square_side = 4, patches_across = picture_side / square_side;
constexpr double on_shape = 0.05;  // a patch touches the shape when so much of it does

struct Shape4 {
  int kind;
  double x, y, radius;
  bool covers(double px, double py) const {
    const double dx = px - x, dy = py - y;
    switch (kind) {
      case 0: return std::abs(dx) <= 0.9 * radius && std::abs(dy) <= 0.9 * radius;
      case 1: return dx * dx + dy * dy <= radius * radius;
      case 2: return dy <= 0.9 * radius && dy >= -radius && std::abs(dx) <= 0.55 * (dy + radius);
      default:
        return (std::abs(dx) <= 0.9 && std::abs(dy) <= radius) ||
               (std::abs(dy) <= 0.9 && std::abs(dx) <= radius);
    }
  }
};

class ShapesMaker final : public Maker {
 public:
  explicit ShapesMaker(const Recipe& recipe) : noise_(data_of(recipe, "noise")) {}

  void make(Dice& dice, Example& example) const override {
    Shape4 shape{};
    shape.kind = dice.below(4);
    shape.radius = 3 + 2 * dice.uniform();
    shape.x = 5 + 6 * dice.uniform();
    shape.y = 5 + 6 * dice.uniform();
    const double brightness = 0.5 + 0.5 * dice.uniform();
    std::array<int, patches_across * patches_across> covered{};
    for (int y = 0; y < picture_side; ++y) {
      for (int x = 0; x < picture_side; ++x) {
        const int patch = y / square_side * patches_across + x / square_side;
        const bool on = shape.covers(x, y);
        covered[static_cast<std::size_t>(patch)] += on ? 1 : 0;
        example.patches[static_cast<std::size_t>(patch * square_side * square_side +
                                                 y % square_side * square_side + x % square_side)] =
            static_cast<float>((on ? brightness : 0.0) + noise_ * dice.normal());
      }
    }
    example.targets[0][0] = shape.kind;
    if (example.notes == nullptr) return;
    example.notes->count_row(0, 0);
    example.notes->look(0, 0);
    for (std::size_t patch = 0; patch < covered.size(); ++patch)
      if (covered[patch] > on_shape * square_side * square_side)
        example.notes->key(static_cast<int>(patch) + 1);
  }
  std::vector<std::string> tokens() const override { return {}; }

 private:
  double noise_;
};

}  // namespace

TaskRow shapes_task() {
  TaskRow row;
  row.key = "shapes";
  row.about = "Which shape is in the picture? The class token learns to look at the patches that hold it.";
  row.classes = {"square", "circle", "triangle", "cross"};
  row.groups = {{"answers"}};
  row.scores = {{"on the shape"}};
  row.data = {{"noise", 0, 2}};
  row.goal = 0.97;
  Recipe& recipe = row.recipe;
  recipe.task = row.key;
  recipe.data = {{"noise", 0.15}};
  recipe.steps = 3000;
  recipe.batch = 64;
  recipe.measured_sequences = 512;
  recipe.network.layers = 2;
  recipe.network.width = 48;
  recipe.network.heads = 4;
  recipe.network.inner = 96;
  recipe.network.patch = square_side * square_side;
  recipe.network.length = patches_across * patches_across + 1;
  recipe.network.read_outs = {{4}};
  recipe.optimiser.rate = 3e-3;
  row.control = recipe;
  row.control.steps = 400;
  row.control.network.causal = true;
  row.control_words = "The class token stands first: under a causal mask it sees no patch, and guesses.";
  row.fits = [](const Recipe& of) {
    expect_field("network.patch", of.network.patch, square_side * square_side, "pixels of a patch");
    expect_field("network.length", of.network.length, patches_across * patches_across + 1,
                 "patches and class token");
    expect_field("network.read_outs.classes", of.network.read_outs[0].classes, 4, "the shapes");
  };
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<ShapesMaker>(of); };
  return row;
}

}  // namespace attnscope::training
