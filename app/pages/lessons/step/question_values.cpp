// app/pages/lessons/step: answers that are numbers: a dragged value, a sketched row of weights, a sketched
// curve of a run; and how near they were once it is revealed.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/lessons/step/lesson_curve.hpp"
#include "app/pages/lessons/step/question.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

/// The style in which the step's answer writes the number; else two decimals.
lessons::NumberStyle style_of_answer(const lessons::Question& question, const lessons::Expression& answer) {
  for (const lessons::Piece& piece : question.answer)
    if (piece.number && piece.number->text() == answer.text()) return piece.style;
  if (answer.names().empty()) return {};
  return {lessons::NumberStyle::Kind::Fixed, 2};
}

float say_distance(const Ui& ui, float x, float y, std::string_view words, bool near) {
  ui.text(x, y + ui.px(8), words, {type::label, near ? ui.theme.value : ui.theme.text1, Ink::Medium});
  return y + ui.px(24);
}

/// Sets one bar; the others keep their proportions in the rest.
void draw_into_row(std::vector<float>& row, std::size_t at, float wanted) {
  const float others = 1 - row[at];
  row[at] = wanted;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (j == at) continue;
    row[j] =
        others > 1e-6f ? row[j] * (1 - wanted) / others : (1 - wanted) / static_cast<float>(row.size() - 1);
  }
}

void take_row_sketch(StepAnswer& answer, const Box& area, std::size_t keys) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float column = area.w / static_cast<float>(keys);
  if (answer.sketch.empty()) answer.sketch.assign(keys, 1.f / static_cast<float>(keys));
  const auto at = std::clamp(static_cast<std::int64_t>((mouse.x - area.x) / column), std::int64_t{0},
                             static_cast<std::int64_t>(keys) - 1);
  draw_into_row(answer.sketch, static_cast<std::size_t>(at),
                std::clamp((area.bottom() - mouse.y) / area.h, 0.f, 1.f));
}

}  // namespace

std::optional<double> measured_answer(const LessonPage& page, const lessons::Question& question) {
  try {
    return std::get<lessons::DragQuestion>(question.kind).answer.evaluate(page.numbers);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string drag_told(const LessonPage& page, const lessons::Question& question, double answer, bool near) {
  const auto& drag = std::get<lessons::DragQuestion>(question.kind);
  const std::string truth = lessons::written(answer, style_of_answer(question, drag.answer));
  // "measured" for trained networks; "computed" for what follows from given or random numbers.
  std::string measured = "measured " + own_number(truth) + (near ? ", and your guess is near it" : "");
  std::string computed = "computed " + own_number(truth) + (near ? ", and your guess is near it" : "");
  const bool is_trained = page.lesson().of_training() || page.lesson().of_model();
  return is_trained && !drag.answer.names().empty() ? measured : computed;
}

float draw_drag(LessonPage& page, const QuestionCard& card, float y, const lessons::Question& question) {
  const Ui& ui = page.ui();
  StepAnswer& answer = page.state().answer;
  const auto& drag = std::get<lessons::DragQuestion>(question.kind);
  const double middle = (drag.low + drag.high) / 2;
  const double value = answer.value.value_or(middle);
  const Box row{card.x + card.pad, y, card.inner(), ui.px(44)};
  const std::string read_out = answer.value ? fixed(value, 2) : "drag";
  const auto moved =
      slider(ui, "Your guess", "your guess", read_out, row, static_cast<float>(value),
             {static_cast<float>(drag.low), static_cast<float>(drag.high), static_cast<float>(middle)},
             answer.value.has_value(), {"Your guess", {}, "Drag it, or click the number and type.", {}});
  if (moved && !answer.revealed) answer.value = static_cast<double>(*moved);
  y = row.bottom() + ui.px(4);
  if (!answer.revealed) return y;
  const std::optional<double> is = measured_answer(page, question);
  if (!is) return y;
  const bool near = answer.value && std::abs(*answer.value - *is) <= drag.tolerance;
  if (answer.value && std::isfinite(*is)) answer.near = near;
  ui.text(row.x, y + ui.px(10), drag_told(page, question, *is, near),
          {type::label, near ? ui.theme.value : ui.theme.text1, Ink::Medium});
  return y + ui.px(24);
}

float draw_row_sketch(LessonPage& page, const QuestionCard& card, float y,
                      const lessons::SketchQuestion& question) {
  const Ui& ui = page.ui();
  StepAnswer& answer = page.state().answer;
  const LayerResult& result = page.scene.result;
  const auto keys = static_cast<std::size_t>(result.dimensions.keys);
  if (answer.sketch.size() != keys && !answer.sketch.empty()) answer.sketch.clear();
  const Box area{card.x + card.pad, y, card.inner(), ui.px(96)};
  const Ui::Touch touch = ui.touch("sketch", area);
  ui.fill(area, ui.theme.control, ui.px(6));
  if (touch.focused) ui.frame(area.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
  const float column = area.w / static_cast<float>(keys);
  if (touch.held && !answer.revealed) take_row_sketch(answer, area, keys);
  const bool drawn = !answer.sketch.empty();
  const std::int64_t row = std::min(question.query, result.dimensions.queries - 1);
  const auto weights = result.trace[weights_stage(result.document)]->matrix(
      0, std::min(question.head, result.dimensions.heads - 1));
  double distance = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    const float left = std::round(area.x + column * static_cast<float>(j)) + ui.px(3);
    const float wide = std::round(column) - ui.px(6);
    const auto bar = [&](float weight, Rgba colour, float inset) {
      const float high = std::round((area.h - ui.px(4)) * weight);
      ui.fill({left + inset, area.bottom() - high, wide - 2 * inset, high}, colour, ui.px(2));
    };
    const float sketched = drawn ? answer.sketch[j] : 1.f / static_cast<float>(keys);
    if (drawn || !answer.revealed) bar(sketched, drawn ? ui.theme.bar : ui.theme.bar_ground, 0);
    if (answer.revealed) {
      const float is = weights(row, static_cast<std::int64_t>(j));
      bar(is, ui.theme.query, std::round(wide * 0.3f));
      distance += std::abs(static_cast<double>(is - sketched)) / 2;
    }
    ui.text(left + wide / 2, area.bottom() + ui.px(12),
            placed_key_label(result, 0, static_cast<std::int64_t>(j)),
            {type::tick, ui.theme.text2, Ink::Regular, Align::Centre, column});
  }
  y = area.bottom() + ui.px(26);
  if (!answer.revealed || !drawn) return y;
  const bool near = distance <= question.tolerance;
  answer.near = near;
  const std::string words = "½ Σ |guess − weight| = " + fixed(distance, 2) + (near ? ", which is near" : "");
  return say_distance(ui, area.x, y, words, near);
}

float draw_curve_told(LessonPage& page, const QuestionCard& card, float y,
                      const lessons::CurveQuestion& question) {
  const Ui& ui = page.ui();
  StepAnswer& answer = page.state().answer;
  const float x = card.x + card.pad;
  if (!answer.revealed) {
    if (!answer.curve.empty()) return y;
    ui.text(x, y + ui.px(8), "Draw it on the axes, from left to right.",
            {type::label, ui.theme.text2, Ink::Regular, Align::Left, card.inner()});
    return y + ui.px(24);
  }
  if (answer.curve.empty()) return y;
  const AskedCurve asked = asked_curve(page, question);
  const double distance = sketch_distance(answer.curve, asked.measured, static_cast<double>(asked.from),
                                          static_cast<double>(asked.last));
  if (!std::isfinite(distance)) return y;
  const bool near = distance <= question.tolerance;
  answer.near = near;
  const std::string words =
      "on average " + fixed(100 * distance, 0) + " % of the axis away" + (near ? ", which is near" : "");
  return say_distance(ui, x, y, words, near);
}

}  // namespace attnscope
