// tests/robot: a private X server without a screen, and the part of the X protocol for mouse and keyboard.
// Only Xvfb and libX11 are needed, which OpenGL's packages bring.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/kit/draw/image.hpp"
#include "tests/robot/child_process.hpp"

struct _XDisplay;

namespace attnscope {

/// Events go to windows directly, since there is no window manager.
class VirtualDisplay {
 public:
  using Window = unsigned long;
  static bool available() { return program_exists("Xvfb"); }

  /// Throws Error when the server does not start within 20 s.
  VirtualDisplay(int width, int height);
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;

  /// ":7", for DISPLAY.
  const std::string& name() const { return name_; }
  /// The top-level window whose title ends with this; empty while there is none.
  std::optional<Window> find(const std::string& title);
  /// The pixels of the window: all, or one.
  Image pixels(Window);
  Rgba pixel(Window, int x, int y);

  void move_pointer(Window, int x, int y);
  /// Of the whole screen.
  void move_pointer(int x, int y);
  void click(Window, int x, int y);
  /// All keys at once, as in very fast typing or from a remote desktop: ASCII letters, digits and spaces.
  void type(Window, const std::string& text);
  /// A key that has this character without Shift on the display's layout, with Ctrl or without.
  void press(Window, char character, bool with_control);
  /// "us", "de"; before a program asks for it. False where setxkbmap or the layout is not installed.
  bool set_layout(const std::string& name);
  /// The title of a window, as a task bar shows it.
  std::string title_of(Window);
  /// A key of the keyboard goes down and up again; by the name that X has for it.
  void press(Window, const std::string& key);
  void resize(Window, int width, int height);
  /// Requests closing, as the cross in a title bar does.
  void close(Window);

 private:
  Image read(Window, int x, int y, int width, int height);
  void button(Window, int x, int y, bool down);
  void key(Window, unsigned code, bool down, unsigned state);

  std::string name_;
  std::optional<ChildProcess> server_;
  _XDisplay* display_ = nullptr;
  unsigned long clock_ = 0;  // milliseconds: no two keys at the same time
};

}  // namespace attnscope
