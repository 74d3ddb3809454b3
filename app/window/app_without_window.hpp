// app/window: the App with a framebuffer instead of a window.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/results/choose_backend.hpp"
#include "app/shell/app.hpp"
#include "core/engine/live_engine.hpp"

namespace attnscope {

/// Use it on one thread. Throws Error without OpenGL.
class AppWithoutWindow {
 public:
  struct Form {
    int width, height;
    float scale;
    BackendPreference backend = BackendPreference::Auto;
    std::filesystem::path opening = {};  // see AppOptions
    std::function<void()> wake = {};     // likewise; also called when the layer on screen was computed
  };
  explicit AppWithoutWindow(const Form& form);

  /// Draws frames until nothing moves or is computed any more, at most 600.
  void settle();
  /// Draws frames until an animated picture is complete: each value takes some frames.
  void finish_film();
  /// Draws the frames that a layout needs: each uses sizes of the one before.
  void lay_out();

  /// As in a window: build() makes one frame without waiting for computations; draw() makes its pixels and
  /// may be left out.
  void build(float seconds);
  void draw();

 private:
  void frame();

  Form form_;
  SharedPool pool_;
  OffscreenContext context_;
  std::vector<BackendChoice> backends_;

 public:
  Framebuffer picture;
  LiveEngine engine;

 private:
  ImGuiHost host_;

 public:
  App app;
};

}  // namespace attnscope
