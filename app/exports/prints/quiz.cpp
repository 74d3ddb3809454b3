#include "app/exports/prints/quiz.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/exports/words/print_words.hpp"
#include "app/kit/ui/own_words.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope::prints {
namespace {

constexpr double exercise_tolerance = 0.011;  // numbers of an exercise are computed to two decimals

/// Letters, digits, "-" and "_" of ASCII; anything else is "_".
std::string plain_id(std::string_view name) {
  std::string id;
  for (const char c : name) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    id += is_plain ? c : '_';
  }
  return id;
}

ToldProse prose_of(std::string_view text) { return {{.kind = ToldPiece::Kind::Plain, .text = own(text)}}; }

/// "a (1, 0), b (0, 1)"
std::string named_vectors(const Exercise& exercise, const std::vector<int>& of) {
  std::string words;
  for (std::int64_t i = 0; i < Exercise::tokens; ++i)
    words += fmt::format("{}{} {}", i > 0 ? ", " : "", Exercise::names[static_cast<std::size_t>(i)],
                         vector_words(exercise.row(of, i)));
  return words;
}

/// What is given of the exercise, and how the weights are computed.
std::string given_words(const Exercise& exercise, const ExerciseSetting& setting, const PrintWords& in) {
  const PrintTexts texts = print_texts(in.words);
  std::string words =
      print_given(in.words, named_vectors(exercise, exercise.query), named_vectors(exercise, exercise.key),
                  named_vectors(exercise, exercise.value));
  words += " " + (setting.divided ? print_divided(in.words, "2") : texts.not_divided);
  words += " " + (setting.causal ? texts.hidden_later : texts.hidden_none);
  if (setting.temperature != 1)
    words += " " + print_temperature(in.words, fmt::format("{:.4g}", setting.temperature));
  return words;
}

class QuizMaker {
 public:
  QuizMaker(const PrintedLesson& lesson, const PrintWords& in, std::size_t place)
      : lesson_(lesson), in_(in), place_(place) {}

  QuizPart make() {
    part_ = {lesson_.name, lesson_.title, lesson_.language, {}};
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i)
      if (lesson_.steps[i].question) add(lesson_.steps[i], *lesson_.steps[i].question);
    for (const ExercisePart& part : lesson_.exercise.parts) add(part);
    return std::move(part_);
  }

 private:
  QuizItem& begin(std::string title, QuizItem::Kind kind) {
    QuizItem item;
    item.id = fmt::format("q{}-{}-{}", place_ + 1, plain_id(lesson_.name), part_.items.size() + 1);
    item.title = std::move(title);
    item.kind = kind;
    part_.items.push_back(std::move(item));
    return part_.items.back();
  }

  void add(const PrintedStep& step, const PrintedQuestion& question) {
    const ToldQuestion& asked = question.asked;
    using Kind = QuizItem::Kind;
    const bool has_number = asked.drag && asked.drag->answer && std::isfinite(*asked.drag->answer);
    QuizItem& item = begin(step.title, !asked.choices.empty() ? Kind::Choice
                                       : has_number           ? Kind::Number
                                                              : Kind::Essay);
    item.words = asked.words;
    item.answer = asked.answer;
    item.choices = asked.choices;
    if (!has_number) return;
    item.number = *asked.drag->answer;
    item.tolerance = asked.drag->tolerance;
  }

  /// A score, a weight and an output that are to be computed.
  void add(const ExercisePart& part) {
    const Exercise& exercise = lesson_.exercise;
    const bool is_first = &part == exercise.parts.data();
    const std::int64_t row = Exercise::tokens - 1;
    const auto place = [](std::int64_t i, std::int64_t j, std::int64_t width) {
      return static_cast<std::size_t>(i * width + j);
    };
    if (is_first)
      add(part, print_score_asked(in_.words, Exercise::names[1], Exercise::names[2]),
          exercise.scores[place(1, 2, Exercise::tokens)], 0);
    add(part, print_weight_asked(in_.words, Exercise::names[2], Exercise::names[0]),
        part.weights[place(row, 0, Exercise::tokens)], exercise_tolerance);
    add(part, print_output_asked(in_.words, Exercise::names[2]), part.mixed[place(row, 0, Exercise::d_v)],
        exercise_tolerance);
  }
  void add(const ExercisePart& part, const std::string& asked, double number, double tolerance) {
    const PrintTexts texts = print_texts(in_.words);
    QuizItem& item = begin(texts.by_hand, QuizItem::Kind::Number);
    item.words = prose_of(given_words(lesson_.exercise, part.setting, in_) + " " + asked +
                          (tolerance > 0 ? " " + texts.two_decimals : ""));
    item.number = number;
    item.tolerance = tolerance;
  }

  const PrintedLesson& lesson_;
  const PrintWords& in_;
  std::size_t place_;
  QuizPart part_;
};

}  // namespace

std::vector<QuizPart> quiz_parts(std::span<const PrintedLesson> lessons, const PrintWords& in) {
  std::vector<QuizPart> parts;
  for (std::size_t i = 0; i < lessons.size(); ++i) parts.push_back(QuizMaker(lessons[i], in, i).make());
  return parts;
}

std::optional<QuizFormat> quiz_format(const std::filesystem::path& path) {
  const std::string ending = lower_extension(path);
  if (ending == ".csv") return QuizFormat::Csv;
  if (ending == ".txt" || ending == ".gift") return QuizFormat::Gift;
  if (ending == ".zip") return QuizFormat::Qti;
  return std::nullopt;
}

std::string quiz_file(QuizFormat format, std::span<const PrintedLesson> lessons, const PrintWords& in) {
  const std::vector<QuizPart> parts = quiz_parts(lessons, in);
  std::size_t items = 0;
  for (const QuizPart& part : parts) items += part.items.size();
  if (items == 0)
    throw Error(fmt::format("{} asks nothing: there is no quiz to make of it.",
                            lessons.size() == 1 ? lessons.front().name : "None of the lessons"));
  switch (format) {
    case QuizFormat::Csv: return quiz_csv(parts, in);
    case QuizFormat::Gift: return quiz_gift(parts, in);
    case QuizFormat::Qti: break;
  }
  return quiz_qti(parts, in);
}

}  // namespace attnscope::prints
