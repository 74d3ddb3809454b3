// app/shell/files: sweeps and lessons that are drawn into one file, a picture in as many frames as it takes
// to compute.
#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/shell/app.hpp"
#include "app/shell/film.hpp"
#include "app/shell/html_step.hpp"
#include "app/shell/still.hpp"
#include "app/state/files_state.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr int frame_milliseconds = 120, end_milliseconds = 1200;  // the last one stays to be read

void check_film_path(const PictureRequest& request) {
  const bool is_pdf = request.series == PictureSeries::Steps;
  if (lower_extension(request.path) == (is_pdf ? ".pdf" : ".png")) return;
  if (is_pdf && lower_extension(request.path) == ".html") return;
  throw Error("Cannot write " + in_quotes(request.path.native()) +
              (is_pdf ? ": expected a handout's name that ends in .pdf or .html."
                      : ": expected an animated picture's name that ends in .png."));
}

/// "temperature 0.71"
std::string film_caption(edit::Knob knob, double value) {
  const edit::KnobInfo& row = edit::info(knob);
  return inner(row.words) + " " + fixed(value, row.whole ? 0 : 2);
}

std::vector<double> swept_values(const Document& document, const edit::Sweep& sweep) {
  edit::check(sweep);
  const std::vector<edit::Knob> knobs = edit::knobs_of(document);
  if (std::ranges::find(knobs, sweep.knob) == knobs.end())
    throw Error(fmt::format("{} has no {} that could be turned.", in_quotes(document.title),
                            edit::info(sweep.knob).id));
  return edit::values_of(sweep);
}

}  // namespace

void App::begin_film(const PictureRequest& request) {
  check_film_path(request);
  if (film_) throw Error("The one before this is still being drawn; try again when it is done.");
  auto film = std::make_unique<Film>();
  film->request = request;
  film->mode = view_.mode;
  film->document = film->now = document_;
  if (const Page* const page = page_of_mode(pages_, view_.mode)) film->series = page->series(view_);
  film->lesson = *view_.lesson;
  const lessons::OpenLessonPtr lesson = lessons_.sight().open;
  switch (request.series) {
    case PictureSeries::None: throw Error("One picture is no film.");
    case PictureSeries::Sweep: film->values = swept_values(document_, request.sweep); break;
    case PictureSeries::Values:
      if (film->series.values.empty())
        throw Error("There is no experiment on screen whose values could be gone through.");
      film->values = film->series.values;
      break;
    case PictureSeries::Steps:
      if (view_.mode != Mode::Lessons || !lesson)
        throw Error("There is no lesson on screen whose steps could be printed.");
      film->values.resize(lesson->documents.size());
      std::iota(film->values.begin(), film->values.end(), 0.);
      if (!film->is_html()) film->pages.emplace(lesson->lesson.title);
      break;
  }
  film_ = std::move(film);
}

/// Everything as it was; nothing is written.
void App::stop_film() {
  if (!film_) return;
  const std::unique_ptr<Film> film = std::move(film_);
  if (film->request.series == PictureSeries::Sweep) document_ = film->document;
  if (film->request.series == PictureSeries::Values)
    page_of_mode(pages_, film->mode)->choose_in_series(view_, film->series.chosen);
  if (film->request.series != PictureSeries::Steps || lessons_.sight().open == nullptr) return;
  show_lesson_step({film->lesson.name, film->lesson.step});
  *view_.lesson = film->lesson;
  document_ = film->document;
}

/// Whether everything is as the film put it in.
bool App::is_film_undisturbed() const {
  if (view_.mode != film_->mode) return false;
  if (!film_->is_put_in) return true;
  const double value = film_->values[film_->at];
  switch (film_->request.series) {
    case PictureSeries::Values: {
      const PageSeries now = page_of_mode(pages_, film_->mode)->series(view_);
      return now.of == film_->series.of && now.chosen == value;
    }
    case PictureSeries::Steps:
      if (view_.lesson->name != film_->lesson.name) return false;
      if (static_cast<double>(view_.lesson->step) != value) return false;
      if (model_step() != nullptr) return true;  // its model may still come
      [[fallthrough]];
    default: return document_ == film_->now;
  }
}

void App::put_in_film(double value) {
  switch (film_->request.series) {
    case PictureSeries::Sweep:
      document_ = edit::turned(film_->document, film_->request.sweep.knob, value);
      break;
    case PictureSeries::Values: page_of_mode(pages_, film_->mode)->choose_in_series(view_, value); break;
    case PictureSeries::Steps:
      view_.lesson->answers.clear();
      view_.lesson->answer = {};
      show_lesson_step({film_->lesson.name, static_cast<std::int64_t>(value)});
      view_.lesson->answer.revealed = film_->request.answers;
      view_.lesson->answer_due = film_->request.answers ? frames_to_answer : 0;
      break;
    case PictureSeries::None: break;
  }
  film_->now = document_;
  film_->is_put_in = true;
}

void App::draw_into_film() {
  if (film_->is_html()) {
    film_->html.push_back(draw_html_step(*this));
    return;
  }
  PictureRequest request = film_->request;
  request.path.replace_extension(".png");  // each of them is pixels
  if (request.series == PictureSeries::Sweep)
    request.caption = film_caption(request.sweep.knob, film_->values[film_->at]);
  const DrawnPicture drawn = draw_picture(*this, request);
  if (film_->pages) {
    const lessons::Lesson& lesson = lessons_.sight().open->lesson;
    film_->pages->add(drawn.pixels, fmt::format("{} {}", film_->at + 1, lesson.steps[film_->at].title));
  } else {
    film_->pictures.add(drawn.pixels, film_->is_last() ? end_milliseconds : frame_milliseconds);
  }
}

/// At the end of a frame: what is on screen is drawn and the next put in.
void App::follow_film() {
  if (!film_) return;
  if (!is_film_undisturbed()) {
    // What a person does goes before; the rest stays where they found it.
    film_.reset();
    return view_.notices.say("The drawing was stopped: something else was changed meanwhile.");
  }
  try {
    if (film_->is_put_in) {
      if (!is_still() || view_.lesson->look_due || view_.lesson->answer_due > 0) return;
      if (!view_.refusal.empty()) throw Error(view_.refusal);
      draw_into_film();
      film_->is_put_in = false;
      if (film_->is_last()) return end_film();
      ++film_->at;
    }
    put_in_film(film_->values[film_->at]);
  } catch (const std::exception& error) {
    stop_film();
    view_.notices.say(error.what());
  }
}

void App::end_film() {
  if (film_->is_html()) {
    std::vector<HtmlLessonStep> steps = std::move(film_->html);
    const std::filesystem::path to = film_->request.path;
    stop_film();
    return begin_html(html_lesson_job(std::move(steps), to), to);
  }
  DrawnPicture whole{
      {}, film_->pages ? film_->pages->finish() : film_->pictures.finish(), film_->request.path};
  stop_film();
  files_.write(std::move(whole));
  finish_picture(true);
}

std::optional<FileOnItsWay> App::film_on_its_way() const {
  if (!film_) return std::nullopt;
  return FileOnItsWay{film_->request.path.filename().native(), film_->share()};
}

}  // namespace attnscope
