// app/pages/lessons: the right column: the step as code with the result of each line, the chosen row number
// by number, and the speaker's notes.
#include <algorithm>
#include <array>

#include "app/lessons/until.hpp"
#include "app/pages/lessons/step/telling.hpp"

namespace attnscope {

ProseLookUp lesson_code_look_up(const LessonPage& page) {
  ProseLookUp look_up = page.prose_look_up();
  if (!page.step.until) return look_up;
  look_up.number = [&page, all = look_up.number](const lessons::Piece& piece) {
    return lessons::shows_number(page.step, *piece.number) ? all(piece) : std::string("…");
  };
  return look_up;
}

namespace {

bool code_line_gives(const lessons::CodeLine& line) { return line.result || !line.note.empty(); }

/// `tall`: the line's result is below it.
float draw_code_line(const LessonPage& page, const lessons::CodeLine& line, const Box& column, float y,
                     bool tall) {
  const Ui& ui = page.ui();
  const float pad = ui.px(12);
  const ProseLookUp look_up = lesson_code_look_up(page);
  const auto written = [&](const std::string& number) {
    return look_up.is_english ? own(number) : own_number(number);
  };
  const std::string result = line.result ? written(look_up.number(*line.result)) : std::string();
  const float number = result.empty() ? 0 : ui.text_width(result, type::label, Ink::Semibold) + ui.px(8);
  const ProseStyle style{type::tick, 18, ui.theme.text2, ui.theme.text2};
  const SetProse note = set_prose(ui, line.note, column.w - 2 * pad - number, style, look_up);
  // A note of more than one line needs a higher box.
  const float least = ui.px(tall ? (page.scene.compact ? 46 : 52) : 32);
  const float high = note.height > ui.px(20) ? std::max(least, ui.px(31) + note.height) : least;
  const Box box{column.x, y, column.w, high - ui.px(4)};
  if (line.marked) {
    ui.fill(box, fade(ui.theme.query, 0.12f));
    ui.fill({box.x, box.y, ui.px(3), box.h}, ui.theme.query);
  }
  ui.text(box.x + pad, box.y + ui.px(14), own(line.code),
          {type::label, ui.theme.text1, Ink::Mono, Align::Left, box.w - 2 * pad});
  if (!result.empty())
    ui.text(box.right() - pad, box.y + ui.px(34), result,
            {type::label, ui.theme.text1, Ink::Semibold, Align::Right});
  draw_prose(ui, note, box.x + pad, box.y + ui.px(25), look_up);
  return y + high;
}

float draw_speaker_notes(const LessonPage& page, const Box& column, float y) {
  const Ui& ui = page.ui();
  const float pad = ui.px(12);
  ui.horizontal(column.x + pad, y, column.w - 2 * pad, ui.theme.hairline);
  ui.text(column.x + pad, y + ui.px(18), "Speaker notes", {type::label, ui.theme.text1, Ink::Semibold});
  ui.text(column.right() - pad, y + ui.px(18), "N hides them",
          {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  const std::string words = own(page.state().spoken);
  ui.paragraph(column.x + pad, y + ui.px(34), column.w - 2 * pad, words, {type::label, ui.theme.text2});
  return y + ui.px(40) + ui.paragraph_height(column.w - 2 * pad, words, type::label);
}

/// A line whose result and notes would answer the open question: both are covered.
float draw_covered_line(const LessonPage& page, const lessons::CodeLine& line, const Box& column, float y) {
  const Ui& ui = page.ui();
  const float below =
      draw_code_line(page, {line.marked, line.code, {}, {}}, column, y, code_line_gives(line));
  if (code_line_gives(line))
    ui.text(column.right() - ui.px(12), y + ui.px(34), "?",
            {type::label, ui.theme.text2, Ink::Semibold, Align::Right});
  return below;
}

}  // namespace

void draw_lesson_code(LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  ui.vertical(box.x, box.y, box.h, ui.theme.hairline);
  const Box column{box.x + ui.px(8), box.y, box.w - ui.px(16), box.h};
  float y = box.y + ui.px(page.scene.compact ? 6 : 12);
  const bool numpy = !page.step.numpy.empty(), pytorch = !page.step.pytorch.empty();
  bool& second = page.state().pytorch;
  ImGui::SetCursorScreenPos({box.x, y});
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild("lesson code", {box.w, box.bottom() - y}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  keep_scroll(ui, page.moments().code_scroll);
  const float top = ImGui::GetCursorScreenPos().y, above = y - box.y;
  y = top;
  if (numpy || pytorch) {
    ui.text(column.x + ui.px(12), y + ui.px(15), page.scene.compact ? "Code" : "This step in code",
            {type::label, ui.theme.text1, Ink::Semibold});
    const bool shows_pytorch = pytorch && (second || !numpy);
    if (numpy && pytorch) {
      constexpr std::array<std::string_view, 2> names{"NumPy", "PyTorch"};
      const Box choice{column.right() - ui.px(12 + 150), y + ui.px(1), ui.px(150), ui.px(28)};
      if (const auto chosen = segments(ui, "Code", choice, names, shows_pytorch ? 1 : 0))
        second = *chosen == 1;
    } else {
      ui.text(column.right() - ui.px(12), y + ui.px(15), numpy ? "NumPy" : "PyTorch",
              {type::label, ui.theme.text2, Ink::Regular, Align::Right});
    }
    y += ui.px(40);
    for (const lessons::CodeLine& line : shows_pytorch ? page.step.pytorch : page.step.numpy)
      y = page.hides_code() ? draw_covered_line(page, line, column, y)
                            : draw_code_line(page, line, column, y, code_line_gives(line));
    ui.horizontal(column.x + ui.px(12), y + ui.px(6), column.w - ui.px(24), ui.theme.hairline);
    y += ui.px(18);
  }
  const Box rest{column.x, y, column.w, std::max(box.bottom(), y + ui.px(26 * 40)) - y};
  const bool has_layer =
      !page.lesson().of_training() && (!page.lesson().of_model() || is_lesson_model_there(page.scene));
  if (has_layer)
    y = lesson_vectors(page, page.scene.result) ? draw_lesson_stream(page, rest, y)
                                                : draw_lesson_row(page, rest, y);
  if (page.state().notes && !page.step.notes.empty()) y = draw_speaker_notes(page, column, y);
  page.moments().code_height = (above + y - top) / ui.scale() + 8;
  ImGui::SetCursorScreenPos({box.x, y});
  ImGui::Dummy({1, ui.px(4)});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace attnscope
