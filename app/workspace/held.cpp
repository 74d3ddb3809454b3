#include "app/workspace/held.hpp"

#include <algorithm>
#include <utility>

#include "app/state/window_state.hpp"
#include "core/edits/within.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

std::optional<HeldThen> Held::now() const {
  const double now = ImGui::GetTime();
  if (const Document* coming = model_b_.expected())
    return HeldThen{what_is_said(*coming), now - model_b_.expected_age()};
  if (const Document* held = comparison_.document())
    return HeldThen{what_is_said(*held), comparison_.since(now)};
  return std::nullopt;
}

bool Held::is_settled() const {
  return model_b_.is_settled() && !comparison_.is_expecting() && !(held_result() && held_result()->is_busy());
}

void Held::wait_for_model() const {
  if (!model_b_.is_settled()) model_b_.wait_idle();
}

void Held::expect_nothing() {
  comparison_.expect_nothing(space_.engine);
  model_b_.expect_nothing();
  asks_for_held_.reset();
}

/// Whether the shown result is complete; if not, a notice says so.
bool Held::can_be_held() {
  if (!space_.shown.result) return false;
  if (space_.shown.result->layer().is_complete()) return true;
  space_.view.notices.say("Not every query is known yet: it can be held once the sweep is done.");
  return false;
}

void Held::bring_back(const HeldThenPtr& then) {
  const std::optional<HeldThen> there = now();
  if (!there && !then) return;
  if (!then) return drop();
  if (there && there->document == then->document) return;
  expect_nothing();
  const ResultPtr held = comparison_.result();
  if (held && what_is_said(held->document) == then->document) return;
  expect(then->document, ImGui::GetTime() - then->seconds);
}

void Held::hold() {
  if (!can_be_held()) return;
  comparison_.expect_nothing(space_.engine);  // an expected B would replace it
  model_b_.expect_nothing();
  comparison_.hold(space_.shown.result, space_.errors, space_.backends, ImGui::GetTime());
  looked_at_() = -1;
  held_origin_ = space_.origin;
  space_.shown.stats->compare_with(comparison_.result());
}

void Held::swap() {
  if (!comparison_.held() || !can_be_held()) return;
  space_.history.leave_held();
  ++swaps_;
  if (held_origin_) space_.stand_in(std::exchange(held_origin_, space_.origin));
  space_.document = comparison_.result()->document;
  // B's result is shown at once, while the engine computes its Document again.
  comparison_.swap(space_.shown, space_.backends, ImGui::GetTime());
  if (looked_at_() >= 0) std::swap(space_.selection.head, looked_at_());
  space_.chosen.head = space_.selection.head;
  comparison_.held()->stats->compare_with(nullptr);
  space_.shown.stats->compare_with(comparison_.result());
  space_.keep_selection_inside();
  space_.keep_plane_there();
}

void Held::release() {
  space_.history.leave_held();
  drop();
}

void Held::drop() {
  comparison_.clear(space_.engine);
  model_b_.expect_nothing();
  asks_for_held_.reset();
  held_origin_.reset();
  looked_at_() = -1;
  if (!space_.shown.result) return;
  space_.shown.stats->compare_with(nullptr);
  space_.keep_plane_there();
}

void Held::expect(Document held, double age) {
  const ModelContext& within = held.within.read();
  held_origin_.reset();
  if (within.is_unopened())
    asks_for_held_ = HeldArrival{std::move(held), age};
  else if (within)
    model_b_.expect(std::move(held), age);
  else
    comparison_.expect(std::move(held), space_.engine, age);
}

bool Held::take_moved(const Document& opened) {
  const ModelContext& found = opened.within.read();
  if (!asks_for_held_ || !found || asks_for_held_->document.within.read().fingerprint != found.fingerprint)
    return false;
  HeldArrival arrival = *std::exchange(asks_for_held_, std::nullopt);
  ModelContext& held = arrival.document.within.change();
  held.model = found.model;
  held.path = found.path;
  model_b_.expect(std::move(arrival.document), arrival.age);
  return true;
}

void Held::take_expected() {
  take_held_model();
  std::string trouble;
  const bool is_there =
      comparison_.take(space_.engine, space_.errors, space_.backends, ImGui::GetTime(), trouble);
  if (!trouble.empty()) space_.view.notices.say(trouble);
  if (is_there && space_.shown.stats) space_.shown.stats->compare_with(comparison_.result());
}

void Held::take_held_model() {
  std::string trouble;
  std::optional<ModelComparison::Layer> layer = model_b_.take_layer(trouble);
  if (!trouble.empty()) space_.view.notices.say("What was held cannot be computed. " + trouble);
  if (layer) comparison_.expect(std::move(layer->document), space_.engine, layer->age);
}

void Held::compare_models(bool is_seen, int shift) {
  // Until the layer of an opened session's B is computed, the model of the previous B is kept.
  if (!comparison_.is_expecting()) {
    const std::optional<HeldResult>& held = comparison_.held();
    model_b_.hold(held ? &held->result->document : nullptr, held ? held->seconds : 0, space_.reading());
  }
  model_b_.follow({space_.reading(), is_seen, shift});
}

}  // namespace attnscope
