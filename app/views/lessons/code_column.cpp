// app/views/lessons: the right column: the step as code with what each line gives, the chosen row number by
// number, and what only the speaker reads.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/ui/number_format.hpp"
#include "app/views/lessons/page.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

float draw_code_line(const LessonPage& page, const lessons::CodeLine& line, const Box& column, float y) {
  const Ui& ui = page.ui();
  const float high = ui.px(page.scene.compact ? 46 : 52), pad = ui.px(12);
  const Box box{column.x, y, column.w, high - ui.px(4)};
  if (line.marked) {
    ui.fill(box, fade(ui.theme.query, 0.12f));
    ui.fill({box.x, box.y, ui.px(3), box.h}, ui.theme.query);
  }
  ui.text(box.x + pad, box.y + ui.px(14), own(line.code),
          {type::label, ui.theme.text1, Ink::Mono, Align::Left, box.w - 2 * pad});
  const ProseSight sight = page.sight();
  if (line.result)
    ui.text(box.right() - pad, box.y + ui.px(34), own(sight.number(*line.result)),
            {type::label, ui.theme.text1, Ink::Semibold, Align::Right});
  const ProseStyle style{type::tick, 18, ui.theme.text2, ui.theme.text2};
  const SetProse note = set_prose(ui, line.note, box.w - 2 * pad, style, sight);
  draw_prose(ui, note, box.x + pad, box.y + ui.px(25), sight);
  return y + high;
}

struct RowColumn {
  std::string_view name;
  Rgba colour;
};

/// The chosen row: what each key's score is on its way to its weight, and the held weight beside it.
float draw_row_numbers(const LessonPage& page, const Box& column, float y) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const LayerResult& result = scene.result;
  const std::int64_t head = scene.head(), row = lesson_row(page);
  const bool has_b = scene.held != nullptr && scene.stats.can_compare();
  const bool covered_a = page.hides() && scene.held == nullptr;
  const float pad = ui.px(12), line = ui.px(page.scene.compact ? 24 : 26);
  const float title =
      ui.text(column.x + pad, y + ui.px(8), "Row", {type::label, ui.theme.text1, Ink::Semibold});
  ui.text(column.x + pad + title + ui.px(8), y + ui.px(8), query_label(result, 0, row),
          {type::label, ui.theme.query, Ink::Semibold});
  y += ui.px(26);
  // Where scores are asked for they are hidden as well; of a trained model the weights cannot be computed
  // from them, and the largest would tell.
  const bool of_scores = page.step.stage && *page.step.stage != "weights";
  const bool asks_scores = page.hides() && (of_scores || page.lesson().of_model());
  const bool scores = knows_scores(result.document) && !asks_scores;
  std::vector<RowColumn> columns;
  if (scores) {
    columns.push_back({"q·k", ui.theme.text2});
    columns.push_back({"scaled", ui.theme.text2});
  }
  columns.push_back({"weight", ui.theme.text1});
  if (has_b) columns.push_back({"held", ui.theme.b});
  const float first = ui.px(64), wide = (column.w - 2 * pad - first) / static_cast<float>(columns.size());
  const auto right_of = [&](std::size_t i) {
    return column.x + pad + first + wide * static_cast<float>(i + 1);
  };
  ui.text(column.x + pad, y + ui.px(8), "key", {type::tick, ui.theme.key});
  for (std::size_t i = 0; i < columns.size(); ++i)
    ui.text(right_of(i), y + ui.px(8), columns[i].name,
            {type::tick, columns[i].colour, Ink::Regular, Align::Right});
  y += ui.px(24);
  const auto matrix = [&](Stage stage) { return result.trace[stage]->matrix(0, head); };
  for (std::int64_t j = 0; j < result.dimensions.keys && y + line <= column.bottom(); ++j) {
    const bool chosen = j == scene.cell().key;
    if (chosen) ui.fill({column.x, y, column.w, line}, ui.theme.control);
    const float middle = y + line / 2;
    ui.text(column.x + pad, middle, key_label(result, 0, j),
            {type::label, chosen ? ui.theme.key : ui.theme.text2, chosen ? Ink::Semibold : Ink::Regular,
             Align::Left, first});
    std::size_t at = 0;
    const auto number = [&](const std::string& text, bool hatched, Ink ink) {
      if (hatched)
        ui.fill({right_of(at) - ui.px(34), middle - ui.px(7), ui.px(34), ui.px(14)}, ui.theme.hatch_ground,
                ui.px(3));
      else
        ui.text(right_of(at), middle, text, {type::label, ui.theme.text1, ink, Align::Right});
      ++at;
    };
    if (scores) {
      number(fixed(static_cast<double>(matrix(Stage::Score)(row, j)), 2), false, Ink::Regular);
      number(fixed(static_cast<double>(matrix(Stage::Scale)(row, j)), 2), false, Ink::Regular);
    }
    const bool masked = scene.is_masked(0, head, row, j);
    const float weight = matrix(weights_stage(result.document))(row, j);
    number(masked && weight == 0 ? std::string(wide > ui.px(60) ? "masked" : "–")
                                 : fixed(static_cast<double>(weight), 3),
           covered_a, chosen ? Ink::Semibold : Ink::Regular);
    if (has_b) {
      const LayerResult& b = scene.held->result->layer();
      const float held = b.trace[weights_stage(b.document)]->matrix(0, head)(row, j);
      number(fixed(static_cast<double>(held), 3), page.hides(), Ink::Regular);
    }
    y += line;
  }
  return y + ui.px(12);
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
  keep_scroll(ui, page.state().code_scroll);
  y = ImGui::GetCursorScreenPos().y;
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
      y = draw_code_line(page, line, column, y);
    ui.horizontal(column.x + ui.px(12), y + ui.px(6), column.w - ui.px(24), ui.theme.hairline);
    y += ui.px(18);
  }
  const Box rest{column.x, y, column.w, std::max(box.bottom(), y + ui.px(26 * 40)) - y};
  const bool has_layer =
      !page.lesson().of_training() && (!page.lesson().of_model() || is_lesson_model_there(page.scene));
  if (has_layer)
    y = lesson_vectors(page, page.scene.result) ? draw_lesson_stream(page, rest, y)
                                                : draw_row_numbers(page, rest, y);
  if (page.state().notes && !page.step.notes.empty()) y = draw_speaker_notes(page, column, y);
  ImGui::SetCursorScreenPos({box.x, y});
  ImGui::Dummy({1, ui.px(4)});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace attnscope
