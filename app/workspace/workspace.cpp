#include "app/workspace/workspace.hpp"

#include <algorithm>
#include <utility>

#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/within.hpp"

namespace attnscope {

std::optional<std::filesystem::file_time_type> written_at(const std::filesystem::path& file) {
  std::error_code missing;
  const std::filesystem::file_time_type time = std::filesystem::last_write_time(file, missing);
  return missing ? std::nullopt : std::optional(time);
}

void OwnFile::follow(std::filesystem::path file) {
  path_ = std::move(file);
  time_ = path_.empty() ? std::nullopt : written_at(path_);
}

void OwnFile::follow(std::filesystem::path file, std::optional<std::filesystem::file_time_type> time) {
  path_ = std::move(file);
  time_ = time;
}

Workspace::Workspace(const AppOptions& options, LiveEngine& engine_, std::vector<BackendChoice> choices)
    : assets(options.assets),
      state(options.state),
      attended(options.attended),
      wake(options.wake),
      languages(list_languages(options.assets)),
      display_scale(options.scale),
      engine(engine_),
      backends(std::move(choices), options.pool),
      errors(backends.pool()),
      following(engine_),
      models(options.wake, options.pool),
      lessons(options.assets, options.fresh ? std::filesystem::path() : options.state),
      head_maps(backends.pool()) {
  if (const auto by = backends.find(engine.backend()->name()))
    models.compute_with(backends.choices()[*by].rows);
}

Viewing Workspace::viewing() const { return viewing_of(view, at(selection, chosen)); }

bool Workspace::view_as(const Viewing& look) {
  Selection looked_at = selection;
  view_again(look, view, looked_at);
  selection = looked_at;
  chosen = place_of(looked_at);
  if (!shown.result) return true;
  const Plane wanted = stage_look_of(view).stage;
  nothing_is_switched();
  keep_selection_inside();
  keep_plane_there();
  return !wanted.is_difference() || stage_look_of(view).stage == wanted;
}

void Workspace::keep_selection_inside() {
  selection = kept_inside(at(selection, chosen), shown.result->layer().dimensions);
}

void Workspace::keep_plane_there() {
  if (shown.result->layer().is_long()) return;  // a long result has one picture
  const std::vector<Plane> all = shown.stats->planes();
  const Plane now = stage_look_of(view).stage, used = weights_stage(shown.result->document);
  const bool there = std::find(all.begin(), all.end(), now) != all.end();
  const bool switched = was_used != used.stage && is_weights(now) && now.stage != Stage::Drop;
  if (switched) {
    // show_stage() would reset the vectors in focus and the locked ends
    stage_look_of(view).stage = used;
  } else if (!there) {
    show_stage(view, used);
  }
  was_used = used.stage;
}

void Workspace::nothing_is_switched() { was_used = weights_stage(shown.result->document); }

bool Workspace::is_edited() const {
  Document now = what_is_said(document), then = what_is_said(original);
  if (now == then) return false;
  for (Document* said : {&now, &then}) {
    if (!said->within.read()) return true;
    said->within.change().of = {};
    said->within.change().block = 0;
  }
  return now != then;
}

void Workspace::stand_in(OriginPtr next) {
  if (!next || next == origin) return;
  *origin = origin_now();
  origin = std::move(next);
  file.follow(origin->file, origin->time);
  original = origin->saved;
}

void Workspace::use_backend(std::size_t choice) {
  const BackendChoice& wanted = backends.choices().at(choice);
  if (!wanted.backend) return view.notices.say(wanted.why_not);
  backends.stop_comparing();  // it may be using the wanted backend
  models.compute_with(wanted.rows);
  if (following.use(wanted.backend)) ++backend_switches;
}

void Workspace::speak_as_chosen() {
  if (view.language == spoken) return;
  words.speak_english();
  try {
    if (view.language != english) words.speak(load_table(assets, view.language));
  } catch (const std::exception& error) {
    view.language = english;
    view.notices.say(error.what());
  }
  spoken = view.language;
}

}  // namespace attnscope
