#include "app/window/app_without_window.hpp"

#include <thread>

#include "app/files/paths.hpp"
#include "core/engine/model/model_engine.hpp"

namespace attnscope {
namespace {

constexpr float time_step = 1.0f / 60;
constexpr int most_frames = 600;  // ten seconds; an animation may never end
constexpr int layout_frames = 3;
constexpr std::chrono::milliseconds look_pause{1};  // between two looks at what a worker does

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

void AppWithoutWindow::arrive() {
  const FileParts& files = app.files();
  const ModelEngine& models = app.workspace().models.engine();
  do {
    const ModelReadingPtr before = models.latest();
    build(time_step);
    engine.wait_idle();
    while (files.models.arrival() && models.busy() && models.latest() == before)
      std::this_thread::sleep_for(look_pause);
  } while ((files.opening.is_on_its_way() || files.arriving.arrival()) && !app.settled());
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
  const ModelReadingPtr before = app.workspace().models.engine().latest();
  build(time_step);
  draw();
  engine.wait_idle();
  // So that the number of frames does not depend on the machine.
  if (!model_left_ || wait_for_model(before)) app.finish_numbers();
}

/// Waits until nothing is computed of the model, or its time is up. False: the model's first reading has come
/// since `before`, and the next frame takes it. `before`: the newest reading when the frame began.
bool AppWithoutWindow::wait_for_model(const ModelReadingPtr& before) {
  using Clock = std::chrono::steady_clock;
  ModelFollowing& following = app.workspace().models;
  ModelEngine& models = following.engine();
  while (models.busy()) {
    const bool is_seen = !app.files().models.arrival() && following.is_up_to_date(app.document());
    if (!is_seen && models.latest() != before) return false;
    if (is_seen && *model_left_ <= std::chrono::nanoseconds::zero()) {
      models.cancel();
      models.wait_idle();
      break;
    }
    const Clock::time_point began = Clock::now();
    std::this_thread::sleep_for(look_pause);
    if (is_seen) *model_left_ -= Clock::now() - began;
  }
  return true;
}

}  // namespace attnscope
