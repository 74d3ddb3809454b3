#include "app/files/io/saving.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "app/exports/export.hpp"
#include "app/exports/export_choice.hpp"
#include "app/files/file_kinds.hpp"
#include "app/state/files_state.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/files/document/session_file.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

/// The absolute path, for messages.
fs::path whole_path(const fs::path& path) {
  std::error_code unknown;
  const fs::path whole = fs::absolute(path, unknown);
  return unknown ? path : whole.lexically_normal();
}

bool is_picture(const fs::path& path) {
  const std::string ending = lower_extension(path);
  return ending == ".png" || ending == ".svg" || ending == ".pdf" || ending == ".html";
}

}  // namespace

/// Whether nothing would be lost; else a card asks, and a confirmed save comes back here.
bool Saving::may_write(const fs::path& to, bool replace, const PictureRequest* picture) {
  std::optional<OverwriteQuestion> question =
      replace ? std::nullopt : files_.question_before(to, space_.file);
  if (!question) return true;
  if (picture) {
    question->picture = *picture;
    question->task = FileTask::Picture;
  } else {
    question->task = lower_extension(to) == ".json" ? FileTask::Save : FileTask::Numbers;
  }
  space_.view.files->question = std::move(question);
  return false;
}

void Saving::save(const fs::path& path, bool replace) {
  fs::path to = path.empty() ? space_.file.path() : path;
  if (to.empty()) {  // never saved: the dialog asks where
    space_.view.files->dialog.task = FileTask::Save;
    space_.view.files->dialog.opens = true;
    return;
  }
  std::error_code unknown;
  if (!to.has_filename() || fs::is_directory(to, unknown))
    return space_.view.notices.say("Cannot write " + in_quotes(to.native()) +
                                   ": it is a directory, expected the name of a file.");
  if (!to.has_extension()) to += ".json";
  to = whole_path(to);
  if (is_picture(to)) return save_picture({PictureRegion::Window, 1, to}, replace);
  if (!may_write(to, replace, nullptr)) return;
  try {
    if (lower_extension(to) == ".json") {
      const ResultPtr held = held_.result();
      write_document(session_to_json(space_.document,
                                     view_to_json(space_.view, space_.selection, held_.age(ImGui::GetTime())),
                                     held ? &held->document : nullptr),
                     to);
      space_.original = space_.document;
      space_.file.follow(to);
      files_.remember(to);
      space_.view.files->file = to;
      keeping_.list_recent();
    } else if (space_.shown.result && !export_to(to)) {
      return;  // it is written in the background
    }
    space_.view.notices.tell("Saved as " + in_quotes(to.native()) + ".");
  } catch (const std::exception& error) {
    space_.view.notices.say(error.what());
  }
}

/// False: it is written in the background.
bool Saving::export_to(const fs::path& to) {
  if (const ModelReadingPtr reading = space_.reading();
      space_.view.mode == Mode::Model && reading && reading->run) {
    if (files_.is_exporting()) throw Error("The export before this one goes on; try again when it is done.");
    ModelDifferencePtr difference = held_.model() ? held_.model()->difference : nullptr;
    files_.begin_export(reading, model_exported(*space_.view.files, *reading, std::move(difference), to), to,
                        space_.backends.pool());
    return false;
  }
  if (calls_.save_table(to)) return true;
  const ExportChoice choice =
      export_choice({space_.shown.result->layer(), *space_.shown.stats, held_.beside(space_.shown.result),
                     space_.view, space_.selection});
  export_numbers(*choice.result, *choice.stats, choice.what, *space_.backends.pool(), to);
  return true;
}

void Saving::finish_export(bool wait) {
  const std::unique_ptr<ModelExport> done = files_.exported(wait);
  const std::optional<FileOnItsWay> film = calls_.film_on_its_way();
  space_.view.files->exporting = film ? film : files_.export_on_its_way();
  if (!done) return;
  std::string sentence;
  if (!done->was_written(sentence)) return space_.view.notices.say(sentence);
  space_.view.notices.tell("Saved as " + in_quotes(done->path().native()) + ".");
}

void Saving::save_picture(const PictureRequest& request, bool replace) {
  PictureRequest whole = request;
  const bool is_print = whole.series == PictureSeries::Steps && whole.print != LessonPrint::None;
  if (is_print && whole.path.has_filename() && !whole.path.has_extension())
    whole.path += print_file(whole.print).ending;
  if (whole.path.has_filename() && !whole.path.has_extension())
    whole.path += whole.series == PictureSeries::Steps ? ".pdf" : ".png";
  if (!whole.path.empty()) whole.path = whole_path(whole.path);
  if (files_.is_writing())
    return space_.view.notices.say(
        "The picture before this one is still being written; try again in a moment.");
  if ((is_print || is_picture(whole.path)) && !may_write(whole.path, replace, &whole)) return;
  try {
    if (is_print) return begin_print(whole);
    if (lower_extension(whole.path) == ".html") return save_html(whole);
    if (whole.series != PictureSeries::None) return calls_.begin_film(whole);
    if (whole.region == PictureRegion::Grid && lower_extension(whole.path) != ".html") {
      if (files_.is_exporting())
        throw Error("The export before this one goes on; try again when it is done.");
      std::shared_ptr<GridFigure> figure = calls_.draw_figure(whole);
      return files_.begin_export(space_.reading(), std::move(figure), whole.path, space_.backends.pool());
    }
    DrawnPicture picture = calls_.draw(whole);
    const bool is_large = Files::is_large(picture);
    if (is_large)
      space_.view.notices.say(Notice::Source::Progress, "Writing " + in_quotes(whole.path.native()) + " …");
    files_.write(std::move(picture));
    if (!is_large) finish_picture(true);
  } catch (const std::exception& error) {
    space_.view.notices.say(error.what());
  }
}

/// In a lesson: the shown step, or the whole lesson.
void Saving::save_html(PictureRequest request) {
  if (space_.view.mode != Mode::Lessons) return begin_html(html_job(request.path), request.path);
  if (request.region != PictureRegion::Window)
    return begin_html(html_lesson_job({calls_.draw_html_step()}, request.path), request.path);
  request.series = PictureSeries::Steps;
  calls_.begin_film(request);
}

void Saving::write(DrawnPicture picture) {
  const bool is_large = Files::is_large(picture);
  files_.write(std::move(picture));
  if (!is_large) finish_picture(true);
}

void Saving::finish_picture(bool wait) {
  const auto written = files_.written(wait);
  if (!written) return;
  space_.view.notices.say(Notice::Source::Progress, {});
  if (!written->result()) return space_.view.notices.say(written->error());
  space_.view.notices.tell(written->take());
}

}  // namespace attnscope
