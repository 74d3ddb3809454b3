#include "app/exports/prints/printed_lesson.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "app/files/paths.hpp"
#include "app/kit/ui/words.hpp"
#include "app/lessons/check.hpp"
#include "app/lessons/lesson_numbers.hpp"
#include "app/lessons/told_prose.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/edits/switches.hpp"

namespace attnscope::prints {
namespace {

constexpr std::size_t most_settings = 3;     // tables of one exercise
constexpr std::int64_t most_board_rows = 6;  // a matrix that can be written on a board
constexpr std::int64_t curve_parts = 12;

/// Of the lesson's file up to its first dot: the same in every language.
std::string plain_name(const std::filesystem::path& file) {
  const std::string name = file.filename().native();
  return name.substr(0, name.find('.'));
}

/// Whether it is one of the program's lessons in English while another language is spoken.
bool has_english_words(const PrintedFrom& from) {
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(from.file, unknown).parent_path(),
                              ours =
                                  std::filesystem::weakly_canonical(assets_directory() / "lessons", unknown);
  return from.language != english && folder == ours &&
         !from.file.native().ends_with("." + from.language + ".md");
}

/// The choices in an order that seed, lesson and step give.
void shuffle(std::vector<ToldChoice>& choices, std::string_view lesson, std::size_t step, std::int64_t seed) {
  const std::uint64_t stream = stream_of(fmt::format("{} choices of step {}", lesson, step));
  for (std::size_t i = choices.size(); i > 1; --i)
    std::swap(choices[i - 1], choices[random_bits(static_cast<std::uint64_t>(seed), stream, i) % i]);
}

std::string label(const Sequences& sequences, std::int64_t index) {
  const std::vector<Sequence>& all = sequences;
  if (all.empty() || index < 0 || index >= std::ssize(all.front().tokens)) return std::to_string(index);
  return all.front().tokens[static_cast<std::size_t>(index)].text;
}

std::string query_name(const LayerResult& layer, std::int64_t query) {
  return label(layer.document.input.sequences, query + layer.dimensions.past);
}

std::string key_name(const LayerResult& layer, std::int64_t key) {
  const Input& input = layer.document.input;
  return label(input.memory.empty() ? input.sequences : input.memory, key);
}

std::int64_t head_of(const lessons::Step& step, const LayerResult& layer) {
  return std::clamp<std::int64_t>(step.head.value_or(0), 0, layer.dimensions.heads - 1);
}

/// Collects the steps as they are played.
class Printer {
 public:
  explicit Printer(const PrintedFrom& from) : from_(from), is_english_(has_english_words(from)) {
    made_.name = plain_name(from.file);
    made_.language = is_english_ ? std::string(english) : from.language;
  }

  void take(const lessons::PlayedStep& played) {
    const lessons::Step& step = played.lesson.steps[played.at];
    if (played.at == 0) take_lesson(played.lesson);
    PrintedStep printed{step.title,
                        step.chapter,
                        {},
                        step.done ? step.done_words : std::string(),
                        lessons::notes_said(step, played.numbers)};
    if (step.question) printed.question = question(played, *step.question);
    made_.steps.push_back(std::move(printed));
    take_board(played, step);
  }

  /// The lesson with the order of choices and the exercise of this seed.
  PrintedLesson with_seed(std::int64_t seed) const {
    PrintedLesson lesson = made_;
    lesson.seed = seed;
    for (std::size_t i = 0; i < lesson.steps.size(); ++i)
      if (auto& question = lesson.steps[i].question) shuffle(question->asked.choices, lesson.name, i, seed);
    if (lesson.model.empty() && !lesson.trains) lesson.exercise = make_exercise(lesson.name, seed, settings_);
    return lesson;
  }

 private:
  void take_lesson(const lessons::Lesson& lesson) {
    made_.title = lesson.title;
    made_.about = lesson.about;
    made_.number = lesson.number;
    made_.minutes = lesson.minutes;
    made_.chapters = lesson.chapters;
    made_.model = lesson.model;
    made_.trains = lesson.of_training();
    if (lesson.of_model() || lesson.of_training()) return;
    for (const lessons::StepDocuments& step : lessons::documents_of(lesson, from_.file.filename().native())) {
      add_setting(step.shown);
      if (step.held) add_setting(*step.held);
    }
  }

  void add_setting(const Document& document) {
    const LayerSpec& layer = document.layer();
    const ExerciseSetting setting{edit::is_divided(document), layer.masking.causal,
                                  static_cast<double>(layer.temperature)};
    if (settings_.size() < most_settings && std::ranges::find(settings_, setting) == settings_.end())
      settings_.push_back(setting);
  }

  ToldProse said(const lessons::Prose& prose, const lessons::LookUp& numbers) const {
    return told_prose(
        prose,
        [&](const lessons::Piece& piece) { return lessons::written(*piece.number, numbers, piece.style); },
        is_english_);
  }

  PrintedQuestion question(const lessons::PlayedStep& played, const lessons::Question& question) const {
    const lessons::LookUp& numbers = played.numbers;
    PrintedQuestion printed;
    ToldQuestion& told = printed.asked;
    told.words = said(question.words, numbers);
    told.answer = said(question.answer, numbers);
    if (const auto* const choose = std::get_if<lessons::ChooseQuestion>(&question.kind)) {
      for (const lessons::Choice& choice : choose->choices)
        told.choices.push_back({said(choice.prose, numbers), said(choice.why, numbers), choice.right});
    } else if (const auto* const drag = std::get_if<lessons::DragQuestion>(&question.kind)) {
      told.drag = {drag->low, drag->high, drag->tolerance, {}, {}, {}};
      try {
        told.drag->answer = drag->answer.evaluate(numbers);
      } catch (const Error&) {  // a problem of the lesson, which the check tells
      }
    } else if (const auto* const sketch = std::get_if<lessons::SketchQuestion>(&question.kind)) {
      told.is_sketched = true;
      if (played.layer != nullptr) printed.row = row(*played.layer, *sketch, numbers);
    } else if (const auto* const curve = std::get_if<lessons::CurveQuestion>(&question.kind)) {
      told.is_sketched = true;
      printed.measure = curve->measure;
    }
    return printed;
  }

  static std::optional<PrintedRow> row(const LayerResult& layer, const lessons::SketchQuestion& sketch,
                                       const lessons::LookUp& numbers) {
    PrintedRow row{query_name(layer, sketch.query), {}, {}};
    try {
      for (std::int64_t key = 0; key < layer.dimensions.keys; ++key) {
        row.keys.push_back(key_name(layer, key));
        row.weights.push_back(
            numbers("weight", std::array{static_cast<double>(sketch.query), static_cast<double>(key),
                                         static_cast<double>(sketch.head)}));
      }
    } catch (const Error&) {
      return std::nullopt;
    }
    return row;
  }

  void take_board(const lessons::PlayedStep& played, const lessons::Step& step) {
    if (played.lesson.of_training()) return take_curve(played, step);
    if (played.layer == nullptr) return;
    if (played.lesson.of_model()) return take_head(played, step);
    const Dimensions& sizes = played.layer->dimensions;
    if (!made_.board.shapes)
      made_.board.shapes = {sizes.queries, sizes.keys, sizes.heads, sizes.d_k, sizes.d_v};
    const bool shows_weights = !step.stage || *step.stage == "weights";
    if (!made_.board.matrix && shows_weights) take_matrix(*played.layer, step, played.numbers);
  }

  void take_matrix(const LayerResult& layer, const lessons::Step& step, const lessons::LookUp& numbers) {
    const Dimensions& sizes = layer.dimensions;
    if (sizes.queries > most_board_rows || sizes.keys > most_board_rows) return;
    Board::Matrix matrix{step.title, {}, {}, {}};
    for (std::int64_t key = 0; key < sizes.keys; ++key) matrix.columns.push_back(key_name(layer, key));
    try {
      for (std::int64_t query = 0; query < sizes.queries; ++query) {
        matrix.rows.push_back(query_name(layer, query));
        for (std::int64_t key = 0; key < sizes.keys; ++key)
          matrix.weights.push_back(
              numbers("weight", std::array{static_cast<double>(query), static_cast<double>(key),
                                           static_cast<double>(head_of(step, layer))}));
      }
    } catch (const Error&) {
      return;  // the step computes no weights
    }
    made_.board.matrix = std::move(matrix);
  }

  void take_head(const lessons::PlayedStep& played, const lessons::Step& step) {
    try {
      if (!made_.board.grid)
        made_.board.grid = {
            static_cast<std::int64_t>(played.numbers("layers", {})), played.layer->dimensions.heads, {}};
    } catch (const Error&) {
      return;  // an encoder-decoder has several counts
    }
    if (!step.block || !step.head) return;
    const std::pair looked_at{*step.block, *step.head};
    auto& all = made_.board.grid->looked_at;
    if (std::ranges::find(all, looked_at) == all.end()) all.push_back(looked_at);
  }

  /// The curve of the first step that has one in front, sampled.
  void take_curve(const lessons::PlayedStep& played, const lessons::Step& step) {
    const std::string& measure = step.trained.measure;
    if (made_.board.curve || measure.empty() || step.trained.steps < curve_parts) return;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> known{
        {{"loss", "loss"},
         {"accuracy", "accuracy"},
         {"entropy", "mean_entropy"},
         {"gradient", "score_gradient"}}};
    const auto named =
        std::ranges::find(known, measure, &std::pair<std::string_view, std::string_view>::first);
    const std::string name =
        named != known.end() ? std::string(named->second) : fmt::format("best_score \"{}\"", measure);
    Board::Curve curve{measure, step.trained.steps, {}};
    for (std::int64_t i = 0; i <= curve_parts; ++i) {
      const double at = static_cast<double>(step.trained.steps * i / curve_parts);
      try {
        curve.points.emplace_back(at, played.numbers(name, std::array{at}));
      } catch (const Error&) {  // not measured at this step
      }
    }
    made_.board.curve = std::move(curve);
  }

  const PrintedFrom& from_;
  bool is_english_;
  std::vector<ExerciseSetting> settings_;
  PrintedLesson made_;
};

}  // namespace

PrintedLesson printed_lesson(const PrintedFrom& from, const std::stop_token& stop,
                             const std::function<void(double)>& share) {
  return std::move(printed_sheets(from, 1, stop, share).front());
}

std::vector<PrintedLesson> printed_sheets(const PrintedFrom& from, std::int64_t count,
                                          const std::stop_token& stop,
                                          const std::function<void(double)>& share) {
  Printer printer(from);
  const auto see = [&](const lessons::PlayedStep& played) {
    if (stop.stop_requested()) throw Cancelled();
    printer.take(played);
    if (share)
      share(static_cast<double>(played.at + 1) / static_cast<double>(played.lesson.steps.size() + 1));
  };
  const lessons::CheckedLesson found = lessons::check_lesson(from.file, see, stop);
  if (!found.problems.empty()) throw Error(found.problems.front());
  if (!found.played)
    throw Error(fmt::format("{}: its model is not on this computer, and its numbers are computed with it.",
                            from.file.filename().native()));
  std::vector<PrintedLesson> sheets;
  for (std::int64_t i = 0; i < count; ++i) {
    if (stop.stop_requested()) throw Cancelled();
    sheets.push_back(printer.with_seed(from.seed + i));
  }
  return sheets;
}

}  // namespace attnscope::prints
