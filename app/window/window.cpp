#include "app/window/window.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>

#include "app/files/paths.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/ui/words.hpp"
#include "app/results/choose_backend.hpp"
#include "app/session/look.hpp"
#include "app/shell/app.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/window/notes_window.hpp"
#include "app/window/running_window.hpp"
#include "core/base/error.hpp"

namespace attnscope {
namespace {

constexpr int asked_width = 1600, asked_height = 1000;  // logical pixels
constexpr int title_bar = 40;                           // height that a window manager may add
constexpr int frames_to_settle = 2;
constexpr int hot_frames = 3;  // drawn after every event: Dear ImGui needs two to settle
constexpr double progress_wait =
    0.05;                             // seconds between frames while a run computes; its end wakes us anyway
constexpr double tooltip_wait = 0.5;  // one more frame after the last event, for tooltips of a resting mouse

std::string last_glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "no reason given";
}

struct GlfwLibrary {
  GlfwLibrary() {
    if (!glfwInit())
      throw Error("no display: use `attnscope render -o picture.png` (" + last_glfw_error() + ").");
  }
  ~GlfwLibrary() { glfwTerminate(); }
  GlfwLibrary(const GlfwLibrary&) = delete;
  GlfwLibrary& operator=(const GlfwLibrary&) = delete;
};

using WindowHandle = std::unique_ptr<GLFWwindow, decltype(&glfwDestroyWindow)>;

/// Everything that decides when the next frame is due. The window's user pointer.
struct Attention {
  App* app = nullptr;                // set once it exists
  int frames = hot_frames;           // frames still to be drawn without a pause
  bool look_again = true;            // one frame after tooltip_wait
  std::atomic<bool> result = false;  // set by the worker thread
  double last_frame = 0;             // glfwGetTime()
  double frame_seconds = 1.0 / 60;

  void wake() {
    frames = hot_frames;
    look_again = true;
  }
};

Attention& attention_of(GLFWwindow* window) {
  return *static_cast<Attention*>(glfwGetWindowUserPointer(window));
}

/// Window coordinates in a logical pixel. Under X11 window coordinates are framebuffer pixels; elsewhere they
/// may differ.
float display_scale(GLFWwindow* window) {
  float scale = 1;
  int width = 0, framebuffer_width = 0;
  glfwGetWindowContentScale(window, &scale, nullptr);
  glfwGetWindowSize(window, &width, nullptr);
  glfwGetFramebufferSize(window, &framebuffer_width, nullptr);
  return framebuffer_width > 0 ? scale * static_cast<float>(width) / static_cast<float>(framebuffer_width)
                               : scale;
}

/// Opens the window in its last size, as far as it fits on the screen.
WindowHandle open_window(const WindowShape& last) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "attnscope");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "attnscope");
  glfwWindowHint(GLFW_MAXIMIZED, last.maximised ? GLFW_TRUE : GLFW_FALSE);
  int width = last.width > 0 ? last.width : asked_width, height = last.width > 0 ? last.height : asked_height;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) {
    float scale = 1;
    int free_width = 0, free_height = 0;
    glfwGetMonitorContentScale(monitor, &scale, nullptr);
    glfwGetMonitorWorkarea(monitor, nullptr, nullptr, &free_width, &free_height);
    const auto fit = [scale](int options, int room) {
      return std::min(options, static_cast<int>(static_cast<float>(room) / scale));
    };
    if (free_width > 0) width = fit(width, free_width);
    if (free_height > title_bar) height = fit(height, free_height - title_bar);
  }
  WindowHandle window(glfwCreateWindow(width, height, "AttnScope", nullptr, nullptr), &glfwDestroyWindow);
  if (!window)
    throw Error("the display offers no OpenGL 3.3: use `attnscope render -o picture.png` (" +
                last_glfw_error() + ").");
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  return window;
}

/// Sets the window's callbacks; Dear ImGui's own, set later, call these.
void listen(GLFWwindow* window, Attention& attention) {
  glfwSetWindowUserPointer(window, &attention);
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { attention_of(w).wake(); });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { attention_of(w).wake(); });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { attention_of(w).wake(); });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { attention_of(w).wake(); });
  glfwSetKeyCallback(window, [](GLFWwindow* w, int, int, int, int) { attention_of(w).wake(); });
  glfwSetCharCallback(window, [](GLFWwindow* w, unsigned) { attention_of(w).wake(); });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { attention_of(w).wake(); });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { attention_of(w).wake(); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { attention_of(w).wake(); });
  glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int) { attention_of(w).wake(); });
  glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) {
    attention_of(w).wake();
    if (attention_of(w).app) attention_of(w).app->set_display_scale(display_scale(w));
  });
  glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
    attention_of(w).wake();
    if (attention_of(w).app) attention_of(w).app->files().opening.drop({paths, paths + count});
  });
  const GLFWvidmode* mode = glfwGetPrimaryMonitor() ? glfwGetVideoMode(glfwGetPrimaryMonitor()) : nullptr;
  if (mode && mode->refreshRate > 60) attention.frame_seconds = 1.0 / mode->refreshRate;
}

bool can_be_seen(GLFWwindow* window) {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  return width > 0 && height > 0 && !glfwGetWindowAttrib(window, GLFW_ICONIFIED);
}

/// Handles events until the frame is due. Limits the frame rate even without vertical sync and with many
/// mouse events.
void pause(double due) {
  for (double left = due - glfwGetTime(); left > 0; left = due - glfwGetTime()) glfwWaitEventsTimeout(left);
  glfwPollEvents();
}

/// Sleeps until an event, until a change should be written for a crash, or, in a visible window, until
/// something disappears by itself or a shown time changes.
void rest(App& app, Attention& attention, bool is_seen) {
  const std::optional<double> keep_in = app.files().keeping.keep_in();
  std::optional<double> frame_in;
  for (const std::optional<double> due : {app.view().notices.leaves_in(), app.changes_in(), app.clock_in()})
    if (is_seen && due && (!frame_in || *due < *frame_in)) frame_in = due;
  if (!keep_in && !frame_in) return glfwWaitEvents();
  constexpr double never = 1e9;
  const double keep = attention.last_frame + keep_in.value_or(never),
               frame = attention.last_frame + frame_in.value_or(never);
  if (const double left = std::min(keep, frame) - glfwGetTime(); left > 0) glfwWaitEventsTimeout(left);
  if (glfwGetTime() >= keep) app.files().keeping.keep_now();
  if (glfwGetTime() >= frame) attention.frames = std::max(attention.frames, frames_to_settle);
}

/// Returns when a frame may be due; sleeps without a timeout when nothing moves.
void wait(GLFWwindow* window, App& app, Attention& attention) {
  if (!can_be_seen(window)) {
    rest(app, attention, false);
  } else if (attention.frames > 0) {
    pause(attention.last_frame + 0.9 * attention.frame_seconds);  // the buffer swap waits for the rest
  } else if (app.wants_frame()) {
    if (app.settled())
      pause(attention.last_frame + 0.9 * attention.frame_seconds);
    else
      glfwWaitEventsTimeout(progress_wait);
  } else if (attention.look_again) {
    glfwWaitEventsTimeout(tooltip_wait);
    if (attention.frames > 0) return;
    attention.frames = frames_to_settle;
    attention.look_again = false;
  } else {
    rest(app, attention, true);
  }
}

/// Whether the key is one of the punctuation keys of an American keyboard.
bool is_place_of_mark(int key) {
  switch (key) {
    case GLFW_KEY_APOSTROPHE:
    case GLFW_KEY_COMMA:
    case GLFW_KEY_MINUS:
    case GLFW_KEY_PERIOD:
    case GLFW_KEY_SLASH:
    case GLFW_KEY_SEMICOLON:
    case GLFW_KEY_EQUAL:
    case GLFW_KEY_LEFT_BRACKET:
    case GLFW_KEY_BACKSLASH:
    case GLFW_KEY_RIGHT_BRACKET:
    case GLFW_KEY_GRAVE_ACCENT: return true;
    default: return false;
  }
}

/// For a character without a key name Dear ImGui takes the American key in the same place: + on a German
/// keyboard would be ]. Here such keys are ignored, except plus, which counts as that of the keypad.
void key_by_its_character(GLFWwindow* window, int key, int scancode, int action, int mods) {
  const char* const name = is_place_of_mark(key) ? glfwGetKeyName(key, scancode) : nullptr;
  const std::string_view character = name != nullptr ? name : "";
  constexpr std::string_view marks = "`-=[]\\,;'./";
  const bool is_known =
      character.size() == 1 && (std::isalnum(static_cast<unsigned char>(character[0])) != 0 ||
                                marks.find(character[0]) != std::string_view::npos);
  if (character == "+") {
    key = GLFW_KEY_KP_ADD;
  } else if (!character.empty() && !is_known) {
    return attention_of(window).wake();
  }
  ImGui_ImplGlfw_KeyCallback(window, key, scancode, action, mods);
}

std::string language_of_the_system() {
  const auto variable = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  return preferred_language(variable("LANGUAGE"), variable("LANG"), list_languages(assets_directory()));
}

void draw(GLFWwindow* window, ImGuiHost& host, App& app, Attention& attention) {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  attention.last_frame = glfwGetTime();
  const auto build = [&] { host.build(width, height, 0, [&] { app.frame(host.fonts()); }); };
  build();
  // Events in quick succession are handled before the frame is rendered, as long as the frame has time.
  while (host.has_waiting_events() && glfwGetTime() < attention.last_frame + attention.frame_seconds) build();
  host.render(width, height);
  glfwSwapBuffers(window);
  attention.frames = std::max(0, attention.frames - 1);
  if (host.has_waiting_events()) attention.wake();
}

/// The window's size for the next start. If it is maximised or minimised, the previous size and whether it is
/// maximised.
WindowShape shape_of(GLFWwindow* window, const WindowShape& last) {
  WindowShape shape = last;
  shape.maximised = glfwGetWindowAttrib(window, GLFW_MAXIMIZED) == GLFW_TRUE;
  if (shape.maximised || glfwGetWindowAttrib(window, GLFW_ICONIFIED)) return shape;
  float scale = 1;  // GLFW enlarges a new window by this factor
  glfwGetWindowContentScale(window, &scale, nullptr);
  glfwGetWindowSize(window, &shape.width, &shape.height);
  const auto logical = [scale](int side) {
    return static_cast<int>(std::lround(static_cast<float>(side) / std::max(0.1f, scale)));
  };
  shape.width = logical(shape.width);
  shape.height = logical(shape.height);
  return shape;
}

void follow_title(GLFWwindow* window, const App& app, std::string& shown) {
  std::string title = app.window_title();
  if (title == shown) return;
  shown = std::move(title);
  glfwSetWindowTitle(window, shown.c_str());
}

/// Lets the door wake the window as long as this object lives.
class OpenDoor {
 public:
  OpenDoor(WindowDoor* door, const std::function<void()>& wake) : door_(door) {
    if (door_ != nullptr) door_->when_asked(wake);
  }
  ~OpenDoor() {
    if (door_ != nullptr) door_->when_asked({});
  }
  OpenDoor(const OpenDoor&) = delete;
  OpenDoor& operator=(const OpenDoor&) = delete;

  void let_in(App& app, GLFWwindow* window, Attention& attention) const {
    while (const std::optional<OpenRequest> asked = door_ != nullptr ? door_->take() : std::nullopt) {
      app.files().opening.open(asked->file, asked->layer);
      if (glfwGetWindowAttrib(window, GLFW_ICONIFIED)) glfwRestoreWindow(window);
      glfwRequestWindowAttention(window);
      attention.wake();
    }
  }

 private:
  WindowDoor* door_;
};

}  // namespace

int run_window(const WindowOptions& options) {
  // A graphics card takes some tenths of a second to start; the window opens meanwhile.
  const SharedPool pool;
  std::future<std::vector<BackendChoice>> looking =
      std::async(std::launch::async, list_backends, options.backend != BackendPreference::Cpu, pool);
  std::vector<BackendChoice> backends;
  if (options.backend == BackendPreference::Cuda) {  // if there is none, no window opens
    backends = looking.get();
    chosen_backend(backends, options.backend);
  }
  check_assets();
  const GlfwLibrary library;
  const WindowShape last = options.fresh ? WindowShape{} : read_look(state_directory()).window;
  const WindowHandle window = open_window(last);
  Attention attention;
  listen(window.get(), attention);
  const auto wake = [&attention] {
    attention.result = true;
    glfwPostEmptyEvent();
  };
  ImGuiHost host(window.get());
  glfwSetKeyCallback(window.get(), key_by_its_character);
  if (backends.empty()) backends = looking.get();
  LiveEngine engine(chosen_backend(backends, options.backend).backend, wake, backends.front().backend);
  App app({.assets = assets_directory(),
           .opening = options.file ? std::filesystem::path() : opening_picture(assets_directory()),
           .scale = display_scale(window.get()),
           .state = state_directory(),
           .language = options.language ? *options.language : language_of_the_system(),
           .language_is_asked_for = options.language.has_value(),
           .fresh = options.fresh,
           .wake = wake,
           .lesson_seed = 1 + static_cast<std::int64_t>(std::random_device{}() % 2147483646u),
           .pool = pool},
          engine, backends);
  attention.app = &app;
  if (options.watch) {
    app.view().mode = Mode::Model;
    app.view().watch->on = true;
  }
  if (options.file) {
    app.files().opening.open(*options.file, options.layer, options.answers);
  } else if (!options.watch) {
    if (!options.fresh && !app.files().opening.restore()) app.files().keeping.offer_last();
    app.offer_start();
  }
  std::string title;
  FullScreen full_screen;
  NotesWindow notes;
  const OpenDoor door(options.door, wake);
  if (options.opened) options.opened();

  while (!glfwWindowShouldClose(window.get())) {
    door.let_in(app, window.get(), attention);
    if (can_be_seen(window.get()) && (attention.frames > 0 || app.wants_frame()))
      draw(window.get(), host, app, attention);
    full_screen.follow(app.view().presenter->on, window.get());
    notes.follow(app, window.get());
    follow_title(window.get(), app, title);
    wait(window.get(), app, attention);
    if (attention.result.exchange(false)) attention.wake();
  }
  const WindowShape shape = shape_of(window.get(), last);
  glfwHideWindow(window.get());  // hidden first, as stopping a running computation takes a moment
  app.close(shape);
  return 0;
}

}  // namespace attnscope
