// app/views/model: the effects of pointing at a head, and the arrows that go from head to head, in every
// picture of heads.
#include <imgui_internal.h>

#include "app/state/model_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {

void point_at_head(Scene& scene, const ModelHead& head) {
  ModelLook& state = model_look_of(scene.view);
  const ModelSpec& spec = scene.model->within.model->model->spec;
  state.hovered = head;
  const bool is_locked = state.locked && head == chosen_head(scene);
  scene.view.hint = "head " + head_name(spec, head) +
                    (is_locked ? "   ·   locked, Esc frees" : "   ·   click locks") +
                    "   ·   Enter opens the layer in Explore";
}

void click_on_head(Scene& scene, const ModelHead& head) {
  ModelLook& state = model_look_of(scene.view);
  state.locked = !(state.locked && head == chosen_head(scene));
  look_at(scene, head);
}

void take_arrow_keys(const std::function<void(int right, int down)>& move) {
  struct Arrow {
    ImGuiKey key;
    int right, down;
  };
  for (const Arrow& arrow : {Arrow{ImGuiKey_LeftArrow, -1, 0},
                             {ImGuiKey_RightArrow, 1, 0},
                             {ImGuiKey_UpArrow, 0, -1},
                             {ImGuiKey_DownArrow, 0, 1}}) {
    const ImGuiID owner = ImGui::GetItemID();
    ImGui::SetKeyOwner(arrow.key, owner);  // else Dear ImGui would go on to the next widget
    if (ImGui::IsKeyPressed(arrow.key, ImGuiInputFlags_Repeat, owner)) move(arrow.right, arrow.down);
  }
}

}  // namespace attnscope
