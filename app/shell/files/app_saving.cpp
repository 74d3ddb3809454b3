// app/shell/files: what goes out to files from the window: the session, numbers and pictures. Nothing is
// written over unasked.
#include <utility>

#include <fmt/format.h>

#include "app/exports/export_choice.hpp"
#include "app/files/file_kinds.hpp"
#include "app/shell/app.hpp"
#include "app/shell/film.hpp"
#include "app/shell/html_step.hpp"
#include "app/shell/still.hpp"
#include "app/state/files_state.hpp"
#include "core/base/error.hpp"
#include "core/files/document/session_file.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

/// As messages name it: from the root.
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

/// Whether there is nothing to lose; else a card asks, and what is saved then comes back here.
bool App::may_write(const fs::path& to, bool replace, const PictureRequest* picture) {
  std::optional<OverwriteQuestion> question = replace ? std::nullopt : files_.question_before(to);
  if (!question) return true;
  if (picture) {
    question->picture = *picture;
    question->task = FileTask::Picture;
  } else {
    question->task = lower_extension(to) == ".json" ? FileTask::Save : FileTask::Numbers;
  }
  view_.files->question = std::move(question);
  return false;
}

void App::save(const fs::path& path, bool replace) {
  fs::path to = path.empty() ? files_.path() : path;
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
    if (lower_extension(to) == ".json") {
      const ResultPtr held = comparison_.result();
      write_document(
          session_to_json(document_, view_to_json(view_, selection_, comparison_.age(ImGui::GetTime())),
                          held ? &held->document : nullptr),
          to);
      original_ = document_;
      files_.follow(to);
      files_.remember(to);
      view_.files->file = to;
      list_recent();
    } else if (shown_.result && !export_to(to)) {
      return;  // it is written behind the window
    }
    view_.notices.tell("Saved as " + in_quotes(to.native()) + ".");
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
}

/// False: it is on its way.
bool App::export_to(const fs::path& to) {
  if (const ModelReadingPtr reading = models_.reading_of(document_);
      view_.mode == Mode::Model && reading && reading->run) {
    if (files_.is_exporting()) throw Error("The export before this one goes on; try again when it is done.");
    ModelDifferencePtr difference = model_b_.held() ? model_b_.held()->difference : nullptr;
    files_.begin_export(reading, model_exported(*view_.files, *reading, std::move(difference), to), to,
                        backends_->pool());
    return false;
  }
  if (page_table_of(view_.mode) != nullptr) {
    const Page* const page = page_of_mode(pages_, view_.mode);
    page->save_table(to);
    return true;
  }
  const ExportChoice choice = export_choice(
      {shown_.result->layer(), *shown_.stats, comparison_.beside(shown_.result), view_, selection_});
  export_numbers(*choice.result, *choice.stats, choice.what, *backends_->pool(), to);
  return true;
}

void App::finish_export(bool wait) {
  const std::unique_ptr<ModelExport> done = files_.exported(wait);
  view_.files->exporting = film_ ? film_on_its_way() : files_.export_on_its_way();
  if (!done) return;
  std::string sentence;
  if (!done->was_written(sentence)) return view_.notices.say(sentence);
  view_.notices.tell("Saved as " + in_quotes(done->path().native()) + ".");
}

void App::save_picture(const PictureRequest& request, bool replace) {
  PictureRequest whole = request;
  if (whole.path.has_filename() && !whole.path.has_extension())
    whole.path += whole.series == PictureSeries::Steps ? ".pdf" : ".png";
  if (!whole.path.empty()) whole.path = whole_path(whole.path);
  if (files_.is_writing())
    return view_.notices.say("The picture before this one is still being written; try again in a moment.");
  if (is_picture(whole.path) && !may_write(whole.path, replace, &whole)) return;
  try {
    if (lower_extension(whole.path) == ".html") return save_html(whole);
    if (whole.series != PictureSeries::None) return begin_film(whole);
    if (whole.region == PictureRegion::Grid && lower_extension(whole.path) != ".html") {
      if (files_.is_exporting())
        throw Error("The export before this one goes on; try again when it is done.");
      std::shared_ptr<GridFigure> figure = draw_figure(*this, whole);
      return files_.begin_export(models_.reading_of(document_), std::move(figure), whole.path,
                                 backends_->pool());
    }
    DrawnPicture picture = draw_picture(*this, whole);
    const bool is_large = Files::is_large(picture);
    if (is_large)
      view_.notices.say(Notice::Source::Progress, "Writing " + in_quotes(whole.path.native()) + " …");
    files_.write(std::move(picture));
    if (!is_large) finish_picture(true);
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
}

/// Of a lesson the step that is shown, or the whole lesson.
void App::save_html(PictureRequest request) {
  if (view_.mode != Mode::Lessons) return begin_html(html_job(request.path), request.path);
  if (request.region != PictureRegion::Window)
    return begin_html(html_lesson_job({draw_html_step(*this)}, request.path), request.path);
  request.series = PictureSeries::Steps;
  begin_film(request);
}

void App::finish_picture(bool wait) {
  const auto written = files_.written(wait);
  if (!written) return;
  view_.notices.say(Notice::Source::Progress, {});
  if (!written->result()) return view_.notices.say(written->error());
  view_.notices.tell(written->take());
}

}  // namespace attnscope
