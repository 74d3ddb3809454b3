// app/files/io: what is on screen as one HTML file; the lesson on screen as a worksheet, as pages for the
// instructor or as a quiz.
#include <algorithm>
#include <utility>

#include <imgui.h>

#include "app/exports/html/html_job.hpp"
#include "app/exports/html/lesson_page.hpp"
#include "app/exports/html/page_write.hpp"
#include "app/exports/prints/instructor.hpp"
#include "app/exports/prints/quiz.hpp"
#include "app/exports/prints/worksheet.hpp"
#include "app/files/io/saving.hpp"
#include "app/scene/picture.hpp"
#include "app/state/model_look.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model/facts.hpp"
#include "core/base/error.hpp"
#include "core/document/mask.hpp"
#include "core/files/document/session_file.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// What the model's page shows; a layer, head or cell that does not exist is moved inside.
HtmlOfModel shown_of_model(const ModelReading& reading, const Selection& selection, bool without_changes) {
  const ModelSpec& spec = reading.within.model->model->spec;
  const std::vector<AttentionOf> there = attentions_of(spec);
  const bool has = std::ranges::find(there, reading.within.of) != there.end();
  const AttentionOf of = has ? reading.within.of : output_attention(spec);
  const int block = std::clamp(reading.within.block, 0, blocks_in(spec, of) - 1);
  const std::int64_t head = std::clamp<std::int64_t>(selection.head, 0, heads_in(spec, of, block) - 1);
  return {{of, block, head}, selection.cell, without_changes};
}

/// How the HTML page names `path`: relative to the page's folder if it is inside it, else by its name alone,
/// which reveals nothing of this machine.
std::filesystem::path found_from_page(const std::filesystem::path& path, const std::filesystem::path& page) {
  namespace fs = std::filesystem;
  if (path.empty()) return path;
  fs::path whole = fs::absolute(path).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // a folder with a trailing slash
  const fs::path from_page = whole.lexically_relative(fs::absolute(page).lexically_normal().parent_path());
  return from_page.empty() || from_page == "." || *from_page.begin() == ".." ? whole.filename() : from_page;
}

Document as_in_page(Document document, const std::filesystem::path& page) {
  if (document.within.read().path.empty()) return document;
  ModelContext& within = document.within.change();
  within.path = found_from_page(within.path, page);
  within.input.image = found_from_page(within.input.image, page);
  return document;
}

/// One of the program's lessons by its name; another one by its path from the page.
LessonState as_in_page(const LessonState& lesson, const std::filesystem::path& lessons,
                       const std::filesystem::path& page) {
  LessonState state;
  state.name = lesson.name;
  state.step = lesson.step;
  if (lesson.name.find('/') == lesson.name.npos) return state;
  const std::filesystem::path whole = std::filesystem::absolute(lesson.name).lexically_normal();
  if (whole.parent_path() == std::filesystem::absolute(lessons).lexically_normal()) {
    const std::string file = whole.filename().native();
    state.name = file.substr(0, file.find('.'));
  } else {
    state.name = (std::filesystem::path(".") / found_from_page(whole, page)).native();
  }
  return state;
}

/// Copies of what the page is made of, so that the window can go on.
struct KeptForHtml {
  ModelReadingPtr reading;                 // null: a layer by itself
  std::shared_ptr<const HtmlPage> layers;  // drawn instead; null: none
  HtmlOfModel of_model;
  ResultPtr result;
  Selection selection;
  HtmlPage looks;  // the view, without weights
  Words words;
  std::string language, now;
  std::filesystem::path assets;
  Document document;             // the session's; not JSON yet, as given tensors take long
  std::optional<Document> held;  // likewise
  std::string view;              // its JSON

  std::string made(const Work& work, const std::function<void(double)>& share) const {
    constexpr double of_heads = 0.5;
    const LayerResult& layer = result->layer();
    HtmlPage page = layers    ? *layers
                    : reading ? html_of_model(*reading, of_model, work,
                                              [&](double done) {
                                                if (share) share(of_heads * done);
                                              })
                              : html_of_layer(layer, MaskRule(layer.document, layer.trace), selection);
    const std::int64_t longest = std::ssize(page.part().keys);
    page.log = looks.log || longest > longest_linear_row;
    page.light = looks.light;
    page.dark = looks.dark;
    page.session = session_to_json(document, view, held ? &*held : nullptr);
    if (work.stop.stop_requested()) throw Cancelled();
    page.is_one_of_two = looks.is_one_of_two;
    page.on_screen = looks.on_screen;
    page.title += now;
    return html_file(page, words, language, assets, {work.stop, [&](double done) {
                                                       if (share) share(of_heads + (1 - of_heads) * done);
                                                     }});
  }
};

std::string made_print(LessonPrint print, const prints::PrintedLesson& lesson, const prints::PrintWords& in,
                       const std::filesystem::path& assets) {
  const std::span<const prints::PrintedLesson> alone(&lesson, 1);
  switch (print) {
    case LessonPrint::None: break;
    case LessonPrint::Worksheet: return prints::worksheet(lesson, in, assets);
    case LessonPrint::Instructor: return prints::instructor_pages(alone, in, assets);
    case LessonPrint::QuizCsv: return prints::quiz_file(prints::QuizFormat::Csv, alone, in);
    case LessonPrint::QuizGift: return prints::quiz_file(prints::QuizFormat::Gift, alone, in);
    case LessonPrint::QuizQti: return prints::quiz_file(prints::QuizFormat::Qti, alone, in);
  }
  throw Error("There is nothing to draw yet.");
}

}  // namespace

std::string Saving::session_for_page(const std::filesystem::path& to) const {
  const ResultPtr result = held_.result();
  const std::optional<Document> held =
      result ? std::optional(as_in_page(result->document, to)) : std::nullopt;
  ViewState view = space_.view;
  lesson_of(view) = as_in_page(lesson_of(space_.view), space_.assets / "lessons", to);
  return session_to_json(as_in_page(space_.document, to),
                         view_to_json(view, space_.selection, held_.age(ImGui::GetTime())),
                         held ? &*held : nullptr);
}

std::shared_ptr<HtmlJob> Saving::html_job(const std::filesystem::path& to,
                                          std::shared_ptr<const HtmlPage> layers) const {
  if (is_page(space_.view.mode))
    throw Error("An HTML file shows a layer or a model: go to Explore or Model first.");
  if (is_watching(space_.view))
    throw Error("An HTML file does not show a process that runs: open one of its layers first.");
  if (!space_.shown.result) throw Error("There is nothing to draw yet.");
  auto kept = std::make_shared<KeptForHtml>();
  const ModelReadingPtr reading = space_.reading();
  kept->result = space_.shown.result;
  kept->selection = space_.selection;
  kept->layers = std::move(layers);
  if (!kept->layers && space_.view.mode == Mode::Model && reading && reading->run && reading->tokens) {
    kept->reading = reading;
    kept->of_model = shown_of_model(*reading, space_.selection, model_look_of(space_.view).without_changes);
  } else {
    check_html_layer(space_.shown.result->layer());
    const Plane& plane = stage_look_of(space_.view).stage;
    if (space_.view.mode == Mode::Explore && !holds_weights(plane.stage))
      kept->looks.on_screen = attnscope::words(space_.shown.result->layer().document, plane).name;
  }
  HtmlPage& page = kept->looks;
  page.log = focus_of(space_.view).log;
  page.light = weights_map(theme(ThemeName::Light), focus_of(space_.view).colours);
  page.dark = weights_map(theme(ThemeName::Dark), focus_of(space_.view).colours);
  const bool compares_models =
      space_.view.mode == Mode::Model && model_look_of(space_.view).screen == ModelScreen::Compare;
  page.is_one_of_two = held_.result() && (space_.view.mode == Mode::Compare || compares_models);
  kept->document = as_in_page(space_.document, to);
  if (const ResultPtr held = held_.result()) kept->held = as_in_page(held->document, to);
  ViewState view = space_.view;
  lesson_of(view).name = as_in_page(lesson_of(space_.view), space_.assets / "lessons", to).name;
  kept->view = view_to_json(view, space_.selection, held_.age(ImGui::GetTime()));
  std::string now;
  if (page.is_one_of_two) kept->now = " · " + std::string(space_.words.translated("now", now));
  kept->words = space_.words;
  kept->words.watch = {};
  kept->language = space_.view.language;
  kept->assets = space_.assets;
  auto job = std::make_shared<HtmlJob>();
  job->make = [kept](const Work& work, const std::function<void(double)>& share) {
    return kept->made(work, share);
  };
  return job;
}

void Saving::begin_html(std::shared_ptr<HtmlJob> job, const std::filesystem::path& to) {
  if (files_.is_exporting()) throw Error("The export before this one goes on; try again when it is done.");
  files_.begin_export(nullptr, std::move(job), to, space_.backends.pool());
}

std::shared_ptr<HtmlJob> Saving::html_lesson_job(std::vector<HtmlLessonStep> steps,
                                                 const std::filesystem::path& to) const {
  const lessons::OpenLessonPtr open = space_.lessons.shown_lessons().open;
  if (!open) throw Error("There is no lesson on screen whose steps could be printed.");
  auto lesson = std::make_shared<HtmlLesson>();
  lesson->title = open->lesson.title;
  lesson->about = open->lesson.about;
  lesson->number = open->lesson.number;
  lesson->steps_all = std::ssize(open->lesson.steps);
  lesson->language = open->is_english ? std::string(english) : space_.view.language;
  lesson->steps = std::move(steps);
  lesson->session = session_for_page(to);
  auto job = std::make_shared<HtmlJob>();
  job->make = [lesson, words = space_.words, language = space_.view.language, assets = space_.assets](
                  const Work& work, const std::function<void(double)>& share) {
    return html_lesson_file(*lesson, words, language, assets, work.stop, share);
  };
  return job;
}

void Saving::begin_print(const PictureRequest& request) {
  const lessons::OpenLessonPtr open = space_.lessons.shown_lessons().open;
  if (!open) throw Error("There is no lesson on screen whose steps could be printed.");
  if (lower_extension(request.path) != print_file(request.print).ending)
    throw Error("Cannot write " + in_quotes(request.path.native()) + ": the name has to end in " +
                in_quotes(print_file(request.print).ending) + ".");
  prints::PrintWords in{space_.words, space_.view.language};
  in.words.watch = {};
  const prints::PrintedFrom from{open->path, space_.view.language, request.sheet};
  auto job = std::make_shared<HtmlJob>();
  job->make = [from, in = std::move(in), print = request.print, assets = space_.assets](
                  const Work& work, const std::function<void(double)>& share) {
    return made_print(print, prints::printed_lesson(from, work.stop, share), in, assets);
  };
  begin_html(std::move(job), request.path);
}

}  // namespace attnscope
