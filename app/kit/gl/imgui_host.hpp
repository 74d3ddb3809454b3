// app/kit/gl: one Dear ImGui context with our fonts and the OpenGL backend. The window, `render` and the
// robot all draw through it, so that they show the same pixels.
#pragma once

#include <functional>

#include "app/kit/ui/fonts.hpp"

struct ImGuiContext;
struct GLFWwindow;

namespace attnscope {

class ImGuiHost {
 public:
  /// Needs a current OpenGL 3.3 context. With a window, Dear ImGui takes its events; without one the caller
  /// posts them.
  explicit ImGuiHost(GLFWwindow* window = nullptr, bool system_fonts = true);
  ~ImGuiHost();
  ImGuiHost(const ImGuiHost&) = delete;
  ImGuiHost& operator=(const ImGuiHost&) = delete;

  const Fonts& fonts() const { return fonts_; }
  /// One frame of `width` x `height` pixels into the bound framebuffer: build() and render().
  void frame(int width, int height, float seconds, const std::function<void()>& draw);
  /// The frame without its pixels: begins, calls `draw`, ends. `seconds` is the time since the last frame; it
  /// is ignored with a window.
  void build(int width, int height, float seconds, const std::function<void()>& draw);
  /// Whether events still wait for the next frame: Dear ImGui takes events in quick succession one per frame.
  bool has_waiting_events() const;
  /// Draws the frame built last into the bound framebuffer. The call is optional: the robot never looks at
  /// most frames.
  void render(int width, int height);
  /// Draws only a part of it, whose upper left corner is (x, y).
  void render_part(int x, int y, int width, int height);

 private:
  GLFWwindow* window_ = nullptr;
  ImGuiContext* context_ = nullptr;
  Fonts fonts_;
};

}  // namespace attnscope
