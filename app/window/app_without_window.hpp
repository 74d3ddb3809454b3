// app/window: the App with a framebuffer in the place of a window.
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

/// Belongs to one thread. Throws Error where there is no OpenGL.
class AppWithoutWindow {
 public:
  struct Form {
    int width, height;
    float scale;
    BackendPreference backend = BackendPreference::Auto;
    std::filesystem::path opening = {};  // see AppOptions
    std::function<void()> wake = {};     // likewise; also when the layer on screen has been computed
  };
  explicit AppWithoutWindow(const Form& form);

  /// Frames until nothing moves or is computed any more.
  void settle();
  /// Until all of an animation is drawn: a value takes some frames.
  void finish_film();
  /// Sizes of one frame are used by the next.
  void lay_out();

  /// As a window has it: one frame without waiting for what is computed, and its pixels, which may be left
  /// out.
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
