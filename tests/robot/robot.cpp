#include "tests/robot/robot.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "app/files/paths.hpp"
#include "core/base/error.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/one_at_a_time.hpp"

namespace attnscope {
namespace {

constexpr float time_step = 1.0f / 60;
constexpr int most_moving = 600;  // frames: a longer motion never stops
// For the results of workers, on an overloaded machine, with sanitizers.
constexpr std::chrono::seconds patience{300};

/// The same backends on every machine.
std::vector<BackendChoice> backends_of(const RobotOptions& options, const SharedPool& pool) {
  std::vector<BackendChoice> all{{"CPU", one_at_a_time(make_cpu_backend(pool)), {}, nullptr}};
  if (options.second) {
    all.push_back({std::string(options.second->name()),
                   one_at_a_time(options.second),
                   {},
                   options.beside,
                   options.rows});
  } else {
    all.push_back(
        {"CUDA", nullptr, "This build has no CUDA kernels, so the CPU computes everything.", nullptr});
  }
  return all;
}

}  // namespace

Robot::Robot(const RobotOptions& options)
    : options_(options),
      picture_(std::in_place, options.width, options.height),
      backends_(backends_of(options, pool_)),
      engine_(backends_.front().backend, {}, backends_.front().backend),
      host_(nullptr, options.system_fonts),
      app_({.assets = assets_directory(),
            .opening = options.opening,
            .theme = options.theme,
            .scale = options.scale,
            .state = options.state.value_or(""),
            .wake = options.wake,
            .pool = pool_},
           engine_, backends_) {
  ImGui::GetIO().ConfigInputTrickleEventQueue = false;  // one event a frame already
  items_.start();
  if (options_.file) app_.files().opening.open(*options_.file);
  settle();
}

void Robot::frame(int count) {
  // By hand: with ATTNSCOPE_FRAME_PAUSE=30 (milliseconds) every worker is done before the next frame, as on a
  // very fast machine. A test that depends on a slow worker fails then.
  static const char* const given = std::getenv("ATTNSCOPE_FRAME_PAUSE");
  static const std::chrono::milliseconds pause(given != nullptr ? std::atoi(given) : 0);
  for (int i = 0; i < count; ++i) {
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
    items_.clear();
    host_.build(options_.width, options_.height, time_step, [this] { app_.frame(host_.fonts()); });
    if (options_.after_frame) options_.after_frame(app_);
    if (options_.wait_for_engine) engine_.wait_idle();
    lowest_depth_ = std::min(lowest_depth_, app_.history().depth());
  }
}

std::size_t Robot::lowest_depth() { return std::exchange(lowest_depth_, app_.history().depth()); }

Image Robot::pixels() {
  picture_->bind();
  host_.render(options_.width, options_.height);
  return picture_->read();
}

void Robot::settle() {
  app_.files().opening.finish(true);
  frame();
  const auto begin = std::chrono::steady_clock::now();
  for (int moving = 0; !app_.settled() || app_.wants_frame(); moving += app_.settled()) {
    if (moving == most_moving || std::chrono::steady_clock::now() - begin > patience) {
      const bool same = app_.document() == app_.document();  // a NaN in it differs from itself
      throw Error("The interface did not settle: " +
                  std::string(!app_.settled() ? "the picture does not show the document" : "it still moves") +
                  (same ? "" : ", the document is not equal to itself") + ", " +
                  std::to_string(app_.textures().postponed()) + " pictures put off.");
    }
    engine_.wait_idle();
    app_.finish_numbers();
    // The rest is made by a worker without a wait function, which needs the processor, too.
    if (!app_.settled()) std::this_thread::sleep_for(std::chrono::microseconds(200));
    frame();
  }
  frame(2);
}

void Robot::move(ImVec2 to) {
  ImGui::GetIO().AddMousePosEvent(to.x, to.y);
  frame();
}

void Robot::press(int button) {
  ImGui::GetIO().AddMouseButtonEvent(button, true);
  frame();
}

void Robot::release(int button) {
  ImGui::GetIO().AddMouseButtonEvent(button, false);
  frame();
}

void Robot::click_at(ImVec2 place, int button) {
  move(place);
  press(button);
  release(button);
  frame();
}

void Robot::drag(ImVec2 from, ImVec2 to, int steps) {
  move(from);
  press();
  for (int i = 1; i <= steps; ++i) {
    const float share = static_cast<float>(i) / static_cast<float>(steps);
    move({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share});
  }
  release();
}

void Robot::scroll(float lines) {
  ImGui::GetIO().AddMouseWheelEvent(0, lines);
  frame();
}

void Robot::hold(int mods, bool down) {
  for (const ImGuiKey mod : {ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt, ImGuiMod_Super})
    if (mods & mod) ImGui::GetIO().AddKeyEvent(mod, down);
}

void Robot::key(ImGuiKey key, int mods) {
  hold(mods, true);
  ImGui::GetIO().AddKeyEvent(key, true);
  frame();
  ImGui::GetIO().AddKeyEvent(key, false);
  hold(mods, false);
  frame();
}

void Robot::type(std::string_view text) {
  ImGui::GetIO().AddInputCharactersUTF8(std::string(text).c_str());
  frame();
}

void Robot::retype(std::string_view field, std::string_view text) {
  click(field);
  key(ImGuiKey_A, ImGuiMod_Ctrl);
  type(text);
  settle();
}

void Robot::type_number(std::string_view control, std::string_view number) {
  click(control);
  frame(2);  // the field appears, then takes the keyboard
  key(ImGuiKey_A, ImGuiMod_Ctrl);
  type(number);
  key(ImGuiKey_Enter);
  settle();
}

void Robot::resize(int width, int height) {
  options_.width = width;
  options_.height = height;
  picture_.emplace(width, height);
  frame(2);
}

void Robot::leave() {
  ImGui::GetIO().AddMousePosEvent(-FLT_MAX, -FLT_MAX);
  frame();
}

bool Robot::has(std::string_view label) const {
  const RecordedItem* item = items_.find(label);
  return item && item->visible;
}

ImVec2 Robot::centre(std::string_view label) const {
  if (const RecordedItem* item = items_.find(label); item && item->visible)
    return {(item->min.x + item->max.x) / 2, (item->min.y + item->max.y) / 2};
  std::string there;
  for (const RecordedItem& item : items_.items())
    if (item.visible && !item.label.empty()) there += (there.empty() ? "" : ", ") + item.label;
  throw Error("The robot sees no \"" + std::string(label) + "\". It sees: " + there + ".");
}

}  // namespace attnscope
