// app/views: the token strip: the sentence as editable text and as chips that are tinted like the heatmap's
// row (or column), so the strip is the row.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/number_format.hpp"
#include "app/picture.hpp"
#include "core/edits.hpp"

namespace attnscope {
namespace {

/// The text of one sequence of the batch. A keystroke that makes the text unusable leaves the Document as it
/// was.
void draw_text_field(Scene& scene, const Box& box, std::size_t index) {
  const auto& sequences = scene.document.input.sequences;
  std::string text = sequences[index].text;
  const bool many = sequences.size() > 1;
  const std::string label = many ? "Text " + std::to_string(index + 1) : "Text";
  const bool chosen = many && scene.sequence() == static_cast<std::int64_t>(index);
  if (text_field(scene.ui, ("##" + label).c_str(), box, text, "Type a sentence", chosen)) {
    try {
      scene.document = edit::text(std::move(scene.document), index, std::move(text));
    } catch (const std::exception& error) {
      scene.view.message = error.what();
    }
  }
  if (ImGui::IsItemActivated()) scene.next.sequence = static_cast<std::int64_t>(index);
}

struct Chip {
  std::int64_t index = 0;
  bool masked = false;
  float weight = 0;
};

/// The weight of a chip: of the shown query's row, or of the shown key's column.
Chip chip_of(const Scene& scene, std::int64_t index) {
  const Result& r = scene.result;
  const Cell cell = scene.cell();
  const bool forward = scene.view.direction == Direction::QueryToKeys;
  const std::int64_t query = forward ? cell.query : index, key = forward ? index : cell.key;
  return {index, is_masked(r, scene.sequence(), scene.head(), query, key),
          r.trace[Stage::Softmax]->matrix(scene.sequence(), scene.head())(query, key)};
}

void draw_chip(Scene& scene, const Box& box, const Chip& chip, const std::string& label) {
  const Ui& ui = scene.ui;
  const bool forward = scene.view.direction == Direction::QueryToKeys;
  const Cell cell = scene.cell();
  const bool is_query = chip.index == cell.query, is_key = chip.index == cell.key;
  const float radius = ui.px(6), hair = std::max(1.f, std::floor(ui.scale()));
  const std::string id = "token " + std::to_string(chip.index);
  const Ui::Touch touch = ui.touch(id.c_str(), box);
  Rgba ink = ui.theme.disabled;
  if (chip.masked) {
    ui.frame(box, ui.theme.border, hair, radius);
  } else {
    // Below 5 % the chip keeps the control's grey: the map's dark end would look like a hole in the strip.
    const ColourScale scale = {ui.theme.weights, 0, 1, false};
    const Rgba ground = chip.weight < 0.05f ? ui.theme.control : colour_of(scale, chip.weight);
    ui.fill(box, ground, radius);
    ink = chip.weight < 0.05f ? ui.theme.text1 : ink_on(ground);
  }
  if (is_key) ui.frame(box.grown(is_query ? ui.px(6) : ui.px(3)), ui.theme.key, ui.px(2), radius + ui.px(3));
  if (is_query) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), radius + ui.px(3));
  if (touch.hovered && !is_key && !is_query)
    ui.frame(box.grown(ui.px(3)), ui.theme.text3, hair, radius + ui.px(3));
  ui.text(box.centre_x(), box.centre_y(), label,
          {type::body, ink, Ink::Medium, Align::Centre, box.w - ui.px(8)});

  const Rgba number = is_query ? ui.theme.query : is_key ? ui.theme.key : ui.theme.text3;
  const Ink bold = is_query || is_key ? Ink::Semibold : Ink::Regular;
  ui.text(box.centre_x(), box.y - ui.px(13), std::to_string(chip.index),
          {type::tick, number, bold, Align::Centre});
  ui.text(box.centre_x(), box.bottom() + ui.px(13),
          chip.masked ? "masked" : in_cell(static_cast<double>(chip.weight)),
          {type::tick, chip.masked ? ui.theme.disabled : ui.theme.text2, Ink::Regular, Align::Centre});

  if (touch.hovered) scene.next.hovered_token = chip.index;
  if (touch.clicked) {
    Cell chosen = scene.selection.cell;
    (forward ? chosen.query : chosen.key) = chip.index;
    scene.next.cell = chosen;
    scene.next.locked = true;
  }
}

/// First chip to draw so that the shown token is in view when not all fit.
std::int64_t first_chip(const Scene& scene, const std::vector<float>& widths, float gap, float room) {
  float all = 0;
  for (const float w : widths) all += w + gap;
  const Cell cell = scene.selection.cell;
  const std::int64_t anchor = scene.view.direction == Direction::QueryToKeys ? cell.query : cell.key;
  if (all - gap <= room) return 0;
  std::int64_t first = std::min<std::int64_t>(anchor, static_cast<std::int64_t>(widths.size()) - 1);
  float used = 0;
  while (first > 0 && used + widths[static_cast<std::size_t>(first)] + gap < room * 0.75f) {
    used += widths[static_cast<std::size_t>(first)] + gap;
    --first;
  }
  return std::max<std::int64_t>(first, 0);
}

void draw_chips(Scene& scene, const Box& area) {
  const Ui& ui = scene.ui;
  const Result& r = scene.result;
  const bool forward = scene.view.direction == Direction::QueryToKeys;
  const std::int64_t count = forward ? r.dimensions.keys : r.dimensions.queries;
  const float gap = ui.px(12), tallest = ui.px(28);
  std::vector<float> widths;
  for (std::int64_t i = 0; i < count; ++i) {
    // "masked" stands under a hidden chip and must not run into its neighbour.
    const bool masked = chip_of(scene, i).masked;
    const float least = masked ? ui.text_width("masked", type::tick) - ui.px(6) : ui.px(32);
    const float wish =
        ui.text_width(token_label(r, scene.sequence(), i), type::body, Ink::Medium) + ui.px(20);
    widths.push_back(std::round(std::clamp(wish, std::max(ui.px(32), least), ui.px(200))));
  }
  float x = area.x;
  const std::int64_t first = first_chip(scene, widths, gap, area.w);
  const float y = std::round(area.centre_y() - tallest / 2);
  if (first > 0) x += ui.text(x, area.centre_y(), "…", {type::body, ui.theme.text3}) + gap;
  for (std::int64_t i = first; i < count; ++i) {
    const float w = widths[static_cast<std::size_t>(i)];
    if (x + w > area.right() - (i + 1 < count ? ui.px(24) : 0)) {
      ui.text(x, area.centre_y(), "…", {type::body, ui.theme.text3});
      break;
    }
    draw_chip(scene, {std::round(x), y, w, tallest}, chip_of(scene, i), token_label(r, scene.sequence(), i));
    x += w + gap;
  }
}

}  // namespace

void draw_token_strip(Scene& scene, const Box& strip) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(16), y = strip.centre_y();
  const auto& sequences = scene.document.input.sequences;
  const float field_width = ui.px(scene.compact ? 184 : 232);
  const std::size_t fields = std::min<std::size_t>(sequences.size(), 3);
  const float step = ui.px(36);
  float field_y = std::round(y - (static_cast<float>(fields) * step - ui.px(8)) / 2);
  for (std::size_t i = 0; i < fields; ++i, field_y += step) {
    const Box field{strip.x + pad, field_y, field_width, ui.px(28)};
    if (scene.document.input.given) {
      ui.frame(field, ui.theme.hairline, std::max(1.f, std::floor(ui.scale())), ui.px(6));
      ui.text(field.x + ui.px(10), field.centre_y(), "Q, K and V given as numbers",
              {type::label, ui.theme.text3, Ink::Regular, Align::Left, field.w - ui.px(20)});
    } else {
      draw_text_field(scene, field, i);
    }
  }

  const float switch_width = ui.px(scene.compact ? 176 : 208);
  const Box direction{strip.right() - pad - switch_width, y - ui.px(14), switch_width, ui.px(28)};
  const std::array<std::string_view, 2> names =
      scene.compact ? std::array<std::string_view, 2>{"q → keys", "k ← queries"}
                    : std::array<std::string_view, 2>{"query → keys", "key ← queries"};
  const std::array<Tip, 2> tips{
      Tip{"Query → keys", {}, "Chips show where the chosen query looks: one row.", "D"},
      Tip{"Key ← queries", {}, "Chips show who looks at the chosen key: one column.", "D"}};
  if (const auto chosen = segments(ui, "Direction", direction, names, static_cast<int>(scene.view.direction),
                                   tips, {.text_size = scene.compact ? type::tick : type::label})) {
    scene.view.direction = static_cast<Direction>(*chosen);
  }
  const float left = strip.x + pad + field_width + ui.px(36);
  draw_chips(scene, {left, strip.y, direction.x - ui.px(20) - left, strip.h});
  ui.horizontal(strip.x, strip.bottom() - 1, strip.w, ui.theme.hairline);
}

}  // namespace attnscope
