#include "app/views/tokens/masking.hpp"

#include <optional>
#include <string>

#include "app/state/model_look.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/edits/masking.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {
namespace {

bool can_mask(const Scene& scene) {
  return scene.model != nullptr && scene.model->tokens && fills_masks(*scene.model->within.model);
}

/// Whether an Alt+click is a plain click: of models that predict classes or answer spans.
bool chooses_by_click(const ModelReading& reading) {
  const HeadKind kind = reading.within.model->model->spec.head.kind;
  return kind == HeadKind::TokenClass || kind == HeadKind::SequenceClass || kind == HeadKind::AnswerSpan;
}

/// The menu of a row: mask its word, or restore it; predict this token.
void mask_row(Scene& scene, std::int64_t row) {
  const ModelReading& reading = *scene.model;
  const std::optional<MaskedWord> masked = masked_word(reading.within, *reading.tokens, row);
  const std::optional<std::string> word =
      masked ? masked->word : maskable_word(reading.within, *reading.tokens, row);
  if (!word) {
    menu_title(scene.ui, "No word of the text stands here");
    return;
  }
  menu_title(scene.ui, own(*word));
  if (menu_row(scene.ui, masked ? "Put the word back" : "Mask the word", "Alt+click"))
    toggle_mask(scene, row);
  if (menu_row(scene.ui, "Predict this token", {}, model_look_of(scene.view).predicted_row == row))
    model_look_of(scene.view).predicted_row = row;
}

}  // namespace

void toggle_mask(Scene& scene, std::int64_t row) {
  ModelContext within = scene.document.within.read();
  try {
    const std::size_t before = within.input.masked.size();
    within = edit::toggled_mask(std::move(within), row);
    const bool is_masked = within.input.masked.size() > before;
    model_look_of(scene.view).predicted_row = is_masked ? std::optional(row) : std::nullopt;
    scene.document.within.change() = std::move(within);
  } catch (const Error& error) {
    scene.view.notices.say(error.what());
  }
}

void toggle_mask_of_chosen(Scene& scene) {
  if (!scene.document.within.read()) return scene.view.notices.say("No model is open.");
  toggle_mask(scene, scene.selection.cell.query);
}

void predict_row_of(Scene& scene, std::int64_t row) {
  if (scene.model == nullptr || !scene.model->tokens) return;
  const HeadKind kind = scene.model->within.model->model->spec.head.kind;
  const std::vector<Token>& tokens = scene.model->tokens->tokens.tokens;
  if (row < 0 || row >= std::ssize(tokens)) return;
  const bool is_mask =
      can_mask(scene) && tokens[static_cast<std::size_t>(row)].id == mask_token(*scene.model->within.model);
  if (kind == HeadKind::TokenClass || is_mask) model_look_of(scene.view).predicted_row = row;
}

bool take_masking(Scene& scene, const Ui::Touch& touch, std::int64_t row) {
  if (!can_mask(scene)) {
    if (scene.model == nullptr || chooses_by_click(*scene.model)) return false;
    const bool wanted = touch.clicked && ImGui::GetIO().KeyAlt;
    if (wanted || (touch.pointed && ImGui::IsMouseClicked(1))) toggle_mask(scene, row);  // says why not
    return wanted;
  }
  const std::string menu = "menu of token " + std::to_string(row);
  if (touch.hovered) {
    const std::optional<MaskedWord> masked = masked_word(scene.model->within, *scene.model->tokens, row);
    scene.view.hint = (masked ? "was “" + own(masked->word) + "”   ·   Alt+click puts it back"
                              : std::string("click chooses   ·   Alt+click masks the word")) +
                      "   ·   right click: menu";
    if (touch.pointed && ImGui::IsMouseClicked(1)) ImGui::OpenPopup(menu.c_str());
  }
  if (ImGui::IsPopupOpen(menu.c_str())) context_menu(scene.ui, menu.c_str(), [&] { mask_row(scene, row); });
  if (!touch.clicked || !ImGui::GetIO().KeyAlt) return false;
  toggle_mask(scene, row);
  return true;
}

}  // namespace attnscope
