#include "app/exports/prints/print_parts.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/exports/html/lesson_words.hpp"
#include "app/exports/html/page_parts.hpp"
#include "app/exports/html/page_write.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/lessons/text/expression.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::prints {

std::string point_number(double value) {
  using Style = lessons::NumberStyle;
  const bool is_whole = std::isfinite(value) && std::abs(value - std::round(value)) < 5e-7;
  if (is_whole) value = std::round(value) + 0.0;  // no −0
  return lessons::written(value, is_whole ? Style{Style::Kind::Whole, 0} : Style{Style::Kind::Fixed, 2});
}

std::string print_number(double value, const Words& words) {
  std::string text = point_number(value);
  if (const std::size_t point = text.find('.'); point != text.npos)
    text.replace(point, 1, html_decimal(words));
  return text;
}

std::string letter(std::size_t choice) { return std::string(1, static_cast<char>('A' + choice % 26)); }

std::string vector_words(const std::vector<int>& numbers) {
  std::vector<std::string> all;
  for (const int number : numbers) all.push_back(point_number(number));
  return fmt::format("({})", fmt::join(all, ", "));
}

std::string one_line(std::string_view text) {
  std::string line = is_valid_utf8(text) ? std::string(text) : printable(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  return line;
}

std::string plain_prose(const ToldProse& prose, const Words& words) {
  std::string text;
  for (const ToldPiece& piece : prose) {
    std::string room;
    if (piece.level != 0) text += piece.level > 0 ? '^' : '_';
    text += plain(words.translated(piece.text, room));
  }
  return text;
}

std::string print_page(std::string_view title, const std::string& body, const PrintWords& in,
                       const std::filesystem::path& assets) {
  HtmlFields fields;
  fields["lang"] = html_escaped(in.language);
  fields["version"] = ATTNSCOPE_VERSION;
  fields["title"] = html_escaped(title);
  fields["how"] = html_escaped(html_lesson_made(in.words, ATTNSCOPE_VERSION));
  fields["css"] = html_asset(assets, "print.css");
  fields["body"] = body;
  return html_filled(html_asset(assets, "print.html"), fields, (assets / "html" / "print.html").native());
}

std::string language_of(std::string_view lesson, const PrintWords& in) {
  return lesson == in.language ? std::string() : fmt::format(" lang=\"{}\"", html_escaped(lesson));
}

}  // namespace attnscope::prints
