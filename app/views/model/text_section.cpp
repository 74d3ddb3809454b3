// app/views/model: how a text becomes tokens: a second text, what the model's format puts around it, or the
// numbers of the tokens themselves.
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/state/model_state.hpp"
#include "app/views/model/parts.hpp"
#include "core/base/error.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

bool takes_pairs(const OpenedModel& opened) {
  const ModelSpec& spec = opened.model->spec;
  return spec.encoder && !spec.decoder && !opened.reads_numbers;
}

/// Whether its format puts tokens around a text: then an empty one has some.
bool has_special_tokens(const OpenedModel& opened) { return !opened.tokenizer->encode("").tokens.empty(); }

void draw_second_text(Column& c, const Within& now) {
  const bool typed = now.input.ids.empty();
  if (!toggle(c.ui(), "Second text", "second text", c.row(28), now.input.pair.has_value(),
              {"Second text",
               "[CLS] first [SEP] second [SEP]",
               typed ? "The encoder reads a pair, as it does for inference and questions: a field for the "
                       "second stands below the first."
                     : "The tokens are given as numbers, and a second text follows only a typed one. The "
                       "switch works again when a text is typed.",
               {}},
              typed))
    return;
  change_within(c.scene, [](Within within) {
    const bool is_pair = within.input.pair.has_value();
    return edit::second_text(std::move(within), is_pair ? std::nullopt : std::optional<std::string>(""));
  });
}

void draw_special_tokens(Column& c, const Within& now) {
  const bool typed = now.input.ids.empty();
  if (toggle(
          c.ui(), "Special tokens", "special tokens", c.row(28), now.input.special,
          {"Special tokens",
           {},
           typed ? "What the model's format puts around a text, such as a beginning of the sequence, [CLS] "
                   "or [SEP]. Without a beginning the sink of many heads moves to the first word."
                 : "The tokens are given as numbers, and nothing is put around them. The switch works "
                   "again when a text is typed.",
           {}},
          typed))
    change_within(c.scene,
                  [&](Within within) { return edit::special_tokens(std::move(within), !now.input.special); });
}

/// What is typed counts as soon as it is a list of tokens; until then it is said what it is not.
void draw_ids(Column& c) {
  std::optional<std::string>& typed = c.scene.view.model->typed_ids;
  const ModelInput& input = c.scene.model->tokens->input;
  std::string text = typed.value_or(fmt::to_string(fmt::join(input.ids, " ")));
  c.ui().text(c.row(20).x, c.y - c.ui().px(12), "numbers of the tokens",
              {type::label, c.ui().theme.text2, Ink::Regular, Align::Left, c.width});
  const bool changed = text_field(c.ui(), "##Token ids", c.row(28, 6), text, "Type numbers of tokens");
  const bool active = ImGui::IsItemActive();
  std::string problem;
  if (changed) typed = text;
  if (typed && (changed || active)) {
    try {
      const Within now = c.document().within.read();
      Within within = edit::token_ids(now, text);
      if (changed && within.input.ids != input.ids)
        change_within(c.scene, [&](Within) { return std::move(within); });
    } catch (const Error& error) {
      problem = error.what();
    }
  }
  if (!active) typed.reset();
  if (!problem.empty()) c.remark(problem, true);
}

}  // namespace

void text_section(Column& c) {
  const Within now = c.document().within.read();
  const ModelReading& reading = *c.scene.model;
  const OpenedModel& opened = *reading.within.model;
  if (opened.tokenizer == nullptr || !reading.tokens || now.model != reading.within.model) return;
  if (c.begin({.which = Section::Text,
               .label = "Text",
               .note = !now.input.ids.empty() ? "given as numbers"
                       : now.input.pair       ? "a pair"
                       : now.input.special    ? ""
                                              : "without special tokens",
               .opens = Opens::OnDemand})) {
    if (takes_pairs(opened)) draw_second_text(c, now);
    if (has_special_tokens(opened)) draw_special_tokens(c, now);
    draw_ids(c);
  }
  c.end();
}

}  // namespace attnscope
