#include "app/files/io/opening_files.hpp"

#include <algorithm>
#include <utility>

#include <imgui_internal.h>

#include "app/files/file_kinds.hpp"
#include "app/files/io/cards.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/scene/page_facts.hpp"
#include "app/state/files_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/edits/within.hpp"
#include "core/files/document/html_session.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/posix.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

bool is_text(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  const FolderEntry entry{.name = path.filename().native(), .bytes = size};
  return !unknown && kind_of(entry) == FileKind::Text && !is_html_session(path);
}

/// The file's text, line breaks included, without a byte order mark.
std::string text_in(const std::filesystem::path& path) {
  std::string text = read_whole(path, max_text_bytes);
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.erase(0, mark.size());
  return text;
}

}  // namespace

void OpeningFiles::begin(std::string_view layer, const Answers& answers) {
  stop();
  answers_ = answers;
  wants_layer_ = !layer.empty();
}

void OpeningFiles::stop() {
  files_.stop_opening();
  space_.view.watch->joining.reset();
  keeping_.keep_for_later(std::exchange(opening_from_, CameFrom::File));
  models_.stop();
}

/// Makes a picture or a text the input of the model on screen. False: the path is neither, or is opened by
/// itself.
bool OpeningFiles::give_to_model(const std::filesystem::path& path) {
  std::error_code unknown;
  const ModelContext& within = space_.document.within.read();
  const std::string name = in_quotes(path.filename().native());
  if (is_photo(path) && std::filesystem::is_regular_file(path, unknown)) {
    if (!within || !within.model->model->spec.image) {
      space_.view.notices.say(
          name + " is a picture: open a model that looks at pictures first, a vision transformer.");
      return true;
    }
    arriving_.end_typing();
    if (is_page(space_.view.mode) || is_watching(space_.view)) {  // these pages do not show the picture
      calls_.leave_page();
      space_.view.watch->on = false;
      space_.view.mode = Mode::Model;
    }
    space_.document.within.change().input.image = path;
    return true;
  }
  if (!within || !within.model->tokenizer || is_page(space_.view.mode) || !is_text(path)) return false;
  try {
    Document reads = edit::typed_text(space_.document, 0, text_in(path));
    arriving_.end_typing();
    space_.document = std::move(reads);
    space_.view.notices.tell_of(Notice::Of::Document, name + " is the text now. Ctrl+Z goes back.");
    files_.remember(path);
    keeping_.list_recent();
  } catch (const std::exception& error) {
    space_.view.notices.say(error.what());
  }
  return true;
}

void OpeningFiles::open(const std::filesystem::path& path, std::string_view layer, const Answers& answers) {
  if (calls_.is_taken(path, layer.empty()) || (layer.empty() && give_to_model(path))) return;
  begin(layer, answers);
  try {
    files_.begin_to_open(path, layer, space_.view);
    if (const auto read = files_.read_soon()) take_opened(read->take(), path);
  } catch (const std::exception& error) {
    space_.view.notices.say(error.what());
  }
}

void OpeningFiles::open(Session session, const std::filesystem::path& from, std::string_view layer,
                        const Answers& answers) {
  begin(layer, answers);
  take_opened(std::move(session), from);
}

void OpeningFiles::open_first(const std::filesystem::path& opening) {
  std::vector<std::filesystem::path> files;
  if (!opening.empty()) files.push_back(opening);
  for (const Example& example : space_.examples) files.push_back(example.path);
  std::string trouble;
  for (const std::filesystem::path& file : files) {
    try {
      take_opened(open_session(file, space_.view), file);
      if (models_.arrival()) {
        space_.models.engine().wait_idle();
        if (const ModelReadingPtr newest = space_.models.news()) models_.take(*newest);
      }
      if (arriving_.arrival()) break;
    } catch (const std::exception& error) {
      trouble = error.what();
    }
  }
  space_.view.notices.say(trouble);
}

void OpeningFiles::open_joined(const std::shared_ptr<const WatchJoin>& join) {
  begin({}, {});
  try {
    files_.begin_to_open(join->path, {}, space_.view);
    space_.view.watch->joining = join;
    if (const auto read = files_.read_soon()) take_opened(read->take(), join->path);
  } catch (const std::exception& error) {
    space_.view.notices.say(error.what());
  }
}

void OpeningFiles::finish(bool wait) {
  if (auto found = files_.found_models()) space_.view.files->models = *std::move(found);
  const std::unique_ptr<Opening> done = files_.opened(wait);
  space_.view.files->opening = files_.on_its_way();
  if (!done) return;
  const CameFrom from = std::exchange(opening_from_, CameFrom::File);
  try {
    Session session = done->take();
    if (from == CameFrom::File)
      take_opened(std::move(session), done->path());
    else
      take_kept(std::move(session), done->path(), from);
  } catch (const std::exception& error) {
    keeping_.say_why_not(error.what(), from);
  }
}

/// The session can be computed, as open_session() has checked, so it may replace what is on screen.
void OpeningFiles::take_opened(Session session, const std::filesystem::path& path) {
  if (!session.asks_for_model.empty() || session.document.within.read())
    return models_.await({std::move(session), path});
  session.document = edit::answered(std::move(session.document), answers_);
  std::vector<LayerEntry> layers = std::move(session.layers);
  FilesState& files = *space_.view.files;
  if (wants_layer_ && arriving_.is_layer_of_shown(path)) {
    arriving_.take_layer(std::move(session.document));
  } else {
    const std::string ending = lower_extension(path);
    const bool is_session = session.looks.has_value();  // of a .json or an HTML page of this program
    if (!is_session) calls_.leave_page();
    arriving_.take(
        std::move(session), files_.is_own_document(path) ? path : std::filesystem::path{},
        !is_session && ending != ".json" && ending != ".safetensors" && ending != ".npy" && ending != ".npz");
    files.asks =
        space_.attended && (is_causal_guessed(space_.document) || are_positions_guessed(space_.document));
  }
  files.layers = std::move(layers);
  files.layers_of = path;
  files_.remember(path);
  keeping_.list_recent();
}

bool OpeningFiles::restore() {
  if (files_.keeper() == nullptr) return false;
  const std::filesystem::path left = files_.keeper()->autosave().take_over();
  if (left.empty()) return false;
  open_kept(left, CameFrom::Crash, "what was open");
  return true;
}

void OpeningFiles::reopen(const std::filesystem::path& closed) {
  files_.closed().wait();
  const std::vector<ClosedEntry> all = files_.closed().list();
  if (closed.empty() && all.empty())
    return space_.view.notices.tell("Nothing was closed with changes that are in no file.");
  const std::filesystem::path path = closed.empty() ? all.front().path : closed;
  const auto entry =
      std::find_if(all.begin(), all.end(), [&](const ClosedEntry& one) { return one.path == path; });
  open_kept(path, CameFrom::Closed, entry == all.end() ? std::string() : own(printable(entry->title)));
}

void OpeningFiles::open_kept(const std::filesystem::path& path, CameFrom from, std::string shown) {
  begin({}, {});
  try {
    files_.begin_to_open(path, {}, space_.view, std::move(shown));
    if (const auto read = files_.read_soon())
      take_kept(read->take(), path, from);
    else
      opening_from_ = from;
  } catch (const std::exception& error) {
    keeping_.say_why_not(error.what(), from);
  }
}

void OpeningFiles::take_kept(Session session, const std::filesystem::path& path, CameFrom from) {
  space_.history.observe(what_is_said(space_.document), space_.viewing(), {},
                         space_.view.now);  // a step of undo that leads back
  if (session.document.within.read() || !session.asks_for_model.empty())
    return models_.await({std::move(session), path, from});
  const std::filesystem::path file = session.looks ? session.looks->file : std::filesystem::path{};
  const std::string damage = session.damage;
  arriving_.take(std::move(session), file);
  space_.original = {};  // counts as edited: its file, if it has one, lacks the last changes
  keeping_.tell_of_kept(path, from, damage);
}

void OpeningFiles::drop(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) return;
  if (space_.view.palette_shown) space_.view.palette_keeps = !space_.view.palette_text.empty();
  close_cards();
  space_.view.help = false;
  if (arriving_.is_typing()) {
    KeyboardState& keyboard = space_.view.keyboard;
    dropped_ = DroppedFiles{paths, keyboard.sentence.active || keyboard.takes_words, false};
    ImGui::ClearActiveID();
    keyboard.takes_words = keyboard.sentence.wanted = false;
    space_.stray.end();
    return;
  }
  open(paths.front());
  if (paths.size() > 1)
    space_.view.notices.tell(std::to_string(paths.size()) + " files were dropped, and one is opened: " +
                             in_quotes(paths.front().filename().native()) + ".");
}

void OpeningFiles::leave_field() {
  if (dropped_) dropped_->is_left = true;
}

void OpeningFiles::follow_dropped() {
  if (!dropped_ || !dropped_->is_left) return;
  const DroppedFiles dropped = *std::exchange(dropped_, std::nullopt);
  const Document before = space_.document;
  const Mode mode = space_.view.mode;
  arriving_.end_typing();
  space_.view.keyboard.takes_words = false;
  space_.view.notices.say({});  // it is about the previous Document
  space_.view.notices.say(Notice::Source::Success, {});
  drop(dropped.paths);
  const bool comes = is_on_its_way();
  if (space_.document == before && space_.view.mode == mode && !comes) {
    SentenceState& sentence = space_.view.keyboard.sentence;
    sentence.wanted = sentence.at_end = dropped.was_sentence;
    sentence.waited = 0;
  } else if (space_.view.notices.empty() && !(arriving_.arrival() && arriving_.arrival()->is_text)) {
    space_.view.notices.tell(in_quotes(dropped.paths.front().filename().native()) +
                             " was dropped while you typed. Ctrl+Z goes back to what was typed.");
  }
}

bool OpeningFiles::is_unfinished() const {
  const bool arrives = arriving_.arrival() && !space_.following.is_up_to_date(space_.document);
  const bool restores = models_.arrival() && models_.arrival()->from == CameFrom::Crash;
  return files_.is_opening() || arrives || restores;
}

bool OpeningFiles::is_settled() const {
  return !dropped_ && !files_.is_opening() && !space_.view.files->dialog.reading.is_reading();
}

}  // namespace attnscope
