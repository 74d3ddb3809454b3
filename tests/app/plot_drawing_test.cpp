// Drawing of curves: no pixel of a curve shows a value that it does not have.
#include <algorithm>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/draw/texture.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/kit/ui/ui.hpp"
#include "app/kit/widgets/plot.hpp"

namespace attnscope::plot_drawing_test {

TEST_CASE("a curve that turns back is not drawn past its values", "[plot_drawing]") {
  const OffscreenContext context;
  const Framebuffer target(400, 300);
  ImGuiHost host(nullptr, false);
  TextureCache textures;
  const Axes axes{{80, 50, 240, 200}, 0, 59, 0, 1};
  std::vector<ImVec2> points;
  for (int i = 0; i < 60; ++i) points.push_back({static_cast<float>(i), i % 2 == 0 ? 0.f : 1.f});
  constexpr float thickness = 2;
  float top = 1e9f, bottom = -1e9f;
  target.bind();
  host.frame(400, 300, 1.0f / 60, [&] {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({400, 300});
    ImGui::Begin("plot", nullptr, ImGuiWindowFlags_NoDecoration);
    const Ui ui(theme(ThemeName::Dark), host.fonts(), textures, 1);
    const ImDrawList& list = *ImGui::GetWindowDrawList();
    const int first = list.VtxBuffer.Size;
    draw_curve(ui, axes, points, ui.theme.query, thickness);
    REQUIRE(list.VtxBuffer.Size > first);
    for (int i = first; i < list.VtxBuffer.Size; ++i) {
      top = std::min(top, list.VtxBuffer[i].pos.y);
      bottom = std::max(bottom, list.VtxBuffer[i].pos.y);
    }
    ImGui::End();
  });
  textures.end_frame();
  CHECK(top >= axes.y(1) - thickness);  // half of it and a pixel of its soft edge; it was ten pixels
  CHECK(bottom <= axes.y(0) + thickness);
}

}  // namespace attnscope::plot_drawing_test
