// app/views/controls: the mask everybody uses, its picture, and cells hidden by hand.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/number_format.hpp"
#include "app/picture.hpp"
#include "app/views/controls/column.hpp"
#include "core/edits.hpp"

namespace attnscope {

bool is_hidden_by_hand(const Scene& scene) {
  const TensorPtr& additive = scene.document.masking.additive;
  if (!additive) return false;
  const Cell cell = scene.cell();
  const Shape& shape = additive->shape();  // of a Document that may be ahead of the picture
  const auto holds = [&](int axis, std::int64_t index) { return shape[axis] == 1 || index < shape[axis]; };
  if (!holds(0, scene.sequence()) || !holds(1, scene.head()) || cell.query >= shape[2] ||
      cell.key >= shape[3])
    return false;
  const auto row = MaskRule::additive_row<float>(additive, scene.sequence(), scene.head(), cell.query);
  return row[static_cast<std::size_t>(cell.key)] == -INFINITY;
}

void toggle_hidden_cell(Scene& scene) {
  const Cell cell = scene.cell();
  if (cell.key >= scene.result.dimensions.token_keys()) {
    scene.view.message = "This key belongs to no token: every query sees it, so it cannot be hidden.";
    return;
  }
  try {
    const Dimensions size = check(scene.document);  // it may be ahead of the picture
    if (cell.query >= size.queries || cell.key >= size.token_keys() || scene.head() >= size.heads) return;
    const bool hide = !is_hidden_by_hand(scene);
    scene.document = edit::hidden_cell(std::move(scene.document), scene.sequence(), scene.head(), cell.query,
                                       cell.key, hide);
  } catch (const std::exception& error) {
    scene.view.message = error.what();
  }
}

namespace {

void kind_row(Column& c) {
  Masking& mask = c.document().masking;
  constexpr std::array<std::string_view, 4> names{"None", "Causal", "Padding", "Both"};
  const std::array<Tip, 4> tips{
      Tip{"No mask", "every query sees every key", "As in an encoder.", "N"},
      Tip{"Causal mask", "key ≤ query, else −∞", "No query sees the future: as in a language model.", "C"},
      Tip{"Padding mask", "[pad] keys get −∞", "Keys beyond the end of their sequence are hidden.", "P"},
      Tip{"Causal and padding", "both must allow the key", "As when a batch of texts is trained.", {}}};
  const int now = (mask.causal ? 1 : 0) + (mask.padding ? 2 : 0);
  const SegmentsStyle style{.text_size = c.scene.compact ? type::tick : type::label};
  if (const auto chosen = segments(c.ui(), "Mask", c.row(28, 10), names, now, tips, style)) {
    mask.causal = (*chosen & 1) != 0;
    mask.padding = (*chosen & 2) != 0;
  }
}

/// The mask as it is, and how many cells it leaves.
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
  const Box row = c.row(std::max(44.f, high), 6);  // two lines stand beside it
  draw_mask_picture(scene, "mask picture", {row.x, row.y, c.ui().px(wide), c.ui().px(high)});
  std::int64_t allowed = 0;
  for (std::int64_t i = 0; i < d.queries; ++i)
    allowed += scene.result.measures.row(scene.sequence(), scene.head(), i).allowed;
  const float x = row.x + c.ui().px(side + 14), line = c.ui().px(20);
  const float room = row.right() - x;
  std::string count = grouped(allowed) + " of " + grouped(d.queries * d.keys) + " allowed";
  if (c.ui().text_width(count, type::label) > room) count = grouped(allowed) + " allowed";
  c.ui().text(x, row.y + line / 2, count, {type::label, c.ui().theme.text1, Ink::Regular, Align::Left, room});
  const std::int64_t without = head.rows_without_key;
  c.ui().text(
      x, row.y + line * 1.5f, grouped(without) + (without == 1 ? " row" : " rows") + " with no key",
      {type::label, without > 0 ? c.ui().theme.key : c.ui().theme.text2, Ink::Regular, Align::Left, room});
  if (scene.stats.rule().is_sparse()) {
    c.fact(
        "Dropped mass", "dropped by the pattern", fixed(100 * head.dropped, 1) + " %",
        {"Dropped by the pattern",
         "mean over rows of Σ A_full on hidden keys",
         "How much of its weight full attention had put where the window or pattern does not look, in this "
         "head.",
         {}});
  }
}

/// What of the mask is tucked behind the dots but in use.
std::string summary(const Masking& mask, bool behind_cache) {
  if (mask.mistake != MaskMistake::None) return "with a mistake";
  if (mask.sparsity.kind == Sparsity::Kind::Strided) return "strided";
  if (mask.sparsity.kind == Sparsity::Kind::BlocksGlobal) return "block + global";
  if (mask.sparsity.kind == Sparsity::Kind::Lsh) return "LSH buckets";
  if (!mask.window.open()) return "window";
  if (mask.causal) return behind_cache ? "bottom-right" : "causal, top-left";  // of the picture: its corner
  return mask.additive ? "by hand" : "";
}

}  // namespace

void mask_section(Column& c) {
  const Masking& mask = c.document().masking;
  const bool used = !mask.window.open() || mask.sparsity.kind != Sparsity::Kind::None ||
                    mask.mistake != MaskMistake::None || mask.hidden != Masking::Hidden::MinusInfinity ||
                    !mask.heads.empty() || mask.additive;
  if (c.begin({.which = Section::Mask,
               .label = "Mask",
               .note = summary(mask, position_of(c.scene.result, c.scene.sequence(), 0) != 0),
               .opens = Opens::Always,
               .has_extras = true,
               .extras_used = used})) {
    kind_row(c);
    picture_rows(c);
    if (c.extras(Section::Mask)) mask_extras(c);
  }
  c.end();
}

}  // namespace attnscope
