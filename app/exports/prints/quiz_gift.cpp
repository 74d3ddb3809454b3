// app/exports/prints: a quiz in GIFT, the text format of Moodle's question banks.
#include <algorithm>

#include <fmt/format.h>

#include "app/exports/html/lesson_page.hpp"
#include "app/exports/html/page_write.hpp"
#include "app/exports/prints/quiz.hpp"

namespace attnscope::prints {
namespace {

/// The signs of the format with a backslash before them. A line break would end the question, or begin a
/// comment.
std::string gift_escaped(std::string_view text) {
  constexpr std::string_view signs = "\\~=#{}:";
  std::string out;
  for (const char c : text) {
    if (signs.find(c) != signs.npos) out += '\\';
    out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out;
}

class GiftWriter {
 public:
  explicit GiftWriter(const PrintWords& in) : in_(in) {}

  std::string part(const QuizPart& part) const {
    std::string text = fmt::format("$CATEGORY: $course$/AttnScope/{}\n\n", category(part.title));
    for (const QuizItem& item : part.items) text += question(item) + "\n";
    return text;
  }

 private:
  /// HTML, with the mark that it is HTML: a text cannot choose another format for itself, nor a share of the
  /// points ("%50%").
  std::string html(const ToldProse& prose) const {
    return "[html]" + gift_escaped(html_prose(prose, in_.words));
  }
  /// A slash divides categories, two of them are a slash in a name; a backslash cannot stand in one.
  static std::string category(std::string_view title) {
    std::string name;
    for (const char c : one_line(title)) {
      if (c == '/') name += '/';
      name += c == '\\' ? ' ' : c;
    }
    return name;
  }

  std::string question(const QuizItem& item) const {
    std::string text =
        fmt::format("::{}::{}{{", gift_escaped(one_line(item.id + " " + item.title)), html(item.words));
    if (item.kind == QuizItem::Kind::Choice) text += "\n" + choices(item);
    if (item.kind == QuizItem::Kind::Number)
      text += fmt::format("#{}:{}\n", item.number + 0., item.tolerance + 0.);
    if (!item.answer.empty()) text += "####" + html(item.answer) + "\n";
    return text + "}\n";
  }

  std::string choices(const QuizItem& item) const {
    std::string text;
    for (const ToldChoice& choice : item.choices) {
      text += (choice.right ? "=" : "~") + html(choice.words);
      if (!choice.why.empty()) text += "#" + html(choice.why);
      text += "\n";
    }
    return text;
  }

  const PrintWords& in_;
};

}  // namespace

std::string quiz_gift(std::span<const QuizPart> parts, const PrintWords& in) {
  const GiftWriter writer(in);
  std::string text;
  for (const QuizPart& part : parts)
    if (!part.items.empty()) text += writer.part(part);
  return text;
}

}  // namespace attnscope::prints
