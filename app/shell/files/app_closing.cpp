// app/shell/files: the end of a window and the beginning of the next: how it looked, and what was changed and
// is in no file.
#include <algorithm>
#include <utility>

#include "app/kit/ui/own_words.hpp"
#include "app/shell/app.hpp"
#include "app/state/files_state.hpp"
#include "app/views/parts/title_words.hpp"
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
  stop_opening();
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
  view_.notices.tell(
      "“" + inner(kept_title_words(closed.front().title)) + "” was closed with changes that are in no file.",
      Notice::Offer::ReopenLast);
}

void App::reopen(const std::filesystem::path& closed) {
  files_.closed().wait();
  const std::vector<ClosedEntry> all = files_.closed().list();
  if (closed.empty() && all.empty())
    return view_.notices.tell("Nothing was closed with changes that are in no file.");
  const std::filesystem::path path = closed.empty() ? all.front().path : closed;
  const auto entry =
      std::find_if(all.begin(), all.end(), [&](const ClosedEntry& one) { return one.path == path; });
  open_kept(path, Kept::Closed, entry == all.end() ? std::string() : own(printable(entry->title)));
}

/// What takes long is read behind the window, which shows `shown` meanwhile.
void App::open_kept(const std::filesystem::path& path, Kept from, std::string shown) {
  begin_opening({}, {});
  try {
    files_.begin_to_open(path, {}, view_, std::move(shown));
    if (const auto read = files_.read_soon())
      take_kept(read->take(), path, from);
    else
      opening_from_ = from;
  } catch (const std::exception& error) {
    say_why_not(error.what(), from);
  }
}

void App::say_why_not(const std::string& why, Kept from) {
  view_.notices.say(from == Kept::Crash
                        ? "What was open when AttnScope ended unexpectedly cannot be restored. " + why
                        : why);
}

/// What a crash left and is not shown now can be reopened as what was closed.
void App::keep_for_later(Kept from) {
  if (from == Kept::Crash && files_.keeper())
    files_.closed().take(files_.keeper()->autosave().file(), "restored session");
}

void App::take_kept(Session session, const std::filesystem::path& path, Kept from) {
  history_.observe(what_is_said(document_), viewing(), {}, view_.now);  // the way back
  if (session.document.within.read() || !session.asks_for_model.empty())
    return await_model({std::move(session), path, from});
  const std::filesystem::path file = session.looks ? session.looks->file : std::filesystem::path{};
  const std::string damage = session.damage;
  take(std::move(session), file);
  original_ = {};  // its file, if there is one, does not know the last changes
  tell_of_kept(path, from, damage);
}

/// It becomes what a crash would leave: whatever happens from here on, it is in exactly one place.
void App::tell_of_kept(const std::filesystem::path& path, Kept from, const std::string& damage) {
  if (from == Kept::Crash)
    return view_.notices.say(
        "Restored what was open when AttnScope ended unexpectedly. Ctrl+Z goes back to the "
        "opening example." +
            (damage.empty() ? "" : " " + damage),
        damage.empty() ? Notice::Of::Document : Notice::Of::Anything);
  if (files_.keeper()) files_.keeper()->autosave().adopt(path);
  if (damage.empty())
    view_.notices.tell_of(Notice::Of::Document,
                          "Reopened what was closed last. Ctrl+Z goes back to what was open before.");
  else
    view_.notices.say(damage);
}

/// Which layer of a model is looked at changes nothing that a file should keep.
bool App::is_edited() const {
  Document now = what_is_said(document_), then = what_is_said(original_);
  if (now == then) return false;
  for (Document* said : {&now, &then}) {
    if (!said->within.read()) return true;
    said->within.change().of = {};
    said->within.change().block = 0;
  }
  return now != then;
}

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
