// app/shell: the end of a window and the beginning of the next: how it looked, and what was changed and is in
// no file.
#include <utility>

#include "app/shell/app.hpp"
#include "app/state/files_state.hpp"
#include "app/ui/own_words.hpp"
#include "core/edits/within.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

Autosave::State App::state_now(double seconds) const {
  Autosave::State state{
      document_, view_to_json(view_, selection_, comparison_.age(seconds), files_.path()), {}};
  if (const ResultPtr held = comparison_.result()) state.held = held->document;
  return state;
}

/// What is left for another document, or by the end.
void App::keep_closed() {
  if (files_.state().empty() || !shown_.result || !is_edited()) return;
  files_.closed().add(state_now(ImGui::GetTime()));
}

void App::close(const WindowShape& shape) {
  if (files_.state().empty()) return;
  finish_picture(true);
  finish_export(true);
  files_.stop_opening();
  keep_closed();
  Look look = look_;
  look.view = view_;
  look.size = display_scale_ > 0 ? view_.scale / display_scale_ : 1;
  if (view_.language != first_language_) look.language = view_.language;
  if (shape.width > 0) look.window = shape;
  if (!view_.files->dialog.folder.empty()) look.folder = view_.files->dialog.folder;
  write_look(look, files_.state());
  if (!files_.closed().wait() && files_.keeper()) files_.keeper()->autosave().leave();
}

void App::offer_last() {
  const std::vector<ClosedEntry> closed = files_.closed().list();
  if (closed.empty() || closed.front().path.filename() == look_.offered) return;
  look_.offered = closed.front().path.filename().native();
  view_.notices.tell("“" + own(closed.front().title) + "” was closed with changes that are in no file.",
                     Notice::Offer::ReopenLast);
}

/// It becomes what a crash would leave: whatever happens from here on, it is in exactly one place.
void App::reopen(const std::filesystem::path& closed) {
  files_.closed().wait();
  std::filesystem::path path = closed;
  if (path.empty()) {
    const std::vector<ClosedEntry> all = files_.closed().list();
    if (all.empty()) return view_.notices.tell("Nothing was closed with changes that are in no file.");
    path = all.front().path;
  }
  try {
    Session session = open_session(path, view_);
    history_.observe(what_is_said(document_), viewing(), {}, view_.now);  // the way back
    const std::filesystem::path file = session.looks ? session.looks->file : std::filesystem::path{};
    const std::string damage = session.damage;
    if (session.document.within.read() || !session.asks_for_model.empty()) {
      await_model(std::move(session), {});
    } else {
      take(std::move(session), file);
      original_ = {};  // its file, if there is one, does not know the last changes
    }
    if (files_.keeper()) files_.keeper()->autosave().adopt(path);
    if (damage.empty())
      view_.notices.tell("Reopened what was closed last. Ctrl+Z goes back to what was open before.");
    else
      view_.notices.say(damage);
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
}

bool App::is_edited() const { return what_is_said(document_) != what_is_said(original_); }

std::string App::window_title() const {
  const std::string name = !files_.path().empty()    ? printable(files_.path().filename().native())
                           : document_.title.empty() ? "untitled"
                                                     : printable(plain(document_.title));
  return name + (is_edited() ? "* — AttnScope" : " — AttnScope");
}

void App::set_display_scale(float scale) {
  if (!(scale > 0)) return;
  view_.scale *= scale / display_scale_;
  display_scale_ = scale;
}

}  // namespace attnscope
