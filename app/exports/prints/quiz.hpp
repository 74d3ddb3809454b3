// app/exports/prints: the questions of lessons as a quiz for other programs: CSV, GIFT (Moodle) and QTI 2.1.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/exports/prints/print_parts.hpp"
#include "app/exports/prints/printed_lesson.hpp"

namespace attnscope::prints {

struct QuizItem {
  enum class Kind : std::uint8_t { Choice, Number, Essay };
  std::string id;     // letters, digits, "-" and "_"; begins with a letter; unique in its quiz
  std::string title;  // of its step, without marks
  Kind kind = Kind::Essay;
  ToldProse words, answer;          // answer: shown after it was answered; may be empty
  std::vector<ToldChoice> choices;  // in their order
  double number = 0, tolerance = 0;
};

/// The items of one lesson.
struct QuizPart {
  std::string name, title, language;  // of its file; of the lesson; of its words
  std::vector<QuizItem> items;
};

/// The questions of the lessons and of their exercises.
std::vector<QuizPart> quiz_parts(std::span<const PrintedLesson>, const PrintWords&);

enum class QuizFormat : std::uint8_t { Csv, Gift, Qti };
/// By the name's ending: .csv, .txt (GIFT: the ending that Moodle takes) or .gift, .zip; empty for any other.
std::optional<QuizFormat> quiz_format(const std::filesystem::path&);

/// A table with a line for each item. A field that a spreadsheet would compute gets a space before it.
std::string quiz_csv(std::span<const QuizPart>, const PrintWords&);
/// A text with one category per lesson, as Moodle imports it.
std::string quiz_gift(std::span<const QuizPart>, const PrintWords&);
/// A zip archive of QTI 2.1 (IMS Question and Test Interoperability, 2012): imsmanifest.xml, test.xml and an
/// item in each file of items/.
std::string quiz_qti(std::span<const QuizPart>, const PrintWords&);

/// The file's bytes: the same for the same lessons, seed and language. Throws Error for lessons that ask
/// nothing.
std::string quiz_file(QuizFormat, std::span<const PrintedLesson>, const PrintWords&);

}  // namespace attnscope::prints
