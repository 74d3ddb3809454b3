#include "app/kit/gl/imgui_host.hpp"

#define GL_GLEXT_PROTOTYPES
#include <algorithm>
#include <vector>

#include <GL/glcorearb.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include "app/files/paths.hpp"

namespace attnscope {
namespace {

bool is_modifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}

/// Removes from `waiting`, and returns, the events from the first one on that would change a modifier after a
/// key press: Dear ImGui reads both in one frame, and would take a quick Ctrl+S for an S.
std::vector<ImGuiInputEvent> split_from_next_frame(ImVector<ImGuiInputEvent>& waiting) {
  bool pressed = false;
  const auto belongs_to_next = [&pressed](const ImGuiInputEvent& event) {
    if (event.Type != ImGuiInputEventType_Key) return false;
    if (is_modifier(event.Key.Key)) return pressed;
    pressed = pressed || event.Key.Down;
    return false;
  };
  ImGuiInputEvent* const first = std::find_if(waiting.begin(), waiting.end(), belongs_to_next);
  std::vector<ImGuiInputEvent> next(first, waiting.end());
  waiting.resize(static_cast<int>(first - waiting.begin()));
  return next;
}

}  // namespace

ImGuiHost::ImGuiHost(GLFWwindow* window, bool system_fonts)
    : window_(window), context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // regions are fixed; there is nothing to remember
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink =
      false;  // a blinking cursor would be the only thing to redraw in an idle window
  ImGui::GetStyle().FontSizeBase = 16;
  fonts_ = load_fonts(system_fonts, assets_directory() / "fonts");
  if (window_) ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

ImGuiHost::~ImGuiHost() {
  ImGui::SetCurrentContext(context_);
  ImGui_ImplOpenGL3_Shutdown();
  if (window_) ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext(context_);
}

void ImGuiHost::frame(int width, int height, float seconds, const std::function<void()>& draw) {
  build(width, height, seconds, draw);
  render(width, height);
}

void ImGuiHost::build(int width, int height, float seconds, const std::function<void()>& draw) {
  ImGui::SetCurrentContext(context_);
  ImGui_ImplOpenGL3_NewFrame();
  if (window_) {
    ImGui_ImplGlfw_NewFrame();
  } else {
    ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    ImGui::GetIO().DeltaTime = seconds;
  }
  ImVector<ImGuiInputEvent>& waiting = context_->InputEventsQueue;
  const std::vector<ImGuiInputEvent> next = split_from_next_frame(waiting);
  ImGui::NewFrame();
  for (const ImGuiInputEvent& event : next) waiting.push_back(event);
  draw();
  ImGui::Render();
  // Glyphs that this frame requested must be in the texture in the next one, whether this frame is rendered
  // or not.
  for (ImTextureData* texture : *ImGui::GetDrawData()->Textures) {
    if (texture->Status != ImTextureStatus_OK) ImGui_ImplOpenGL3_UpdateTexture(texture);
  }
}

bool ImGuiHost::has_waiting_events() const { return !context_->InputEventsQueue.empty(); }

void ImGuiHost::render_part(int x, int y, int width, int height) {
  ImGui::SetCurrentContext(context_);
  ImDrawData& frame = *ImGui::GetDrawData();
  frame.DisplayPos = {static_cast<float>(x), static_cast<float>(y)};
  frame.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  render(width, height);
}

void ImGuiHost::render(int width, int height) {
  ImGui::SetCurrentContext(context_);
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace attnscope
