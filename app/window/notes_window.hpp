// app/window: the speaker's own window beside a lesson that is presented: notes of this step and the next,
// and how long it has gone on. On the second monitor where there is one.
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

  /// Opens, draws or closes it, as the App wants it now. `main` is the window that is presented, whose OpenGL
  /// and Dear ImGui contexts are current, and are again when this returns. `present` as the person wants it:
  /// closing the notes keeps them closed until they are asked for again, or a lesson is presented anew.
  void follow(App& app, GLFWwindow* main);

 private:
  struct Open;
  std::unique_ptr<Open> open_;
  bool closed_ = false;  // by the person
  bool asked_ = false;   // shows_speaker_notes() of the last time
};

/// The main window fills a monitor while it presents, and goes back to where it was.
class FullScreen {
 public:
  void follow(bool presents, GLFWwindow* window);

 private:
  bool on_ = false;
  int x_ = 0, y_ = 0, width_ = 0, height_ = 0;  // of the window before
};

}  // namespace attnscope
