// app/views: the controls of a whole block of numbers: gain, initialiser, seed, zero and reset.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "app/kit/ui/number_format.hpp"
#include "app/state/window_state.hpp"
#include "app/views/editing/places.hpp"
#include "app/views/editing/weight_map.hpp"
#include "core/edits/edits.hpp"

namespace attnscope {
namespace {

/// Draws the controls from left to right.
class BlockBar {
 public:
  BlockBar(Scene& scene, const Box& area, Editable block)
      : scene_(scene), ui_(scene.ui), area_(area), block_(block) {
    x_ = area.x;
  }

  void run() {
    const bool is_matrix = projection_of(block_).has_value();
    if (block_ == Editable::Input || is_matrix) draw(scene_.compact ? 132 : 168, 36, &BlockBar::gain);
    if (is_matrix) {
      draw(scene_.compact ? 124 : 144, 28, &BlockBar::initialiser);
      draw(104, 28, &BlockBar::seed);
    }
    draw(56, 28, &BlockBar::zero);
    if (can_reset(scene_.document, block_)) draw(60, 28, &BlockBar::reset);
  }

 private:
  /// Draws the next control if there is room for it.
  void draw(float logical_width, float logical_height, void (BlockBar::*control)(const Box&)) {
    const float gap = ui_.px(scene_.compact ? 8 : 12);
    const Box box{x_, std::round(area_.y + (ui_.px(36) - ui_.px(logical_height)) / 2), ui_.px(logical_width),
                  ui_.px(logical_height)};
    if (box.right() > area_.right()) return;
    x_ += box.w + gap;
    (this->*control)(box);
  }

  void change(const std::function<Document(Document)>& edit) {
    try {
      scene_.document = edit(scene_.document);
    } catch (const std::exception& error) {
      scene_.view.notices.say(error.what());
    }
  }

  void gain(const Box& box) {
    const float now = gain_of(scene_.document, block_);
    const std::string formula = block_ == Editable::Input
                                    ? "X = gain · E + P"
                                    : own(symbol(block_)) + " = gain · " + own(symbol(block_));
    if (const auto factor = slider(ui_, "Gain", "gain", fixed(static_cast<double>(now), 2), box, now,
                                   {0.1f, 10, 1, true}, now != 1,
                                   {"Gain", formula,
                                    "Larger queries or keys give larger scores: a sharper softmax. It stays "
                                    "when the text or the seed changes."}))
      change([&](Document d) { return edit::gain(std::move(d), block_, std::clamp(*factor, 1e-3f, 1e3f)); });
  }

  /// The name of the block's initialiser, or of its origin if it has none.
  std::string drawn_with() const {
    const Weights w = scene_.document.layer().weights;
    if (const auto& own = w.of(*projection_of(block_)).drawn)
      return initialisers[static_cast<std::size_t>(own->initialiser)].name;
    const Recipe recipe = w.recipe == Recipe::Given ? w.made_by : w.recipe;
    if (recipe == Recipe::HandBuilt) return "Built by hand";
    if (recipe == Recipe::Random) return initialisers[static_cast<std::size_t>(w.initialiser)].name;
    return "Given";
  }

  std::uint64_t own_seed() const {
    const Weights w = scene_.document.layer().weights;
    const auto& own = w.of(*projection_of(block_)).drawn;
    return own ? own->seed : w.seed;
  }

  void initialiser(const Box& box) {
    const auto own = scene_.document.layer().weights.of(*projection_of(block_)).drawn;
    drop(
        ui_, "Block initialiser", box, drawn_with(),
        {"Initialiser", "of this block alone", "Draws its numbers anew; edits by hand are discarded."}, [&] {
          for (std::size_t i = 0; i < initialisers.size(); ++i) {
            const auto kind = static_cast<Initialiser>(i);
            if (menu_row(ui_, initialisers[i].name, initialisers[i].formula, own && own->initialiser == kind))
              change([&](Document d) { return edit::initialise(std::move(d), block_, kind, own_seed()); });
          }
          if (own && menu_row(ui_, "As the other blocks", "no longer by itself"))
            change([&](Document d) { return edit::undrawn(std::move(d), block_); });
        });
  }

  void seed(const Box& box) {
    const auto now = static_cast<std::int64_t>(own_seed());
    const auto own = scene_.document.layer().weights.of(*projection_of(block_)).drawn;
    const Initialiser kind = own ? own->initialiser : scene_.document.layer().weights.initialiser;
    if (const auto chosen =
            stepper(ui_, "Block seed", box, now, [&](int step) { return now + step; },
                    {"Seed", "same seed, same bits",
                     "Of this block alone: another seed draws it anew with its initialiser."}))
      change([&](Document d) {
        return edit::initialise(std::move(d), block_, kind,
                                static_cast<std::uint64_t>(std::max<std::int64_t>(0, *chosen)));
      });
  }

  void zero(const Box& box) {
    if (button(ui_, "Zero", box, {"Zero the block", {}, "To see what the layer does without it."}))
      change([&](Document d) { return edit::zero(std::move(d), block_); });
  }

  void reset(const Box& box) {
    if (button(ui_, "Reset", box, {"Reset the block", {}, "Every number as it was made; the gain stays."}))
      change([&](Document d) { return edit::reset(std::move(d), block_); });
  }

  Scene& scene_;
  const Ui& ui_;
  const Box area_;
  const Editable block_;
  float x_ = 0;
};

}  // namespace

void draw_block_bar(Scene& scene, const Box& area, Editable block) { BlockBar(scene, area, block).run(); }

}  // namespace attnscope
