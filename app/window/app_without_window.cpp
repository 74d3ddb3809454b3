#include "app/window/app_without_window.hpp"

#include "app/files/paths.hpp"

namespace attnscope {
namespace {

constexpr float time_step = 1.0f / 60;
constexpr int most_frames = 600;  // ten seconds; an animation may never end
constexpr int layout_frames = 3;

}  // namespace

namespace {
/// Checks the assets before anything is drawn.
const AppWithoutWindow::Form& checked(const AppWithoutWindow::Form& form) {
  check_assets();
  return form;
}
}  // namespace

AppWithoutWindow::AppWithoutWindow(const Form& form)
    : form_(checked(form)),
      backends_(list_backends(form.backend != BackendPreference::Cpu, pool_)),
      picture(form.width, form.height),
      engine(chosen_backend(backends_, form.backend).backend, form.wake, backends_.front().backend),
      app({.assets = assets_directory(),
           .opening = form.opening,
           .scale = form.scale,
           .attended = false,
           .wake = form.wake,
           .pool = pool_},
          engine, backends_) {}

void AppWithoutWindow::settle() {
  frame();
  for (int i = 0; i < most_frames && (!app.settled() || app.wants_frame()); ++i) frame();
}

void AppWithoutWindow::finish_film() {
  while (!app.settled()) frame();
}

void AppWithoutWindow::lay_out() {
  for (int i = 0; i < layout_frames; ++i) frame();
}

void AppWithoutWindow::build(float seconds) {
  host_.build(form_.width, form_.height, seconds, [this] { app.frame(host_.fonts()); });
}

void AppWithoutWindow::draw() {
  picture.bind();
  host_.render(form_.width, form_.height);
}

void AppWithoutWindow::frame() {
  build(time_step);
  draw();
  engine.wait_idle();
  app.finish_numbers();  // so that the number of frames does not depend on the machine
}

}  // namespace attnscope
