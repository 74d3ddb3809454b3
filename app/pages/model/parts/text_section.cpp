// app/pages/model: how a text becomes tokens: as a chat, with a second text, with the special tokens of the
// model's format, or as token ids.
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/pages/model/parts/parts.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/day.hpp"

namespace attnscope {
namespace {

bool takes_pairs(const OpenedModel& opened) {
  const ModelSpec& spec = opened.model->spec;
  return spec.encoder && !spec.decoder && !opened.reads_numbers;
}

void draw_second_text(Column& c, const ModelContext& now) {
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
  change_within(c.scene, [](ModelContext within) {
    const bool is_pair = within.input.pair.has_value();
    return edit::second_text(std::move(within), is_pair ? std::nullopt : std::optional<std::string>(""));
  });
  if (now.input.pair) return;
  SentenceState& sentence = c.scene.view.keyboard.sentence;  // the next typed words go into that text
  sentence.wanted = true;
  sentence.at_end = false;
  sentence.waited = 0;
  sentence.field = 1;
}

void draw_special_tokens(Column& c, const ModelContext& now, bool is_chat) {
  const bool typed = now.input.ids.empty() && !is_chat;
  if (toggle(
          c.ui(), "Special tokens", "special tokens", c.row(28), now.input.special,
          {"Special tokens",
           {},
           typed ? "What the model's format puts around a text, such as a beginning of the sequence, [CLS] "
                   "or [SEP]. Without a beginning the sink of many heads moves to the first word."
           : is_chat ? "The chat template puts its own special tokens around the text."
                     : "The tokens are given as numbers, and nothing is put around them. The switch works "
                       "again when a text is typed.",
           {}},
          typed))
    change_within(c.scene, [&](ModelContext within) {
      return edit::special_tokens(std::move(within), !now.input.special);
    });
}

/// The switch that makes the text a user's message in the chat template, whose own text and special tokens
/// are then among the tokens.
void draw_chat(Column& c, const ModelContext& now, const OpenedModel& opened, bool is_chat) {
  const bool typed = now.input.ids.empty(), takes = opened.no_chat.empty();
  if (toggle(
          c.ui(), "As a chat", "as a chat", c.row(28), is_chat,
          {"As a chat",
           {},
           !takes  ? "No chat template that can be read lies with this model: chat_template.jinja, "
                     "tokenizer_config.json or the metadata of a GGUF file would have it."
           : typed ? "The text is what a user says, and the model reads what its chat template makes of it: "
                     "with the tokens that say who speaks, up to where the answer begins."
                   : "The tokens are given as numbers, and a chat follows only a typed text. The switch "
                     "works again when a text is typed.",
           {}},
          typed && takes))
    change_within(c.scene, [is_chat](ModelContext within) {
      std::optional<std::string> day;
      if (!is_chat) day = to_string(day_of_clock());
      return edit::chat(std::move(within), std::move(day));
    });
  if (is_chat && chat_may_ask_date(opened))
    c.remark("The chat template is told the day " + own(*now.input.chat_day) + ".");
  if (now.input.chat_day && !takes)
    c.remark("The text is read as it stands: this model takes no chat.", true);
}

/// The typed ids are used as soon as they are a valid list; until then a line says what is wrong.
void draw_ids(Column& c) {
  std::optional<std::string>& typed = model_state_of(c.scene.view).typed_ids;
  const ModelInput& input = c.scene.model->tokens->input;
  std::string text = typed.value_or(fmt::to_string(fmt::join(input.ids, " ")));
  const Box name = c.row(20, 2);
  c.ui().text(name.x, name.centre_y(), "numbers of the tokens",
              {type::label, c.ui().theme.text2, Ink::Regular, Align::Left, c.width});
  const bool changed = text_field(c.ui(), "##Token ids", c.row(28, 6), text, "Type numbers of tokens");
  const bool active = ImGui::IsItemActive();
  std::string problem;
  if (changed) typed = text;
  if (typed && (changed || active)) {
    try {
      const ModelContext now = c.document().within.read();
      ModelContext within = edit::token_ids(now, text);
      if (changed && within.input.ids != input.ids)
        change_within(c.scene, [&](ModelContext) { return std::move(within); });
    } catch (const Error& error) {
      problem = error.what();
    }
  }
  if (!active) typed.reset();
  if (!problem.empty()) c.remark(problem, true);
}

}  // namespace

void text_section(Column& c) {
  const ModelContext now = c.document().within.read();
  const ModelReading& reading = *c.scene.model;
  const OpenedModel& opened = *reading.within.model;
  if (opened.tokenizer == nullptr || !reading.tokens || now.model != reading.within.model) return;
  const bool is_chat = now.input.chat_day && opened.no_chat.empty() && now.input.ids.empty();
  if (c.begin({.which = Section::Text,
               .label = "Text",
               .note = !reading.tokens->untold.empty() ? "characters left out"
                       : !now.input.ids.empty()        ? "given as numbers"
                       : is_chat                       ? "a chat"
                       : now.input.pair                ? "a pair"
                       : now.input.special             ? ""
                                                       : "without special tokens",
               .opens = Opens::OnDemand})) {
    if (!reading.tokens->untold.empty()) c.remark(reading.tokens->untold, true);
    if (!takes_pairs(opened) || opened.no_chat.empty()) draw_chat(c, now, opened, is_chat);
    if (takes_pairs(opened)) draw_second_text(c, now);
    if (puts_special_tokens(opened)) draw_special_tokens(c, now, is_chat);
    draw_ids(c);
  }
  c.end();
}

}  // namespace attnscope
