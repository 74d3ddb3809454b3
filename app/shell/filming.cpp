#include "app/shell/filming.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/shell/app.hpp"
#include "app/shell/html_step.hpp"
#include "app/shell/still.hpp"
#include "app/state/files_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr int frame_milliseconds = 120, end_milliseconds = 1200;  // the last picture stays longer, to be read

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

void Filming::begin(const PictureRequest& request) {
  check_film_path(request);
  if (film_) throw Error("The one before this is still being drawn; try again when it is done.");
  auto film = std::make_unique<Film>();
  film->request = request;
  film->mode = space_.view.mode;
  film->document = film->now = space_.document;
  if (const Page* const page = page_of_mode(pages_, space_.view.mode))
    film->series = page->series(space_.view);
  film->lesson = lesson_of(space_.view);
  const lessons::OpenLessonPtr lesson = space_.lessons.shown_lessons().open;
  switch (request.series) {
    case PictureSeries::None: throw Error("One picture is no film.");
    case PictureSeries::Sweep: film->values = swept_values(space_.document, request.sweep); break;
    case PictureSeries::Values:
      if (film->series.values.empty())
        throw Error("There is no experiment on screen whose values could be gone through.");
      film->values = film->series.values;
      break;
    case PictureSeries::Steps:
      if (space_.view.mode != Mode::Lessons || !lesson)
        throw Error("There is no lesson on screen whose steps could be printed.");
      film->values.resize(lesson->documents.size());
      std::iota(film->values.begin(), film->values.end(), 0.);
      if (!film->is_html()) film->pages.emplace(lesson->lesson.title);
      break;
  }
  film_ = std::move(film);
}

void Filming::stop() {
  if (!film_) return;
  const std::unique_ptr<Film> film = std::move(film_);
  if (film->request.series == PictureSeries::Sweep) space_.document = film->document;
  if (film->request.series == PictureSeries::Values)
    page_of_mode(pages_, film->mode)->choose_in_series(space_.view, film->series.chosen);
  if (film->request.series != PictureSeries::Steps || space_.lessons.shown_lessons().open == nullptr) return;
  lessons_.show({film->lesson.name, film->lesson.step});
  lesson_of(space_.view) = film->lesson;
  space_.document = film->document;
}

/// Whether nothing was changed since the film set its value.
bool Filming::is_undisturbed() const {
  if (space_.view.mode != film_->mode) return false;
  if (!film_->is_put_in) return true;
  const double value = film_->values[film_->at];
  switch (film_->request.series) {
    case PictureSeries::Values: {
      const PageSeries now = page_of_mode(pages_, film_->mode)->series(space_.view);
      return now.of == film_->series.of && now.chosen == value;
    }
    case PictureSeries::Steps:
      if (lesson_of(space_.view).name != film_->lesson.name) return false;
      if (static_cast<double>(lesson_of(space_.view).step) != value) return false;
      if (model_step(space_) != nullptr) return true;  // its model may still be loading
      [[fallthrough]];
    default: return space_.document == film_->now;
  }
}

void Filming::put_in(double value) {
  switch (film_->request.series) {
    case PictureSeries::Sweep:
      space_.document = edit::turned(film_->document, film_->request.sweep.knob, value);
      break;
    case PictureSeries::Values:
      page_of_mode(pages_, film_->mode)->choose_in_series(space_.view, value);
      break;
    case PictureSeries::Steps:
      lesson_of(space_.view).answers.clear();
      lesson_of(space_.view).answer = {};
      lessons_.show({film_->lesson.name, static_cast<std::int64_t>(value)});
      lesson_of(space_.view).answer.revealed = film_->request.answers;
      lesson_of(space_.view).answer_due = film_->request.answers ? frames_to_answer : 0;
      break;
    case PictureSeries::None: break;
  }
  film_->now = space_.document;
  film_->is_put_in = true;
}

void Filming::draw() {
  if (film_->is_html()) {
    film_->html.push_back(draw_html_step(app_));
    return;
  }
  PictureRequest request = film_->request;
  request.path.replace_extension(".png");  // each picture is pixels
  if (request.series == PictureSeries::Sweep)
    request.caption = film_caption(request.sweep.knob, film_->values[film_->at]);
  const DrawnPicture drawn = draw_picture(app_, request);
  if (film_->pages) {
    const lessons::Lesson& lesson = space_.lessons.shown_lessons().open->lesson;
    film_->pages->add(drawn.pixels, fmt::format("{} {}", film_->at + 1, lesson.steps[film_->at].title));
  } else {
    film_->pictures.add(drawn.pixels, film_->is_last() ? end_milliseconds : frame_milliseconds);
  }
}

void Filming::follow() {
  if (!film_) return;
  if (!is_undisturbed()) {
    // The user's change has priority; everything else stays as it is now.
    film_.reset();
    return space_.view.notices.say("The drawing was stopped: something else was changed meanwhile.");
  }
  try {
    if (film_->is_put_in) {
      if (!app_.is_still() || lesson_of(space_.view).look_due || lesson_of(space_.view).answer_due > 0)
        return;
      if (!space_.view.refusal.empty()) throw Error(space_.view.refusal);
      draw();
      film_->is_put_in = false;
      if (film_->is_last()) return end();
      ++film_->at;
    }
    put_in(film_->values[film_->at]);
  } catch (const std::exception& error) {
    stop();
    space_.view.notices.say(error.what());
  }
}

void Filming::end() {
  if (film_->is_html()) {
    std::vector<HtmlLessonStep> steps = std::move(film_->html);
    const std::filesystem::path to = film_->request.path;
    stop();
    return saving_.begin_html(saving_.html_lesson_job(std::move(steps), to), to);
  }
  DrawnPicture whole{
      {}, film_->pages ? film_->pages->finish() : film_->pictures.finish(), film_->request.path};
  stop();
  saving_.write(std::move(whole));
  saving_.finish_picture(true);
}

std::optional<FileOnItsWay> Filming::on_its_way() const {
  if (!film_) return std::nullopt;
  return FileOnItsWay{film_->request.path.filename().native(), film_->share()};
}

}  // namespace attnscope
