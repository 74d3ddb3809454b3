#include "app/pages/model/page.hpp"

#include <utility>
#include <vector>

#include "app/pages/model/acts.hpp"
#include "app/pages/model/atlas/atlas.hpp"
#include "app/pages/model/compare/model_compare.hpp"
#include "app/pages/model/generation/parts.hpp"
#include "app/pages/model/head_sets/head_sets.hpp"
#include "app/pages/model/heads/model.hpp"
#include "app/pages/model/many_texts/many_texts.hpp"
#include "app/pages/model/why/why.hpp"
#include "app/results/many_texts.hpp"
#include "app/state/window_state.hpp"
#include "app/views/parts/refusal.hpp"
#include "app/views/tokens/masking.hpp"
#include "core/engine/model/model_engine.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

/// An action of this page, in a group of others behind the one of that name.
constexpr Action model_action(std::string_view id, Action action, std::string_view behind = {},
                              bool needs_scores = false) {
  action.only = Mode::Model;
  action.needs_scores = needs_scores;
  action.id = id;
  action.behind = behind;
  return action;
}

using G = Action::Group;
constexpr Action model_actions[] = {
    model_action(
        "model_mask_word",
        {G::Edit, "Mask the chosen word, or put it back", ImGuiMod_Shift | ImGuiKey_W, toggle_mask_of_chosen},
        {}, true),
    model_action("model_zero_heads", {G::Attention, "Zero a list of heads, or all others", 0, open_head_sets},
                 "Restore all heads"),
    model_action("model_copy_zeroed", {G::Attention, "Copy the list of zeroed heads", 0, copy_zeroed_heads},
                 "Zero a list of heads, or all others"),
    model_action("model_why", {G::Look, "Why did it look there, or all heads", ImGuiKey_Y, toggle_why},
                 "Training"),
    model_action("model_atlas",
                 {G::Look, "Atlas of what zeroing heads does, or all heads", ImGuiKey_A, toggle_atlas},
                 "Why did it look there, or all heads"),
    model_action("model_patching",
                 {G::Look, "Activation patching, or all heads", ImGuiMod_Shift | ImGuiKey_A, toggle_patching},
                 "Atlas of what zeroing heads does, or all heads"),
    model_action("model_generation",
                 {G::Look, "Generation token by token, or all heads", ImGuiKey_G, toggle_generation},
                 "Activation patching, or all heads"),
    model_action("model_many_texts",
                 {G::Look, "Scores and similarity over a file of texts", 0, open_many_texts},
                 "Generation token by token, or all heads"),
    model_action("model_open_layer", {G::Move, "Open the layer in Explore", ImGuiKey_Enter, open_layer},
                 "Close what is open, unlock the cell"),
    model_action("model_forward",
                 {G::Move, "Head of the marked part, or one token on", ImGuiKey_Space, space_in_model, true},
                 "Open the layer in Explore"),
    model_action("model_back", {G::Move, "One token back", ImGuiKey_Backspace, generation_back, true},
                 "Head of the marked part, or one token on"),
    model_action("model_generate",
                 {G::Move, "Generate tokens, or stop", ImGuiMod_Shift | ImGuiKey_Space, generation_play},
                 "One token back"),
    model_action("model_to_start",
                 {G::Move, "Before the first appended token", ImGuiKey_Home, generation_to_start},
                 "Generate tokens, or stop"),
    model_action("model_to_end", {G::Move, "Behind the last appended token", ImGuiKey_End, generation_to_end},
                 "Before the first appended token"),
    model_action("model_strongest_head", {G::Move, "Look at the strongest head", 0, go_to_strongest_head},
                 "Strongest cell in sight"),
};

constexpr PageFacts model_page_facts{
    .mode = Mode::Model,
    .name = "Model",
    .tip = {"Model", "layers × heads",
            "All heads of a whole model, what is in its stream and what it predicts.", "F7"},
    .open = {Action::Group::Look,
             "Model",
             ImGuiKey_F7,
             show_model_page,
             false,
             {},
             false,
             {},
             "model_page",
             "Compare, or back from it in Model"},
    .actions = model_actions,
    .draws_long = false,
    .picture = "Screen",
    .picture_file = "screen",
    .pictures = [](const Shown& shown) -> std::vector<PagePicture> {
      const PagePicture screen{PictureRegion::Focus, "Screen", "screen"};
      if (shown.model == nullptr) return {screen};
      return {{PictureRegion::Grid, "All heads", "all heads"}, screen};
    },
    .add_to_palette = add_model_to_palette};

/// Dims the regions while the reading is of an earlier text.
void dim_stale(Scene& scene, const ModelRegions& regions) {
  if (!is_stale(scene)) return;
  const Theme& theme = scene.ui.theme;
  for (const auto& [region, ground] :
       {std::pair{regions.grid, theme.picture}, std::pair{regions.head, theme.panel},
        std::pair{regions.stream, theme.panel}, std::pair{regions.prediction, theme.panel}})
    if (has_room(region)) scene.ui.fill(region, fade(ground, 0.6f));
}

/// The split is of the chosen cell's score.
WhyQuestion asked_of(const ModelState& state, const ModelContext& within, const Selection& selection) {
  WhyQuestion question;
  question.score = {within.of,          static_cast<std::size_t>(within.block),
                    selection.head,     selection.cell.query,
                    selection.cell.key, state.split.over_mean};
  question.token = state.token_in(within.model->fingerprint, state.split_token);
  question.minus = state.token_in(within.model->fingerprint, state.split_minus);
  return question;
}

}  // namespace

const PageFacts& ModelScreens::facts() const { return model_page_facts; }

void ModelScreens::follow(const ViewState& view) { texts_ = model_state_of(view).many.texts; }

bool ModelScreens::is_settled() const { return !is_running(texts_); }

void ModelScreens::want(const ViewState& view, const ModelContext& within, const Selection& selection,
                        ModelWants& wants) const {
  if (view.mode != Mode::Model || !within) return;
  const ModelState& state = model_state_of(view);
  if (state.screen == ModelScreen::Why && within.block >= 0) wants.why = asked_of(state, within, selection);
  wants.generation = state.screen == ModelScreen::Generation;
  if (wants.generation && state.to_append > 0) wants.sampling = sampling_of(state.generation);
  wants.pruning = state.pruned == within.input;
  const PatchingState& patching = state.patching;
  if (state.screen != ModelScreen::Patching || !patching.is_running || patching.corrupted.empty() ||
      patching.corrupted == within.input.text)
    return;
  wants.corrupted = within.input;
  wants.corrupted->text = patching.corrupted;
  wants.answer = patching.answers[0].id;
  wants.other_answer = patching.answers[1].id;
}

/// The splitters between the regions get the mouse before the regions and are drawn on top of them.
void ModelScreens::draw(Scene& scene, const Box& box) const {
  const bool has_regions = scene.model != nullptr && scene.model->run && scene.document.within.read();
  std::vector<SplitterLine> lines;
  ModelRegions regions;
  if (has_regions) regions = model_regions(scene.ui, box, scene.compact, scene.view);
  if (has_regions && !scene.ui.is_figure()) lines = drag_model_splitters(scene.ui, regions, scene.view);
  if (!draw_atlas(scene, box) && !draw_generation(scene, box) && !draw_model_compare(scene, box))
    has_regions ? draw_model(scene, box) : draw_no_model(scene, box);
  if (has_regions) dim_stale(scene, regions);
  for (const SplitterLine& line : lines) scene.ui.fill(line.box, line.colour);
}

void ModelScreens::draw_cards(Scene& scene) {
  draw_head_sets(scene);
  draw_many_texts(scene);
  follow(scene.view);  // so that is_settled() knows what a card has begun
}

bool ModelScreens::step(Scene& scene, std::int64_t down, std::int64_t right) const {
  return step_why_part(scene, down, right);
}

bool ModelScreens::turn_difference(Scene& scene) const {
  if (model_state_of(scene.view).screen != ModelScreen::Compare) return false;
  turn_model_difference(scene);
  return true;
}

PageRow model_page() {
  return {&model_page_facts, [] { return PageState("model", ModelState()); },
          [](const PageSupplies&) -> std::unique_ptr<Page> { return std::make_unique<ModelScreens>(); }};
}

}  // namespace attnscope
