#include "app/pages/walk/page.hpp"

#include "app/state/window_state.hpp"
#include "app/walk/script.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

/// An action of this page.
constexpr Action walk_action(std::string_view id, Action action) {
  action.only = Mode::Walk;
  action.id = id;
  return action;
}

constexpr auto in_walk = Action::Group::Walk;
constexpr Action walk_actions[] = {
    walk_action("walk_next_move", {in_walk, "One move on", ImGuiKey_Space, walk::step_forward, true}),
    walk_action("walk_move_before", {in_walk, "One move back", ImGuiKey_Backspace, walk::step_back, true}),
    walk_action("walk_play",
                {in_walk, "Play to the end, or pause", ImGuiMod_Shift | ImGuiKey_Space, walk::play_or_pause}),
    walk_action("walk_next_stage", {in_walk, "One stage on", ImGuiKey_PageDown, walk::next_stage, true}),
    walk_action("walk_stage_before",
                {in_walk, "One stage back", ImGuiKey_PageUp, walk::previous_stage, true}),
    walk_action("walk_to_start", {in_walk, "Before the first move", ImGuiKey_Home, walk::go_to_start}),
    walk_action("walk_to_end", {in_walk, "To the last move", ImGuiKey_End, walk::go_to_end}),
};

constexpr PageFacts walk_facts{.mode = Mode::Walk,
                               .name = "Walk",
                               .tip = {"Walk", "X → Q, K, V → scores → weights → output",
                                       "The computation as matrices, step by step.", "F3"},
                               .open = {Action::Group::Look,
                                        "Walk",
                                        ImGuiKey_F3,
                                        [](Scene& scene) { scene.view.mode = Mode::Walk; },
                                        false,
                                        {},
                                        false,
                                        {},
                                        "walk_page"},
                               .actions = walk_actions,
                               .picture = "Walk",
                               .picture_file = "walk",
                               .menu_picture = "Picture of the walk…"};

/// Shown instead of the matrices: what is missing, and which page shows it.
void draw_instead(const Ui& ui, const Box& box, std::string_view missing, std::string_view instead) {
  const float y = box.centre_y();
  ui.text(box.centre_x(), y - ui.px(16), missing,
          {type::title, ui.theme.text1, Ink::Semibold, Align::Centre, box.w - ui.px(32)});
  ui.text(box.centre_x(), y + ui.px(14), instead,
          {type::body, ui.theme.text2, Ink::Regular, Align::Centre, box.w - ui.px(32)});
}

}  // namespace

const PageFacts& Walk::facts() const { return walk_facts; }

bool Walk::is_moving(const ViewState& view) const { return is_walk_moving(view); }

void Walk::draw(Scene& scene, const Box& box) const {
  const bool is_long = scene.result.is_long();
  if (!is_long && knows_scores(scene.result.document)) return draw_walk(scene, box);
  rest(scene.view);
  if (is_long) {
    scene.ui.fill(box, scene.ui.theme.picture);
    draw_instead(scene.ui, box, "Walk shows every number, which a long sequence does not keep",
                 "Explore (F2) and Compare (F4) show this one; open a shorter text for Walk.");
  } else {
    draw_instead(scene.ui, box, "Walk computes weights from queries and keys, which are not in the file",
                 "Explore (F2) shows the weights that it has, Compare (F4) holds them.");
  }
}

void Walk::rest(ViewState& view) const { rest_walk(view); }

PageRow walk_page() {
  return {&walk_facts, walk_at_start,
          [](const PageSupplies&) -> std::unique_ptr<Page> { return std::make_unique<Walk>(); }};
}

}  // namespace attnscope
