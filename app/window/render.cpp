#include "app/window/render.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/exports/html/html_job.hpp"
#include "app/files/paths.hpp"
#include "app/kit/draw/pdf.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/words.hpp"
#include "app/lessons/library.hpp"
#include "app/session/session.hpp"
#include "app/shell/app.hpp"
#include "app/shell/html_step.hpp"
#include "app/shell/still.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/window_state.hpp"
#include "app/window/app_without_window.hpp"
#include "app/window/layers_html.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// How long a picture waits for a model's lens, scores and effects, unless all are asked for.
constexpr std::chrono::seconds model_time{60};

void check_request(const RenderOptions& options) {
  if (options.view && !mode_named(*options.view))
    throw Error("There is no view \"" + *options.view +
                "\"; there are: explore, walk, compare, model, experiments, lessons, training.");
  if (options.theme && !theme_named(*options.theme))
    throw Error("There is no theme \"" + *options.theme + "\"; there are: dark, light, contrast.");
  if (options.language && *options.language != english) load_table(assets_directory(), *options.language);
  if (!(options.scale >= 0.5f && options.scale <= 4))
    throw Error("A display scale from 0.5 to 4 can be drawn.");
}

/// Which settings of the picture the file does not tell and were guessed.
std::string guessed_note(const Document& document, const std::filesystem::path& file) {
  const Guesses& guesses = document.input.given().guesses;
  const std::string name = in_quotes(file.filename().native());
  std::string note = weights_note(document);
  if (is_causal_guessed(document))
    note = fmt::format("{} does not say whether it is causal; guessed {} ({}), --causal yes or no says it.",
                       name, document.layer().masking.causal ? "yes" : "no",
                       guesses.causal.substr(0, guesses.causal.size() - 1));
  if (are_positions_guessed(document))
    note += fmt::format(
        "{}{} does not say whether positions are applied; guessed {} ({}), --positions applied, rope-half or "
        "rope-interleaved says it.",
        note.empty() ? "" : " ", name,
        document.layer().positions == Positions::None ? "applied" : "that they are not",
        guesses.positions.substr(0, guesses.positions.size() - 1));
  return note;
}

struct ScoresToCome {
  std::int64_t queries = 0, keys = 0, heads = 0;  // heads: of all sequences
  double billions = 0;                            // scores, in billions, without those outside the window
};

/// Empty if the CPU does not compute the scores, or if the Document is in a model.
std::optional<ScoresToCome> scores_to_come(const Document& document, const Backends& backends,
                                           const Backend& backend) {
  const ModelContext& within = document.within.read();  // a model reads no more tokens than it has positions
  if (within || within.is_unopened() || &backend != backends.choices().front().backend.get())
    return std::nullopt;
  const Dimensions size = check_any_length(document);
  const Masking& masking = document.layer().masking;
  const auto reach = [&](std::int64_t keys) { return keys < 0 ? size.keys : keys; };
  const std::int64_t seen = std::min(
      size.keys, reach(masking.window.left) + (masking.causal ? 0 : reach(masking.window.right)) + 1);
  const std::int64_t heads = size.batch * size.heads;
  return ScoresToCome{
      size.queries, size.keys, heads,
      static_cast<double>(heads) * static_cast<double>(size.queries) * static_cast<double>(seen) / 1e9};
}

/// Prints the note if stderr is a terminal: programs that read stderr take any line for an error.
void tell_cost(const std::string& note) {
  if (!note.empty() && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "{}\n", note);
}

/// "01.png", with as many digits as the last page has, at least two.
std::string page_name(std::size_t page, std::size_t pages) {
  const std::size_t digits = fmt::formatted_size("{}", pages);
  return fmt::format("{:0{}}.png", page, std::max<std::size_t>(2, digits));
}

/// Writes the lesson's steps, or one of them, as one HTML file.
void write_lesson_html(AppWithoutWindow& drawn, const LessonPages& pages, const std::string& name) {
  if (pages.revealed) throw Error("In an HTML file the reader reveals the answers; leave --revealed out.");
  App& app = drawn.app;
  const auto count = static_cast<std::int64_t>(app.lessons().open()->documents.size());
  const std::int64_t only = pages.step ? static_cast<std::int64_t>(*pages.step) - 1 : -1;
  std::vector<HtmlLessonStep> steps;
  for (std::int64_t step = 0; step < count; ++step) {
    if (only >= 0 && step != only) continue;
    app.lessons().go_to({name, step});
    drawn.settle();
    drawn.lay_out();
    steps.push_back(draw_html_step(app));
  }
  app.lessons().go_to({name, std::max<std::int64_t>(0, only)});
  drawn.settle();
  const std::string file = app.files()
                               .saving.html_lesson_job(std::move(steps), pages.out)
                               ->make(Work{*app.backends().pool(), {}}, {});
  write_picture({{}, file, pages.out});
}

/// A sentence about what the open lesson's pages lack; empty: nothing.
std::string lacking(const App& app) {
  if (!app.lessons().open()->lesson.of_model() || app.model()) return {};
  return "The lesson's model is not on this computer: its numbers stand as \"\u2026\", and its pictures say "
         "how to get it.";
}

/// Writes every layer of a dump; if that fails and the options do not ask for the grid, the layer on screen
/// alone: `why` then says so.
void write_layers_html(AppWithoutWindow& drawn, const RenderOptions& options,
                       const std::vector<LayerEntry>& layers, std::string& why) {
  std::shared_ptr<const HtmlPage> all;
  try {
    all = std::make_shared<HtmlPage>(html_of_layers(drawn, *options.file, layers, options.layer));
  } catch (const Error& error) {
    if (options.region == PictureRegion::Grid) throw;
    why = fmt::format("{} This page has the layer {} alone.", error.what(), in_quotes(layers.front().name));
  }
  const std::string file = drawn.app.files()
                               .saving.html_job(options.out, std::move(all))
                               ->make(Work{*drawn.app.backends().pool(), {}}, {});
  write_picture({{}, file, options.out});
}

}  // namespace

void check_cost(const Document& document, const Backends& backends, const Backend& backend,
                const std::filesystem::path& file, std::string_view what) {
  constexpr double most_billions = 82;
  const std::optional<ScoresToCome> scores = scores_to_come(document, backends, backend);
  if (!scores || scores->billions <= most_billions) return;
  throw Error(fmt::format(
      "{}: {} queries and {} keys in {} heads are {:.0f} billion scores, which take minutes; {} may have {}.",
      in_quotes(file.native()), scores->queries, scores->keys, scores->heads, scores->billions, what,
      most_billions));
}

std::int64_t step_of_queries(const Document& document, const Backends& backends, const Backend& backend) {
  constexpr double most_billions = 9;  // 32,768 tokens in eight heads (8.6) are computed whole
  const std::optional<ScoresToCome> scores = scores_to_come(document, backends, backend);
  std::int64_t step = 1;
  while (scores && scores->billions > most_billions * static_cast<double>(step)) step *= 2;
  return step;
}

std::string cost_note(const Document& document, const Backends& backends, const Backend& backend,
                      std::int64_t step) {
  constexpr double many_billions = 2.5;  // take about 5 seconds
  const std::optional<ScoresToCome> scores = scores_to_come(document, backends, backend);
  if (!scores || scores->billions < many_billions * static_cast<double>(step)) return {};
  return fmt::format("computing {} × {} scores in {} {} …", grouped((scores->queries + step - 1) / step),
                     grouped(scores->keys), scores->heads, scores->heads == 1 ? "head" : "heads");
}

std::string render_lesson(const LessonPages& pages) {
  if (pages.theme && !theme_named(*pages.theme))
    throw Error("There is no theme \"" + *pages.theme + "\"; there are: dark, light, contrast.");
  lessons::read_lesson(pages.lesson);  // the App would only show an Error
  AppWithoutWindow drawn({pages.width, pages.height, pages.scale});
  App& app = drawn.app;
  const bool is_pdf = lower_extension(pages.out) == ".pdf";
  if (is_pdf) app.view().theme = ThemeName::Light;  // it is printed
  if (pages.theme) app.view().theme = *theme_named(*pages.theme);
  if (pages.language) app.view().language = *pages.language;
  const std::string name = std::filesystem::absolute(pages.lesson).native();
  app.lessons().go_to({name, 0});
  const lessons::OpenLessonPtr lesson = app.lessons().open();
  if (!lesson) throw Error(app.message());
  const std::size_t count = lesson->documents.size();
  if (pages.step && (*pages.step < 1 || *pages.step > count))
    throw Error(fmt::format("There is no step {}; {} has 1 to {}.", *pages.step,
                            in_quotes(pages.lesson.filename().native()), count));
  if (lower_extension(pages.out) == ".html") {
    write_lesson_html(drawn, pages, name);
    return lacking(app);
  }
  PdfPages pdf(lesson->lesson.title);
  if (!is_pdf) std::filesystem::create_directories(pages.out);
  app.view().presenter->on = pages.presented;
  for (std::size_t step = 1; step <= count; ++step) {
    if (pages.step && step != *pages.step) continue;
    app.lessons().go_to({name, static_cast<std::int64_t>(step) - 1});
    lesson_of(app.view()).answer.revealed = pages.revealed;
    lesson_of(app.view()).answer_due = pages.revealed ? frames_to_answer : 0;
    drawn.settle();
    drawn.lay_out();
    if (is_pdf)  // the page of the lesson alone, without the window's bars
      pdf.add(draw_picture(app, {PictureRegion::Focus, 1, "page.png"}).pixels,
              fmt::format("{} {}", step, lesson->lesson.steps[step - 1].title));
    else
      save_png(drawn.picture.read(), pages.out / page_name(step, count));
  }
  if (is_pdf) write_picture({{}, pdf.finish(), pages.out});
  return lacking(app);
}

namespace {

/// Limits the queries of a long text to as many as take seconds, unless all are asked for. Returns a sentence
/// if not all are computed.
std::string limit_queries(const Document& document, const RenderOptions& options, AppWithoutWindow& drawn) {
  const Backends& backends = drawn.app.backends();
  const Backend& backend = *drawn.engine.backend();
  if (options.every_query) check_cost(document, backends, backend, *options.file, "a picture of every query");
  const std::int64_t step = options.every_query ? 1 : step_of_queries(document, backends, backend);
  drawn.engine.refine_to(step);
  tell_cost(cost_note(document, backends, backend, step));
  if (step == 1) return {};
  return fmt::format("Every {}{} query of {} is computed; --every-query computes all.", step,
                     step == 2 ? "nd" : "th", in_quotes(options.file->native()));
}

/// A sentence if the model was stopped before all that the view shows of it was computed.
std::string stopped_note(const App& app, const RenderOptions& options) {
  const ModelReadingPtr model = app.model();
  if (!model || !model->is_stopped) return {};
  return fmt::format("Not all numbers of {} were computed in {} s; --every-query computes all.",
                     in_quotes(options.file->native()), model_time.count());
}

}  // namespace

std::string render_picture(const RenderOptions& options) {
  check_request(options);
  const std::string ending = lower_extension(options.out);
  if (ending != ".png" && ending != ".svg" && ending != ".html")
    throw Error("Cannot write " + in_quotes(options.out.native()) +
                ": expected a name that ends in .html, .png or .svg.");
  const bool is_lesson = options.file && lessons::is_lesson(*options.file);
  if (is_lesson) lessons::read_lesson(*options.file);  // the App would only show an Error
  std::optional<Session> session;
  if (options.file && !is_lesson)
    session = open_session(*options.file, {}, options.layer);  // the App would only show an Error

  std::string damage, note, left_out;
  std::vector<LayerEntry> layers;  // of a dump
  const bool is_model = session && (session->document.within.read() || !session->asks_for_model.empty());
  AppWithoutWindow drawn({options.width, options.height, options.scale, options.backend,
                          session ? std::filesystem::path() : opening_picture(assets_directory())});
  App& app = drawn.app;
  if (session) {
    damage = session->damage;
    layers = session->layers;
    if (const OpenedModelPtr& model = session->document.within.read().model) left_out = model->model->note;
    const std::string step_note = limit_queries(session->document, options, drawn);
    if (!options.every_query) drawn.limit_model(model_time);
    app.files().opening.open(*std::exchange(session, std::nullopt), *options.file, options.layer,
                             options.answers);
    note = guessed_note(app.document(), *options.file);
    if (note.empty()) note = left_out;
    if (!step_note.empty()) note += (note.empty() ? "" : " ") + step_note;
  }
  if (is_lesson) {
    app.view().language = options.language.value_or(app.view().language);
    app.lessons().go_to({std::filesystem::absolute(*options.file).native(), 0});
    if (!app.lessons().open()) throw Error(app.message());
  }
  if (is_model && options.view)
    drawn.arrive();
  else
    drawn.settle();
  // If the model cannot run, the App shows the previous Document, which was not asked for.
  if (is_model && !app.document().within.read()) {
    const Notice* const why = app.view().notices.of(Notice::Source::Answer);
    throw Error(options.file->string() + ": " +
                (why != nullptr ? why->text : std::string("it cannot be drawn.")));
  }
  if (const ResultPtr result = drawn.engine.latest(); options.file && result && !result->error.empty())
    throw Error(options.file->string() + ": " + result->error);
  app.looking().look_at(options.spot);
  if (options.view) app.view().mode = *mode_named(*options.view);
  if (options.theme) app.view().theme = *theme_named(*options.theme);
  if (options.language) app.view().language = *options.language;
  if (options.start) app.offer_start();
  drawn.settle();
  drawn.lay_out();
  if (const std::string stopped = stopped_note(app, options); !stopped.empty())
    note += (note.empty() ? "" : " ") + stopped;
  if (options.region == PictureRegion::Grid && ending != ".html") {
    write_grid_figure(*draw_figure(app, {.region = options.region, .path = options.out}),
                      Work{*app.backends().pool(), {}}, {});
    return damage.empty() ? note : damage;
  }
  if (is_lesson && ending == ".html" && options.region == PictureRegion::Window) {
    write_lesson_html(drawn,
                      {.lesson = *options.file, .out = options.out, .step = {}, .theme = {}, .language = {}},
                      lesson_of(app.view()).name);
    return damage.empty() ? note : damage;
  }
  if (ending == ".html" && layers.size() > 1 && !options.view &&
      (options.layer.empty() || options.region == PictureRegion::Grid)) {
    std::string why;
    write_layers_html(drawn, options, layers, why);
    return damage.empty() ? note + why : damage;
  }
  if (options.series != PictureSeries::None) {
    PictureRequest request{options.region, 1, options.out};
    request.series = options.series;
    request.sweep = options.sweep;
    app.filming().begin(request);
    drawn.finish_film();
    if (const Notice* trouble = app.view().notices.of(Notice::Source::Answer)) throw Error(trouble->text);
    return damage.empty() ? note : damage;
  }
  // The whole window is saved as it was just drawn, with its message; anything else is drawn anew.
  if (options.region == PictureRegion::Window && ending == ".png") {
    save_png(drawn.picture.read(), options.out);
  } else {
    write_picture(draw_picture(app, {options.region, 1, options.out}));
  }
  return damage.empty() ? note : damage;
}

}  // namespace attnscope
