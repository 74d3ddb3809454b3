// app/exports/prints: parts that printed pages and quizzes share.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/kit/ui/words.hpp"
#include "app/lessons/told_step.hpp"

namespace attnscope::prints {

/// The texts in the language of the window, and that language.
struct PrintWords {
  Words words;
  std::string language;  // its code
};

/// The number with two decimals, whole numbers without; with the language's decimal sign, or with a point.
std::string print_number(double value, const Words&);
std::string point_number(double value);
/// "A", "B" …
std::string letter(std::size_t choice);
/// "(1, 0, −2)"
std::string vector_words(const std::vector<int>& numbers);

/// One line of valid UTF-8 without control characters.
std::string one_line(std::string_view text);
/// Prose without styles: "x^2", "q_a".
std::string plain_prose(const ToldProse&, const Words&);

/// A whole page for paper: the frame assets/html/print.html with this title and body. Throws Error if the
/// frame cannot be read.
std::string print_page(std::string_view title, const std::string& body, const PrintWords&,
                       const std::filesystem::path& assets);
/// The attribute for words of a lesson in another language than the page's; else empty.
std::string language_of(std::string_view lesson, const PrintWords&);

}  // namespace attnscope::prints
