// tests/fuzz: lessons: their text, the Documents of their steps and every expression in them.
#include "app/lessons/lesson.hpp"

#include "app/lessons/step_documents.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;

namespace {

double some_number(std::string_view name, std::span<const double> arguments) {
  double sum = static_cast<double>(name.size());
  for (const double x : arguments) sum += x;
  return sum;
}

void evaluate(const lessons::Prose& prose) {
  for (const lessons::Piece& piece : prose)
    if (piece.number) lessons::written(piece.number->evaluate(some_number), piece.style);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::expect_result_or_sentence([&] {
    const lessons::Lesson lesson = lessons::parse_lesson(text, "fuzz.md");
    if (lesson.steps.empty()) fuzz::finding("a lesson", "without a step");
    for (const lessons::Step& step : lesson.steps) {
      if (step.chapter >= lesson.chapters.size()) fuzz::finding("a step", "outside of every chapter");
      for (const lessons::Paragraph& paragraph : step.paragraphs) evaluate(paragraph.prose);
      if (step.done) step.done->evaluate(some_number);
    }
    fuzz::expect_result_or_sentence([&] { lessons::documents_of(lesson, "fuzz.md"); });
  });
  return 0;
}
