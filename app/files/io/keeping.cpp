#include "app/files/io/keeping.hpp"

#include <algorithm>
#include <utility>

#include <imgui.h>

#include "app/kit/ui/own_words.hpp"
#include "app/state/files_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/parts/title_words.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

Keeping::Keeping(Workspace& space, Files& files, const Held& held, bool fresh)
    : space_(space), files_(files), held_(held), look_(fresh ? Look{} : read_look(space.state)) {}

void Keeping::begin() {
  first_language_ = space_.view.language;
  is_untouched_ = true;
  list_recent();
  files_.keep();
  if (files_.keeper() == nullptr) return;
  if (const std::string trouble = files_.keeper()->autosave().trouble(); !trouble.empty())
    space_.view.notices.say(trouble);
}

void Keeping::list_recent() {
  space_.view.files->recent.clear();
  for (const std::filesystem::path& known : files_.recent().paths())
    space_.view.files->recent.push_back({known});
}

Autosave::State Keeping::state_now(double seconds) const {
  Autosave::State state{space_.document,
                        view_to_json(space_.view, space_.selection, held_.age(seconds), space_.file.path()),
                        {}};
  if (const ResultPtr held = held_.result()) state.held = held->document;
  return state;
}

void Keeping::keep_closed() {
  if (space_.state.empty() || !space_.shown.result || !space_.is_edited()) return;
  files_.closed().add(state_now(ImGui::GetTime()));
}

void Keeping::close(const WindowShape& shape) {
  if (space_.state.empty()) return;
  keep_closed();
  Look look = look_;
  look.view = space_.view;
  look.size = space_.display_scale > 0 ? space_.view.scale / space_.display_scale : 1;
  if (space_.view.language != first_language_) look.language = space_.view.language;
  if (shape.width > 0) look.window = shape;
  if (!space_.view.files->dialog.folder.empty()) look.folder = space_.view.files->dialog.folder;
  write_look(look, space_.state);
  if (!files_.closed().wait() && files_.keeper()) files_.keeper()->autosave().leave();
}

void Keeping::offer_last() {
  const std::vector<ClosedEntry> closed = files_.closed().list();
  if (closed.empty() || closed.front().path.filename() == look_.offered) return;
  look_.offered = closed.front().path.filename().native();
  space_.view.notices.tell(
      "“" + inner(kept_title_words(closed.front().title)) + "” was closed with changes that are in no file.",
      Notice::Offer::ReopenLast);
}

void Keeping::say_why_not(const std::string& why, CameFrom from) {
  space_.view.notices.say(from == CameFrom::Crash
                              ? "What was open when AttnScope ended unexpectedly cannot be restored. " + why
                              : why);
}

void Keeping::keep_for_later(CameFrom from) {
  if (from == CameFrom::Crash && files_.keeper())
    files_.closed().take(files_.keeper()->autosave().file(), "restored session");
}

/// Moves a reopened session to the file that a crash leaves, so that it is always in exactly one place; a
/// notice says what was opened.
void Keeping::tell_of_kept(const std::filesystem::path& path, CameFrom from, const std::string& damage) {
  if (from == CameFrom::Crash)
    return space_.view.notices.say(
        "Restored what was open when AttnScope ended unexpectedly. Ctrl+Z goes back to the "
        "opening example." +
            (damage.empty() ? "" : " " + damage),
        damage.empty() ? Notice::Of::Document : Notice::Of::Anything);
  if (files_.keeper()) files_.keeper()->autosave().adopt(path);
  if (damage.empty())
    space_.view.notices.tell_of(Notice::Of::Document,
                                "Reopened what was closed last. Ctrl+Z goes back to what was open before.");
  else
    space_.view.notices.say(damage);
}

SessionKeeper::Now Keeping::now(double seconds) const {
  return {space_.document, space_.view, space_.selection, held_.held_result(), space_.file.path(), seconds};
}

void Keeping::keep(double seconds, bool is_on_its_way) {
  SessionKeeper* const keeper = files_.keeper();
  if (keeper == nullptr || !space_.shown.result || is_on_its_way) return;
  if (const std::string trouble = keeper->autosave().trouble(); !trouble.empty())
    space_.view.notices.say(trouble);
  if (is_untouched_) {
    keeper->is_as_it_was(now(seconds));
    is_untouched_ = false;
  }
  keeper->observe(now(seconds));
}

std::optional<double> Keeping::keep_in() const {
  const SessionKeeper* const keeper = files_.keeper();
  if (keeper == nullptr || !keeper->due()) return std::nullopt;
  return std::max(0.0, *keeper->due() - ImGui::GetTime());
}

void Keeping::keep_now() {
  if (SessionKeeper* keeper = files_.keeper()) keeper->write(now(ImGui::GetTime()));
}

}  // namespace attnscope
