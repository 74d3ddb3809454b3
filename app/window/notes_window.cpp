#include "app/window/notes_window.hpp"

#include <algorithm>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include "app/kit/gl/imgui_host.hpp"
#include "app/shell/app.hpp"
#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {
namespace {

constexpr int notes_width = 900, notes_window_height = 640;  // logical pixels
constexpr float notes_frame = 1.f / 60;

/// The monitor that shows most of the window.
GLFWmonitor* monitor_of(GLFWwindow* window) {
  int x = 0, y = 0, width = 0, height = 0, count = 0;
  glfwGetWindowPos(window, &x, &y);
  glfwGetWindowSize(window, &width, &height);
  GLFWmonitor** const monitors = glfwGetMonitors(&count);
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  int most = 0;
  for (int i = 0; i < count; ++i) {
    int left = 0, top = 0;
    glfwGetMonitorPos(monitors[i], &left, &top);
    const GLFWvidmode* const mode = glfwGetVideoMode(monitors[i]);
    if (mode == nullptr) continue;
    const int across = std::min(x + width, left + mode->width) - std::max(x, left),
              down = std::min(y + height, top + mode->height) - std::max(y, top);
    if (across <= 0 || down <= 0 || across * down <= most) continue;
    most = across * down;
    best = monitors[i];
  }
  return best;
}

/// Another monitor; null if there is none.
GLFWmonitor* monitor_beside(GLFWmonitor* taken) {
  int count = 0;
  GLFWmonitor** const monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i)
    if (monitors[i] != taken) return monitors[i];
  return nullptr;
}

}  // namespace

struct NotesWindow::Open {
  GLFWwindow* window = nullptr;
  std::unique_ptr<ImGuiHost> host;
  std::unique_ptr<TextureCache> textures;

  /// Makes its OpenGL and Dear ImGui contexts current. Keys go to the main window, whichever window has the
  /// focus.
  Open(GLFWmonitor* monitor, GLFWwindow* main) {
    glfwWindowHint(GLFW_FOCUS_ON_SHOW, GLFW_FALSE);
    glfwWindowHint(GLFW_FOCUSED, GLFW_FALSE);
    window = glfwCreateWindow(notes_width, notes_window_height, "AttnScope: speaker notes", nullptr, nullptr);
    glfwWindowHint(GLFW_FOCUS_ON_SHOW, GLFW_TRUE);
    glfwWindowHint(GLFW_FOCUSED, GLFW_TRUE);
    if (window == nullptr) return;
    glfwSetWindowUserPointer(window, main);
    glfwSetKeyCallback(window, [](GLFWwindow* notes, int key, int scancode, int action, int mods) {
      ImGui_ImplGlfw_KeyCallback(static_cast<GLFWwindow*>(glfwGetWindowUserPointer(notes)), key, scancode,
                                 action, mods);
    });
    if (monitor != nullptr) {
      int x = 0, y = 0;
      glfwGetMonitorPos(monitor, &x, &y);
      glfwSetWindowPos(window, x + 40, y + 60);
    }
    glfwMakeContextCurrent(window);
    glfwSwapInterval(0);  // the main window limits the frame rate
    host = std::make_unique<ImGuiHost>();
    textures = std::make_unique<TextureCache>();
  }
  ~Open() {
    if (window == nullptr) return;
    glfwMakeContextCurrent(window);
    textures.reset();
    host.reset();
    glfwDestroyWindow(window);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
};

NotesWindow::NotesWindow() = default;
NotesWindow::~NotesWindow() = default;

void NotesWindow::follow(App& app, GLFWwindow* main) {
  ImGuiContext* const before = ImGui::GetCurrentContext();
  const bool presents = app.lessons().is_presented();
  GLFWmonitor* const beside = presents ? monitor_beside(monitor_of(main)) : nullptr;
  const bool wanted = presents && (lesson_of(app.view()).notes || beside != nullptr);
  if (!presents || (lesson_of(app.view()).notes && !asked_)) closed_ = false;
  if (open_ && (open_->window == nullptr || glfwWindowShouldClose(open_->window))) {
    open_.reset();
    closed_ = true;
    lesson_of(app.view()).notes = false;  // so that the next N shows them
  }
  asked_ = lesson_of(app.view()).notes;
  if (!wanted || closed_) {
    open_.reset();
  } else {
    if (!open_) open_ = std::make_unique<Open>(beside, main);
    if (open_->window != nullptr) {
      glfwMakeContextCurrent(open_->window);
      int width = 0, height = 0;
      float scale = 1;
      glfwGetFramebufferSize(open_->window, &width, &height);
      glfwGetWindowContentScale(open_->window, &scale, nullptr);
      const auto page = [&] {
        app.lessons().draw_speaker_notes(open_->host->fonts(), *open_->textures, scale);
      };
      if (width > 0 && height > 0) {
        open_->host->frame(width, height, notes_frame, page);
        glfwSwapBuffers(open_->window);
      }
    }
  }
  glfwMakeContextCurrent(main);
  ImGui::SetCurrentContext(before);
}

void FullScreen::follow(bool presents, GLFWwindow* window) {
  if (presents == on_) return;
  on_ = presents;
  if (!on_) return glfwSetWindowMonitor(window, nullptr, x_, y_, width_, height_, 0);
  glfwGetWindowPos(window, &x_, &y_);
  glfwGetWindowSize(window, &width_, &height_);
  GLFWmonitor* const monitor = monitor_of(window);
  const GLFWvidmode* const mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  if (mode != nullptr)
    glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

}  // namespace attnscope
