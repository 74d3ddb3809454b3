// app/views/tokens: the token strip: the sentence as editable text and as chips that are tinted like the
// heatmap's row (or column). With a second text the queries are above the keys.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <imgui_internal.h>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/keyboard_focus.hpp"
#include "app/kit/widgets/prompt_field.hpp"
#include "app/scene/scene.hpp"
#include "app/state/model_look.hpp"
#include "app/state/regions/token_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/parts/refusal.hpp"
#include "app/views/tokens/chips.hpp"
#include "core/edits/dump.hpp"
#include "core/edits/within.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_strip_fields = 3;

/// Requests the keyboard for the field, again every third frame and 12 frames long: Dear ImGui gives it in
/// the next frame, and ignores the request if another widget makes one.
void ask_for_keyboard(SentenceState& sentence) {
  constexpr int patience = 12, again = 3;  // frames
  if (sentence.waited >= patience) {
    sentence.wanted = false;
  } else if (sentence.waited++ % again == 0) {
    take_keyboard_here();
  }
}

/// The field has got the keyboard: all text is selected, or the cursor is put at its end.
void take_over(SentenceState& sentence) {
  if (!sentence.wanted) return;
  sentence.wanted = false;
  ImGuiInputTextState* const typed = ImGui::GetInputTextState(ImGui::GetItemID());
  if (sentence.at_end && typed != nullptr) typed->ReloadUserBufAndMoveToEnd();
}

/// The field shows right-to-left text in the order of typing; this shows it below the field as it is read.
/// Below a field of several lines it covers what is there.
void draw_reading(const Ui& ui, const Box& usual, float bottom, std::string_view text) {
  const TextStyle style{type::tick, ui.theme.text2, Ink::Regular, Align::Left, usual.w - ui.px(20)};
  const float x = usual.x + ui.px(10);
  if (bottom <= usual.bottom()) {
    ui.text(x, bottom + ui.px(12), own(with_signs(text)), style);
    return;
  }
  const Box row{usual.x, bottom, usual.w, ui.px(24)};
  ImGui::SetCursorScreenPos(row.min());
  ImGui::BeginChild("reading", {row.w, row.h}, ImGuiChildFlags_None, ImGuiWindowFlags_NoInputs);
  ui.fill(row, ui.theme.panel, ui.px(6));
  ui.text(x, row.centre_y(), own(with_signs(text)), style);
  ImGui::EndChild();
  raise_last_child();
}

/// The text of one sequence of the batch. A keystroke that makes the text unusable leaves the Document as it
/// was.
void draw_text_field(Scene& scene, const Box& box, std::size_t index) {
  std::string text = typed_text(scene.document, index);
  const bool many = typed_texts(scene.document) > 1;
  const std::string label = many ? "Text " + std::to_string(index + 1) : "Text";
  const bool of_model = static_cast<bool>(scene.document.within.read());
  const bool chosen = many && !of_model && scene.sequence() == static_cast<std::int64_t>(index);
  const bool decoder = index == 1 && has_two_texts(scene);
  const bool second = index == 1 && of_model;
  const std::string_view hint = decoder  ? "Type what the decoder has said"
                                : second ? "Type a second sentence"
                                         : "Type a sentence";
  SentenceState& sentence = scene.view.keyboard.sentence;
  if (sentence.wanted && sentence.field == index) ask_for_keyboard(sentence);
  if (prompt_field(scene.ui, ("##" + label).c_str(), box, text, hint, chosen)) {
    try {
      if (scene.document.input.from_text().edited)
        scene.view.notices.say(
            "Typing discarded the token vectors that were edited by hand; Ctrl+Z brings them back.");
      scene.document = edit::typed_text(std::move(scene.document), index, std::move(text));
    } catch (const std::exception& error) {
      scene.view.notices.say(error.what());
    }
  }
  // The texts of a model are no batch: its layers read one sequence each.
  if (ImGui::IsItemActivated() && !of_model) scene.next.sequence = static_cast<std::int64_t>(index);
  if (!ImGui::IsItemActive()) return;
  sentence.active = true;
  if (sentence.field == index) take_over(sentence);
  scene.view.hint = "Shift+Enter types a new line";
  const std::string now = typed_text(scene.document, index);
  if (!many && scene.ui.is_shaped(now)) draw_reading(scene.ui, box, ImGui::GetItemRectMax().y, now);
}

/// The field for labels of given tensors. They are used once there is one for every token; until then the
/// number of typed ones is shown below.
void draw_labels_field(Scene& scene, const Box& box, std::size_t index) {
  const Ui& ui = scene.ui;
  const Sequence& sequence = scene.document.input.sequences[index];
  const std::size_t expected = sequence.tokens.size();
  const bool many = scene.document.input.sequences.size() > 1;
  const std::string label = many ? "Labels " + std::to_string(index + 1) : "Labels";
  const std::string numbers = edit::numbered_text(scene.document, index);
  std::string text = sequence.text == numbers ? std::string() : sequence.text;
  const std::string hint = "Type " + counted(static_cast<std::int64_t>(expected), "token", "tokens");
  std::size_t found = 0;
  const bool fits = text.empty() || !edit::labels_of(text, expected, found).empty() ||
                    sequence.text == edit::joined_labels(sequence);
  SentenceState& sentence = scene.view.keyboard.sentence;
  if (sentence.wanted && sentence.field == index) ask_for_keyboard(sentence);
  if (text_field(ui, ("##" + label).c_str(), box, text, hint)) {
    try {
      scene.document = edit::labels(std::move(scene.document), index, std::move(text));
    } catch (const std::exception& error) {
      scene.view.notices.say(error.what());
    }
  }
  if (ImGui::IsItemActivated()) scene.next.sequence = static_cast<std::int64_t>(index);
  if (ImGui::IsItemActive()) {
    sentence.active = true;
    if (sentence.field == index) take_over(sentence);
  }
  if (fits || many) return;
  ui.text(box.x + ui.px(10), box.bottom() + ui.px(10),
          counted(static_cast<std::int64_t>(found), "token typed, ", "tokens typed, ") +
              std::to_string(expected) + " expected",
          {type::tick, ui.theme.key, Ink::Medium, Align::Left, box.w - ui.px(12)});
}

/// Whether chips may show weights. The layer's weights are those with the changes, so not while the model is
/// shown without them.
bool strip_has_weights(const Scene& scene) {
  return scene.view.mode != Mode::Model || !model_look_of(scene.view).without_changes;
}

/// Both texts of an encoder-decoder model, whichever of its attentions is shown.
void draw_two_texts(Scene& scene, const Box& area) {
  const Ui& ui = scene.ui;
  const bool forward = token_look_of(scene.view).direction == Direction::QueryToKeys;
  const AttentionOf of = scene.result.document.within.read().of;
  const float names = ui.px(68), middle = area.centre_y();
  for (const AttentionOf stack : {AttentionOf::Encoder, AttentionOf::Decoder}) {
    const bool encoder = stack == AttentionOf::Encoder;
    const float y = std::round(middle + ui.px(encoder ? -32 : 21));
    ChipRow row{.name = encoder ? "encoder token " : "decoder token ", .stack = stack};
    if (of == AttentionOf::Cross) {
      row.of_keys = encoder;
      row.tinted = encoder == forward && strip_has_weights(scene);
    } else if (of == stack) {
      row.of_keys = forward;
      row.tinted = strip_has_weights(scene);
      row.answers_both = true;
    } else {
      row.of_keys = encoder;
      row.others = &(encoder ? scene.model->tokens->tokens : scene.model->tokens->decoder_tokens).tokens;
    }
    const Rgba ink = row.others != nullptr      ? ui.theme.text3
                     : of != AttentionOf::Cross ? ui.theme.text2
                     : encoder                  ? ui.theme.key
                                                : ui.theme.query;
    ui.text(area.x, y, encoder ? "encoder" : "decoder", {type::label, ink, Ink::Medium});
    draw_chips(scene, {area.x + names, area.y, area.w - names, area.h}, y, row);
  }
}

/// One row if queries and keys are the same text; else the queries above the keys. The row that the direction
/// asks about is tinted.
void draw_rows(Scene& scene, const Box& area) {
  const Ui& ui = scene.ui;
  const bool forward = token_look_of(scene.view).direction == Direction::QueryToKeys;
  if (has_two_texts(scene)) return draw_two_texts(scene, area);
  if (!is_cross(scene.result)) {
    draw_chips(scene, area, area.centre_y(),
               {.of_keys = forward,
                .tinted = strip_has_weights(scene),
                .answers_both = true,
                .name = "token ",
                .numbers = true});
    return;
  }
  // The weights below the tinted row need room, below the keys or between the rows.
  const float middle = area.centre_y(), names = ui.px(60);
  const float top = middle - ui.px(forward ? 28 : 32), bottom = middle + ui.px(forward ? 16 : 28);
  for (const bool keys : {false, true}) {
    const float y = std::round(keys ? bottom : top);
    ui.text(area.x, y, keys ? "keys" : "queries",
            {type::label, keys ? ui.theme.key : ui.theme.query, Ink::Medium});
    const Box rest{area.x + names, area.y, area.w - names, area.h};
    draw_chips(scene, rest, y,
               {.of_keys = keys, .tinted = keys == forward, .name = keys ? "key token " : "query token "});
  }
}

/// The width of a text in its field; of one whose beginning is wider than `room` that of the beginning.
float width_of_text(const Ui& ui, std::string_view text, float room) {
  constexpr std::size_t beginning = 2048;  // bytes; a text of 8,192 tokens has 40,000
  const auto width = [&](std::string_view part) { return ui.text_width(own(with_signs(part)), type::label); };
  if (text.size() <= beginning) return width(text);
  std::size_t end = beginning;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  const float begun = width(text.substr(0, end));
  return begun > room ? begun : width(text);
}

/// 232 logical pixels (compact: 184); wider for a longer text, up to 0.3 of the strip. While the field has
/// the keyboard up to 0.62 of it, in steps, so that the chips do not move with every letter.
float width_of_fields(const Scene& scene, const Box& strip) {
  const Ui& ui = scene.ui;
  const float usual = ui.px(scene.compact ? 184 : 232);
  if (!has_text_field(scene)) return usual;
  const bool wide = scene.view.keyboard.sentence.wide;
  const float step = ui.px(120), room = std::max(usual, std::floor(strip.w * (wide ? 0.62f : 0.3f)));
  float text = 0;
  for (std::size_t i = 0; i < std::min(most_strip_fields, typed_texts(scene.document)); ++i)
    text = std::max(text, width_of_text(ui, typed_text(scene.document, i), room));
  const float needed = text + ui.px(16) <= usual ? usual : text + ui.px(28);
  const float request = wide ? std::ceil((text + ui.px(60)) / step) * step : needed;
  return std::clamp(std::round(request), usual, room);
}

/// The fields below each other; without text the name of the image, or that vectors are given.
void draw_fields(Scene& scene, const Box& first, std::size_t count) {
  const Ui& ui = scene.ui;
  SentenceState& sentence = scene.view.keyboard.sentence;
  sentence.active = false;
  if (scene.view.keyboard.wanted == Stop::Sentence && has_text_field(scene)) {
    scene.view.keyboard.wanted.reset();
    sentence.wanted = true;
    sentence.at_end = false;
    sentence.waited = 0;
    sentence.field = shown_text_index(scene.document, scene.sequence());
  }
  if (count > 0) sentence.field = std::min(sentence.field, count - 1);
  Box field = first;
  for (std::size_t i = 0; i < count; ++i, field.y += ui.px(36)) {
    if (typed_texts(scene.document) > 0) {
      draw_text_field(scene, field, i);
      continue;
    }
    if (scene.document.input.is_given()) {
      draw_labels_field(scene, field, i);
      continue;
    }
    ui.frame(field, ui.theme.hairline, std::max(1.f, std::floor(ui.scale())), ui.px(6));
    const std::filesystem::path& image = scene.document.within.read().input.image;
    const std::string shown = image.empty() ? "Vectors given as numbers" : own(image.filename().string());
    ui.text(field.x + ui.px(10), field.centre_y(), shown,
            {type::label, ui.theme.text3, Ink::Regular, Align::Left, field.w - ui.px(20)});
  }
  // A click on a chip takes the keyboard away: until it ends the field stays wide, so that no chip moves.
  const bool click = ImGui::IsMouseDown(0) || ImGui::IsMouseReleased(0);
  sentence.wide = sentence.active || (sentence.wide && click);
}

}  // namespace

bool has_two_texts(const Shown& shown) {
  const ModelContext& within = shown.result.document.within.read();
  return within && shown.model != nullptr && shown.model->tokens &&
         !shown.model->tokens->decoder_tokens.tokens.empty();
}

bool has_text_field(const Scene& scene) {
  return typed_texts(scene.document) > 0 || scene.document.input.is_given();  // of the text, or of labels
}

void draw_token_strip(Scene& scene, const Box& strip) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(16), y = strip.centre_y();
  const float field_width = width_of_fields(scene, strip);
  const std::size_t texts = std::max(typed_texts(scene.document), scene.document.input.sequences.size());
  const std::size_t fields =
      std::min(typed_texts(scene.document) > 0 ? typed_texts(scene.document) : texts, most_strip_fields);
  const float height = static_cast<float>(fields) * ui.px(36) - ui.px(8);
  draw_fields(scene, {strip.x + pad, std::round(y - height / 2), field_width, ui.px(28)}, fields);

  const float switch_width = ui.px(scene.compact ? 176 : 208);
  const Box direction{strip.right() - pad - switch_width, y - ui.px(14), switch_width, ui.px(28)};
  const std::array<std::string_view, 2> names =
      scene.compact ? std::array<std::string_view, 2>{"q → keys", "k ← queries"}
                    : std::array<std::string_view, 2>{"query → keys", "key ← queries"};
  const std::array<Tip, 2> tips{Tip{"Query → keys", {}, "Chips show the row of the chosen query.", "D"},
                                Tip{"Key ← queries", {}, "Chips show the column of the chosen key.", "D"}};
  if (const auto chosen =
          segments(ui, "Direction", direction, names, static_cast<int>(token_look_of(scene.view).direction),
                   tips, {.text_size = scene.compact ? type::tick : type::label})) {
    token_look_of(scene.view).direction = static_cast<Direction>(*chosen);
  }
  const float left = strip.x + pad + field_width + ui.px(36);
  draw_rows(scene, {left, strip.y, direction.x - ui.px(20) - left, strip.h});
  if (!scene.view.refusal.empty() || is_stale(scene))  // the chips show the text computed last
    ui.fill({left - ui.px(8), strip.y, direction.x - ui.px(8) - left, strip.h - 1},
            fade(ui.theme.canvas, 0.66f));
  ui.horizontal(strip.x, strip.bottom() - 1, strip.w, ui.theme.hairline);
}

}  // namespace attnscope
