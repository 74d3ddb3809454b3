// app/views/controls: causal mask and padding mask, and the picture of the whole mask, on which cells can be
// painted.
#include "core/edits/mask.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/parts/mask_painter.hpp"
#include "app/views/parts/unknown.hpp"
#include "core/edits/dump.hpp"
#include "core/edits/switches.hpp"

namespace attnscope {

namespace {

void kind_row(Column& c) {
  constexpr std::array<std::string_view, 4> names{"None", "Causal", "Padding", "Both"};
  const std::array<Tip, 4> tips{
      Tip{"No mask", "every query sees every key", "As in an encoder.", "N"},
      Tip{"Causal mask", "key ≤ query, else −∞", "No query sees later tokens, as in GPT-style decoders.",
          "C"},
      Tip{"Padding mask", "[pad] keys get −∞", "Keys beyond the end of their sequence are hidden.", "P"},
      Tip{"Causal and padding", "both must allow the key", "As in batched training of a decoder."}};
  const SegmentsStyle style{.text_size = c.scene.compact ? type::tick : type::label};
  const int now = edit::mask_choice(c.document());
  if (const auto chosen = segments(c.ui(), "Mask", c.row(28, 10), names, now, tips, style))
    c.document() = edit::with_mask_choice(std::move(c.document()), *chosen);
}

/// Remarks on a dump: that its causality is guessed, and from what.
void said_row(Column& c) {
  const Document& document = c.document();
  const Guesses& guesses = document.input.given().guesses;
  if (is_causal_guessed(document)) {
    c.remark(document.layer().masking.causal ? "Guessed: causal." : "Guessed: not causal.", true);
    c.remark(guesses.causal);
  } else if (!knows_scores(document) && document.layer().masking.causal) {
    c.remark("The weights of later keys are 0 in the file.");
  }
}

/// Painting by a drag on the small picture.
void brush_on(Column& c, const Box& picture) {
  const Dimensions& d = c.scene.result.dimensions;
  const Ui::Touch touch = c.ui().touch("Mask picture", picture, false);
  tooltip(c.ui(), touch.hovered && !touch.held, picture,
          {"Paint the mask", "M_ij = −∞",
           "Drag to hide cells, or to show hidden ones: the first cell decides. A pattern that hides it is "
           "taken as painted.",
           "B"});
  if ((!touch.hovered && !touch.held) || !ImGui::IsMousePosValid()) return;
  const Cell under = cell_at(picture, ImGui::GetIO().MousePos, d.queries, d.keys);
  brush_mask(c.scene, touch, c.scene.sequence(), under,
             cell_box(picture, under.query, under.key, d.queries, d.keys));
}

/// The button that switches painting in the focus; it lights up while that is on.
void paint_button(Column& c, const Box& box) {
  const Ui& ui = c.ui();
  const bool on = editing_of(c.scene.view).painting;
  const Ui::Touch touch = ui.touch("Paint", box);
  ui.fill(box,
          on              ? ui.theme.segment_on
          : touch.hovered ? ui.theme.control_hover
                          : ui.theme.control,
          ui.px(6));
  if (on) ui.frame(box, ui.theme.query, std::max(1.f, std::floor(ui.scale())), ui.px(6));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(9));
  ui.text(box.centre_x(), box.centre_y(), "Paint",
          {type::tick, on ? ui.theme.text1 : ui.theme.text2, Ink::Medium, Align::Centre, box.w});
  tooltip(
      ui, touch.hovered, box,
      {"Paint the mask", "M_ij = −∞",
       "The mouse paints on the large picture: a drag hides cells, or shows hidden ones. Esc ends.", "B"});
  if (touch.clicked) toggle_painting(c.scene);
}

/// The heads that the brush paints, and the buttons for the whole painted mask.
void brush_rows(Column& c) {
  if (has_weights_alone(c.scene)) return;  // masking.additive holds ln of the weights, no painted mask
  const Masking mask = c.document().layer().masking;
  const bool rules = mask.causal || !mask.window.open() || mask.sparsity.kind != Sparsity::Kind::None;
  if (!editing_of(c.scene.view).painting && !mask.additive) return;
  constexpr std::array<std::string_view, 2> names{"This head", "All heads"};
  const std::array<Tip, 2> tips{
      Tip{"This head", {}, "The brush paints the chosen head's mask alone.", "Shift+B"},
      Tip{"All heads", {}, "The brush paints every head's mask at once.", "Shift+B"}};
  if (const auto chosen =
          c.choice("Brush for", "brush for", names, editing_of(c.scene.view).all_heads ? 1 : 0, tips))
    editing_of(c.scene.view).all_heads = *chosen == 1;
  const Box line = c.row(28);
  const float gap = c.ui().px(8), half = std::floor((line.w - gap) / 2);
  const Box left{line.x, line.y, rules && mask.additive ? half : line.w, line.h};
  const Box right{line.right() - (rules ? half : line.w), line.y, rules ? half : line.w, line.h};
  if (rules && button(c.ui(), "From pattern", left,
                      {"From pattern", "additive mask: −∞ where the rules mask",
                       "Takes causal, window and pattern as if they were painted: the same cells are hidden, "
                       "and each can be shown. Padding stays a rule."}))
    paint_from_pattern(c.scene);
  if (mask.additive &&
      button(c.ui(), "Clear painting", right, {"Clear", {}, "Removes the painted mask, in every head."}))
    c.document() = edit::clear_hand_mask(std::move(c.document()));
}

/// The picture of the mask, and the number of allowed cells.
void picture_rows(Column& c) {
  Scene& scene = c.scene;
  const Dimensions& d = scene.result.dimensions;
  const HeadMeasures& head = scene.result.measures.head(scene.sequence(), scene.head());
  const float side = scene.compact ? 56 : 66;
  const auto share = [&](std::int64_t mine, std::int64_t other) {
    return std::max(8.f,
                    std::floor(side * std::min(1.f, static_cast<float>(mine) / static_cast<float>(other))));
  };
  const float wide = share(d.keys, d.queries), high = share(d.queries, d.keys);
  const Box row = c.row(std::max(68.f, high), 6);  // beside it are three lines
  const Box picture{row.x, row.y, c.ui().px(wide), c.ui().px(high)};
  draw_mask_picture(scene, "mask picture", picture);
  brush_on(c, picture);
  std::int64_t allowed = 0;
  for (std::int64_t i = 0; i < d.queries; ++i)
    allowed += scene.result.measures.row(scene.sequence(), scene.head(), i).allowed;
  const float x = row.x + c.ui().px(side + 14), line = c.ui().px(20);
  if (!has_weights_alone(scene))
    paint_button(c, {x, row.y + 2 * line + c.ui().px(4), c.ui().px(64), c.ui().px(24)});
  const float room = row.right() - x;
  const std::string what = has_weights_alone(scene) ? " above 0" : " allowed";
  std::string count = grouped(allowed) + " of " + grouped(d.queries * d.keys) + what;
  if (c.ui().text_width(count, type::label) > room) count = grouped(allowed) + what;
  c.ui().text(x, row.y + line / 2, count, {type::label, c.ui().theme.text1, Ink::Regular, Align::Left, room});
  const std::int64_t without = head.rows_without_key;
  c.ui().text(
      x, row.y + line * 1.5f, counted(without, "row", "rows") + " with no key",
      {type::label, without > 0 ? c.ui().theme.key : c.ui().theme.text2, Ink::Regular, Align::Left, room});
  if (scene.stats.rule().is_sparse()) {
    c.fact("Dropped mass", "masked mass", fixed(100 * head.dropped, 1) + " %",
           {"Masked mass", "mean over rows of Σ A_full on hidden keys",
            "Share of this head's full attention on pairs that the window or pattern masks."});
  }
}

/// The note beside the section's title: the mask's rule, also if its control is folded away.
std::string rule_in_use(const Masking& mask, bool behind_cache) {
  if (mask.mistake != MaskMistake::None) return "with a mistake";
  if (mask.sparsity.kind == Sparsity::Kind::Strided) return "strided";
  if (mask.sparsity.kind == Sparsity::Kind::BlocksGlobal) return "block + global";
  if (mask.sparsity.kind == Sparsity::Kind::Lsh) return "LSH buckets";
  if (mask.sparsity.kind == Sparsity::Kind::Windows) return "2-D windows";
  if (!mask.window.open()) return "window";
  if (mask.causal) return behind_cache ? "bottom-right" : "causal, top-left";  // corner of the diagonal
  return "";
}

/// The rule, and whether a mask is painted or came with the tensors: "causal · painted".
std::string summary(const Document& document, bool behind_cache, bool by_hand) {
  std::string words = rule_in_use(document.layer().masking, behind_cache);
  if (!document.layer().masking.additive || !by_hand) return words;
  if (words == "causal, top-left") words = "causal";  // leaves room for the next word
  const std::string painted = document.input.is_given() ? "additive" : "painted";
  return words.empty() ? painted : words + " · " + painted;
}

}  // namespace

void mask_section(Column& c) {
  const Masking mask = c.document().layer().masking;
  const bool weights = has_weights_alone(c.scene);
  const bool used = !mask.window.open() || mask.sparsity.kind != Sparsity::Kind::None ||
                    mask.mistake != MaskMistake::None || mask.hidden != Masking::Hidden::MinusInfinity ||
                    !mask.heads.empty() || (mask.additive && !weights);
  if (c.begin(
          {.which = Section::Mask,
           .label = "Mask",
           .note = summary(c.document(), position_of(c.scene.result, c.scene.sequence(), 0) != 0, !weights),
           .opens = Opens::Always,
           .has_extras = true,
           .extras_used = used})) {
    kind_row(c);
    said_row(c);
    picture_rows(c);
    brush_rows(c);
    if (c.extras(Section::Mask)) mask_extras(c);
  }
  c.end();
}

}  // namespace attnscope
