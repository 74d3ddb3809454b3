#include "app/exports/prints/instructor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/exports/html/lesson_page.hpp"
#include "app/exports/html/page_write.hpp"
#include "app/exports/prints/svg_parts.hpp"
#include "app/exports/words/print_words.hpp"

namespace attnscope::prints {
namespace {

class InstructorPage {
 public:
  InstructorPage(const PrintedLesson& lesson, const PrintWords& in)
      : lesson_(lesson), in_(in), words_(in.words), texts_(print_texts(in.words)) {}

  std::string html() const {
    return "<section class=\"lesson\">\n" + head() + plan() + board() + questions() + thoughts() + notes() +
           "</section>\n";
  }

 private:
  static std::string said(std::string_view text) { return html_escaped(text); }
  std::string prose(const ToldProse& prose) const { return html_prose(prose, words_); }
  std::string lang() const { return language_of(lesson_.language, in_); }
  static std::string heading(const std::string& text) { return fmt::format("<h2>{}</h2>\n", said(text)); }

  std::string head() const {
    std::string title = lesson_.title;
    if (lesson_.number > 0) title = fmt::format("{}. {}", lesson_.number, title);
    std::string html =
        fmt::format("<header><p class=\"kind\">{}</p></header>\n<h1{}>{}</h1>\n<p class=\"facts\">",
                    said(texts_.instructor), lang(), said(title));
    if (lesson_.minutes > 0)
      html += fmt::format("<span><b>{}</b> {}</span>", said(texts_.time),
                          said(print_minutes(words_, lesson_.minutes)));
    html += fmt::format("<span>{}</span><span><b>{}</b> {}</span></p>\n",
                        said(print_steps(words_, std::ssize(lesson_.steps))), said(texts_.needs),
                        said(print_needs(words_, lesson_.model, lesson_.trains)));
    if (!lesson_.about.empty())
      html +=
          fmt::format("<p><b>{}</b> <span{}>{}</span></p>\n", said(texts_.goal), lang(), said(lesson_.about));
    return html;
  }

  /// A step with a question takes as long as two without.
  static std::int64_t weight(const PrintedStep& step) { return step.question || !step.task.empty() ? 2 : 1; }

  /// The chapters, and when each begins.
  std::string plan() const {
    if (lesson_.minutes <= 0 || lesson_.chapters.empty()) return {};
    std::int64_t whole = 0, before = 0;
    for (const PrintedStep& step : lesson_.steps) whole += weight(step);
    std::string html = heading(texts_.plan) + "<table class=\"wide plan\">\n";
    for (std::size_t chapter = 0; chapter < lesson_.chapters.size(); ++chapter) {
      std::int64_t steps = 0, weights = 0;
      for (const PrintedStep& step : lesson_.steps) {
        if (step.chapter != chapter) continue;
        ++steps;
        weights += weight(step);
      }
      if (steps == 0) continue;
      const std::int64_t halves = 2 * lesson_.minutes * before / whole;  // half minutes from the beginning
      html +=
          fmt::format("<tr><td class=\"at\">{}</td><td{}>{}</td><td class=\"at\">{}</td></tr>\n",
                      said(print_from(words_, fmt::format("{}:{}", halves / 2, halves % 2 ? "30" : "00"))),
                      lang(), said(lesson_.chapters[chapter]), said(print_steps(words_, steps)));
      before += weights;
    }
    return html + "</table>\n";
  }

  std::string board() const {
    const Board& board = lesson_.board;
    std::string html;
    if (board.shapes) html += chain(*board.shapes);
    if (board.matrix)
      html += fmt::format("<p class=\"small\"{}>{}</p>\n", lang(), said(board.matrix->step)) +
              matrix_drawing(board.matrix->rows, board.matrix->columns, board.matrix->weights);
    if (board.grid) html += grid_drawing(board.grid->layers, board.grid->heads, board.grid->looked_at);
    if (board.curve) html += curve_axes(texts_.step, board.curve->measure, board.curve->points);
    return html.empty() ? html : heading(texts_.board) + html;
  }

  /// From queries and keys to outputs, with the sizes of one head.
  static std::string chain(const Board::Shapes& sizes) {
    const auto size = [](std::int64_t rows, std::int64_t columns) {
      return fmt::format("{} × {}", rows, columns);
    };
    const std::vector<std::pair<std::string, std::string>> boxes{
        {"Q, K, V", fmt::format("{} · {}", size(sizes.queries, sizes.d_k), size(sizes.keys, sizes.d_v))},
        {"S = QKᵀ", size(sizes.queries, sizes.keys)},
        {"S ÷ √dₖ", fmt::format("√{}", sizes.d_k)},
        {"+ mask", "0, −∞"},
        {"A = softmax", size(sizes.queries, sizes.keys)},
        {"Z = AV", size(sizes.queries, sizes.d_v)}};
    return chain_drawing(boxes);
  }

  std::string questions() const {
    std::string rows;
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i)
      if (const auto& question = lesson_.steps[i].question)
        rows += fmt::format("<tr><td class=\"at\">{}</td><td>{}</td><td>{}</td></tr>\n", i + 1,
                            prose(question->asked.words), answer(question->asked));
    if (rows.empty()) return rows;
    return heading(texts_.ask) + fmt::format("<table class=\"wide\"{}>\n{}</table>\n", lang(), rows);
  }

  std::string answer(const ToldQuestion& asked) const {
    std::string html;
    for (const ToldChoice& choice : asked.choices)
      if (choice.right) html += fmt::format("<b>{}</b><br>", prose(choice.words));
    if (asked.drag && asked.drag->answer)
      html += fmt::format("<b>{}</b><br>", said(print_number(*asked.drag->answer, words_)));
    return html + prose(asked.answer);
  }

  /// The wrong choices whose lesson says why they are wrong.
  std::string thoughts() const {
    std::string rows;
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i) {
      if (!lesson_.steps[i].question) continue;
      for (const ToldChoice& choice : lesson_.steps[i].question->asked.choices)
        if (!choice.right && !choice.why.empty())
          rows += fmt::format("<tr><td class=\"at\">{}</td><td>{}</td><td>{}</td></tr>\n", i + 1,
                              prose(choice.words), prose(choice.why));
    }
    if (rows.empty()) return rows;
    return heading(texts_.thoughts) +
           fmt::format(
               "<table class=\"wide\"><thead><tr><th></th><th>{}</th><th>{}</th></tr></thead>"
               "<tbody{}>\n{}</tbody></table>\n",
               said(texts_.they_say), said(texts_.why_not), lang(), rows);
  }

  std::string notes() const {
    std::string rows;
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i)
      if (!lesson_.steps[i].notes.empty())
        rows += fmt::format("<tr><td class=\"at\">{}</td><td>{}</td></tr>\n", i + 1,
                            said(lesson_.steps[i].notes));
    if (rows.empty()) return rows;
    return heading(texts_.notes) + fmt::format("<table class=\"wide\"{}>\n{}</table>\n", lang(), rows);
  }

  const PrintedLesson& lesson_;
  const PrintWords& in_;
  const Words& words_;
  PrintTexts texts_;
};

}  // namespace

std::string instructor_pages(std::span<const PrintedLesson> lessons, const PrintWords& in,
                             const std::filesystem::path& assets) {
  std::string body;
  for (const PrintedLesson& lesson : lessons) body += InstructorPage(lesson, in).html();
  return print_page(lessons.size() == 1 ? lessons.front().title : print_texts(in.words).instructor, body, in,
                    assets);
}

}  // namespace attnscope::prints
