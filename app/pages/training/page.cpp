#include "app/pages/training/page.hpp"

#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/training/acts.hpp"
#include "app/pages/training/parts.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/window_state.hpp"
#include "app/training/run_words.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// An action of this page; it also works without scores, as long contexts have none.
constexpr Action training_action(std::string_view id, Action action) {
  action.only = Mode::Training;
  action.needs_scores = false;
  action.id = id;
  return action;
}

template <std::int64_t Head>
void lab_mute_of(Scene& scene) {
  lab_mute(scene, Head);
}

constexpr auto in_training = Action::Group::Training;
constexpr Action training_actions[] = {
    training_action("training_play", {in_training, "Train, or pause", ImGuiKey_Space, lab_play}),
    training_action("training_step", {in_training, "Train one step", ImGuiKey_S, lab_step, true}),
    training_action("training_back_in_time",
                    {in_training, "Back in time", ImGuiKey_LeftArrow, lab_before, true}),
    training_action("training_on_in_time", {in_training, "On in time", ImGuiKey_RightArrow, lab_after, true}),
    training_action("training_branch", {in_training, "Branch from this step", ImGuiKey_B, lab_branch}),
    training_action("training_seed_wall",
                    {in_training, "Run the wall of seeds, or stop", ImGuiKey_W, lab_wall}),
    training_action("training_mute_first_head",
                    {in_training, "Mute the first head", ImGuiKey_1, lab_mute_of<0>}),
    training_action("training_mute_second_head",
                    {in_training, "Mute the second head", ImGuiKey_2, lab_mute_of<1>}),
    training_action("training_mute_third_head",
                    {in_training, "Mute the third head", ImGuiKey_3, lab_mute_of<2>}),
    training_action("training_mute_fourth_head",
                    {in_training, "Mute the fourth head", ImGuiKey_4, lab_mute_of<3>}),
};

constexpr PageFacts training_facts{
    .mode = Mode::Training,
    .name = "Training",
    .tip = {"Training",
            {},
            "Small models learn while you watch: curves, heads, branches, many seeds.",
            "F10"},
    .open = {Action::Group::Look,
             "Training",
             ImGuiKey_F10,
             [](Scene& scene) { scene.view.mode = Mode::Training; },
             false,
             {},
             false,
             {},
             "training_page"},
    .actions = training_actions,
    .leaves_letters_to_presenter = true,
    .leaves_up_and_down = [](const ViewState&) { return true; },
    .status = [](const Scene& scene) { return lab_numbers(lab_of(scene.view)); },
    .picture = "Training",
    .picture_file = "training",
    .table = "every measurement of the run, as CSV",
    .table_name = lab_file_name};

std::string lab_hint(const TrainingPanels& panels) {
  std::string words = "Training   ·   step " + grouped(panels.step) + " of " + grouped(panels.recipe().steps);
  if (panels.b != nullptr) words += "   ·   A and B share " + counted(panels.b->branch, "step", "steps");
  words += "   ·   measured every " + std::to_string(panels.recipe().measure_every) + " steps   ·   float32";
  if (panels.wall.recipe)
    words +=
        "   ·   seed wall " + std::to_string(panels.wall.done()) + " of " + std::to_string(panels.wall.count);
  return words + "   ·   Space train   ·   S step   ·   B branch   ·   ← → time";
}

/// In a high window the strip of time says what was learned, elsewhere the column of controls. It stands
/// below the pictures: left of those of B, or below them where B branches off early.
void place_verdicts(TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  panels.has_verdicts = !panels.narrow && box.h >= ui.px(880);
  if (!panels.has_verdicts || panels.b == nullptr) return;
  const double share = static_cast<double>(panels.b->branch) / static_cast<double>(panels.last);
  panels.has_verdict_row = share * static_cast<double>(box.w - ui.px(160)) < static_cast<double>(ui.px(560));
}

}  // namespace

const PageFacts& TrainingPage::facts() const { return training_facts; }

void TrainingPage::wait() const {
  if (!is_settled()) runs_->wait();
}

bool TrainingPage::is_moving(const ViewState& view) const { return lab_of(view).playing; }

void TrainingPage::draw(Scene& scene, const Box& box) const {
  const Ui& ui = scene.ui;
  ui.fill(box, ui.theme.panel);
  const training::ShownLab* const lab = lab_in(scene);
  if (lab == nullptr) {
    const std::string problem =
        scene.training != nullptr ? scene.training->shown_lab().problem : std::string();
    ui.text(box.centre_x(), box.centre_y(),
            problem.empty() ? std::string("Making the network …") : own(problem),
            {type::body, ui.theme.text2, Ink::Regular, Align::Centre, box.w - ui.px(40)});
    return;
  }
  TrainingPanels panels = training_panels(scene, *lab);
  if (scene.view.hint.empty()) scene.view.hint = lab_hint(panels);
  const bool presented = scene.view.presenter->on;
  const float left = presented ? 0 : ui.px(panels.narrow ? 216 : 264);
  const Box rest{box.x + left, box.y, box.w - left, box.h};
  panels.enlarges = true;
  place_verdicts(panels, rest);
  panels.has_rule = !panels.narrow && !panels.has_verdict_row;
  const float wall = panels.narrow ? 0 : ui.px(190), time = ui.px(panels.narrow            ? 120
                                                                  : panels.has_verdict_row ? 210
                                                                  : panels.has_verdicts    ? 194
                                                                  : panels.b != nullptr    ? 186
                                                                                           : 130);
  if (left > 0) {
    draw_lab_controls(panels, {box.x, box.y, left, box.h});
    ui.vertical(box.x + left, box.y, box.h, ui.theme.hairline);
  }
  const float heads = std::floor(rest.w * (panels.narrow ? 0.42f : 0.425f));
  const float top = rest.h - wall - time;
  if (presented && top < ui.px(340)) {  // an audience reads few plots, but large ones
    panels.small_rows = top < ui.px(260) ? 0 : 1;
    panels.has_rule = panels.has_sentence = false;
  }
  draw_lab_plots(panels, {rest.x, rest.y, rest.w - heads, top});
  ui.vertical(rest.right() - heads, rest.y, top, ui.theme.hairline);
  draw_lab_heads(panels, {rest.right() - heads, rest.y, heads, top});
  ui.horizontal(rest.x, rest.y + top, rest.w, ui.theme.hairline);
  draw_lab_time(panels, {rest.x, rest.y + top, rest.w, time});
  if (wall <= 0) return;
  ui.horizontal(rest.x, rest.bottom() - wall, rest.w, ui.theme.hairline);
  draw_lab_wall(panels, {rest.x, rest.bottom() - wall, rest.w, wall});
}

void TrainingPage::save_table(const std::filesystem::path& to) const {
  if (lower_extension(to) != ".csv")
    throw Error("Cannot write " + in_quotes(to.native()) + ": the log of a training run is saved as .csv.");
  if (runs_ == nullptr || runs_->shown_lab().run() == nullptr) throw Error("Nothing was trained yet.");
  const std::string table = training::log_of(runs_->shown_lab(), *runs_->shown_lab().run());
  write_atomically(to, std::array{std::string_view(table)});
}

PageRow training_page() {
  return {&training_facts, [] { return PageState("training", LabState()); },
          [](const PageSupplies& supplies) -> std::unique_ptr<Page> {
            return std::make_unique<TrainingPage>(supplies);
          }};
}

}  // namespace attnscope
