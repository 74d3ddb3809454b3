// app/window: the App with a framebuffer instead of a window.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
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
  /// Makes frames until what was opened is on screen. Of a model only the heads and the prediction are waited
  /// for: the others may take minutes, and the view that comes next may not show them.
  void arrive();
  /// From now on frames wait so long in all for a model's later numbers (lens, scores, effects); then the
  /// model is stopped, and what is known is drawn.
  void limit_model(std::chrono::nanoseconds most) { model_left_ = most; }
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
  bool wait_for_model(const ModelReadingPtr& before);

  Form form_;
  SharedPool pool_;
  OffscreenContext context_;
  std::vector<BackendChoice> backends_;

 public:
  Framebuffer picture;
  LiveEngine engine;

 private:
  ImGuiHost host_;
  std::optional<std::chrono::nanoseconds> model_left_;  // nothing: as long as they take

 public:
  App app;
};

}  // namespace attnscope
