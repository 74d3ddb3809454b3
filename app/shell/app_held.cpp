// app/shell: B: what is held to compare with.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/shell/app.hpp"
#include "app/state/compare_state.hpp"

namespace attnscope {

/// Whether all of what is shown is known; says so where it is not.
bool App::can_be_held() {
  if (!shown_.result) return false;
  if (shown_.result->layer().is_complete()) return true;
  view_.notices.say("Not every query is known yet: it can be held once the sweep is done.");
  return false;
}

void App::hold() {
  if (!can_be_held()) return;
  comparison_.hold(shown_.result, errors_, *backends_, ImGui::GetTime());
  view_.compare->held_head = -1;
  shown_.stats->compare_with(comparison_.result());
}

void App::swap_with_held() {
  if (!comparison_.held() || !can_be_held()) return;
  if (before_) before_->swapped = !before_->swapped;
  document_ = comparison_.result()->document;
  // B is there already: it is shown at once, while the engine catches up.
  comparison_.swap(shown_, *backends_, ImGui::GetTime());
  if (view_.compare->held_head >= 0) std::swap(selection_.head, view_.compare->held_head);
  comparison_.held()->stats->compare_with(nullptr);
  shown_.stats->compare_with(comparison_.result());
  keep_selection_inside();
  keep_plane_there();
}

void App::release_held() {
  comparison_.clear(engine_);
  view_.compare->held_head = -1;
  if (!shown_.result) return;
  shown_.stats->compare_with(nullptr);
  keep_plane_there();
}

std::optional<double> App::clock_in() const {
  if (!comparison_.held() || view_.mode == Mode::Walk) return std::nullopt;
  const double age = comparison_.age(ImGui::GetTime()), step = age < 60 ? 1 : 60;
  return step - std::fmod(std::max(0.0, age), step) + 0.01;
}

}  // namespace attnscope
