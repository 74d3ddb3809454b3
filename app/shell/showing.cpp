#include "app/shell/showing.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include <imgui.h>

#include "app/state/regions/focus_state.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

/// Waits for requested numbers and tiles; false if none was missing.
bool finish(const ShownResult& shown) {
  bool waited = shown.stats && shown.stats->finish();
  for (; shown.tiles && shown.tiles->is_busy(); waited = true)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return waited;
}

}  // namespace

void Showing::take_results() {
  const ResultPtr newest = space_.following.news();
  // A session appears together with its B, unless its A is long and still being refined.
  if (newest && arriving_.arrival() && newest->is_complete() && held_.is_waiting()) return;
  held_.take_expected();
  if (!newest) return;
  space_.following.see(*newest);
  const ResultPtr good = space_.engine.latest_good();
  // After a cancelled refinement or a failed backend the picture stays: it is still of this document.
  const bool is_stale = !good || !(good->document == newest->document);
  space_.view.refusal = is_stale ? newest->error : std::string();
  space_.view.notices.say(Notice::Source::Engine, newest->error);  // empty: removes an earlier message
  tell_of_backends(*newest);
  if (!good || good == space_.shown.result) return;
  show(good);
  if (arriving_.arrival() && newest == good) take_arrival();
  space_.keep_selection_inside();
  space_.keep_plane_there();
}

void Showing::show(const ResultPtr& good) {
  ResultPtr before = space_.shown.result;
  const bool is_other_text = shown_text_.takes(before ? &before->document : nullptr, good->document);
  if (is_other_text && before->layer().dimensions.keys != good->layer().dimensions.keys)
    see_as_a_whole(focus_of(space_.view), before->layer(), good->layer(), space_.selection.head);
  space_.shown.show(good, space_.errors, space_.backends);
  space_.backends.note(*good);
  space_.shown.stats->compare_with(held_.result());
  const bool was_long = before && before->layer().is_long();
  if (before) space_.engine.give_back(std::move(before));
  if (held_.held_result() && space_.view.notices.empty() && was_long != good->layer().is_long() &&
      !held_.beside(good))
    space_.view.notices.say(
        "A long sequence and a short one cannot be compared: what is held waits until both are long or both "
        "short.");
}

/// The first result of what was opened.
void Showing::take_arrival() {
  Arrival arrival = *std::exchange(arriving_.arrival(), std::nullopt);
  if (arrival.looks) return arriving_.look_as_opened(std::move(*arrival.looks));
  looking_.choose_first_cell();
  space_.chosen = place_of(space_.selection);
  if (arrival.is_text) arriving_.tell_of_text();
}

/// Says which backend took over and why; the notice stays until it is dismissed or no longer true.
void Showing::tell_of_backends(const Result& newest) {
  if (!newest.error.empty() || newest.backend_note == backend_note_) return;
  backend_note_ = newest.backend_note;
  space_.view.notices.say(Notice::Source::Backend, backend_note_);
}

void Showing::begin_frame() {
  if (space_.shown.stats) space_.shown.stats->begin_frame();
  space_.head_maps.begin_frame();
  if (held_.held_result()) held_.held_result()->stats->begin_frame();
}

void Showing::end_frame() {
  space_.textures.end_frame();
  for (Tiles* tiles :
       {space_.shown.tiles.get(), held_.held_result() ? held_.held_result()->tiles.get() : nullptr}) {
    if (tiles == nullptr) continue;
    tiles->end_frame();
    if (std::string error = tiles->take_error(); !error.empty()) space_.view.notices.say(std::move(error));
  }
}

bool Showing::is_settled() const {
  const ShownResult& shown = space_.shown;
  if (space_.head_maps.is_computing() || space_.backends.is_comparing() || shown.is_busy()) return false;
  if (shown.result && !shown.result->layer().is_complete() && space_.engine.busy()) return false;
  return space_.following.is_up_to_date(space_.document) && space_.textures.postponed() == 0;
}

bool Showing::finish_numbers() const {
  bool waited = finish(space_.shown);
  if (held_.held_result()) waited |= finish(*held_.held_result());
  return space_.head_maps.finish() || waited;
}

}  // namespace attnscope
