#include "app/views/heads/head_menu.hpp"

#include <array>

#include "app/scene/head_words.hpp"
#include "app/state/regions/heads_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/window_state.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/edits/heads.hpp"

namespace attnscope {
namespace {

using MenuKind = Intervention::Kind;

MenuKind intervention_of(const Document& document, std::int64_t h) {
  return has_intervention(document, h) ? document.layer().interventions[static_cast<std::size_t>(h)].kind
                                       : MenuKind::None;
}

void sound_rows(Scene& scene, std::int64_t h) {
  const Ui& ui = scene.ui;
  Document& document = scene.document;
  const bool muted = intervention_of(document, h) == MenuKind::Mute;
  if (menu_row(ui, "Mute", "Shift+M", muted)) document = edit::mute(std::move(document), h);
  const bool soloed = edit::is_soloed(document, h);
  if (menu_row(ui, "Solo", "Shift+S", soloed)) document = edit::solo(std::move(document), h);
}

void pattern_rows(Scene& scene, std::int64_t h) {
  const Ui& ui = scene.ui;
  const MenuKind now = intervention_of(scene.document, h);
  menu_title(ui, "Its pattern");
  for (const MenuKind kind : {MenuKind::None, MenuKind::Uniform, MenuKind::PreviousToken, MenuKind::Identity,
                              MenuKind::FirstToken, MenuKind::Mean}) {
    const InterventionWords w = words(kind);
    if (menu_row(ui, std::string(w.name).c_str(), w.note, now == kind))
      scene.document = edit::intervention(std::move(scene.document), h, kind);
  }
  const InterventionWords frozen = words(MenuKind::Frozen);
  if (menu_row(ui, std::string(frozen.name).c_str(), frozen.note, now == MenuKind::Frozen))
    freeze_head(scene, h);
}

void preset_rows(Scene& scene, std::int64_t h) {
  struct Row {
    HeadPreset preset;
    const char* name;
    std::string_view note;
  };
  static constexpr std::array<Row, 5> rows{{
      {HeadPreset::PreviousToken, "the previous token", "κ₁"},
      {HeadPreset::NextToken, "the next token", "κ₋₁"},
      {HeadPreset::SameToken, "the same token", "code · code"},
      {HeadPreset::FirstToken, "the first token", "Σ cos ωj"},
      {HeadPreset::Uniform, "all tokens equally", "W = 0"},
  }};
  menu_title(scene.ui, "Build its weights to look at");
  for (const Row& row : rows) {
    if (!menu_row(scene.ui, row.name, row.note)) continue;
    try {
      scene.document = edit::head_preset(scene.document, h, row.preset);
    } catch (const Error& error) {
      scene.view.notices.say(error.what());
    }
  }
}

}  // namespace

void open_head_menu(Scene& scene, std::int64_t head) {
  scene.view.mode = Mode::Explore;  // only Explore has the heads and their menus
  regions_of(scene.view).hidden[static_cast<std::size_t>(Region::Heads)] = false;
  HeadsState& state = head_grid_of(scene.view);
  state.menu_opens = state.menu_by_key = true;
  state.menu_head = head;
}

void draw_head_menu(Scene& scene, ImVec2 place) {
  HeadsState& state = head_grid_of(scene.view);
  constexpr const char* label = "head menu";
  if (state.menu_opens) ImGui::OpenPopup(label);
  state.menu_opens = false;
  if (state.menu_by_key) ImGui::SetNextWindowPos(place, ImGuiCond_Appearing);
  context_menu(scene.ui, label, [&] {
    const std::int64_t h = std::min(state.menu_head, scene.result.dimensions.heads - 1);
    menu_title(scene.ui, "Head " + std::to_string(h));
    sound_rows(scene, h);
    pattern_rows(scene, h);
    preset_rows(scene, h);
  });
}

void freeze_head(Scene& scene, std::int64_t head) {
  const Tensor& weights = *scene.result.trace[weights_stage(scene.result.document)];
  const Shape& shape = weights.shape();
  auto pattern = std::make_shared<Tensor>(Shape{shape[0], shape[2], shape[3]});
  for (std::int64_t b = 0; b < shape[0]; ++b) pattern->matrix(b) = weights.matrix(b, head);
  try {
    Document next = edit::freeze(scene.document, head, pattern);
    edit::fit_interventions(next);  // the Document may be newer than the result
    scene.document = std::move(next);
  } catch (const Error& error) {
    scene.view.notices.say(error.what());
  }
}

}  // namespace attnscope
