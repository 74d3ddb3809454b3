// tests/robot: uses the interface with mouse and keyboard events, without a display, and reads what was
// drawn. Time passes in fixed steps and every frame waits for the engine, so a run gives the same pixels each
// time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include <imgui.h>

#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/kit/ui/item_recorder.hpp"
#include "app/shell/app.hpp"
#include "core/engine/live_engine.hpp"
#include "tests/robot/easel.hpp"

namespace attnscope {

struct RobotOptions {
  int width = 1280, height = 800;
  float scale = 1;
  ThemeName theme = ThemeName::Dark;
  bool system_fonts = false;    // the built-in font makes a test independent of the machine
  bool wait_for_engine = true;  // false: frames go on while it computes, as in the window
  /// A second backend in the switch, in CUDA's place; the window begins with the CPU. It may throw and give
  /// other numbers.
  std::shared_ptr<Backend> second = nullptr, beside = nullptr;  // as in BackendChoice
  MakeRowOperators rows = {};                                   // likewise, of the second
  std::optional<std::filesystem::path> file = std::nullopt;     // the first example when there is none
  std::filesystem::path opening = {};                           // as in AppOptions
  std::optional<std::filesystem::path> state = std::nullopt;    // where recent files and autosaves are; none
  std::function<void()> wake = {};  // on the worker of the models' engine, which waits for it: there is news
  std::function<void(const App&)> after_frame = {};  // called after each, from the first one on
};

/// One at a time, since it has the easel. A function that does not find its widget throws Error with a list
/// of those that exist.
class Robot {
 public:
  explicit Robot(const RobotOptions& options = {});

  App& app() { return app_; }
  LiveEngine& engine() { return engine_; }
  const Document& document() const { return app_.document(); }
  /// Everything drawn in the last frame.
  const ItemRecorder& items() const { return items_; }

  void frame(int count = 1);
  /// Frames until nothing moves and the picture shows the Document, then two more. Throws when it moves for
  /// 600 frames, or when the workers take two minutes.
  void settle();

  /// One event a frame, as from a slow hand.
  void move(ImVec2 to);
  void press(int button = 0);
  void release(int button = 0);
  void click_at(ImVec2 place, int button = 0);
  void click(std::string_view label) { click_at(centre(label)); }
  void right_click(ImVec2 place) { click_at(place, 1); }
  void drag(ImVec2 from, ImVec2 to, int steps = 4);
  void scroll(float lines);
  /// `mods` are ImGuiMod_ flags.
  void key(ImGuiKey key, int mods = 0);
  /// Types text into the focused field; UTF-8.
  void type(std::string_view text);
  /// Selects all of a text field, types over it and settles.
  void retype(std::string_view field, std::string_view text);
  /// Clicks the number beside a control, types another, Enter, and settles.
  void type_number(std::string_view control, std::string_view number);
  /// Resizes the window; 1 × 1 at least.
  void resize(int width, int height);
  int width() const { return options_.width; }
  int height() const { return options_.height; }
  /// The least depth of the undo history after any frame since the last call.
  std::size_t lowest_depth();
  /// Moves the mouse out of the window.
  void leave();

  /// Whether a widget with this label, or ID string, is visible.
  bool has(std::string_view label) const;
  /// The middle of its visible part.
  ImVec2 centre(std::string_view label) const;
  /// The last frame. Only here it is turned into pixels.
  Image pixels();

 private:
  void hold(int mods, bool down);

  RobotOptions options_;
  Easel easel_;
  std::optional<Framebuffer> picture_;
  SharedPool pool_;
  std::vector<BackendChoice> backends_;
  LiveEngine engine_;
  ImGuiHost host_;
  ItemRecorder items_;
  App app_;
  std::size_t lowest_depth_ = 0;
};

}  // namespace attnscope
