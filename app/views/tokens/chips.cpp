#include "app/views/tokens/chips.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/head_words.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/token_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/tokens/masking.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

struct Chip {
  std::int64_t index = 0;  // among the queries or the keys
  bool masked = false, dropped = false, unknown = false;
  float weight = 0;
  bool is_query = false, is_key = false;
  std::string label, number;
};

/// The position of a chip's token in its text.
std::int64_t place_of(const Shown& shown, const ChipRow& row, std::int64_t index) {
  return row.of_keys ? index : position_of(shown.result, shown.sequence(), index);
}

/// The stage of the weights that tint the chips. For a muted head of a model they are its own weights, as in
/// its map.
Stage tinted_stage(const Scene& scene) {
  const Document& layer = scene.result.document;
  const bool is_out = is_head_out(layer, scene.head());
  return scene.view.mode == Mode::Model && is_out ? own_weights_stage(layer) : weights_stage(layer);
}

/// A chip, with its weight in the shown query's row or in the shown key's column.
Chip chip_of(const Scene& shown, const ChipRow& row, std::int64_t index) {
  const LayerResult& r = shown.result;
  const Cell cell = shown.cell();
  const std::int64_t b = shown.sequence(), h = shown.head();
  Chip chip;
  chip.index = index;
  if (row.others != nullptr) {
    chip.label = own((*row.others)[static_cast<std::size_t>(index)].text);
    return chip;
  }
  const std::int64_t query = row.of_keys ? cell.query : index, key = row.of_keys ? index : cell.key;
  const std::int64_t place = place_of(shown, row, index);
  chip.is_key = row.of_keys ? index == cell.key : row.answers_both && place == cell.key;
  chip.is_query =
      row.of_keys ? row.answers_both && place == position_of(r, b, cell.query) : index == cell.query;
  chip.label = row.of_keys ? key_label(r, b, index) : query_label(r, b, index);
  chip.unknown = row.of_keys ? is_unknown_key(r, b, index) : is_unknown_query(r, b, index);
  if (index < r.dimensions.token_keys() || !row.of_keys) chip.number = std::to_string(place);
  if (row.tinted) {
    chip.weight = matrix_of(r, tinted_stage(shown), b, h)(query, key);
    chip.masked = shown.is_masked(b, h, query, key) && chip.weight == 0 && knows_scores(r.document);
    chip.dropped = r.document.layer().dropout.rate > 0 && !chip.masked && chip.weight > 0 &&
                   matrix_of(r, Stage::Drop, b, h)(query, key) == 0;
  }
  return chip;
}

/// A click chooses the query, or the key if the direction is KeyToQueries; if queries and keys have separate
/// rows, the row decides.
void choose(Scene& scene, const ChipRow& row, const Chip& chip) {
  if (row.others != nullptr) return;
  const bool forward = token_look_of(scene.view).direction == Direction::QueryToKeys;
  const std::int64_t place = place_of(scene, row, chip.index);
  if (row.answers_both) predict_row_of(scene, place);
  Cell chosen = scene.selection.cell;
  if (!row.answers_both) {
    (row.of_keys ? chosen.key : chosen.query) = chip.index;
  } else if (forward) {
    const std::int64_t query = place - position_of(scene.result, scene.sequence(), 0);
    if (query < 0 || query >= scene.result.dimensions.queries) return;  // a cached token is no query
    chosen.query = query;
  } else {
    chosen.key = std::clamp<std::int64_t>(place, 0, scene.result.dimensions.keys - 1);
  }
  scene.next.choose(chosen);
}

/// Dots below the word of a chip.
void draw_dots(const Ui& ui, const Box& chip, Rgba ink) {
  const float side = std::max(1.f, ui.px(2)), y = std::round(chip.bottom() - ui.px(5));
  for (float x = chip.x + ui.px(8); x + side <= chip.right() - ui.px(8); x += 2 * side)
    ui.fill({std::round(x), y, side, std::max(1.f, ui.px(1))}, ink);
}

void draw_ground(const Scene& scene, const Box& box, const ChipRow& row, const Chip& chip, bool hovered) {
  const Ui& ui = scene.ui;
  const float radius = ui.px(6), hair = std::max(1.f, std::floor(ui.scale()));
  Rgba ink = ui.theme.disabled;
  if (chip.masked) {
    ui.frame(box, ui.theme.border, hair, radius);
  } else if (row.tinted && std::isnan(chip.weight)) {
    ui.fill(box, ui.theme.nan, radius);
    ink = ink_on(ui.theme.nan);
  } else {
    // Below 5 % the chip has the grey of a control: the dark end of the map would look like a hole.
    const bool faint = chip.weight < 0.05f;
    const ColourScale scale{weights_map(ui.theme, focus_of(scene.view).colours), 0, 1};
    const Rgba ground = faint ? ui.theme.control : colour_of(scale, chip.weight);
    ui.fill(box, ground, radius);
    ink = chip_ink(ui.theme, ground, chip.unknown);
  }
  if (chip.is_key)
    ui.frame(box.grown(chip.is_query ? ui.px(6) : ui.px(3)), ui.theme.key, ui.px(2), radius + ui.px(3));
  if (chip.is_query) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), radius + ui.px(3));
  if (hovered && !chip.is_key && !chip.is_query)
    ui.frame(box.grown(ui.px(3)), ui.theme.text3, hair, radius + ui.px(3));
  ui.text(box.centre_x(), box.centre_y(), chip.label,
          {type::body, ink, Ink::Medium, Align::Centre, box.w - ui.px(8)});
  if (chip.unknown) draw_dots(ui, box, ink);
}

void draw_chip(Scene& scene, const Box& box, const ChipRow& row, const Chip& chip) {
  const Ui& ui = scene.ui;
  const std::string id = row.name + std::to_string(chip.index);
  const Ui::Touch touch = ui.touch(id.c_str(), box);
  draw_ground(scene, box, row, chip, touch.hovered);
  const Rgba number = chip.is_query ? ui.theme.query : chip.is_key ? ui.theme.key : ui.theme.text3;
  const Ink bold = chip.is_query || chip.is_key ? Ink::Semibold : Ink::Regular;
  if (row.numbers)
    ui.text(box.centre_x(), box.y - ui.px(13), chip.number, {type::tick, number, bold, Align::Centre});
  if (row.tinted) {
    const std::string weight = chip.masked    ? "masked"
                               : chip.dropped ? "dropped"
                                              : in_cell(static_cast<double>(chip.weight));
    ui.text(box.centre_x(), box.bottom() + ui.px(13), weight,
            {type::tick, chip.masked ? ui.theme.disabled : ui.theme.text2, Ink::Regular, Align::Centre});
  }
  if (chip.unknown) {
    if (touch.hovered)
      scene.view.hint =
          "The model does not know the word " + own(chip.label) + ": all such words are the same to it.";
    tooltip(ui, touch.hovered, box,
            {"A word that the model does not know",
             {},
             "It is not in the model's vocabulary. The model reads one and the same token in its place, "
             "whatever the word is."});
  }
  if (touch.hovered && (row.tinted || row.stack)) {
    scene.next.hovered_token = chip.index;
    scene.next.hovered_stack = row.stack;
  }
  const bool is_models = row.answers_both && scene.model != nullptr;
  if (is_models && take_masking(scene, touch, place_of(scene, row, chip.index))) return;
  if (touch.clicked) choose(scene, row, chip);
}

/// The chips of a row in one frame. Each is made when it is first asked for: of a long text most are out of
/// sight.
class Chips {
 public:
  Chips(const Scene& scene, const ChipRow& row)
      : scene_(scene),
        row_(row),
        count_(row.others != nullptr ? std::ssize(*row.others)
               : row.of_keys         ? scene.result.dimensions.keys
                                     : scene.result.dimensions.queries) {}

  std::int64_t count() const { return count_; }
  const Chip& chip(std::int64_t i) { return made(i).chip; }
  float width(std::int64_t i) { return made(i).width; }

 private:
  struct Made {
    Chip chip;
    float width = 0;
  };
  const Made& made(std::int64_t i) {
    const auto [at, is_new] = made_.try_emplace(i);
    Made& made = at->second;
    if (!is_new) return made;
    const Ui& ui = scene_.ui;
    made.chip = chip_of(scene_, row_, i);
    // A chip is at least as wide as "masked" below it needs.
    const std::string_view below = made.chip.masked ? "masked" : made.chip.dropped ? "dropped" : "";
    const float least = std::max(ui.px(32), ui.text_width(below, type::tick) - ui.px(6));
    const float request = ui.text_width(made.chip.label, type::body, Ink::Medium) + ui.px(20);
    made.width = std::round(std::clamp(request, least, ui.px(200)));
    return made;
  }

  const Scene& scene_;
  const ChipRow& row_;
  std::int64_t count_;
  std::map<std::int64_t, Made> made_;
};

/// The chips in sight: those from `first` on that fit between the dots that stand for the others.
struct VisibleChips {
  Chips& chips;
  float gap, room, dots;

  std::int64_t count() const { return chips.count(); }
  float step(std::int64_t i) const { return chips.width(i) + gap; }
  bool is_all() const {
    float all = -gap;
    for (std::int64_t i = 0; i < count() && all <= room; ++i) all += step(i);
    return all <= room;
  }
  /// The last chip in sight if `first` is the first.
  std::int64_t last(std::int64_t first) const {
    const float left = room - (first > 0 ? 2 : 1) * dots;
    float used = 0;
    std::int64_t i = first;
    for (; i < count() && used + step(i) - gap <= left; ++i) used += step(i);
    return std::max(first, i - 1);
  }
  /// The first chip so that `last` ends within `within` pixels.
  std::int64_t first_for(std::int64_t last, float within) const {
    std::int64_t first = std::clamp<std::int64_t>(last, 0, count() - 1);
    for (float used = 0; first > 0 && used + step(first) < within; --first) used += step(first);
    return first;
  }
};

/// The tokens that a row of chips scrolls into sight.
struct Followed {
  std::int64_t chosen = 0;
  std::optional<std::int64_t> hovered;  // set while the mouse is on a cell
};

/// The first chip of the row: moved by the wheel, and so that a newly chosen token is in sight. A hovered
/// token is in sight while the mouse is on it; then the row returns to its place.
std::int64_t first_chip(SentenceState& state, std::size_t row, const VisibleChips& visible,
                        const Followed& tokens, float wheel) {
  std::int64_t& first = state.first[row];
  if (visible.is_all()) {
    first = 0;
    state.followed[row] = tokens.chosen;
    return 0;
  }
  const auto there_is = [&](std::int64_t chip) {
    const std::int64_t last = visible.first_for(visible.count() - 1, visible.room - 3 * visible.dots);
    return std::clamp<std::int64_t>(chip, 0, last);
  };
  const auto with = [&](std::int64_t token, std::int64_t from) {
    if (token <= from) from = token - 1;
    if (token > visible.last(std::max<std::int64_t>(0, from)))
      from = visible.first_for(token, 0.75f * visible.room);
    return from;
  };
  constexpr float chips_of_a_notch = 2;
  first -= static_cast<std::int64_t>(std::lround(wheel * chips_of_a_notch));
  if (std::exchange(state.followed[row], tokens.chosen) != tokens.chosen) first = with(tokens.chosen, first);
  first = there_is(first);
  return tokens.hovered ? there_is(with(*tokens.hovered, first)) : first;
}

/// The chip that should be in sight: the token whose row or column is that of the cell.
std::int64_t anchor_of(const Scene& scene, const ChipRow& row, Cell cell) {
  if (row.others != nullptr) return 0;
  if (!row.answers_both) return row.of_keys ? cell.key : cell.query;
  if (row.of_keys) return position_of(scene.result, scene.sequence(), cell.query);
  return cell.key - position_of(scene.result, scene.sequence(), 0);
}

}  // namespace

Rgba chip_ink(const Theme& theme, Rgba ground, bool unknown) {
  if (ground == theme.control) return unknown ? theme.text2 : theme.text1;
  return ink_on(ground);
}

void draw_chips(Scene& scene, const Box& area, float y, const ChipRow& row) {
  const Ui& ui = scene.ui;
  Chips chips(scene, row);
  const std::int64_t count = chips.count();
  const float gap = ui.px(12), tallest = ui.px(28);
  float x = area.x;
  const Box reach{area.x, y - tallest, area.w, 2 * tallest};
  const ImGuiIO& io = ImGui::GetIO();
  const bool under_mouse = ImGui::IsWindowHovered() && reach.contains(io.MousePos);
  const VisibleChips visible{chips, gap, area.w, ui.px(24)};
  const float wheel = under_mouse ? io.MouseWheel - io.MouseWheelH : 0;
  const bool is_second = row.stack ? row.stack == AttentionOf::Encoder : row.of_keys;
  Followed tokens{anchor_of(scene, row, scene.selection.cell), std::nullopt};
  if (scene.selection.hovered_cell) tokens.hovered = anchor_of(scene, row, *scene.selection.hovered_cell);
  const std::int64_t first =
      first_chip(scene.view.keyboard.sentence, is_second ? 1 : 0, visible, tokens, wheel);
  if (first > 0) x += ui.text(x, y, "…", {type::body, ui.theme.text3}) + gap;
  for (std::int64_t i = first; i < count; ++i) {
    const float w = chips.width(i);
    if (x + w > area.right() - (i + 1 < count ? ui.px(24) : 0)) {
      ui.text(x, y, "…", {type::body, ui.theme.text3});
      break;
    }
    const Box box{std::round(x), std::round(y - tallest / 2), w, tallest};
    draw_chip(scene, box, row, chips.chip(i));
    x += w + gap;
  }
}

}  // namespace attnscope
