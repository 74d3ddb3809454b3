// app/shell: what goes out to files from the window: the session, numbers and pictures. Nothing is written
// over unasked.
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "app/files/file_kinds.hpp"
#include "app/session/export_choice.hpp"
#include "app/shell/app.hpp"
#include "app/shell/still.hpp"
#include "app/state/files_state.hpp"
#include "app/ui/number_format.hpp"
#include "core/base/error.hpp"
#include "core/files/document/session_file.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t large_picture = 16'000'000;  // pixels: from here on it is written behind the scenes

std::optional<fs::file_time_type> time_of(const fs::path& file) {
  std::error_code missing;
  const fs::file_time_type time = fs::last_write_time(file, missing);
  return missing ? std::nullopt : std::optional(time);
}

/// "12.0 KiB · 2026-11-22 16:04"
std::string facts_of(const fs::path& file) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(file, missing);
  const auto time = time_of(file);
  if (missing || !time) return {};
  const auto since_1970 = std::chrono::file_clock::to_sys(*time).time_since_epoch();
  return bytes(static_cast<std::int64_t>(size)) + " · " +
         day_and_time(std::chrono::duration_cast<std::chrono::seconds>(since_1970).count());
}

/// As messages name it: from the root.
fs::path whole_path(const fs::path& path) {
  std::error_code unknown;
  const fs::path whole = fs::absolute(path, unknown);
  return unknown ? path : whole.lexically_normal();
}

bool is_picture(const fs::path& path) { return path.extension() == ".png" || path.extension() == ".svg"; }

}  // namespace

void App::follow_file(fs::path file) {
  file_ = std::move(file);
  file_time_ = file_.empty() ? std::nullopt : time_of(file_);
  view_.files->file = file_;
}

/// Whether there is nothing to lose; else a card asks, and what is saved then comes back here.
bool App::may_write(const fs::path& to, bool replace, const PictureWish* picture) {
  std::error_code unknown;
  if (replace || !fs::is_regular_file(to, unknown)) return true;
  const bool is_own = !file_.empty() && fs::equivalent(to, file_, unknown);
  if (is_own && time_of(to) == file_time_) return true;
  OverwriteQuestion question;
  question.path = to;
  question.facts = facts_of(to);
  question.changed_since = is_own;
  if (picture) {
    question.picture = *picture;
    question.task = FileTask::Picture;
  } else {
    question.task = to.extension() == ".json" ? FileTask::Save : FileTask::Numbers;
  }
  view_.files->question = std::move(question);
  return false;
}

void App::save(const fs::path& path, bool replace) {
  fs::path to = path.empty() ? file_ : path;
  if (to.empty()) {  // never saved: the dialog asks where
    view_.files->dialog.task = FileTask::Save;
    view_.files->dialog.opens = true;
    return;
  }
  std::error_code unknown;
  if (!to.has_filename() || fs::is_directory(to, unknown))
    return view_.notices.say("Cannot write " + in_quotes(to.native()) +
                             ": it is a directory, expected the name of a file.");
  if (!to.has_extension()) to += ".json";
  to = whole_path(to);
  if (is_picture(to)) return save_picture({PictureRegion::Window, 1, to}, replace);
  if (!may_write(to, replace, nullptr)) return;
  try {
    if (to.extension() == ".json") {
      const double held_for = held_ ? ImGui::GetTime() - held_->seconds : 0;
      write_document(session_to_json(document_, view_to_json(view_, selection_, held_for),
                                     held_ ? &held_->result->document : nullptr),
                     to);
      original_ = document_;
      follow_file(to);
      remember(to);
    } else if (shown_) {
      export_to(to);
    }
    view_.notices.tell("Saved as " + in_quotes(to.native()) + ".");
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
}

void App::export_to(const fs::path& to) {
  const bool is_beside = held_ && held_->result->layer().is_long() == shown_->layer().is_long();
  const ExportChoice choice =
      export_choice({shown_->layer(), *stats_, is_beside ? &*held_ : nullptr, view_, selection_});
  export_numbers(*choice.result, *choice.stats, choice.what, to);
}

void App::save_picture(const PictureWish& wish, bool replace) {
  PictureWish whole = wish;
  if (whole.path.has_filename() && !whole.path.has_extension()) whole.path += ".png";
  if (!whole.path.empty()) whole.path = whole_path(whole.path);
  if (writing_)
    return view_.notices.say("The picture before this one is still being written; try again in a moment.");
  if (is_picture(whole.path) && !may_write(whole.path, replace, &whole)) return;
  try {
    DrawnPicture picture = draw_picture(*this, whole);
    const bool is_large = picture.pixels.pixels.size() >= large_picture;
    if (is_large)
      view_.notices.say(Notice::Source::Progress, "Writing " + in_quotes(whole.path.native()) + " …");
    writing_ = std::make_shared<Task<std::string>>(
        [picture = std::move(picture)](const std::stop_token&, NoProgress&) {
          write_picture(picture);
          return "Saved the picture as " + in_quotes(picture.path.native()) + ".";
        });
    if (is_large) return writer_.add(writing_);
    writing_->step();
    finish_picture(true);
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
}

void App::finish_picture(bool wait) {
  if (!writing_) return;
  if (wait) writer_.wait();
  if (!writing_->is_done()) return;
  const auto written = std::exchange(writing_, nullptr);
  view_.notices.say(Notice::Source::Progress, {});
  if (!written->result()) return view_.notices.say(written->error());
  view_.notices.tell(written->take());
}

}  // namespace attnscope
