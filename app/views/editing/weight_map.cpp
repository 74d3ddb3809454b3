#include "app/views/editing/weight_map.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/editing/number_map.hpp"
#include "app/views/editing/places.hpp"
#include "core/edits/edits.hpp"

namespace attnscope {
namespace {

bool is_row(Editable block) {
  const std::optional<Parameter> parameter = parameter_of(block);
  return parameter && info(*parameter).rank() == 1;
}

/// The heads that a block's columns belong to: query heads, key/value heads, or none.
enum class Heads { None, OfQueries, OfKeys };

Heads columns_of(Editable block) {
  const std::optional<Parameter> parameter = parameter_of(block);
  switch (parameter ? info(*parameter).columns() : Extent::None) {
    case Extent::QueryHeads: return Heads::OfQueries;
    case Extent::KeyHeads:
    case Extent::WholeKeyHeads:
    case Extent::ValueHeads: return Heads::OfKeys;
    default: return Heads::None;
  }
}

/// Whether a head's part of the block is d_v wide.
bool is_value(Editable block) {
  const std::optional<Parameter> parameter = parameter_of(block);
  return parameter && std::ranges::any_of(info(*parameter).extents, [](Extent extent) {
           return extent == Extent::ValueHeads || extent == Extent::MixedHeads;
         });
}

/// A block and its layout. Widths are those of the edited Document, which may be newer than the result.
struct Weighed {
  Scene& scene;
  Editable block;
  TensorPtr numbers;
  int heads = 1, kv_heads = 1;
  std::int64_t width = 1;  // of one head's part of the block

  /// The number of heads side by side in the columns, or below each other in the rows of W_O.
  std::int64_t groups() const {
    if (block == Editable::OutputWeights) return heads;
    return columns_of(block) == Heads::OfQueries ? heads : columns_of(block) == Heads::OfKeys ? kv_heads : 0;
  }
  /// The group of a query head, and the first query head of a group.
  std::int64_t group_of(std::int64_t head) const { return groups() == 0 ? 0 : head * groups() / heads; }
  std::int64_t head_of(std::int64_t group) const { return groups() == 0 ? 0 : group * heads / groups(); }
  NumberStretch of(std::int64_t group) const {  // clipped, as sizes can disagree during an edit
    const Shape& shape = numbers->shape();
    const std::int64_t size = has_rows_of_heads() ? shape[0] : shape[shape.rank() - 1];
    return {std::min(group * width, size), std::min((group + 1) * width, size)};
  }
  bool has_rows_of_heads() const { return block == Editable::OutputWeights; }
  std::int64_t group_at(NumberAt at) const {
    return groups() == 0 ? 0 : (has_rows_of_heads() ? at.row : at.column) / width;
  }
};

Weighed weighed(Scene& scene, Editable block, const TensorPtr& numbers) {
  const Document& document = scene.document;
  Weighed w{scene, block, numbers};
  const int kv_heads = document.layer().heads < 1 ? 0 : key_value_heads(document);
  if (kv_heads < 1 || key_width(document) < 1) return w;
  w.heads = document.layer().heads;
  w.kv_heads = kv_heads;
  w.width = std::max(1, is_value(block) ? value_width(document) : key_width(document));
  if (block == Editable::KeyWeights || block == Editable::KeyBias)
    w.width = std::max<std::int64_t>(1, w.width - shared_key_width(document));
  return w;
}

/// A content id that changes whenever another block is drawn.
std::uint64_t content_of(EditingState& state, const TensorPtr& numbers) {
  if (state.shown != numbers) {
    state.shown = numbers;
    ++state.shown_count;
    state.largest = -1;
  }
  return mix_hash(std::uint64_t{0x5eed}, state.shown_count);
}

/// The ends of the colours: the largest magnitude of the head's part (or of the block). Measured again when
/// the block or the head changes; call content_of() before.
float largest(const Weighed& w, const NumberStretch& lit) {
  EditingState& state = editing_of(w.scene.view);
  const auto numbers = w.numbers->matrix();
  MatrixPart part{0, 0, numbers.rows(), numbers.cols()};
  if (lit.begin != lit.end && w.has_rows_of_heads())
    part.row = lit.begin, part.rows = lit.end - lit.begin;
  else if (lit.begin != lit.end)
    part.column = lit.begin, part.columns = lit.end - lit.begin;
  if (state.largest < 0 || state.measured != part) {
    state.measured = part;
    state.largest = largest_magnitude(numbers, part);
  }
  return state.largest > 0 ? state.largest : 1;
}

/// "h3·5": dimension 5 of head 3.
std::string in_head(const Weighed& w, std::int64_t index) {
  if (w.groups() == 0) return std::to_string(index);
  return "h" + std::to_string(w.head_of(index / w.width)) + "·" + std::to_string(index % w.width);
}

NumberMap map_of(const Weighed& w) {
  const Scene& scene = w.scene;
  const NumberStretch lit = w.groups() == 0 ? NumberStretch{} : w.of(w.group_of(scene.head()));
  const bool rows = w.has_rows_of_heads();
  const bool reset = can_reset(scene.document, w.block);
  const std::uint64_t content = content_of(editing_of(w.scene.view), w.numbers);
  return {.label = "weight map",
          .what = "block " + std::string(symbol(w.block)),
          .content = content,
          .values = w.numbers->matrix(),
          .most = largest(w, lit),
          .colour_note =
              w.groups() > 1 ? "range of head " + std::to_string(w.head_of(w.group_of(scene.head()))) : "",
          .row_title = rows              ? "head ↓"
                       : is_row(w.block) ? ""
                                         : "x ↓",
          .row_label =
              [&w, rows](std::int64_t row) {
                return rows ? in_head(w, row) : is_row(w.block) ? std::string() : std::to_string(row);
              },
          .column_label =
              [&w](std::int64_t column) {
                return columns_of(w.block) == Heads::None ? std::to_string(column)
                                                          : std::to_string(column % w.width);
              },
          .lit_columns = rows ? NumberStretch{} : lit,
          .lit_rows = rows ? lit : NumberStretch{},
          .name =
              [&w](NumberAt at) {
                const std::string column =
                    columns_of(w.block) == Heads::None ? std::to_string(at.column) : in_head(w, at.column);
                const std::string row = w.has_rows_of_heads() ? in_head(w, at.row) : std::to_string(at.row);
                return own(std::string(symbol(w.block)) + "[" + (is_row(w.block) ? "" : row + ", ") + column +
                           "]") +
                       " = " + fixed(static_cast<double>(w.numbers->matrix()(at.row, at.column)), 4);
              },
          .tip = [reset](NumberAt) { return number_tip(true, reset); },
          .can_edit = [](NumberAt) { return true; },
          .stretch =
              [&w, rows](NumberAt at) {
                return rows || w.groups() == 0
                           ? NumberStretch{0, w.numbers->shape()[w.numbers->shape().rank() - 1]}
                           : w.of(w.group_at(at));
              },
          .can_reset = [reset](NumberAt) { return reset; }};
}

/// Marks of the heads below their columns, or right of their rows, in their hues; the chosen one bold.
void draw_head_marks(const Weighed& w, const NumberMapCells& cells) {
  const Ui& ui = w.scene.ui;
  const bool rows = w.has_rows_of_heads();
  const std::int64_t first = rows ? cells.row0 : cells.column0, count = rows ? cells.rows : cells.columns;
  for (std::int64_t group = 0; group < w.groups(); ++group) {
    const std::int64_t begin = std::max(w.of(group).begin, first),
                       end = std::min(w.of(group).end, first + count);
    if (begin >= end) continue;
    const std::int64_t head = w.head_of(group);
    const bool chosen = group == w.group_of(w.scene.head());
    const Rgba hue = chosen ? ui.theme.head(head) : fade(ui.theme.head(head), 0.42f);
    const float thick = ui.px(chosen ? 3 : 2);
    if (rows) {
      const Box a = cells.of(begin, cells.column0), b = cells.of(end - 1, cells.column0);
      ui.fill({cells.box.right() + ui.px(4), a.y, thick, b.bottom() - a.y - 1}, hue);
      continue;
    }
    const Box a = cells.of(cells.row0, begin), b = cells.of(cells.row0, end - 1);
    ui.fill({a.x, cells.box.bottom() + ui.px(4), b.right() - a.x - 1, thick}, hue);
    const float room = b.right() - a.x;
    const std::string name = std::to_string(head);
    if (room > ui.text_width(name, type::tick) + ui.px(4))
      ui.text((a.x + b.right()) / 2, cells.box.bottom() + ui.px(16), name,
              {type::tick, chosen ? ui.theme.text1 : ui.theme.text3, chosen ? Ink::Semibold : Ink::Regular,
               Align::Centre});
  }
}

void take_mouse(const Weighed& w, const NumberMapResult& seen) {
  Scene& scene = w.scene;
  if (seen.event) apply(scene, *seen.event, {w.block, seen.event->at.row});
  if (!seen.hovered || (!seen.touch.hovered && !seen.touch.clicked)) return;
  const auto value = static_cast<double>(w.numbers->matrix()(seen.hovered->row, seen.hovered->column));
  scene.view.hint = own(symbol(w.block)) + "[" + std::to_string(seen.hovered->row) + ", " +
                    std::to_string(seen.hovered->column) + "] = " + fixed(value, 6) + " · wheel: zoom";
  if (!seen.touch.clicked || w.groups() == 0) return;
  const std::int64_t group = w.group_at(*seen.hovered);
  if (group != w.group_of(scene.selection.head)) scene.next.head = w.head_of(group);
}

}  // namespace

std::vector<Editable> weight_blocks(const Document& document) {
  std::vector<Editable> there;
  for (std::size_t i = first_editable_parameter; i < editable_count; ++i)
    if (numbers_of(document, static_cast<Editable>(i))) there.push_back(static_cast<Editable>(i));
  return there;
}

BlockWords block_words(Editable block) {
  switch (block) {
    case Editable::QueryWeights: return {"W_Q weights", "W_Q", "Q = X·W_Q + b", "Projects X to queries."};
    case Editable::KeyWeights: return {"W_K weights", "W_K", "K = X·W_K + b", "Projects X to keys."};
    case Editable::ValueWeights: return {"W_V weights", "W_V", "V = X·W_V + b", "Projects X to values."};
    case Editable::OutputWeights:
      return {"W_O weights", "W_O", "Y = C·W_O + b", "Combines the head outputs into Y."};
    case Editable::QueryBias: return {"b_Q bias", "b_Q", "Q = X·W_Q + b_Q", "Added to every query."};
    case Editable::KeyBias: return {"b_K bias", "b_K", "K = X·W_K + b_K", "Added to every key."};
    case Editable::ValueBias: return {"b_V bias", "b_V", "V = X·W_V + b_V", "Added to every value."};
    case Editable::OutputBias: return {"b_O bias", "b_O", "Y = C·W_O + b_O", "Added to every output."};
    case Editable::BiasK:
      return {"Learned key", "Learned key", "K = [K; k₀]", "A key that belongs to no token (bias_k)."};
    case Editable::BiasV:
      return {"Learned value", "Learned value", "V = [V; v₀]", "Value of the learned key (bias_v)."};
    case Editable::QueryNorm:
      return {"Norm of Q", "γ_Q", "Qₙ = norm(Q) ∘ γ_Q", "Multiplies the normed queries of every head."};
    case Editable::KeyNorm:
      return {"Norm of K", "γ_K", "Kₙ = norm(K) ∘ γ_K", "Multiplies the normed keys of every head."};
    case Editable::LatentWeights:
      return {"W_DKV weights", "W_DKV", "ℓ = X·W_DKV = [c, k_R]", "Makes the latent of keys and values."};
    case Editable::LatentNorm:
      return {"Norm of c", "γ_c", "c = norm(X·W_DKV) ∘ γ_c", "Multiplies the normed latent."};
    case Editable::QueryLatentWeights:
      return {"W_DQ weights", "W_DQ", "c_Q = X·W_DQ", "Makes the latent of queries."};
    case Editable::QueryLatentNorm:
      return {"Norm of c_Q", "γ_cQ", "c_Q = norm(X·W_DQ) ∘ γ_cQ", "Multiplies the normed latent of queries."};
    case Editable::SinkLogits:
      return {"Sinks", "Sinks", "A = e^(M/τ) / (Σ e^(M/τ) + e^(s/τ))", "A logit s for each head."};
    default: return {"X vectors", "X", "E", "Token embeddings."};
  }
}

void show_next_weights(Scene& scene) {
  const std::vector<Editable> all = weight_blocks(scene.document);
  if (all.empty()) {
    scene.view.notices.say("Q, K and V are given as numbers: there are no weights. Edit them under More.");
    return;
  }
  const std::optional<Editable> now = editing_of(scene.view).weights;
  const auto at = now ? std::find(all.begin(), all.end(), *now) : all.end();
  if (!now) return show_weights(scene.view, all.front());
  if (at == all.end() || at + 1 == all.end()) return show_stage(scene.view, stage_look_of(scene.view).stage);
  show_weights(scene.view, *(at + 1));
}

namespace {

/// Whether a seed makes any numbers; a notice if not.
bool has_seed(Scene& scene) {
  const Input& input = scene.document.input;
  if (input.is_text()) return true;
  scene.view.notices.say("What is computed here came as numbers: there is no seed to draw it from.");
  return false;
}

}  // namespace

void draw_weights_again(Scene& scene) {
  if (has_seed(scene)) scene.document = edit::again(std::move(scene.document));
}

void draw_new_weights(Scene& scene) {
  if (has_seed(scene)) scene.document = edit::new_seed(std::move(scene.document));
}

void draw_weight_map(Scene& scene, const Box& area, Editable block) {
  const Ui& ui = scene.ui;
  const TensorPtr numbers = numbers_of(scene.document, block);
  if (!numbers || numbers->size() == 0) return;
  const Weighed w = weighed(scene, block, numbers);
  const float bar = ui.px(44);
  draw_block_bar(scene, {area.x, area.y, area.w, bar}, block);
  const BlockWords words = block_words(block);
  const float y = area.y + bar + ui.px(10);
  const float width = ui.text(area.x, y, words.formula, {type::label, ui.theme.text1, Ink::Medium});
  const std::string shape = to_string(numbers->shape()) + " · " + std::string(words.why);
  ui.text(
      area.x + width + ui.px(14), y, shape,
      {type::label, ui.theme.text3, Ink::Regular, Align::Left, std::max(1.f, area.w - width - ui.px(20))});
  const float head = bar + ui.px(28);
  const NumberMapResult seen =
      draw_number_map(scene, {area.x, area.y + head, area.w, area.h - head}, map_of(w));
  if (seen.cells.columns == 0) return;
  draw_head_marks(w, seen.cells);
  take_mouse(w, seen);
}

}  // namespace attnscope
