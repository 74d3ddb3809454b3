// app/pages/lessons: the controls of a lesson that trains: they act on the run on screen, from its
// next step on.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/marks.hpp"
#include "app/pages/lessons/controls.hpp"
#include "app/training/acts.hpp"
#include "app/training/panels.hpp"
#include "app/training/run_words.hpp"
#include "app/training/training_runs.hpp"

namespace attnscope {
namespace {

const training::LabRun* lesson_run(const LessonPage& page) {
  return page.scene.training != nullptr ? page.scene.training->shown_lab().run() : nullptr;
}

/// Changes the knobs of the run that is being trained.
void turn_knobs(LessonPage& page, std::function<void(training::Knobs&)> turn) {
  if (lesson_run(page) != nullptr && !page.covered) page.scene.training->lab()->turn_knobs(std::move(turn));
}

/// "▶  step 300 of 1,500"
float draw_play_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  const training::LabRun* const run = lesson_run(page);
  if (run == nullptr) return 0;
  const bool plays = lab_of(page.scene.view).playing;
  const Box box{at.x, at.centre_y() - ui.px(14), ui.px(96), ui.px(28)};
  if (button(ui, "Train", box,
             {plays ? "Pause" : "Train", {}, "Trains from the newest step on; a second press pauses it.", {}},
             plays ? "❚❚ Pause" : "▶ Train") &&
      !page.covered)
    lab_play(page.scene);
  const std::string words =
      "step " + grouped(run->step) + " of " + grouped(page.scene.training->shown_lab().recipe->steps);
  const float wide = ui.text(box.right() + ui.px(10), at.centre_y(), words, {type::label, ui.theme.text2});
  return box.w + ui.px(10) + wide;
}

float draw_branch_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  const training::LabRun* const run = lesson_run(page);
  if (run == nullptr) return 0;
  const std::int64_t step = std::min(lab_of(page.scene.view).step.value_or(run->step), run->step);
  const std::string words = "Branch from step " + grouped(step);
  const Box box{at.x, at.centre_y() - ui.px(14), ui.text_width(words, type::label, Ink::Medium) + ui.px(24),
                ui.px(28)};
  if (button(ui, "Branch", box,
             {"Branch", {}, "A run of its own from here, to change one thing in; both curves stay.", {}},
             words) &&
      !page.covered)
    lab_branch(page.scene);
  return box.w;
}

/// Trains the same recipe to the same step from another seed: other initial weights and data.
float draw_training_seed_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  LabState& state = lab_of(page.scene.view);
  const float name = ui.text(at.x, at.centre_y(), "seed", {type::label, ui.theme.text2}) + ui.px(10);
  const Box box{at.x + name, at.centre_y() - ui.px(13), ui.px(96), ui.px(26)};
  const auto chosen = stepper(
      ui, "seed", box, state.seed, [&](int by) { return std::max<std::int64_t>(0, state.seed + by); },
      {"Seed", {}, "Other weights and other data; the run is trained again, as far as this step needs.", {}});
  if (chosen && *chosen >= 0 && !page.covered && page.scene.training != nullptr) {
    LabState other = lessons::state_of(page.step.trained, state);
    other.seed = *chosen;
    state = other;
    page.scene.training->stand(state, lessons::stand_of(page.step.trained, state));
  }
  return name + box.w;
}

float draw_rate_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  const training::LabRun* const run = lesson_run(page);
  if (run == nullptr) return 0;
  const double recipes = page.scene.training->shown_lab().recipe->optimiser.rate;
  const Box row{at.x, at.centre_y() - ui.px(20), ui.px(190), ui.px(36)};
  if (const auto rate = lab_rate_slider(ui, row, run->knobs.rate_factor * recipes, recipes))
    turn_knobs(page, [factor = *rate / recipes](training::Knobs& knobs) { knobs.rate_factor = factor; });
  return row.w;
}

float draw_scale_control(LessonPage& page, const Box& at) {
  const training::LabRun* const run = lesson_run(page);
  if (run == nullptr) return 0;
  bool clicked = false;
  const bool on = run->knobs.operation.scaled;
  const float width = draw_lesson_switch(
      page, at, "Divide by sqrt(d_k)", "Divide by √dₖ", on,
      {"Divide by √dₖ", "S ÷ √dₖ", "Entropy, accuracy and the score gradients show what it is for.", {}},
      clicked);
  if (clicked) turn_knobs(page, [on](training::Knobs& knobs) { knobs.operation.scaled = !on; });
  return width;
}

float draw_mask_control(LessonPage& page, const Box& at) {
  const training::LabRun* const run = lesson_run(page);
  if (run == nullptr) return 0;
  bool clicked = false;
  const bool on = run->knobs.operation.causal;
  const float width = draw_lesson_switch(page, at, "Causal", "causal mask", on,
                                         {"Causal mask", "j ≤ i", "No query sees a later key.", {}}, clicked);
  if (clicked) turn_knobs(page, [on](training::Knobs& knobs) { knobs.operation.causal = !on; });
  return width;
}

/// A badge for each head, struck through while it is zero-ablated.
float draw_training_mute_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  const training::LabRun* const run = lesson_run(page);
  if (run == nullptr) return 0;
  const training::Recipe& recipe = *page.scene.training->shown_lab().recipe;
  const std::int64_t heads = std::int64_t{recipe.network.layers} * recipe.network.heads;
  float x = at.x + ui.text(at.x, at.centre_y(), "mute", {type::label, ui.theme.text2}) + ui.px(10);
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::string name = lab_head_name(recipe, head);
    const Box chip{x, at.centre_y() - ui.px(12), ui.px(42), ui.px(24)};
    const auto& muted = run->knobs.operation.muted;
    const auto place = static_cast<std::size_t>(head);
    const bool is_muted = place < muted.size() && muted[place] != 0;
    const Ui::Touch touch = ui.touch(("Mute " + name).c_str(), chip);
    const Rgba hue = ui.theme.head(head);
    badge(ui, chip, own(name), is_muted ? ui.theme.control : fade(hue, touch.hovered ? 0.5f : 0.3f),
          is_muted ? ui.theme.text3 : hue);
    if (is_muted) ui.horizontal(chip.x + ui.px(4), chip.centre_y(), chip.w - ui.px(8), ui.theme.text2);
    if (touch.focused) ui.frame(chip.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(4));
    tooltip(ui, touch.hovered, chip, {"Mute", {}, "The head gives zeros from the next step on.", {}});
    if (touch.clicked && !page.covered) lab_mute(page.scene, head);
    x = chip.right() + ui.px(4);
  }
  return x - at.x;
}

constexpr auto controls_of_training = std::to_array<NamedControl>({{"play", draw_play_control},
                                                                   {"branch", draw_branch_control},
                                                                   {"seed", draw_training_seed_control},
                                                                   {"rate", draw_rate_control},
                                                                   {"scale", draw_scale_control},
                                                                   {"mask", draw_mask_control},
                                                                   {"mute", draw_training_mute_control}});
static_assert(controls_of_training.size() == lessons::training_control_names.size());

}  // namespace

std::span<const NamedControl> training_controls() { return controls_of_training; }

}  // namespace attnscope
