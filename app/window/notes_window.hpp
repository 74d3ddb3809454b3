// app/window: the speaker's own window beside a presented lesson: notes of this step and the next, and the
// time since the start. On the second monitor if there is one.
#pragma once

#include <memory>

struct GLFWwindow;

namespace attnscope {

class App;

class NotesWindow {
 public:
  NotesWindow();
  ~NotesWindow();
  NotesWindow(const NotesWindow&) = delete;
  NotesWindow& operator=(const NotesWindow&) = delete;

  /// Opens, draws or closes the window as the App wants it. `main` is the presented window; its OpenGL and
  /// Dear ImGui contexts are current before and after the call. If the user closes the notes, they stay
  /// closed until they are asked for again, or a lesson is presented anew.
  void follow(App& app, GLFWwindow* main);

 private:
  struct Open;
  std::unique_ptr<Open> open_;
  bool closed_ = false;  // by the user
  bool asked_ = false;   // LessonState::notes of the last call
};

/// Makes the main window fill its monitor while it presents, and puts it back afterwards.
class FullScreen {
 public:
  void follow(bool presents, GLFWwindow* window);

 private:
  bool on_ = false;
  int x_ = 0, y_ = 0, width_ = 0, height_ = 0;  // of the window before it filled the monitor
};

}  // namespace attnscope
