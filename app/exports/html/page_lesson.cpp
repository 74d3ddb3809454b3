#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/exports/html/lesson_page.hpp"
#include "app/exports/html/lesson_words.hpp"
#include "app/exports/html/page_parts.hpp"
#include "app/exports/html/page_write.hpp"
#include "app/exports/html/words.hpp"
#include "app/kit/draw/deflate.hpp"
#include "app/kit/ui/own_words.hpp"
#include "core/base/error.hpp"
#include "core/files/document/html_session.hpp"
#include "core/text/base64.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// Writes the steps as HTML, one after the other; what a step only reveals is kept apart.
class LessonWriter {
 public:
  LessonWriter(const HtmlLesson& lesson, const Words& words, std::string_view language,
               const std::filesystem::path& assets)
      : lesson_(lesson),
        words_(words),
        language_(language),
        assets_(assets),
        texts_(html_lesson_texts(words)) {}

  std::string step(const HtmlLessonStep& step) {
    const ToldStep& told = step.told;
    std::string html = fmt::format("<section class=\"step\" id=\"s{}\"{} aria-labelledby=\"t{}\">\n",
                                   step.number, lang(), step.number);
    html += fmt::format("<p class=\"at\">{}{}{}</p>\n",
                        html_of_text(html_step_place(words_, step.number, lesson_.steps_all)),
                        told.chapter.empty() ? "" : " · ", html_of_own(told.chapter));
    html += fmt::format("<h2 id=\"t{}\" tabindex=\"-1\">{}</h2>\n", step.number, html_of_own(told.title));
    html += paragraphs(told);
    html += picture(step);
    for (std::size_t i = 0; i < told.sides.size(); ++i) html += side(step, i);
    if (!told.sides.empty()) html = sides_in_row(std::move(html), told.sides.size());
    if (told.question) html += question(*told.question);
    if (!told.task.empty())
      html += fmt::format("<p class=\"card task\"><b>{}</b><br><small>{}</small></p>\n",
                          html_of_own(told.task), html_named("task"));
    html += code(told.numpy, "NumPy") + code(told.pytorch, "PyTorch");
    if (told.question) html += secret("hidden", hidden(step));
    return html + "</section>\n";
  }

  const HtmlLessonTexts& texts() const { return texts_; }

 private:
  std::string html_of_text(std::string_view said) const { return html_escaped(said); }
  std::string html_of_own(std::string_view said) const { return html_escaped(plain(said)); }
  std::string html_named(std::string_view name) const { return html_escaped(texts_.find(name)->second); }
  std::string html_of_words(std::string_view words) const {
    std::string room;
    return html_escaped(plain(words_.translated(words, room)));
  }
  std::string lang() const {
    return lesson_.language == language_ ? std::string() : fmt::format(" lang=\"{}\"", lesson_.language);
  }

  static std::string packed(std::string_view bytes) { return base64_text(deflated(bytes)); }
  static std::string secret(std::string_view what, std::string_view bytes) {
    return fmt::format("<script type=\"text/plain\" class=\"{}\">{}</script>\n", what, packed(bytes));
  }

  std::string paragraphs(const ToldStep& told) const {
    std::string html;
    bool in_list = false;
    for (const ToldParagraph& paragraph : told.paragraphs) {
      if (paragraph.item != in_list) html += paragraph.item ? "<ul>\n" : "</ul>\n";
      in_list = paragraph.item;
      const std::string prose = html_prose(paragraph.prose, words_);
      html += in_list ? fmt::format("<li>{}</li>\n", prose) : fmt::format("<p>{}</p>\n", prose);
    }
    return in_list ? html + "</ul>\n" : html;
  }

  static std::string image(const HtmlLessonPicture& picture, const std::string& alt) {
    const auto one = [&](const std::string& png, const char* of) {
      return png.empty() ? std::string()
                         : fmt::format("<img class=\"{}\" alt=\"{}\" src=\"data:image/png;base64,{}\">", of,
                                       alt, base64_text(png));
    };
    return one(picture.light, "l") + one(picture.dark, "d");
  }

  std::string picture(const HtmlLessonStep& step) const {
    const bool on_paper = step.picture.dark.empty();
    // The matrices are drawn below the picture; on a screen the picture shows only what is above them.
    const bool plot_alone = !on_paper && !step.told.sides.empty();
    return fmt::format(
        "<figure class=\"pic{}\"{}>{}</figure>\n",
        on_paper     ? " paper"
        : plot_alone ? " plot"
                     : "",
        plot_alone ? fmt::format(" style=\"--ar:{:.4f}\"", step.told.plot_shape) : std::string(),
        image(step.picture, html_of_text(html_step_alt(words_, plain(step.told.title), step.told.covered))));
  }

  std::string side(const HtmlLessonStep& step, std::size_t at) const {
    const ToldSide& side = step.told.sides[at];
    const std::string title = html_of_words(side.title);
    std::string html = fmt::format("<section class=\"side{}\">", side.is_b ? " b" : "");
    if (!title.empty()) html += fmt::format("<h3>{}</h3>", title);
    html += fmt::format("<div class=\"lid\"><b aria-hidden=\"true\">?</b><span>{}</span></div>",
                        html_named("lid"));
    if (!side.covered) html += secret("map", inner_page(step, at));
    return html + "</section>\n";
  }

  std::string inner_page(const HtmlLessonStep& step, std::size_t at) const {
    return at < step.sides.size() ? html_inner_page(step.sides[at], words_, language_, assets_)
                                  : std::string();
  }

  /// The sides are the last elements of `html`.
  static std::string sides_in_row(std::string html, std::size_t count) {
    const std::size_t begin = html.find("<section class=\"side");
    html.insert(begin, fmt::format("<div class=\"sides n{}\">\n", count));
    return html + "</div>\n";
  }

  std::string question(const ToldQuestion& asked) const {
    std::string html = fmt::format(
        "<div class=\"card ask\" role=\"group\"><p class=\"bar\"><small>{}</small><small class=\"state\" "
        "role=\"status\">{}</small></p>\n<p class=\"asked\">{}</p>\n",
        html_named("predict"), html_named("expect"), html_prose(asked.words, words_));
    for (std::size_t i = 0; i < asked.choices.size(); ++i)
      html += fmt::format(
          "<div class=\"choice\"><button type=\"button\" aria-pressed=\"false\"><kbd>{}</kbd><span>{}</span>"
          "</button><p class=\"why\" hidden></p></div>\n",
          i + 1, html_prose(asked.choices[i].words, words_));
    if (asked.drag)
      html += fmt::format(
          "<p class=\"drag\"><label>{} <input type=\"range\" min=\"{}\" max=\"{}\" step=\"any\" "
          "value=\"{}\"></label> <output>–</output></p>\n<p class=\"truth\" hidden></p>\n",
          html_named("guess"), asked.drag->low, asked.drag->high, (asked.drag->low + asked.drag->high) / 2);
    if (asked.is_sketched) html += fmt::format("<p class=\"note\">{}</p>\n", html_named("think"));
    return html + fmt::format(
                      "<p class=\"foot\"><button type=\"button\" class=\"reveal\"><kbd>R</kbd> "
                      "{}</button></p>\n<p class=\"answer\" hidden></p>\n</div>\n",
                      html_named("reveal"));
  }

  std::string code(const std::vector<ToldCodeLine>& lines, const char* name) const {
    if (lines.empty()) return {};
    std::string html = fmt::format(
        "<details class=\"code\"><summary>{} · {}</summary><div class=\"scroll\"><table><thead class=\"vh\">"
        "<tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr></thead><tbody>\n",
        html_named("code"), name, html_named("line"), html_named("gives"));
    for (const ToldCodeLine& line : lines)
      html += fmt::format("<tr{}><th scope=\"row\"><code>{}</code></th><td>{}</td></tr>\n",
                          line.marked ? " class=\"on\"" : "", html_of_text(line.code),
                          line.hidden ? std::string("?") : gives(line));
    return html + "</tbody></table></div></details>\n";
  }
  std::string gives(const ToldCodeLine& line) const {
    const std::string note = html_prose(line.note, words_), result = html_of_words(line.result);
    return note + (note.empty() || result.empty() ? "" : " ") +
           (result.empty() ? std::string() : fmt::format("<b>{}</b>", result));
  }

  /// What the step reveals, in the form that the page's script reads.
  std::string hidden(const HtmlLessonStep& step) const {
    const ToldQuestion& asked = *step.revealed.question;
    json right = json::array(), why = json::array(), maps = json::array(), lines = json::array();
    for (const ToldChoice& choice : asked.choices) {
      right.push_back(choice.right);
      why.push_back(html_prose(choice.why, words_));
    }
    for (std::size_t i = 0; i < step.told.sides.size(); ++i)
      maps.push_back(step.told.sides[i].covered ? json(inner_page(step, i)) : json(nullptr));
    for (const auto* const all : {&step.revealed.numpy, &step.revealed.pytorch})
      for (const ToldCodeLine& line : *all) lines.push_back(gives(line));
    json all{{"answer", html_prose(asked.answer, words_)},
             {"right", right},
             {"why", why},
             {"maps", maps},
             {"code", lines}};
    if (asked.drag && asked.drag->answer) {
      all["is"] = *asked.drag->answer;
      all["tolerance"] = asked.drag->tolerance;
      all["far"] = html_of_words(asked.drag->far);
      all["near"] = html_of_words(asked.drag->near);
    }
    if (!step.answer.light.empty()) {
      std::string alt = html_step_alt(words_, plain(step.told.title), false);
      for (const HtmlPage& side : step.sides) alt.append(" ").append(html_alt(side, words_));
      all["picture"] = image(step.answer, html_of_text(alt));
    }
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  const HtmlLesson& lesson_;
  const Words& words_;
  std::string_view language_;
  const std::filesystem::path& assets_;
  HtmlLessonTexts texts_;
};

std::string contents_of(const HtmlLesson& lesson) {
  std::string list;
  for (const HtmlLessonStep& step : lesson.steps)
    list += fmt::format("<li><a href=\"#s{0}\"><span>{0}</span> <em>{1}</em></a></li>\n", step.number,
                        html_escaped(plain(step.told.title)));
  return list;
}

}  // namespace

std::string html_prose(const ToldProse& prose, const Words& words) {
  constexpr std::array<const char*, 5> hues{"", "q", "k", "v", "b"};
  std::string html;
  for (const ToldPiece& piece : prose) {
    std::string room;
    std::string text = html_escaped(plain(words.translated(piece.text, room)));
    using Kind = ToldPiece::Kind;
    if (piece.level > 0) text = "<sup>" + text + "</sup>";
    if (piece.level < 0) text = "<sub>" + text + "</sub>";
    if (piece.kind == Kind::Strong) text = "<strong>" + text + "</strong>";
    if (piece.kind == Kind::Number) text = "<b class=\"n\">" + text + "</b>";
    if (piece.kind == Kind::Formula) text = "<i class=\"f\">" + text + "</i>";
    if (piece.hue != ToldPiece::Hue::None)
      text = fmt::format("<span class=\"{}\">{}</span>", hues[static_cast<std::size_t>(piece.hue)], text);
    html += text;
  }
  return html;
}

std::string html_lesson_file(const HtmlLesson& lesson, const Words& words, std::string_view language,
                             const std::filesystem::path& assets, const std::stop_token& stop,
                             const std::function<void(double)>& share) {
  LessonWriter writer(lesson, words, language, assets);
  std::string steps;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    if (stop.stop_requested()) throw Cancelled();
    steps += writer.step(lesson.steps[i]);
    if (share) share(static_cast<double>(i + 1) / static_cast<double>(lesson.steps.size() + 1));
  }
  HtmlFields fields(writer.texts().begin(), writer.texts().end());
  json said = fields;
  said["decimal"] = html_decimal(words);
  fields["lang"] = language;
  fields["version"] = ATTNSCOPE_VERSION;
  fields["title"] = lesson.title;
  fields["about"] = lesson.about;
  fields["lesson_lang"] = lesson.language;
  fields["how"] = html_lesson_made(words, ATTNSCOPE_VERSION);
  for (auto& [name, text] : fields) text = html_escaped(text);
  fields["contents"] = contents_of(lesson);
  fields["steps"] = steps;
  fields["colours"] = html_colours();
  fields["css"] = html_styles(assets, "lesson.css");
  fields["js"] = html_script(assets, "lesson.js");
  fields["data"] = json_in_html(said.dump(-1, ' ', false, json::error_handler_t::replace));
  fields["map_css"] = html_styles(assets, "page.css");
  fields["map_js"] = html_script(assets, "page.js");
  fields["session"] = html_session(lesson.session);
  return html_filled(html_asset(assets, "lesson.html"), fields, (assets / "html" / "lesson.html").native());
}

}  // namespace attnscope
