// app/views/watch: the tokens that the process has read or written, coloured by the followed row.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/token_look.hpp"
#include "app/views/watch/parts.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {
namespace {

struct WatchChip {
  std::int64_t at = 0;
  std::string name;
  float width = 0;
};

class WatchStrip {
 public:
  WatchStrip(WatchView& v, const Box& area) : v_(v), ui_(v.ui), area_(area) {}

  void draw() {
    plan();
    const float gap = ui_.px(12), dots = ui_.px(20);
    float x = area_.x;
    for (std::size_t i = 0; i < chips_.size(); ++i) {
      const bool skips = i > 0 && chips_[i].at != chips_[i - 1].at + 1;
      if (skips) {
        ui_.text(x + dots / 2 - gap / 2, area_.centre_y(), "…",
                 {type::label, ui_.theme.text3, Ink::Regular, Align::Centre});
        x += dots;
      }
      draw_chip(chips_[i], {x, area_.centre_y() - ui_.px(14), chips_[i].width, ui_.px(28)});
      x += chips_[i].width + gap;
    }
  }

  bool by_key() const { return token_look_of(v_.scene.view).direction == Direction::KeyToQueries; }

 private:
  std::int64_t count() const { return by_key() ? v_.position + 1 : v_.end; }

  WatchChip chip(std::int64_t at) const {
    WatchChip made{at, by_key() ? v_.query_name(at) : v_.key_name(at), 0};
    made.name = ui_.fitted(made.name, type::label, Ink::Medium, ui_.px(96));
    made.width =
        std::max(ui_.px(34), std::round(ui_.text_width(made.name, type::label, Ink::Medium) + ui_.px(20)));
    return made;
  }

  /// Places all tokens, or the first ones and, after dots, those up to the newest.
  void plan() {
    const float gap = ui_.px(12), dots = ui_.px(20);
    const std::int64_t n = count();
    if (n <= 0) return;
    const WatchChip first = chip(0);
    std::vector<WatchChip> tail;
    float wide = first.width;
    std::int64_t at = n - 1;
    for (; at > 0; --at) {
      const WatchChip next = chip(at);
      if (wide + gap + next.width + (at > 1 ? dots : 0) > area_.w) break;
      wide += gap + next.width;
      tail.push_back(next);
    }
    std::ranges::reverse(tail);
    // The key that is looked at is placed between them if it would be out of sight.
    const std::int64_t key = by_key() ? -1 : v_.state.key.value_or(v_.words.largest_key);
    if (at > 0 && key > 0 && key <= at) {
      const WatchChip there = chip(key);
      wide += gap + there.width + dots;
      while (!tail.empty() && wide + dots > area_.w) {
        wide -= gap + tail.front().width;
        tail.erase(tail.begin());
      }
      tail.insert(tail.begin(), there);
    }
    chips_.push_back(first);
    chips_.insert(chips_.end(), tail.begin(), tail.end());
  }

  /// The weight of a token in the followed row; negative: not known.
  float weight(std::int64_t at) const {
    if (!by_key()) return v_.row == nullptr ? -1.f : v_.row[at];
    const float* const row = v_.head->at(at);
    return row == nullptr || v_.key < 0 ? -1.f : row[v_.key];
  }

  void draw_chip(const WatchChip& chip, const Box& box) {
    const std::string label = "watch token " + std::to_string(chip.at);
    const Ui::Touch touch = ui_.touch(label.c_str(), box);
    const float w = weight(chip.at);
    const bool is_query = !v_.state.mean && chip.at == v_.position, is_key = chip.at == v_.key;
    const Rgba ground = w < 0 ? ui_.theme.control : colour_of(watch_scale(v_.scene), w);
    ui_.fill(box, ground, ui_.px(6));
    ui_.frame(box, ui_.theme.border, std::max(1.f, std::floor(ui_.scale())), ui_.px(6));
    if (is_query) ui_.frame(box.grown(ui_.px(2)), ui_.theme.query, ui_.px(2), ui_.px(8));
    if (is_key) ui_.frame(box.grown(ui_.px(is_query ? 5 : 2)), ui_.theme.key, ui_.px(2), ui_.px(8));
    if (touch.focused) ui_.frame(box.grown(ui_.px(4)), ui_.theme.text1, ui_.px(1), ui_.px(9));
    ui_.text(box.centre_x(), box.centre_y(), chip.name,
             {type::label, w < 0 ? ui_.theme.text2 : ink_on(ground), Ink::Medium, Align::Centre});
    const Rgba ink = is_key ? ui_.theme.key : is_query ? ui_.theme.query : ui_.theme.text3;
    ui_.text(box.centre_x(), box.y - ui_.px(10), std::to_string(chip.at),
             {type::tick, ink, is_key || is_query ? Ink::Semibold : Ink::Regular, Align::Centre});
    if (w >= 0)
      ui_.text(box.centre_x(), box.bottom() + ui_.px(11), in_cell(static_cast<double>(w)),
               {type::tick, is_key ? ui_.theme.text1 : ui_.theme.text2, is_key ? Ink::Medium : Ink::Regular,
                Align::Centre});
    take(chip, box, touch, w);
  }

  void take(const WatchChip& chip, const Box& box, const Ui::Touch& touch, float w) {
    if (touch.pointed && !by_key()) v_.state.pointed_next = chip.at;
    if (touch.clicked) {
      if (by_key()) {
        v_.state.row = chip.at;
        v_.state.mean = false;
      } else {
        v_.state.key = chip.at;
      }
    }
    const std::string place = "position " + own(std::to_string(chip.at));
    tooltip(
        ui_, touch.hovered, box,
        {by_key() ? v_.query_name(chip.at) : v_.key_name(chip.at),
         place,
         w < 0 ? std::string_view("This row is not known: the call that had it was dropped.")
               : std::string_view("The weight of the followed row stands below; a click keeps the token."),
         {}});
  }

  WatchView& v_;
  const Ui& ui_;
  Box area_;
  std::vector<WatchChip> chips_;
};

/// The model that the process runs, and that the process is connected.
void draw_source(const WatchView& v, const Box& box) {
  const Ui& ui = v.ui;
  using State = WatchConnection::State;
  const StreamFacts& facts = v.connection().facts;
  const bool none = v.connection().state == State::Listening;
  ui.fill(box, none ? ui.theme.panel : ui.theme.control, ui.px(6));
  if (none) ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(6));
  ui.disc({box.x + ui.px(14), std::round(box.centre_y())}, ui.px(4),
          v.is_live() ? ui.theme.value : ui.theme.text3);
  std::string size;
  if (facts.layers > 0 && facts.heads > 0)
    size = own(std::to_string(facts.layers) + " × " + std::to_string(facts.heads));
  const float wide = ui.text(box.right() - ui.px(12), box.centre_y(), size,
                             {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  const std::string name = none ? "no process" : facts.module.empty() ? "–" : own(facts.module);
  ui.text(box.x + ui.px(28), box.centre_y(), name,
          {type::label, none ? ui.theme.text2 : ui.theme.text1, Ink::Medium, Align::Left,
           box.w - ui.px(48) - wide});
}

/// Empty places for the tokens.
void draw_places(const Ui& ui, const Box& area) {
  const float side = ui.px(52), gap = ui.px(12);
  for (int i = 0; i < 9; ++i) {
    const Box box{area.x + static_cast<float>(i) * (side + gap), area.centre_y() - ui.px(14), side,
                  ui.px(28)};
    if (box.right() > area.right()) break;
    ui.frame(box, ui.theme.hairline, std::max(1.f, std::floor(ui.scale())), ui.px(6));
    ui.text(box.centre_x(), box.y - ui.px(10), std::to_string(i),
            {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
  }
}

}  // namespace

void draw_watch_strip(Scene& scene, const Box& strip) {
  const Ui& ui = scene.ui;
  WatchView v = watch_view(scene);
  const float pad = ui.px(16), y = strip.centre_y(), field = ui.px(scene.compact ? 184 : 232);
  draw_source(v, {strip.x + pad, std::round(y - ui.px(14)), field, ui.px(28)});
  const std::array<std::string_view, 2> names =
      scene.compact ? std::array<std::string_view, 2>{"q → keys", "k ← queries"}
                    : std::array<std::string_view, 2>{"query → keys", "key ← queries"};
  const float text_size = scene.compact ? type::tick : type::label;
  const float wide = std::max(ui.px(scene.compact ? 176 : 208), segments_width(ui, names, text_size));
  const Box direction{strip.right() - pad - wide, y - ui.px(14), wide, ui.px(28)};
  const std::array<Tip, 2> tips{
      Tip{"Query → keys", {}, "Chips show the row that is followed.", {}},
      Tip{"Key ← queries", {}, "Chips show what every row gives the chosen key.", {}}};
  if (const auto chosen =
          segments(ui, "Direction", direction, names, static_cast<int>(token_look_of(scene.view).direction),
                   tips, {.text_size = text_size, .disabled = v.head == nullptr ? 2u : 0u}))
    token_look_of(scene.view).direction = static_cast<Direction>(*chosen);
  const float left = strip.x + pad + field + ui.px(36);
  const Box area{left, strip.y, direction.x - ui.px(20) - left, strip.h};
  if (v.head == nullptr)
    draw_places(ui, area);
  else if (area.w > ui.px(60))
    WatchStrip(v, area).draw();
  ui.horizontal(strip.x, strip.bottom() - 1, strip.w, ui.theme.hairline);
}

}  // namespace attnscope
