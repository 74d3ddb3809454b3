#include "tests/robot/virtual_display.hpp"

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/keysym.h>
#include <array>
#include <cctype>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

constexpr int server_patience = 20'000;  // milliseconds

/// The number the server writes once it takes connections; empty when it does not.
std::string read_number(int descriptor) {
  std::string text;
  pollfd waiting{descriptor, POLLIN, 0};
  std::array<char, 16> buffer{};
  while (text.find('\n') == std::string::npos && poll(&waiting, 1, server_patience) == 1) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count <= 0) return {};
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

VirtualDisplay::VirtualDisplay(int width, int height) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("There is no pipe to be had.");
  const std::string screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
  // -displayfd takes the first free number; -terminate ends the server with its last client, however this
  // process ends.
  server_.emplace(std::vector<std::string>{"Xvfb", "-displayfd", "3", "-screen", "0", screen, "-nolisten",
                                           "tcp", "-terminate"},
                  ChildProcess::Options{{}, ends[1], true});
  ::close(ends[1]);
  name_ = ":" + read_number(ends[0]);
  ::close(ends[0]);
  if (name_ != ":") display_ = XOpenDisplay(name_.c_str());
  if (!display_) throw Error("Xvfb did not start.");
  XSetErrorHandler([](Display*, XErrorEvent*) { return 0; });  // a window may be gone when it is asked about
}

VirtualDisplay::~VirtualDisplay() { XCloseDisplay(display_); }

std::optional<VirtualDisplay::Window> VirtualDisplay::find(const std::string& title) {
  ::Window root = 0, parent = 0, *children = nullptr;
  unsigned count = 0;
  std::optional<Window> found;
  if (!XQueryTree(display_, DefaultRootWindow(display_), &root, &parent, &children, &count)) return found;
  for (unsigned i = 0; i < count && !found; ++i) {
    if (title_of(children[i]).ends_with(title)) found = children[i];
  }
  if (children) XFree(children);
  return found;
}

std::string VirtualDisplay::title_of(Window window) {
  Atom type = None;
  int bits = 0;
  unsigned long count = 0, left = 0;
  unsigned char* bytes = nullptr;
  const Atom name = XInternAtom(display_, "_NET_WM_NAME", False);
  constexpr long longest = 1024;  // in units of four bytes
  std::string title;
  if (XGetWindowProperty(display_, window, name, 0, longest, False, AnyPropertyType, &type, &bits, &count,
                         &left, &bytes) == Success &&
      bytes != nullptr && bits == 8)
    title.assign(reinterpret_cast<const char*>(bytes), count);
  if (bytes != nullptr) XFree(bytes);
  return title;
}

void VirtualDisplay::press(Window window, const std::string& key) {
  XEvent event{};
  event.xkey.window = window;
  event.xkey.root = DefaultRootWindow(display_);
  event.xkey.same_screen = True;
  event.xkey.keycode = XKeysymToKeycode(display_, XStringToKeysym(key.c_str()));
  for (const int type : {KeyPress, KeyRelease}) {
    event.xkey.type = type;
    XSendEvent(display_, window, True, type == KeyPress ? KeyPressMask : KeyReleaseMask, &event);
    XSync(display_, False);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
}

Image VirtualDisplay::read(Window window, int x, int y, int width, int height) {
  XImage* seen = XGetImage(display_, window, x, y, static_cast<unsigned>(width),
                           static_cast<unsigned>(height), AllPlanes, ZPixmap);
  if (!seen) return {};
  Image image(width, height);
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const unsigned long rgb = XGetPixel(seen, column, row);
      image.at(column, row) =
          0xFF000000u | static_cast<Rgba>((rgb & 255) << 16 | (rgb & 0xFF00) | (rgb >> 16 & 255));
    }
  }
  XDestroyImage(seen);
  return image;
}

Image VirtualDisplay::pixels(Window window) {
  XWindowAttributes shape{};
  if (!XGetWindowAttributes(display_, window, &shape)) return {};
  return read(window, 0, 0, shape.width, shape.height);
}

Rgba VirtualDisplay::pixel(Window window, int x, int y) {
  const Image image = read(window, x, y, 1, 1);
  return image.pixels.empty() ? 0 : image.pixels[0];
}

void VirtualDisplay::move_pointer(Window window, int x, int y) {
  XWarpPointer(display_, None, window, 0, 0, 0, 0, x, y);
  XSync(display_, False);
}

void VirtualDisplay::move_pointer(int x, int y) { move_pointer(DefaultRootWindow(display_), x, y); }

void VirtualDisplay::button(Window window, int x, int y, bool down) {
  XEvent event{};
  event.xbutton.type = down ? ButtonPress : ButtonRelease;
  event.xbutton.window = window;
  event.xbutton.root = DefaultRootWindow(display_);
  event.xbutton.x = event.xbutton.x_root = x;
  event.xbutton.y = event.xbutton.y_root = y;
  event.xbutton.button = Button1;
  event.xbutton.state = down ? 0 : Button1Mask;
  event.xbutton.same_screen = True;
  XSendEvent(display_, window, True, down ? ButtonPressMask : ButtonReleaseMask, &event);
  XSync(display_, False);
}

void VirtualDisplay::click(Window window, int x, int y) {
  const auto breathe = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  move_pointer(window, x, y);
  breathe();
  button(window, x, y, true);
  breathe();
  button(window, x, y, false);
}

void VirtualDisplay::key(Window window, unsigned code, bool down, unsigned state) {
  XEvent event{};
  event.xkey.type = down ? KeyPress : KeyRelease;
  event.xkey.window = window;
  event.xkey.root = DefaultRootWindow(display_);
  event.xkey.keycode = code;
  event.xkey.state = state;
  event.xkey.time = ++clock_;
  event.xkey.same_screen = True;
  XSendEvent(display_, window, True, down ? KeyPressMask : KeyReleaseMask, &event);
}

void VirtualDisplay::type(Window window, const std::string& text) {
  for (const char c : text) {
    const unsigned code = XKeysymToKeycode(display_, static_cast<KeySym>(c));
    const unsigned state = std::isupper(static_cast<unsigned char>(c)) != 0 ? ShiftMask : 0;
    for (const bool down : {true, false}) key(window, code, down, state);
  }
  XSync(display_, False);
}

void VirtualDisplay::press(Window window, char character, bool with_control) {
  const unsigned control = XKeysymToKeycode(display_, XK_Control_L);
  const unsigned code = XKeysymToKeycode(display_, static_cast<KeySym>(character));
  const unsigned state = with_control ? ControlMask : 0;
  if (with_control) key(window, control, true, 0);
  for (const bool down : {true, false}) key(window, code, down, state);
  if (with_control) key(window, control, false, state);
  XSync(display_, False);
}

bool VirtualDisplay::set_layout(const std::string& name) {
  if (!program_exists("setxkbmap") || !program_exists("xkbcomp")) return false;
  ChildProcess setting({"setxkbmap", "-display", name_, name}, ChildProcess::Options{{}, -1, true});
  constexpr std::chrono::seconds patience{20};
  if (setting.wait(patience) != 0) return false;
  // A connection keeps its key map; the server ends with its last connection.
  _XDisplay* const fresh = XOpenDisplay(name_.c_str());
  if (fresh == nullptr) return false;
  XCloseDisplay(std::exchange(display_, fresh));
  return true;
}

void VirtualDisplay::resize(Window window, int width, int height) {
  XResizeWindow(display_, window, static_cast<unsigned>(width), static_cast<unsigned>(height));
  XSync(display_, False);
}

void VirtualDisplay::close(Window window) {
  XEvent event{};
  event.xclient.type = ClientMessage;
  event.xclient.window = window;
  event.xclient.message_type = XInternAtom(display_, "WM_PROTOCOLS", False);
  event.xclient.format = 32;
  event.xclient.data.l[0] = static_cast<long>(XInternAtom(display_, "WM_DELETE_WINDOW", False));
  event.xclient.data.l[1] = CurrentTime;
  XSendEvent(display_, window, False, NoEventMask, &event);
  XSync(display_, False);
}

}  // namespace attnscope
