#include "app/shell/whole_window.hpp"

#include <algorithm>

#include <imgui.h>

#include "app/kit/ui/ui.hpp"
#include "app/scene/scene.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/presenter/presenter.hpp"
#include "app/views/start/start.hpp"
#include "core/edits/within.hpp"

namespace attnscope {

WholeWindow::WholeWindow(const Ui& ui) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.panel);
  ImGui::PushStyleColor(ImGuiCol_ScrollbarBg, 0);
  ImGui::PushStyleColor(ImGuiCol_ScrollbarGrab, ui.theme.border);
  ImGui::Begin("AttnScope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
}

WholeWindow::~WholeWindow() {
  ImGui::End();
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar(2);
}

Selection without_hovers(Selection selection) {
  selection.hovered_head.reset();
  selection.hovered_cell.reset();
  selection.hovered_token.reset();
  selection.hovered_stack.reset();
  return selection;
}

Layout layout_of(const Document& document, const ResultPtr& shown, const ViewState& view) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  if (view.presenter->on) return presented_layout(view, size);
  if (is_watching(view)) return compute_layout(size.x, size.y, view, 1);
  const std::size_t lines = std::max<std::size_t>(
      {document.input.sequences.size(), typed_texts(document), shown && is_cross(shown->layer()) ? 2u : 1u});
  const Layout usual = compute_layout(size.x, size.y, view, lines);
  if (shown && is_start_shown(view, shown->layer())) return with_start(usual, view);
  return shown && shown->layer().is_long() ? long_layout(usual) : usual;
}

}  // namespace attnscope
