#include "app/exports/prints/worksheet.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/exports/html/lesson_page.hpp"
#include "app/exports/html/page_write.hpp"
#include "app/exports/prints/svg_parts.hpp"
#include "app/exports/words/print_words.hpp"

namespace attnscope::prints {
namespace {

/// A cell's contents; empty: it is to be filled in.
using Cell = std::function<std::string(std::int64_t row, std::int64_t column)>;

std::string empty_cell(std::int64_t, std::int64_t) { return {}; }

/// A table whose rows are tokens of the exercise; its columns are tokens as well, or are numbered from 1.
std::string token_table(std::string_view caption, std::int64_t columns, bool of_tokens, const Cell& cell) {
  std::string html = fmt::format("<table class=\"grid\"><caption>{}</caption><tr><th></th>", caption);
  for (std::int64_t j = 0; j < columns; ++j)
    html += fmt::format("<th>{}</th>", of_tokens ? std::string(Exercise::names[static_cast<std::size_t>(j)])
                                                 : std::to_string(j + 1));
  html += "</tr>\n";
  for (std::int64_t i = 0; i < Exercise::tokens; ++i) {
    html += fmt::format("<tr><th>{}</th>", Exercise::names[static_cast<std::size_t>(i)]);
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::string inside = cell(i, j);
      html += fmt::format("<td{}>{}</td>", inside.empty() ? " class=\"room\"" : "", inside);
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

class Sheet {
 public:
  Sheet(const PrintedLesson& lesson, const PrintWords& in)
      : lesson_(lesson), in_(in), words_(in.words), texts_(print_texts(in.words)) {}

  std::string body() const {
    std::string html = "<section class=\"sheet\">\n" + head();
    if (!lesson_.exercise.parts.empty()) html += exercise(false);
    if (has_questions()) html += fmt::format("<h2>{}</h2>\n<ol class=\"asked\">\n", said(texts_.questions));
    for (const PrintedStep& step : lesson_.steps) html += question(step);
    if (has_questions()) html += "</ol>\n";
    return html + "</section>\n";
  }

  std::string answers() const {
    std::string html = fmt::format(
        "<section class=\"key\"><header><p class=\"kind\">{} · {}</p><p class=\"small\">{}</p></header>\n"
        "<h1{}>{}</h1>\n",
        said(texts_.answers), said(print_sheet(words_, lesson_.seed)), said(texts_.answers_apart), lang(),
        said(lesson_.title));
    if (!lesson_.exercise.parts.empty()) html += exercise(true);
    if (has_questions())
      html += fmt::format("<h2>{}</h2>\n<ol class=\"answers\"{}>\n", said(texts_.questions), lang());
    for (const PrintedStep& step : lesson_.steps) {
      if (step.question)
        html += fmt::format("<li>{}</li>\n", answer(*step.question));
      else if (!step.task.empty())
        html += fmt::format("<li>{}</li>\n", said(step.task));
    }
    return html + (has_questions() ? "</ol>\n" : "") + "</section>\n";
  }

 private:
  static std::string said(std::string_view text) { return html_escaped(text); }
  std::string prose(const ToldProse& prose) const { return html_prose(prose, words_); }
  std::string lang() const { return language_of(lesson_.language, in_); }
  bool has_questions() const {
    return std::ranges::any_of(lesson_.steps,
                               [](const PrintedStep& step) { return step.question || !step.task.empty(); });
  }

  std::string head() const {
    return fmt::format(
        "<header><p class=\"kind\">{} · {}</p><p class=\"who\">{} <i></i> {} <i></i></p></header>\n"
        "<h1{}>{}</h1>\n<p class=\"about\"{}>{}</p>\n",
        said(texts_.worksheet), said(print_sheet(words_, lesson_.seed)), said(texts_.person),
        said(texts_.date), lang(), said(lesson_.title), lang(), said(lesson_.about));
  }

  Cell whole(const std::vector<int>& of, std::int64_t width) const {
    return [&of, width](std::int64_t i, std::int64_t j) {
      return point_number(of[static_cast<std::size_t>(i * width + j)]);
    };
  }
  Cell computed(const std::vector<double>& of, std::int64_t width) const {
    return [this, &of, width](std::int64_t i, std::int64_t j) {
      return print_number(of[static_cast<std::size_t>(i * width + j)], words_);
    };
  }

  /// The exercise with empty tables, or with what stands in them.
  std::string exercise(bool solved) const {
    const Exercise& of = lesson_.exercise;
    const auto cell = [&](const std::vector<double>& numbers, std::int64_t width) {
      return solved ? computed(numbers, width) : Cell(empty_cell);
    };
    std::string html = fmt::format("<h2>{}</h2>\n", said(texts_.by_hand));
    if (!solved) {
      html += fmt::format("<p>{} {}</p>\n<div class=\"row\">", said(texts_.given), said(texts_.fill));
      html += token_table(said(texts_.queries), Exercise::d_k, false, whole(of.query, Exercise::d_k));
      html += token_table(said(texts_.keys), Exercise::d_k, false, whole(of.key, Exercise::d_k));
      html += token_table(said(texts_.values), Exercise::d_v, false, whole(of.value, Exercise::d_v));
      html += "</div>\n";
    }
    html += "<div class=\"row\">";
    html += token_table(said(texts_.scores), Exercise::tokens, true, cell(of.scores, Exercise::tokens));
    const auto divided =
        std::ranges::find_if(of.parts, [](const ExercisePart& p) { return p.setting.divided; });
    if (divided != of.parts.end())
      html +=
          token_table(said(texts_.scaled), Exercise::tokens, true, cell(divided->scaled, Exercise::tokens));
    html += "</div>\n";
    for (const ExercisePart& part : of.parts) {
      const ExerciseSetting& setting = part.setting;
      html += fmt::format("<div class=\"part\"><h3>{}</h3><div class=\"row\">",
                          said(print_setting(words_, setting.divided, setting.causal, setting.temperature)));
      html += token_table(said(texts_.weights), Exercise::tokens, true, cell(part.weights, Exercise::tokens));
      html += token_table(said(texts_.outputs), Exercise::d_v, false, cell(part.mixed, Exercise::d_v));
      html += "</div></div>\n";
    }
    return html;
  }

  std::string lines(int count) const {
    std::string html;
    for (int i = 0; i < count; ++i) html += "<div class=\"line\"></div>";
    return html + "\n";
  }

  std::string question(const PrintedStep& step) const {
    if (!step.question && step.task.empty()) return {};
    std::string html = fmt::format("<li><h3{}>{}</h3>\n", lang(), said(step.title));
    if (step.question) html += room_for(*step.question);
    if (!step.task.empty())
      html += fmt::format(
          "<p class=\"task\"><span class=\"box\"></span> {}: <span{}>{}</span></p>\n"
          "<p class=\"small\">{}</p>{}",
          said(texts_.done), lang(), said(step.task), said(texts_.measured), lines(1));
    return html + "</li>\n";
  }

  /// The question with room for its answer.
  std::string room_for(const PrintedQuestion& question) const {
    const ToldQuestion& asked = question.asked;
    std::string html = fmt::format("<p{}>{}</p>\n", lang(), prose(asked.words));
    if (!asked.choices.empty()) {
      html += fmt::format("<ul class=\"choices\"{}>\n", lang());
      for (std::size_t i = 0; i < asked.choices.size(); ++i)
        html += fmt::format("<li><span class=\"box\"></span> <b>{}</b> {}</li>\n", letter(i),
                            prose(asked.choices[i].words));
      html += fmt::format("</ul>\n<p class=\"small\">{}</p>{}", said(texts_.because), lines(2));
    } else if (asked.drag) {
      html += fmt::format(
          "<p class=\"small\">{} <i class=\"gap\"></i></p>\n<p class=\"small\">{}</p>{}",
          said(print_estimate(words_, end_of_range(asked.drag->low), end_of_range(asked.drag->high))),
          said(texts_.because), lines(1));
    } else if (question.row) {
      html += fmt::format("<p class=\"small\">{}</p>\n{}", said(print_sketch(words_, question.row->query)),
                          bars(question.row->keys, {}));
    } else if (asked.is_sketched) {
      html += fmt::format("<p class=\"small\">{}</p>\n{}", said(texts_.curve),
                          curve_axes(texts_.step, question.measure, {}));
    } else {
      html += fmt::format("<p class=\"small\">{}</p>{}", said(texts_.think), lines(4));
    }
    return html;
  }
  static std::string end_of_range(double value) { return fmt::format("{:.4g}", value); }

  std::string answer(const PrintedQuestion& question) const {
    const ToldQuestion& asked = question.asked;
    std::vector<std::string> right;
    for (std::size_t i = 0; i < asked.choices.size(); ++i)
      if (asked.choices[i].right) right.push_back(letter(i));
    std::string html;
    if (!right.empty()) html += fmt::format("<b>{}</b> ", fmt::join(right, ", "));
    if (asked.drag && asked.drag->answer)
      html += fmt::format("<b>{}</b> (± {}) ", said(print_number(*asked.drag->answer, words_)),
                          said(tolerance(asked.drag->tolerance)));
    html += prose(asked.answer);
    if (question.row) html += bars(question.row->keys, question.row->weights);
    return html;
  }
  std::string tolerance(double value) const {
    std::string text = fmt::format("{:.4g}", value);
    if (const std::size_t point = text.find('.'); point != text.npos)
      text.replace(point, 1, print_number(0.5, words_).substr(1, 1));
    return text;
  }

  const PrintedLesson& lesson_;
  const PrintWords& in_;
  const Words& words_;
  PrintTexts texts_;
};

}  // namespace

std::string worksheet(const PrintedLesson& lesson, const PrintWords& in,
                      const std::filesystem::path& assets) {
  return worksheets({&lesson, 1}, in, assets);
}

std::string worksheets(std::span<const PrintedLesson> sheets, const PrintWords& in,
                       const std::filesystem::path& assets) {
  std::string body, keys;
  for (const PrintedLesson& lesson : sheets) {
    const Sheet sheet(lesson, in);
    body += sheet.body();
    keys += sheet.answers();
  }
  return print_page(sheets.empty() ? std::string() : sheets.front().title, body + keys, in, assets);
}

}  // namespace attnscope::prints
