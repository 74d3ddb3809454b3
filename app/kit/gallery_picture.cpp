#include "app/kit/gallery_picture.hpp"

#include <imgui.h>

#include "app/kit/draw/texture.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"

namespace attnscope {

Image gallery_picture(const GalleryPicture& picture, GalleryState& state) {
  constexpr int frames = 4;  // lists scroll and fields settle
  const KeptTarget kept;
  ImGuiHost host(nullptr, picture.system_fonts);
  const Framebuffer target(picture.width, picture.height);
  target.bind();
  TextureCache textures;
  for (int i = 0; i < frames; ++i) {
    host.frame(picture.width, picture.height, 1.f / 60, [&] {
      const bool is_last = i + 1 == frames;
      const Ui ui(theme(picture.theme), host.fonts(), textures, picture.scale,
                  {.copy = is_last ? picture.copy : nullptr});
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
      ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
      ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
      ImGui::PushStyleColor(ImGuiCol_ScrollbarBg, 0);
      ImGui::PushStyleColor(ImGuiCol_ScrollbarGrab, ui.theme.border);
      ImGui::Begin("Gallery", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
      draw_gallery(ui, {0, 0, static_cast<float>(picture.width), static_cast<float>(picture.height)}, state);
      ImGui::End();
      ImGui::PopStyleColor(2);
      ImGui::PopStyleVar(2);
    });
    textures.end_frame();
  }
  return target.read();
}

}  // namespace attnscope
