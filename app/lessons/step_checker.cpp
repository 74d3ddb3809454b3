#include "app/lessons/step_checker.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/lessons/lesson_numbers.hpp"
#include "app/lessons/model_numbers.hpp"
#include "core/base/error.hpp"
#include "core/document/known.hpp"

namespace attnscope::lessons {

void StepChecker::check(const LayerResult& shown, const LayerResult* held, const ModelReading* reading) {
  const StepLines& lines = step_.lines;
  if (step_.head && *step_.head >= shown.dimensions.heads)
    add(lines.head, fmt::format("\"head\" is {}; the step has {} {}, counted from 0.", *step_.head,
                                shown.dimensions.heads, shown.dimensions.heads == 1 ? "head" : "heads"));
  if (step_.view == StepView::Walk && !knows_scores(shown.document))
    add(lines.view, "\"view: walk\" begins with queries and keys, and the step gives weights alone.");
  if (step_.view == StepView::Gradients && !shown.gradients)
    add(lines.view, "\"view: gradients\" shows those of a \"loss\", and the step's Document has none.");
  if (step_.view == StepView::Cell && !knows_scores(shown.document))
    add(lines.view, "\"view: cell\" begins with a query and a key, and the step gives weights alone.");
  if (step_.view == StepView::Cache) check_cache(shown);
  check_cells(shown, held, reading != nullptr);
  if (step_.stage && !plane_called(shown, *step_.stage) && !vectors_called(shown, *step_.stage))
    add(lines.stage,
        fmt::format("\"stage\" is \"{}\"; there are scores, scaled, masked, weights and what else the step "
                    "computes, as output, residual or mlp-output.",
                    *step_.stage));
  const std::vector<std::string_view> order = stage_names();
  if (step_.stage && step_.until &&
      std::ranges::find(order, *step_.stage) > std::ranges::find(order, *step_.until))
    add(lines.stage,
        fmt::format("\"stage\" is \"{}\", which comes after \"until: {}\": it would not be shown.",
                    *step_.stage, *step_.until));
  check(look_up_of(shown, held, reading));
  if (!step_.question) return;
  if (const auto* sketch = std::get_if<SketchQuestion>(&step_.question->kind))
    if (sketch->head >= shown.dimensions.heads || sketch->query >= shown.dimensions.queries)
      add(lines.row,
          fmt::format("\"row\" is {}, {}; the step has {} heads and {} queries, counted from 0.",
                      sketch->head, sketch->query, shown.dimensions.heads, shown.dimensions.queries));
}

/// What a cache keeps are keys and values of tokens that later ones cannot change.
void StepChecker::check_cache(const LayerResult& shown) {
  const LayerSpec& layer = shown.document.layer();
  if (!knows_scores(shown.document) || !knows_values(shown.document))
    add(step_.lines.view, "\"view: cache\" shows keys and values, and the step gives weights alone.");
  else if (!layer.masking.causal)
    add(step_.lines.view, "\"view: cache\" is of a causal mask, and the step has none.");
  else if (shown.trace[Stage::Memory] || shown.trace[Stage::Latent] || shown.dimensions.extra > 0)
    add(step_.lines.view,
        "\"view: cache\" shows keys and values of the text's own tokens, not those of a second text, of "
        "latents "
        "or of learned keys.");
}

void StepChecker::check_cells(const LayerResult& shown, const LayerResult* held, bool is_model) {
  const auto check_cell = [&](std::string_view what, std::int64_t query, std::int64_t key,
                              const Dimensions& of, int line) {
    if (query >= of.queries || key >= of.keys)
      add(line, fmt::format("\"{}\" is {}, {}; the step has {} queries and {} keys, counted from 0.", what,
                            query, key, of.queries, of.keys));
  };
  if (step_.query) check_cell("cell", *step_.query, *step_.key, shown.dimensions, step_.lines.cell);
  if (held == nullptr && !is_model) {
    if (step_.held_query) add(step_.lines.held_cell, "\"held cell\" stands in a step that holds nothing.");
    if (!step_.title_held.empty()) add(0, "\"held title\" stands in a step that holds nothing.");
  } else if (step_.held_query) {
    check_cell("held cell", *step_.held_query, *step_.held_key,
               held != nullptr ? held->dimensions : shown.dimensions, step_.lines.held_cell);
  }
}

void StepChecker::check(const LookUp& numbers) {
  look_up_ = numbers;
  for (const Paragraph& paragraph : step_.paragraphs) check(paragraph.prose);
  for (const Prose& line : step_.notes_prose) check(line);
  for (const auto* code : {&step_.numpy, &step_.pytorch})
    for (const CodeLine& line : *code) {
      check(line.note);
      if (line.result) evaluate(*line.result->number);
    }
  if (step_.done && evaluate(*step_.done) != 0)
    add(step_.done->line(),
        fmt::format("What is to be done, \"{}\", is so when the step begins.", step_.done->text()));
  if (step_.question) check(*step_.question);
}

void StepChecker::check_reached(const LayerResult& changed, const LayerResult* held,
                                const ModelReading* reading) {
  check_reached(look_up_of(changed, held, reading));
}

void StepChecker::check_reached(const LookUp& numbers) {
  look_up_ = numbers;
  if (evaluate(*step_.done) == 0)
    add(step_.done_by_place.line,
        fmt::format("What is to be done, \"{}\", is not so after \"by\".", step_.done->text()));
}

LookUp StepChecker::look_up_of(const LayerResult& layer, const LayerResult* held,
                               const ModelReading* reading) const {
  const std::int64_t head = std::clamp<std::int64_t>(step_.head.value_or(0), 0, layer.dimensions.heads - 1);
  LookUp numbers = look_up_in({layer, held, head});
  return reading != nullptr ? look_up_in_model(*reading, std::move(numbers)) : numbers;
}

void StepChecker::add(int line, std::string_view sentence) {
  problems_.push_back(fmt::format("{}:{}: {}", name_, line > 0 ? line : step_.line, sentence));
}

double StepChecker::evaluate(const Expression& expression) {
  try {
    return expression.evaluate(look_up_);
  } catch (const Error& error) {
    add(expression.line(), fmt::format("In \"{}\": {}", expression.text(), error.what()));
  }
  return 0;
}

void StepChecker::check(const Prose& prose) {
  for (const Piece& piece : prose)
    if (piece.number) evaluate(*piece.number);
}

void StepChecker::check(const Question& question) {
  check(question.words);
  check(question.answer);
  if (const auto* choose = std::get_if<ChooseQuestion>(&question.kind))
    for (const Choice& choice : choose->choices) {
      check(choice.prose);
      check(choice.why);
    }
  if (const auto* drag = std::get_if<DragQuestion>(&question.kind)) {
    const double answer = evaluate(drag->answer);
    if (!(answer >= drag->low && answer <= drag->high))
      add(drag->answer.line(), fmt::format("The answer {} is {}, outside of the range {} to {}.",
                                           drag->answer.text(), answer, drag->low, drag->high));
  }
}

}  // namespace attnscope::lessons
