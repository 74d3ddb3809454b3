// app/shell: B: what is held to compare with.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/shell/app.hpp"
#include "app/state/compare_state.hpp"

namespace attnscope {
namespace {

/// Weights of a long B are computed where they are looked at, like those of A.
void show_tiles(const std::optional<Held>& held, std::unique_ptr<Tiles>& tiles, const Backends& backends) {
  if (!held || !held->result->layer().is_long()) return tiles.reset();
  if (!tiles) tiles = std::make_unique<Tiles>();
  tiles->show(held->result, backends.beside(*held->result));
}

}  // namespace

void App::hold() {
  if (!shown_) return;
  if (!shown_->layer().is_complete())
    return view_.notices.say("Not every query is known yet: it can be held once the sweep is done.");
  held_ = Held{shown_, std::make_unique<ResultStats>(shown_, &errors_), ImGui::GetTime()};
  view_.compare->held_head = -1;
  stats_->compare_with(held_->result);
  show_tiles(held_, held_tiles_, *backends_);
}

void App::swap_with_held() {
  if (!held_ || !shown_) return;
  if (!shown_->layer().is_complete())
    return view_.notices.say("Not every query is known yet: it can be held once the sweep is done.");
  if (before_) before_->swapped = !before_->swapped;
  document_ = held_->result->document;
  // B is there already: it is shown at once, while the engine catches up.
  std::swap(shown_, held_->result);
  std::swap(stats_, held_->stats);
  if (held_tiles_) std::swap(tiles_, held_tiles_);
  tiles_->show(shown_, backends_->beside(*shown_));
  show_tiles(held_, held_tiles_, *backends_);
  held_->seconds = ImGui::GetTime();
  if (view_.compare->held_head >= 0) std::swap(selection_.head, view_.compare->held_head);
  held_->stats->compare_with(nullptr);
  stats_->compare_with(held_->result);
  keep_selection_inside();
  keep_plane_there();
}

void App::let_go() {
  held_.reset();
  held_tiles_.reset();
  view_.compare->held_head = -1;
  if (stats_) stats_->compare_with(nullptr);
  if (shown_) keep_plane_there();
}

std::optional<double> App::clock_in() const {
  if (!held_ || view_.mode == Mode::Walk) return std::nullopt;
  const double age = ImGui::GetTime() - held_->seconds, step = age < 60 ? 1 : 60;
  return step - std::fmod(std::max(0.0, age), step) + 0.01;
}

/// What the session held is there: it becomes B, and what is shown can be computed.
bool App::take_held(const ResultPtr& result) {
  if (!coming_b_ || b_ticket_ == 0 || result->ticket < b_ticket_) return false;
  if (result->error.empty() && !result->is_complete()) return true;  // the rest of its queries comes
  coming_b_.reset();
  b_ticket_ = 0;
  if (!result->error.empty()) {
    view_.notices.say("What was held cannot be computed. " + result->error);
    return true;
  }
  held_ = Held{result, std::make_unique<ResultStats>(result, &errors_),
               ImGui::GetTime() - (looks_ ? looks_->held_seconds : 0)};
  if (stats_) stats_->compare_with(held_->result);
  show_tiles(held_, held_tiles_, *backends_);
  return true;
}

}  // namespace attnscope
