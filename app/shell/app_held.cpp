// app/shell: B: what is held to compare with.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/shell/app.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/model_state.hpp"
#include "core/edits/within.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// Whether all of what is shown is known; says so where it is not.
bool App::can_be_held() {
  if (!shown_.result) return false;
  if (shown_.result->layer().is_complete()) return true;
  view_.notices.say("Not every query is known yet: it can be held once the sweep is done.");
  return false;
}

/// What is held, or will be once it is computed. Of a model what is said of it.
std::optional<HeldThen> App::held_now() const {
  const double now = ImGui::GetTime();
  if (const Document* coming = model_b_.expected())
    return HeldThen{what_is_said(*coming), now - model_b_.expected_age()};
  if (const Document* held = comparison_.document())
    return HeldThen{what_is_said(*held), comparison_.since(now)};
  return std::nullopt;
}

/// Of a step that was gone back to: it is computed again, and becomes B once it is there.
void App::bring_back_held(const HeldThenPtr& then) {
  const std::optional<HeldThen> now = held_now();
  if (!now && !then) return;
  if (!then) return drop_held();
  if (now && now->document == then->document) return;
  comparison_.expect_nothing(engine_);
  model_b_.expect_nothing();
  asks_for_held_.reset();
  const ResultPtr held = comparison_.result();
  if (held && what_is_said(held->document) == then->document) return;
  expect_held(then->document, ImGui::GetTime() - then->seconds);
}

void App::hold() {
  if (!can_be_held()) return;
  comparison_.expect_nothing(engine_);  // what was to come would take its place
  model_b_.expect_nothing();
  comparison_.hold(shown_.result, errors_, *backends_, ImGui::GetTime());
  view_.compare->held_head = -1;
  held_origin_ = origin_;
  shown_.stats->compare_with(comparison_.result());
}

void App::swap_with_held() {
  if (!comparison_.held() || !can_be_held()) return;
  history_.leave_held();
  if (before_) before_->swapped = !before_->swapped;
  if (held_origin_) stand_in(std::exchange(held_origin_, origin_));
  document_ = comparison_.result()->document;
  // B is there already: it is shown at once, while the engine catches up.
  comparison_.swap(shown_, *backends_, ImGui::GetTime());
  if (view_.compare->held_head >= 0) std::swap(selection_.head, view_.compare->held_head);
  chosen_.head = selection_.head;
  comparison_.held()->stats->compare_with(nullptr);
  shown_.stats->compare_with(comparison_.result());
  keep_selection_inside();
  keep_plane_there();
}

/// One undo takes it back.
void App::release_held() {
  history_.leave_held();
  drop_held();
}

void App::drop_held() {
  comparison_.clear(engine_);
  model_b_.expect_nothing();
  asks_for_held_.reset();
  held_origin_.reset();
  view_.compare->held_head = -1;
  if (!shown_.result) return;
  shown_.stats->compare_with(nullptr);
  keep_plane_there();
}

/// A layer of a model is computed when the model has run; of one that has moved nothing is, until it is
/// opened.
void App::expect_held(Document held, double age) {
  const ModelContext& within = held.within.read();
  held_origin_.reset();
  if (within.is_unopened())
    asks_for_held_ = HeldArrival{std::move(held), age};
  else if (within)
    model_b_.expect(std::move(held), age);
  else
    comparison_.expect(std::move(held), engine_, age);
}

/// Whether the model that was opened is the one that a session's B waits for: it is held then, and what is
/// shown stays.
bool App::take_moved_held(const Session& opened) {
  const ModelContext& found = opened.document.within.read();
  if (!asks_for_held_ || opened.looks || !found ||
      asks_for_held_->document.within.read().fingerprint != found.fingerprint)
    return false;
  HeldArrival arrival = *std::exchange(asks_for_held_, std::nullopt);
  ModelContext& held = arrival.document.within.change();
  held.model = found.model;
  held.path = found.path;
  model_b_.expect(std::move(arrival.document), arrival.age);
  return true;
}

void App::take_held_model() {
  std::string trouble;
  std::optional<ModelComparison::Layer> layer = model_b_.take_layer(trouble);
  if (!trouble.empty()) view_.notices.say("What was held cannot be computed. " + trouble);
  if (layer) comparison_.expect(std::move(layer->document), engine_, layer->age);
}

void App::compare_models() {
  // Until the layer of an opened session's B is computed, what was held before stands.
  if (!comparison_.is_expecting()) {
    const std::optional<HeldSight>& held = comparison_.held();
    model_b_.hold(held ? &held->result->document : nullptr, held ? held->seconds : 0,
                  models_.reading_of(document_));
  }
  const bool is_seen = view_.mode == Mode::Model && view_.model->screen == ModelScreen::Compare;
  model_b_.follow({models_.reading_of(document_), is_seen, static_cast<int>(view_.model->compare.shift)});
}

std::optional<double> App::clock_in() const {
  if (presents_lesson()) return 1.0;  // the speaker's clock
  if (!comparison_.held() || view_.mode == Mode::Walk) return std::nullopt;
  const double age = comparison_.age(ImGui::GetTime()), step = age < 60 ? 1 : 60;
  return step - std::fmod(std::max(0.0, age), step) + 0.01;
}

}  // namespace attnscope
