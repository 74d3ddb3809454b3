// app/views/files: the card that asks before another file is overwritten. Return chooses the safe answer.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/kit/widgets/modal_card.hpp"
#include "app/state/files_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/files.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr const char* question_popup = "Replace the file";

void answer(Scene& scene, bool replace) {
  FilesState& files = *scene.view.files;
  const OverwriteQuestion question = *std::exchange(files.question, std::nullopt);
  ImGui::CloseCurrentPopup();
  if (replace) {
    scene.requests.replace = true;
    if (question.picture)
      scene.requests.picture = question.picture;
    else
      scene.requests.save = question.path;
    return;
  }
  files.dialog.task = question.task;
  files.dialog.folder = question.path.parent_path();
  files.dialog.name = question.path.filename().native();
  files.dialog.keeps_name = files.dialog.opens = true;
}

std::string sentence_of(const OverwriteQuestion& question) {
  const std::string name = "“" + own(printable(question.path.filename().native())) + "”";
  if (question.changed_since)
    return name + " was changed by another program since it was opened. Replace it?";
  return name + " is there already. Replace it?";
}

/// A button; the default one, which Return presses, has a ring.
bool answer_button(const Ui& ui, const char* label, const Box& box, bool is_default, const Tip& tip) {
  if (is_default)
    ui.frame(box.grown(ui.px(1)), ui.theme.query, std::max(1.f, std::floor(ui.scale())), ui.px(7));
  return button(ui, label, box, tip);
}

void draw_question(Scene& scene, const Box& card, float words) {
  const Ui& ui = scene.ui;
  OverwriteQuestion& question = *scene.view.files->question;
  const float pad = ui.px(20), inner = card.w - 2 * pad;
  ui.paragraph(card.x + pad, card.y + pad, inner, sentence_of(question),
               {type::body, ui.theme.text1, Ink::Semibold});
  const float y = card.y + pad + words + ui.px(14);
  ui.text(card.x + pad, y, own(printable(question.path.parent_path().native())),
          {type::label, ui.theme.text2, Ink::Regular, Align::Left, inner});
  ui.text(card.x + pad, y + ui.px(22), question.facts, {type::tick, ui.theme.text3});

  if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow) || ImGui::IsKeyPressed(ImGuiKey_RightArrow) ||
      ImGui::IsKeyPressed(ImGuiKey_Tab))
    question.replace = !question.replace;
  const auto width_of = [&](const char* label) {
    return ui.text_width(label, type::label, Ink::Medium) + ui.px(32);
  };
  const float line = card.bottom() - ui.px(16) - ui.px(30);
  const Box other{card.right() - pad - width_of("Another name"), line, width_of("Another name"), ui.px(30)};
  const Box yes{other.x - ui.px(8) - width_of("Replace"), line, width_of("Replace"), ui.px(30)};
  const bool by_key = !question.opens && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                          ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
  const bool replace = question.replace;
  question.opens = false;
  if (answer_button(ui, "Replace", yes, replace, {"Replace", {}, "What is in that file now is lost."}) ||
      (by_key && replace))
    return answer(scene, true);
  if (answer_button(ui, "Another name", other, !replace,
                    {"Another name", {}, "That file stays as it is.", "Enter"}) ||
      (by_key && !replace))
    return answer(scene, false);
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    scene.view.files->question.reset();
    ImGui::CloseCurrentPopup();
  }
}

}  // namespace

void draw_overwrite_question(Scene& scene) {
  std::optional<OverwriteQuestion>& question = scene.view.files->question;
  if (!question) return;
  if (question->opens) ImGui::OpenPopup(question_popup);
  const Ui& ui = scene.ui;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(ui.px(480), screen.x - ui.px(16));
  const float words =
      ui.paragraph_height(width - ui.px(40), sentence_of(*question), type::body, Ink::Semibold);
  const float height = words + ui.px(132);
  const Box card{std::round((screen.x - width) / 2),
                 std::round(std::max(ui.px(8), (screen.y - height) * 0.35f)), width, height};
  // False: something else was opened over it.
  if (!modal_card(ui, question_popup, card, [&] { draw_question(scene, card, words); })) question.reset();
}

}  // namespace attnscope
