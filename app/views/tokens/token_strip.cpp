// app/views/tokens: the token strip: the sentence as editable text and as chips that are tinted like the
// heatmap's row (or column), so the strip is the row. With a second text the queries stand over the keys.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <imgui_internal.h>

#include "app/scene/picture.hpp"
#include "app/state/focus_state.hpp"
#include "app/ui/number_format.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"
#include "core/edits/dump.hpp"
#include "core/edits/within.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_fields = 3;

/// The keyboard comes in the frame after it was asked for, and not at all when something else asks as well.
void ask_for_keyboard(SentenceState& sentence) {
  constexpr int patience = 12, again = 3;  // frames
  if (sentence.waited >= patience) {
    sentence.wanted = false;
  } else if (sentence.waited++ % again == 0) {
    ImGui::SetKeyboardFocusHere();
  }
}

/// The keyboard is there: all of the text is selected, or its end is typed on.
void take_over(SentenceState& sentence) {
  if (!sentence.wanted) return;
  sentence.wanted = false;
  ImGuiInputTextState* const typed = ImGui::GetInputTextState(ImGui::GetItemID());
  if (sentence.at_end && typed != nullptr) typed->ReloadUserBufAndMoveToEnd();
}

/// The text of one sequence of the batch. A keystroke that makes the text unusable leaves the Document as it
/// was.
void draw_text_field(Scene& scene, const Box& box, std::size_t index) {
  std::string text = typed_text(scene.document, index);
  const bool many = typed_texts(scene.document) > 1;
  const std::string label = many ? "Text " + std::to_string(index + 1) : "Text";
  const bool chosen = many && scene.sequence() == static_cast<std::int64_t>(index);
  SentenceState& sentence = scene.view.keyboard.sentence;
  if (sentence.wanted && sentence.field == index) ask_for_keyboard(sentence);
  if (text_field(scene.ui, ("##" + label).c_str(), box, text, "Type a sentence", chosen)) {
    try {
      if (scene.document.input.from_text().edited)
        scene.view.notices.say(
            "Typing discarded the token vectors that were edited by hand; Ctrl+Z brings them back.");
      scene.document = edit::typed_text(std::move(scene.document), index, std::move(text));
    } catch (const std::exception& error) {
      scene.view.notices.say(error.what());
    }
  }
  if (ImGui::IsItemActivated()) scene.next.sequence = static_cast<std::int64_t>(index);
  if (!ImGui::IsItemActive()) return;
  sentence.active = true;
  if (sentence.field == index) take_over(sentence);
  // The field shows letters in the order of typing: below it they stand as they are read.
  const std::string& now = typed_text(scene.document, index);
  if (!many && scene.ui.is_shaped(now))
    scene.ui.text(box.x + scene.ui.px(10), box.bottom() + scene.ui.px(12), own(now),
                  {type::tick, scene.ui.theme.text2, Ink::Regular, Align::Left, box.w - scene.ui.px(20)});
}

/// Labels of given tensors: taken once there are as many as tokens; until then what is typed stands there
/// and is counted below.
void draw_labels_field(Scene& scene, const Box& box, std::size_t index) {
  const Ui& ui = scene.ui;
  const Sequence& sequence = scene.document.input.sequences[index];
  const std::size_t expected = sequence.tokens.size();
  const bool many = scene.document.input.sequences.size() > 1;
  const std::string label = many ? "Labels " + std::to_string(index + 1) : "Labels";
  const std::string numbers = edit::numbered_text(scene.document, index);
  std::string text = sequence.text == numbers ? std::string() : sequence.text;
  const std::string hint = "Type " + std::to_string(expected) + " tokens";
  std::size_t found = 0;
  const bool fits = text.empty() || !edit::labels_of(text, expected, found).empty() ||
                    sequence.text == edit::joined_labels(sequence);
  if (text_field(ui, ("##" + label).c_str(), box, text, hint)) {
    try {
      scene.document = edit::labels(std::move(scene.document), index, std::move(text));
    } catch (const std::exception& error) {
      scene.view.notices.say(error.what());
    }
  }
  if (ImGui::IsItemActivated()) scene.next.sequence = static_cast<std::int64_t>(index);
  if (fits || many) return;
  ui.text(box.x + ui.px(10), box.bottom() + ui.px(10),
          std::to_string(found) + (found == 1 ? " token typed, " : " tokens typed, ") +
              std::to_string(expected) + " expected",
          {type::tick, ui.theme.key, Ink::Medium, Align::Left, box.w - ui.px(12)});
}

/// A row of chips: the queries or the keys of the shown sequence.
struct Row {
  bool of_keys;
  bool tinted;        // by the weights; else it only says which token is chosen
  bool answers_both;  // one text: a chip is a key as well as a query
  const char* name;   // of a chip, before its number
};

struct Chip {
  std::int64_t index = 0;  // among the queries or the keys
  bool masked = false, dropped = false;
  float weight = 0;
  bool is_query = false, is_key = false;
  std::string label, number;
};

/// The token that a chip stands for: its place among all tokens of its text.
std::int64_t place_of(const Shown& shown, const Row& row, std::int64_t index) {
  return row.of_keys ? index : position_of(shown.result, shown.sequence(), index);
}

/// A chip with the weight of the shown query's row, or of the shown key's column.
Chip chip_of(const Shown& shown, const Row& row, std::int64_t index) {
  const LayerResult& r = shown.result;
  const Cell cell = shown.cell();
  const std::int64_t b = shown.sequence(), h = shown.head();
  Chip chip;
  chip.index = index;
  const std::int64_t query = row.of_keys ? cell.query : index, key = row.of_keys ? index : cell.key;
  const std::int64_t place = place_of(shown, row, index);
  chip.is_key = row.of_keys ? index == cell.key : row.answers_both && place == cell.key;
  chip.is_query =
      row.of_keys ? row.answers_both && place == position_of(r, b, cell.query) : index == cell.query;
  chip.label = row.of_keys ? key_label(r, b, index) : query_label(r, b, index);
  if (index < r.dimensions.token_keys() || !row.of_keys) chip.number = std::to_string(place);
  if (row.tinted) {
    chip.weight = matrix_of(r, weights_stage(r.document), b, h)(query, key);
    chip.masked = shown.is_masked(b, h, query, key) && chip.weight == 0 && knows_scores(r.document);
    chip.dropped = r.document.layer().dropout.rate > 0 && !chip.masked && chip.weight > 0 &&
                   matrix_of(r, Stage::Drop, b, h)(query, key) == 0;
  }
  return chip;
}

/// A click chooses the query, or the key in the other direction; in a row of its own every chip chooses what
/// it is.
void choose(Scene& scene, const Row& row, const Chip& chip) {
  const bool forward = scene.view.direction == Direction::QueryToKeys;
  const std::int64_t place = place_of(scene, row, chip.index);
  Cell chosen = scene.selection.cell;
  if (!row.answers_both) {
    (row.of_keys ? chosen.key : chosen.query) = chip.index;
  } else if (forward) {
    const std::int64_t query = place - position_of(scene.result, scene.sequence(), 0);
    if (query < 0 || query >= scene.result.dimensions.queries) return;  // cached: it asks nothing any more
    chosen.query = query;
  } else {
    chosen.key = std::clamp<std::int64_t>(place, 0, scene.result.dimensions.keys - 1);
  }
  scene.next.cell = chosen;
  scene.next.locked = true;
}

void draw_ground(const Scene& scene, const Box& box, const Row& row, const Chip& chip, bool hovered) {
  const Ui& ui = scene.ui;
  const float radius = ui.px(6), hair = std::max(1.f, std::floor(ui.scale()));
  Rgba ink = ui.theme.disabled;
  if (chip.masked) {
    ui.frame(box, ui.theme.border, hair, radius);
  } else if (row.tinted && std::isnan(chip.weight)) {
    ui.fill(box, ui.theme.nan, radius);
    ink = ink_on(ui.theme.nan);
  } else {
    // Below 5 % the chip keeps the control's grey: the map's dark end would look like a hole in the strip.
    const bool faint = chip.weight < 0.05f;
    const ColourScale scale{weights_map(ui.theme, scene.view.focus->colours), 0, 1};
    const Rgba ground = faint ? ui.theme.control : colour_of(scale, chip.weight);
    ui.fill(box, ground, radius);
    ink = faint ? ui.theme.text1 : ink_on(ground);
  }
  if (chip.is_key)
    ui.frame(box.grown(chip.is_query ? ui.px(6) : ui.px(3)), ui.theme.key, ui.px(2), radius + ui.px(3));
  if (chip.is_query) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), radius + ui.px(3));
  if (hovered && !chip.is_key && !chip.is_query)
    ui.frame(box.grown(ui.px(3)), ui.theme.text3, hair, radius + ui.px(3));
  ui.text(box.centre_x(), box.centre_y(), chip.label,
          {type::body, ink, Ink::Medium, Align::Centre, box.w - ui.px(8)});
}

void draw_chip(Scene& scene, const Box& box, const Row& row, const Chip& chip) {
  const Ui& ui = scene.ui;
  const std::string id = row.name + std::to_string(chip.index);
  const Ui::Touch touch = ui.touch(id.c_str(), box);
  draw_ground(scene, box, row, chip, touch.hovered);
  const Rgba number = chip.is_query ? ui.theme.query : chip.is_key ? ui.theme.key : ui.theme.text3;
  const Ink bold = chip.is_query || chip.is_key ? Ink::Semibold : Ink::Regular;
  if (row.answers_both)
    ui.text(box.centre_x(), box.y - ui.px(13), chip.number, {type::tick, number, bold, Align::Centre});
  if (row.tinted) {
    const std::string weight = chip.masked    ? "masked"
                               : chip.dropped ? "dropped"
                                              : in_cell(static_cast<double>(chip.weight));
    ui.text(box.centre_x(), box.bottom() + ui.px(13), weight,
            {type::tick, chip.masked ? ui.theme.disabled : ui.theme.text2, Ink::Regular, Align::Centre});
    if (touch.hovered) scene.next.hovered_token = chip.index;
  }
  if (touch.clicked) choose(scene, row, chip);
}

/// Which chips of a row are in sight: those from `first` on that fit between the dots of those that do not.
struct InSight {
  const std::vector<float>& widths;
  float gap, room, dots;

  std::int64_t count() const { return std::ssize(widths); }
  float step(std::int64_t i) const { return widths[static_cast<std::size_t>(i)] + gap; }
  bool is_all() const {
    float all = -gap;
    for (std::int64_t i = 0; i < count(); ++i) all += step(i);
    return all <= room;
  }
  /// The last one in sight when `first` is the first.
  std::int64_t last(std::int64_t first) const {
    const float left = room - (first > 0 ? 2 : 1) * dots;
    float used = 0;
    std::int64_t i = first;
    for (; i < count() && used + step(i) - gap <= left; ++i) used += step(i);
    return std::max(first, i - 1);
  }
  /// The first one when `last` ends within so much of the room.
  std::int64_t first_for(std::int64_t last, float within) const {
    std::int64_t first = std::clamp<std::int64_t>(last, 0, count() - 1);
    for (float used = 0; first > 0 && used + step(first) < within; --first) used += step(first);
    return first;
  }
};

/// The chip that the row begins with: where the wheel has moved it, but a newly chosen token comes into
/// sight.
std::int64_t first_chip(SentenceState& state, bool of_keys, const InSight& sight, std::int64_t anchor,
                        float wheel) {
  const std::size_t row = of_keys ? 1 : 0;
  std::int64_t& first = state.first[row];
  if (sight.is_all()) {
    first = 0;
    state.followed[row] = anchor;
    return 0;
  }
  constexpr float chips_of_a_notch = 2;
  first -= static_cast<std::int64_t>(std::lround(wheel * chips_of_a_notch));
  if (std::exchange(state.followed[row], anchor) != anchor) {
    if (anchor <= first) first = anchor - 1;
    if (anchor > sight.last(std::max<std::int64_t>(0, first)))
      first = sight.first_for(anchor, 0.75f * sight.room);
  }
  first = std::clamp<std::int64_t>(first, 0, sight.first_for(sight.count() - 1, sight.room - 3 * sight.dots));
  return first;
}

/// The chip that should be in sight: the token whose row or column is shown.
std::int64_t anchor_of(const Scene& scene, const Row& row) {
  const Cell cell = scene.selection.cell;
  if (!row.answers_both) return row.of_keys ? cell.key : cell.query;
  if (row.of_keys) return position_of(scene.result, scene.sequence(), cell.query);
  return cell.key - position_of(scene.result, scene.sequence(), 0);
}

/// The chips from the left end of the area, centred on `y`.
void draw_chips(Scene& scene, const Box& area, float y, const Row& row) {
  const Ui& ui = scene.ui;
  const std::int64_t count = row.of_keys ? scene.result.dimensions.keys : scene.result.dimensions.queries;
  const float gap = ui.px(12), tallest = ui.px(28);
  std::vector<Chip> chips;
  std::vector<float> widths;
  for (std::int64_t i = 0; i < count; ++i) {
    chips.push_back(chip_of(scene, row, i));
    // "masked" stands under a hidden chip and must not run into its neighbour.
    const std::string_view below = chips.back().masked ? "masked" : chips.back().dropped ? "dropped" : "";
    const float least = std::max(ui.px(32), ui.text_width(below, type::tick) - ui.px(6));
    const float request = ui.text_width(chips.back().label, type::body, Ink::Medium) + ui.px(20);
    widths.push_back(std::round(std::clamp(request, least, ui.px(200))));
  }
  float x = area.x;
  const Box reach{area.x, y - tallest, area.w, 2 * tallest};
  const ImGuiIO& io = ImGui::GetIO();
  const bool under_mouse = ImGui::IsWindowHovered() && reach.contains(io.MousePos);
  const InSight sight{widths, gap, area.w, ui.px(24)};
  const float wheel = under_mouse ? io.MouseWheel - io.MouseWheelH : 0;
  const std::int64_t first =
      first_chip(scene.view.keyboard.sentence, row.of_keys, sight, anchor_of(scene, row), wheel);
  if (first > 0) x += ui.text(x, y, "…", {type::body, ui.theme.text3}) + gap;
  for (std::int64_t i = first; i < count; ++i) {
    const float w = widths[static_cast<std::size_t>(i)];
    if (x + w > area.right() - (i + 1 < count ? ui.px(24) : 0)) {
      ui.text(x, y, "…", {type::body, ui.theme.text3});
      break;
    }
    const Box box{std::round(x), std::round(y - tallest / 2), w, tallest};
    draw_chip(scene, box, row, chips[static_cast<std::size_t>(i)]);
    x += w + gap;
  }
}

/// One row where queries and keys are the same text; else the queries over the keys, and only those tinted
/// that the direction asks about.
void draw_rows(Scene& scene, const Box& area) {
  const Ui& ui = scene.ui;
  const bool forward = scene.view.direction == Direction::QueryToKeys;
  if (!is_cross(scene.result)) {
    draw_chips(scene, area, area.centre_y(), {forward, true, true, "token "});
    return;
  }
  // The weights under the tinted row need room: below the keys, or between the rows.
  const float middle = area.centre_y(), names = ui.px(60);
  const float top = middle - ui.px(forward ? 28 : 32), bottom = middle + ui.px(forward ? 16 : 28);
  for (const bool keys : {false, true}) {
    const float y = std::round(keys ? bottom : top);
    ui.text(area.x, y, keys ? "keys" : "queries",
            {type::label, keys ? ui.theme.key : ui.theme.query, Ink::Medium});
    const Box rest{area.x + names, area.y, area.w - names, area.h};
    draw_chips(scene, rest, y, {keys, keys == forward, false, keys ? "key token " : "query token "});
  }
}

/// As wide as in the mock; wider for a longer text, and with the keyboard in it as far as the strip allows,
/// in steps, so that the chips do not move with every letter.
float width_of_fields(const Scene& scene, const Box& strip) {
  const Ui& ui = scene.ui;
  const float usual = ui.px(scene.compact ? 184 : 232);
  if (!has_text_field(scene)) return usual;
  float text = 0;
  for (std::size_t i = 0; i < std::min(most_fields, typed_texts(scene.document)); ++i)
    text = std::max(text, ui.text_width(own(typed_text(scene.document, i)), type::label));
  const bool wide = scene.view.keyboard.sentence.wide;
  const float step = ui.px(120), room = std::max(usual, std::floor(strip.w * (wide ? 0.62f : 0.3f)));
  const float needed = text + ui.px(16) <= usual ? usual : text + ui.px(28);
  const float request = wide ? std::ceil((text + ui.px(60)) / step) * step : needed;
  return std::clamp(std::round(request), usual, room);
}

/// The fields, one below the other, or what stands in their place.
void draw_fields(Scene& scene, const Box& first, std::size_t count) {
  const Ui& ui = scene.ui;
  SentenceState& sentence = scene.view.keyboard.sentence;
  sentence.active = false;
  if (scene.view.keyboard.wanted == Stop::Sentence && has_text_field(scene)) {
    scene.view.keyboard.wanted.reset();
    sentence.wanted = true;
    sentence.at_end = false;
    sentence.waited = 0;
    sentence.field = static_cast<std::size_t>(scene.sequence());
  }
  if (count > 0) sentence.field = std::min(sentence.field, count - 1);
  Box field = first;
  for (std::size_t i = 0; i < count; ++i, field.y += ui.px(36)) {
    if (has_text_field(scene)) {
      draw_text_field(scene, field, i);
      continue;
    }
    if (scene.document.input.is_given()) {
      draw_labels_field(scene, field, i);
      continue;
    }
    ui.frame(field, ui.theme.hairline, std::max(1.f, std::floor(ui.scale())), ui.px(6));
    ui.text(field.x + ui.px(10), field.centre_y(), "Vectors given as numbers",
            {type::label, ui.theme.text3, Ink::Regular, Align::Left, field.w - ui.px(20)});
  }
  // A click on a chip that takes the keyboard away must find the chip where it was.
  const bool click = ImGui::IsMouseDown(0) || ImGui::IsMouseReleased(0);
  sentence.wide = sentence.active || (sentence.wide && click);
}

}  // namespace

bool has_text_field(const Scene& scene) { return typed_texts(scene.document) > 0; }

void draw_token_strip(Scene& scene, const Box& strip) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(16), y = strip.centre_y();
  const float field_width = width_of_fields(scene, strip);
  const std::size_t texts = std::max(typed_texts(scene.document), scene.document.input.sequences.size());
  const std::size_t fields =
      std::min(has_text_field(scene) ? typed_texts(scene.document) : texts, most_fields);
  const float height = static_cast<float>(fields) * ui.px(36) - ui.px(8);
  draw_fields(scene, {strip.x + pad, std::round(y - height / 2), field_width, ui.px(28)}, fields);

  const float switch_width = ui.px(scene.compact ? 176 : 208);
  const Box direction{strip.right() - pad - switch_width, y - ui.px(14), switch_width, ui.px(28)};
  const std::array<std::string_view, 2> names =
      scene.compact ? std::array<std::string_view, 2>{"q → keys", "k ← queries"}
                    : std::array<std::string_view, 2>{"query → keys", "key ← queries"};
  const std::array<Tip, 2> tips{Tip{"Query → keys", {}, "Chips show the row of the chosen query.", "D"},
                                Tip{"Key ← queries", {}, "Chips show the column of the chosen key.", "D"}};
  if (const auto chosen = segments(ui, "Direction", direction, names, static_cast<int>(scene.view.direction),
                                   tips, {.text_size = scene.compact ? type::tick : type::label})) {
    scene.view.direction = static_cast<Direction>(*chosen);
  }
  const float left = strip.x + pad + field_width + ui.px(36);
  draw_rows(scene, {left, strip.y, direction.x - ui.px(20) - left, strip.h});
  if (!scene.view.refusal.empty())  // the chips are of the text as it was computed last
    ui.fill({left - ui.px(8), strip.y, direction.x - ui.px(8) - left, strip.h - 1},
            fade(ui.theme.canvas, 0.66f));
  ui.horizontal(strip.x, strip.bottom() - 1, strip.w, ui.theme.hairline);
}

}  // namespace attnscope
