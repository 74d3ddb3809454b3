// app/pages/walk: the whole computation of the chosen head as matrices with numbers, one short move after the
// other, with the same cell marked in every stage.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/walk/card.hpp"
#include "app/pages/walk/transport.hpp"
#include "app/scene/head_words.hpp"
#include "app/state/window_state.hpp"
#include "app/walk/matrices.hpp"
#include "core/document/known.hpp"
#include "core/edits/edits.hpp"

namespace attnscope {
namespace walk {
namespace {

/// The parts of the region, from top to bottom; h 0 where there is no room.
struct Parts {
  Box header, matrices, card, transport;
};

Parts parts_of(const Ui& ui, const Box& region, bool compact) {
  const float pad = ui.px(compact ? 16 : 32), high = region.h;
  const float header = high >= ui.px(280) ? ui.px(44) : 0;
  const float transport = high >= ui.px(150) ? ui.px(compact ? 64 : 76) : 0;
  const float card = high >= ui.px(380) ? ui.px(compact ? 88 : 104) : 0;
  const float gap = card > 0 ? ui.px(compact ? 8 : 16) : 0;
  const float wide = std::max(0.f, region.w - 2 * pad);
  Parts parts;
  parts.header = {region.x + pad, region.y, wide, header};
  parts.transport = {region.x, region.bottom() - transport, region.w, transport};
  parts.card = {region.x + pad, parts.transport.y - gap - card, wide, card};
  const float top = region.y + header;
  parts.matrices = {region.x + pad, top, wide, std::max(0.f, parts.card.y - gap - top)};
  return parts;
}

/// If this layer is too large for its numbers to be printed: a button that opens a small one. Returns its
/// right end.
float draw_small_model(const View& v, float x, float y) {
  const Ui& ui = v.ui();
  const Dimensions& d = v.result().dimensions;
  const Input& input = v.document().input;
  if (!input.is_text() || (d.d_model <= 8 && d.d_k <= 4)) return x;
  const char* const label = v.scene.compact ? "Small model" : "Small model: d 8, dₖ 4";
  const Box box{x, y, ui.text_width(label, type::label, Ink::Medium) + ui.px(24), ui.px(26)};
  const Tip tip{
      "Small model", "d_model 8, two heads of dₖ 4",
      "The same text in a layer whose every number can be read; its weights are random. Undo brings "
      "this one back.",
      "Ctrl+Z"};
  if (button(ui, label, box, tip)) v.scene.document = edit::small_model(std::move(v.scene.document));
  return box.right() + ui.px(16);
}

/// The choice of the lower line's stages. Returns its left end.
float draw_stages(const View& v, float left, float right, float y) {
  if (!v.script.has(Stage::Output)) return right;
  const Ui& ui = v.ui();
  constexpr std::array<std::string_view, 4> names{"All", "To weights", "Output", "Block"};
  const std::array<Tip, 4> tips{
      Tip{"All stages", {}, "From scores to output; once the output is made, what it is made of.", {}},
      Tip{"To the weights",
          {},
          "Hides mix and output until they are made: the other matrices get their room.",
          {}},
      Tip{"Output", "Y = [H₀ H₁ …]·W_O", "The weights, this head's mix, the heads side by side, W_O.", {}},
      Tip{"Block", {}, "The layer's output, residual additions, norms and the MLP.", {}}};
  const bool block = has_block(v.document().layer().block);
  const std::span<const std::string_view> shown = std::span(names).first(block ? 4 : 3);
  const float width = ui.px((v.scene.compact ? 216.f : 244.f) * (block ? 1.3f : 1));
  const Box box{right - width, y, width, ui.px(26)};
  if (box.x < left) return right;
  WalkPart& part = v.state.part;
  const int now = part == WalkPart::Block && !block ? 0 : static_cast<int>(part);
  if (const auto chosen = segments(ui, "Stages", box, shown, now, std::span(tips).first(shown.size()),
                                   {.text_size = type::tick}))
    part = static_cast<WalkPart>(*chosen);
  return box.x - ui.px(16);
}

/// Steppers for head and, in a batch, sequence; at the right the stages, the choice of numbers, and the
/// sizes.
void draw_header(const View& v, const Box& bar, const MatrixPlaces& arrangement) {
  if (bar.h <= 0) return;
  const Ui& ui = v.ui();
  Scene& scene = v.scene;
  const Dimensions& d = v.result().dimensions;
  const float y = bar.centre_y(), high = ui.px(26);
  const Rgba hue = ui.theme.head(v.h);
  const std::string number = std::to_string(v.h);
  const float badge_width = std::max(ui.px(18), ui.text_width(number, type::tick, Ink::Semibold) + ui.px(8));
  badge(ui, {bar.x, y - ui.px(8), badge_width, ui.px(16)}, number, hue, ink_on(hue));
  const Box head{bar.x + badge_width + ui.px(10), std::round(y - high / 2), ui.px(176), high};
  const auto turned = [](std::int64_t now, int step, std::int64_t count) {
    return (now + step + count) % count;
  };
  if (const auto next = stepper(
          ui, "Walk head", head, v.h, [&](int step) { return turned(v.h, step, d.heads); },
          {"Head", {}, "Which head's computation is walked through.", "[ ]"}, scored_name(v.result(), v.h)))
    scene.next.head = std::clamp<std::int64_t>(*next, 0, d.heads - 1);
  float x = head.right() + ui.px(16);
  if (d.batch > 1) {
    const Box sequence{x, head.y, ui.px(144), high};
    const std::string shown = "text " + std::to_string(v.b + 1) + " of " + std::to_string(d.batch);
    if (const auto next = stepper(
            ui, "Walk sequence", sequence, v.b + 1, [&](int step) { return turned(v.b, step, d.batch) + 1; },
            {"Sequence", {}, "Which sequence of the batch is walked through.", {}}, shown))
      scene.next.sequence = std::clamp<std::int64_t>(*next - 1, 0, d.batch - 1);
    x = sequence.right() + ui.px(16);
  }
  auto& state = v.state;
  x = draw_small_model(v, x, head.y);
  float right = draw_stages(v, x, bar.right(), head.y);
  if (!arrangement.keys_printed || !arrangement.whole || state.numbers) {
    constexpr std::array<std::string_view, 2> names{"Whole", "Numbers"};
    const std::array<Tip, 2> tips{
        Tip{"Whole", {}, "All rows and columns, in colours where numbers do not fit.", {}},
        Tip{"Numbers",
            {},
            "The rows and columns around the chosen cell, with their numbers. The wheel scrolls.",
            {}}};
    const Box box{right - ui.px(148), head.y, ui.px(148), high};
    if (box.x > x) {
      if (const auto chosen =
              segments(ui, "Cells", box, names, state.numbers ? 1 : 0, tips, {.text_size = type::tick}))
        state.numbers = *chosen == 1;
      right = box.x - ui.px(16);
    }
  }
  const std::string sizes =
      (d.queries == d.keys
           ? counted(d.queries, "token", "tokens")
           : counted(d.queries, "query", "queries") + " · " + counted(d.keys, "key", "keys")) +
      (knows_values(v.document()) ? " · d " + grouped(d.d_model) : std::string()) + " · dₖ " + grouped(d.d_k);
  if (ui.text_width(sizes, type::tick) < right - x)
    ui.text(right, y, sizes, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

}  // namespace
}  // namespace walk

void draw_walk(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.panel);
  ui.clip(region);
  walk::advance(scene, std::min(0.1f, ImGui::GetIO().DeltaTime));
  const walk::View view(scene);
  walk::Contents contents(view);
  const walk::Parts parts = walk::parts_of(ui, region, scene.compact);
  scene.view.hint = "one cell, every stage:  " + query_label(scene.result, view.b, view.cell.query) + " → " +
                    key_label(scene.result, view.b, view.cell.key) +
                    "   ·   click another cell to follow it   ·   drag the bar to any move";
  // The frame of the current stage is drawn outside its matrix.
  const float rim = ui.px(8);
  const Box& room = parts.matrices;
  const walk::Standing standing =
      walk::stand(view, {room.x, room.y + rim, room.w, std::max(0.f, room.h - 2 * rim)});
  walk::follow(view, standing);
  walk::draw_header(view, parts.header, standing.arrangement);
  if (parts.matrices.h > ui.px(40)) {
    ui.clip({region.x, parts.matrices.y, region.w, parts.matrices.h});
    walk::draw_matrices(view, contents, standing);
    ui.unclip();
  }
  if (parts.card.h > 0) walk::draw_card(view, contents, parts.card);
  if (parts.transport.h > 0) walk::draw_transport(view, parts.transport);
  ui.unclip();
}

}  // namespace attnscope
