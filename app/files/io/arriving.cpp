#include "app/files/io/arriving.hpp"

#include <algorithm>
#include <utility>

#include <imgui_internal.h>

#include "app/files/io/cards.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/start_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "core/edits/within.hpp"

namespace attnscope {

void Arriving::take(Session session, const std::filesystem::path& file, bool is_text) {
  keeping_.keep_closed();
  end_typing();
  // An answer to the open question would now write this Document instead of the one that it is about.
  if (space_.view.files->question) {
    space_.view.files->question.reset();
    close_cards();
  }
  *space_.origin = space_.origin_now();
  space_.origin = std::make_shared<Origin>();
  space_.document = std::move(session.document);
  space_.original = space_.document;
  space_.file.follow(file);
  space_.view.files->file = file;
  space_.view.notices.leave_step();
  space_.view.notices.say(session.damage.empty() ? session.note : session.damage);
  scope_of(space_.view).clear();
  space_.view.watch->on = false;
  focus_of(space_.view).zoom = 1;  // a new matrix is first shown as a whole
  if (!session.looks) editing_of(space_.view).weights.reset();
  keeping_.touch();
  space_.following.begin_anew();
  space_.history.leave_held();
  if (session.looks && !session.held) held_.drop();
  held_.expect_nothing();
  if (session.held) held_.expect(std::move(*session.held), session.looks ? session.looks->held_seconds : 0);
  arrival_ = Arrival{std::move(session.looks), is_text};
}

void Arriving::take_made(MadeDocument made) {
  if (!made.held) held_.release();
  take({.document = std::move(made.document),
        .looks = {},
        .held = std::move(made.held),
        .damage = {},
        .note = {},
        .layers = {}},
       {});
  show_stage(space_.view, Stage::Softmax);
  space_.view.mode = Mode::Explore;
}

void Arriving::look_as_opened(Looks looks) {
  ViewState next = std::move(looks.view);
  next.scale = space_.view.scale;
  next.notices = std::move(space_.view.notices);
  next.now = space_.view.now;
  if (!looks.trace.empty()) put_back(looks.trace, scope_of(next), next.now);
  lesson_of(next).next_order = lesson_of(space_.view).next_order;
  next.files = std::move(space_.view.files);
  next.start = std::move(space_.view.start);
  next.keyboard = std::move(space_.view.keyboard);
  if (is_watching(space_.view))
    next.mode = Mode::Model;  // the Watch page was asked for before the first picture
  next.watch = std::move(space_.view.watch);
  space_.selection = looks.selection;
  space_.chosen = place_of(space_.selection);
  space_.nothing_is_switched();
  space_.view = std::move(next);
}

void Arriving::tell_of_text() {
  if (!space_.attended || !space_.view.notices.empty()) return;
  std::string note = "Opened without a causal mask (C turns it on) and without noise in the weights.";
  const bool log = focus_of(space_.view).log;
  if (log) note += " Its weights are small: colours are logarithmic (L: linear).";
  space_.view.notices.say(note + " Ctrl+Z goes back to what was open.",
                          log ? Notice::Of::Colours : Notice::Of::Document);
}

bool Arriving::is_layer_of_shown(const std::filesystem::path& path) const {
  const FilesState& files = *space_.view.files;
  return path == files.layers_of &&
         std::any_of(files.layers.begin(), files.layers.end(),
                     [&](const LayerEntry& layer) { return layer.title == space_.document.title; });
}

void Arriving::take_layer(Document layer) {
  const bool edited = space_.is_edited();
  Document raw = layer;
  space_.document = edit::with_settings_of(std::move(layer), space_.document);
  space_.original = edited ? std::move(raw) : space_.document;
  const std::string weights = weights_note(space_.document);
  space_.view.notices.say(weights.empty() ? not_finite_note(space_.document) : weights);
  scope_of(space_.view).clear();
}

void Arriving::settle_guesses(const Answers& before) {
  if (Given* const given = space_.document.input.as<Given>()) {
    if (space_.document.layer().masking.causal != before.causal) given->guesses.causal.clear();
    if (space_.document.layer().positions != before.positions) given->guesses.positions.clear();
  }
  if (before.causal && space_.document.layer().masking.causal != before.causal) align_causal(space_.document);
}

bool Arriving::is_typing() const {
  return ImGui::GetCurrentContext() != nullptr &&
         (ImGui::IsAnyItemActive() || space_.view.keyboard.takes_words);
}

void Arriving::end_typing() {
  if (!is_typing()) return;
  const std::optional<HeldThen> held = held_.now();
  space_.history.holds(held ? &*held : nullptr);
  space_.history.end_step(what_is_said(space_.document), space_.viewing());
  if (!ImGui::IsAnyItemActive()) return;
  ImGui::ClearActiveID();
  ImGui::GetCurrentContext()->InputTextDeactivatedState.ID = 0;
}

}  // namespace attnscope
