#include "app/pages/explore/page.hpp"

#include "app/scene/scene.hpp"
#include "app/shell/acts.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/views/editing/weight_map.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/inspector/pages.hpp"
#include "app/views/neuron/neuron_view.hpp"
#include "app/views/parts/mask_painter.hpp"
#include "app/views/start/start.hpp"

namespace attnscope {
namespace {

/// An action of this page, in a group of others behind the one of that name.
constexpr Action explore_action(std::string_view id, std::string_view behind, Action action) {
  action.only = Mode::Explore;
  action.id = id;
  action.behind = behind;
  return action;
}
/// Also works for a long result, whose scores are not kept.
constexpr Action any_length(Action action) {
  action.needs_scores = false;
  return action;
}

using G = Action::Group;
constexpr Action explore_actions[] = {
    explore_action("explore_weights_again", "Type the sentence",
                   {G::Edit, "Weights and token vectors again, as the seed makes them", ImGuiKey_Home,
                    draw_weights_again}),
    explore_action("explore_new_weights", "Weights and token vectors again, as the seed makes them",
                   {G::Edit, "Weights and token vectors from a new seed", ImGuiMod_Shift | ImGuiKey_Home,
                    draw_new_weights}),
    explore_action("explore_edit_weights", "Weights and token vectors from a new seed",
                   {G::Edit, "Edit the weights, block by block", ImGuiKey_W, show_next_weights}),
    explore_action("explore_paint_mask", "Edit the weights, block by block",
                   {G::Edit, "Paint the mask, or look again", ImGuiKey_B, toggle_painting}),
    explore_action("explore_brush", "Paint the mask, or look again",
                   {G::Edit, "Brush for the chosen head, or for all heads", ImGuiMod_Shift | ImGuiKey_B,
                    toggle_brush_reach}),

    explore_action("explore_inspector_page", "Show the first steps again",
                   any_length({G::Look, "Next page of the inspector", ImGuiKey_K, show_next_page})),
    explore_action(
        "explore_pin", "Next page of the inspector",
        any_length({G::Look, "Pin the inspector to the cell, or let it follow", ImGuiKey_I, toggle_pin})),
    explore_action("explore_neurons", "Pin the inspector to the cell, or let it follow",
                   {G::Look, "Neuron view, large", ImGuiKey_E, toggle_large_neurons}),
    explore_action(
        "explore_zoom", "Direction of the token strip",
        any_length({G::Look, "Zoom to the chosen cell, or fit the matrix", ImGuiKey_Z, fit_or_zoom})),
    explore_action("explore_lines", "Swap the axes of the map",
                   {G::Look, "Lines between tokens, or the map", ImGuiKey_G, toggle_lines}),
};

constexpr PageFacts explore_facts{
    .mode = Mode::Explore,
    .name = "Explore",
    .tip = {"Explore", {}, "One head and everything around it.", "F2"},
    .open = {Action::Group::Look,
             "Explore",
             ImGuiKey_F2,
             [](Scene& scene) { act::show_mode(scene, Mode::Explore); },
             false,
             {},
             false,
             {},
             "explore_page"},
    .actions = explore_actions,
    .picture = "Heatmap",
    .picture_file = "heatmap",
    .pictures = [](const Shown& shown) -> std::vector<PagePicture> {
      if (shown.result.is_long())
        return {{PictureRegion::Focus, "Map", "map"}, {PictureRegion::Inspector, "Exact cells", "cells"}};
      return {{PictureRegion::Focus, "Heatmap", "heatmap"},
              {PictureRegion::Signals, "Plots", "plots"},
              {PictureRegion::Heads, "Heads", "heads"},
              {PictureRegion::Inspector, "Inspector", "inspector"}};
    }};

}  // namespace

const PageFacts& Explore::facts() const { return explore_facts; }

bool Explore::close(Scene& scene) const {
  ViewState& view = scene.view;
  if (editing_of(view).painting) {
    toggle_painting(scene);
  } else if (inspector_of(view).expanded) {
    inspector_of(view).expanded = false;
  } else if (is_narrow(view) && regions_of(view).drawer) {
    regions_of(view).drawer = false;
  } else if (is_start_shown(view, scene.result)) {
    leave_start(view);
  } else {
    return false;
  }
  return true;
}

PageRow explore_page() {
  return {&explore_facts, nullptr,
          [](const PageSupplies&) -> std::unique_ptr<Page> { return std::make_unique<Explore>(); }};
}

}  // namespace attnscope
