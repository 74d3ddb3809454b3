// app/views/watch: the chosen head: its map with the followed row, the number of the chosen cell, and the
// head's scores beside those of uniform attention.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/number_words.hpp"
#include "app/views/model/parts.hpp"
#include "app/views/watch/parts.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {
namespace {

class WatchedHead {
 public:
  WatchedHead(WatchView& v, const Box& region)
      : v_(v), ui_(v.ui), region_(region), pad_(watch_pad(v.scene)) {}

  void draw() {
    draw_title();
    if (v_.head == nullptr) return;
    const float row = ui_.px(24), held = v_.state.held ? row : 0,
                below = ui_.px(56) + held + 4 * row + ui_.px(20);
    const float top = region_.y + watch_title_height(ui_), room = region_.bottom() - top;
    const bool has_numbers = room - below > ui_.px(120);
    const Box area{region_.x + pad_, top, region_.w - 2 * pad_,
                   has_numbers ? room - below : room - ui_.px(8)};
    const float bottom = draw_map(area);
    if (!has_numbers) return;
    float y = std::min(bottom + ui_.px(12), region_.bottom() - below);
    y = draw_number(y);
    if (v_.state.held) y = draw_held(y, row);
    draw_measures(y, row);
  }

 private:
  void draw_title() {
    const float y = region_.y + ui_.px(22), right = region_.right() - pad_;
    float x = region_.x + pad_;
    const std::string number = std::to_string(v_.state.head);
    const float wide = std::max(ui_.px(18), ui_.text_width(number, type::tick, Ink::Semibold) + ui_.px(8));
    const Rgba hue = ui_.theme.head(v_.state.head);
    badge(ui_, {x, std::round(y - ui_.px(8)), wide, ui_.px(16)}, number, hue, ink_on(hue));
    x += wide + ui_.px(8);
    const float open_wide =
        std::max(ui_.px(58), ui_.text_width("Open", type::label, Ink::Medium) + ui_.px(24));
    const Box open{right - open_wide, y - ui_.px(14), open_wide, ui_.px(28)};
    const std::string name = "Layer " + own(std::to_string(v_.state.layer)) + " · Head " + own(number);
    ui_.text(x, y, name, {type::body, ui_.theme.text1, Ink::Semibold, Align::Left, open.x - x - ui_.px(8)});
    if (v_.head != nullptr &&
        button(ui_, "Open", open,
               {"Open the watched layer in Explore",
                {},
                "Its queries, keys and values as they are now, with all controls. Undo goes back here; the "
                "process does not notice.",
                "Enter"}))
      watch_open_layer(v_.scene);
  }

  std::uint64_t content(const Box& box) const {
    std::uint64_t hash = mix_hash(v_.head->ticket, static_cast<std::uint64_t>(ui_.theme.name));
    hash = mix_hash(hash, static_cast<std::uint64_t>(watch_scale(v_.scene).map));
    if (v_.differs())
      hash = mix_hash(mix_hash(hash, std::uint64_t{1}), v_.held != nullptr ? v_.held->ticket : 0);
    return mix_hash(mix_hash(hash, box.w), box.h);
  }

  /// Returns its lower end.
  float draw_map(const Box& area) {
    const ShownWatchHead& head = *v_.head;
    const float left = ui_.px(44), top = ui_.px(22);
    const auto rows = static_cast<float>(head.rows()), keys = static_cast<float>(head.keys());
    const float side = std::min((area.h - top) / rows, (area.w - left) / keys);
    const Box map{area.x + left, area.y + top, std::max(ui_.px(24), std::floor(side * keys)),
                  std::max(ui_.px(4), std::floor(side * rows))};
    draw_axes(area, map);
    ui_.matrix("watch head map", content(map), map, [&](const Ui::UseJob& use) {
      if (v_.differs()) return paint_difference(map, side, use);
      RasterJob job = whole_matrix(ui_, head.weights.matrix(), colormap(watch_scale(v_.scene).map), map);
      if (side < ui_.px(14)) job.gap = 0;
      job.row_kinds = [&](std::int64_t row, std::span<CellKind> kinds) {
        const std::int64_t end = head.layer->end_of(head.first + row);
        for (std::size_t key = 0; key < kinds.size(); ++key)
          kinds[key] = static_cast<std::int64_t>(key) >= end ? CellKind::Masked : CellKind::Number;
      };
      use(job);
    });
    draw_prompt_line(map);
    draw_followed(map);
    take_cell(map);
    return map.bottom();
  }

  /// now − held; hatched where only one of the two has the cell, or none.
  void paint_difference(const Box& map, float side, const Ui::UseJob& use) const {
    const Shape& shape = v_.head->weights.shape();
    const std::vector<float> unknown(static_cast<std::size_t>(shape.count()),
                                     std::numeric_limits<float>::quiet_NaN());
    const Tensor difference =
        v_.held != nullptr ? held_difference(*v_.head, *v_.held) : Tensor(shape, unknown);
    RasterJob job = whole_matrix(ui_, difference.matrix(), colormap(ui_.theme.scores), map);
    if (side < ui_.px(14)) job.gap = 0;
    job.low = -1;
    job.high = 1;
    job.kind = [&](std::int64_t row, std::int64_t key) {
      return std::isnan(difference.data()[row * v_.head->keys() + key]) ? CellKind::Masked : CellKind::Number;
    };
    use(job);
  }

  std::int64_t row_here(std::int64_t position) const {
    return v_.head->layer->row_at(position) - v_.head->first;
  }

  void draw_axes(const Box& area, const Box& map) const {
    const ShownWatchHead& head = *v_.head;
    ui_.text(map.x - ui_.px(6), area.y + ui_.px(8), "key →",
             {type::tick, ui_.theme.key, Ink::Medium, Align::Right});
    ui_.text(map.x - ui_.px(6), map.y + ui_.px(4), "query ↓",
             {type::tick, ui_.theme.query, Ink::Medium, Align::Right});
    const float cell = map.w / static_cast<float>(head.keys()),
                line = map.h / static_cast<float>(head.rows());
    const float apart =
        std::max(ui_.px(26), ui_.text_width(std::to_string(head.keys()), type::tick) + ui_.px(8));
    std::int64_t step = 1;
    while (static_cast<float>(step) * cell < apart) step *= 2;
    for (std::int64_t key = 0; key < head.keys(); key += step)
      if (static_cast<float>(std::abs(key - v_.key)) * cell >= apart)
        ui_.text(map.x + (static_cast<float>(key) + 0.5f) * cell, area.y + ui_.px(8), std::to_string(key),
                 {type::tick, ui_.theme.text3, Ink::Regular, Align::Centre});
    if (v_.key >= 0)
      ui_.text(map.x + (static_cast<float>(v_.key) + 0.5f) * cell, area.y + ui_.px(8), std::to_string(v_.key),
               {type::tick, ui_.theme.key, Ink::Semibold, Align::Centre});
    const std::int64_t chosen = v_.state.mean ? -1 : row_here(v_.position);
    const float down = ui_.px(20);
    step = 1;
    while (static_cast<float>(step) * line < down) step *= 2;
    for (std::int64_t row = 0; row < head.rows(); row += step) {
      const float y = map.y + (static_cast<float>(row) + 0.5f) * line;
      const bool beside = chosen >= 0 && static_cast<float>(std::abs(row - chosen)) * line < down;
      if (beside || y < map.y + ui_.px(18)) continue;
      ui_.text(map.x - ui_.px(6), y, std::to_string(head.layer->position(head.first + row)),
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
    }
    const float y = map.y + (static_cast<float>(chosen) + 0.5f) * line;
    if (chosen >= 0 && y >= map.y + ui_.px(18))
      ui_.text(map.x - ui_.px(6), y, std::to_string(v_.position),
               {type::tick, ui_.theme.query, Ink::Semibold, Align::Right});
  }

  /// The line between the prompt and the generated tokens.
  void draw_prompt_line(const Box& map) const {
    const WatchedSnapshot& text = v_.text();
    if (v_.head->layer->kind == WatchKind::Encoder || text.prompt <= 0 || text.prompt >= text.rows) return;
    const std::int64_t row = row_here(text.prompt);
    if (row < 1) return;
    const float y = std::round(map.y + static_cast<float>(row) * map.h / static_cast<float>(v_.head->rows()));
    for (float x = map.x; x < map.right(); x += ui_.px(7))
      ui_.horizontal(x, y, std::min(ui_.px(4), map.right() - x), ui_.theme.text2);
    const float wide =
        std::max(ui_.text_width("prompt", type::tick), ui_.text_width("generated", type::tick));
    const float free = map.w * (1 - static_cast<float>(text.prompt) / static_cast<float>(v_.head->keys()));
    if (free < wide + ui_.px(16)) return;
    if (y - map.y > ui_.px(24))
      ui_.text(map.right() - ui_.px(4), y - ui_.px(10), "prompt",
               {type::tick, ui_.theme.text2, Ink::Regular, Align::Right});
    if (map.bottom() - y > ui_.px(28) && free > wide + ui_.px(40))
      ui_.text(map.right() - ui_.px(4), y + ui_.px(11), "generated",
               {type::tick, ui_.theme.text2, Ink::Regular, Align::Right});
  }

  void draw_followed(const Box& map) const {
    if (v_.state.mean || v_.row == nullptr) return;
    const std::int64_t row = row_here(v_.position);
    if (row < 0) return;
    const Box first = cell_box(map, row, 0, v_.head->rows(), v_.head->keys());
    const Box cell = cell_box(map, row, v_.key, v_.head->rows(), v_.head->keys());
    const float thick = std::max(1.f, ui_.px(1.5f));
    ui_.frame({map.x, first.y, map.w, std::max(ui_.px(3), first.h)}, ui_.theme.query, thick);
    ui_.frame(cell.grown(ui_.px(1)), ui_.theme.key, thick);
  }

  void take_cell(const Box& map) {
    const Ui::Touch touch = ui_.touch("watch map", map);
    if (!touch.pointed || !ImGui::IsMousePosValid()) return;
    const Cell cell = cell_at(map, ImGui::GetIO().MousePos, v_.head->rows(), v_.head->keys());
    const std::int64_t position = v_.head->layer->position(v_.head->first + cell.query);
    if (touch.clicked) {
      const bool newest = position == v_.head->layer->position(v_.head->layer->rows() - 1);
      v_.state.row = newest ? std::nullopt : std::optional(position);
      v_.state.key = cell.key;
      v_.state.mean = false;
    }
    const bool hidden = cell.key >= v_.head->layer->end_of(v_.head->first + cell.query);
    const float weight = v_.head->weights.data()[cell.query * v_.head->keys() + cell.key];
    tooltip(ui_, touch.hovered, cell_box(map, cell.query, cell.key, v_.head->rows(), v_.head->keys()),
            {own(v_.query_name(position)) + " → " + own(v_.key_name(cell.key)),
             hidden ? std::string("masked") : "α " + tight(static_cast<double>(weight)),
             {},
             {}},
            Clear::OfRowAndColumn);
  }

  float draw_number(float y) const {
    const float x = region_.x + pad_, right = region_.right() - pad_, middle = y + ui_.px(18);
    const std::string number =
        v_.row == nullptr || v_.key < 0 ? "–" : in_full(static_cast<double>(v_.row[v_.key]));
    float end =
        x +
        ui_.text(x, middle, number, {v_.scene.compact ? 24 : type::readout, ui_.theme.text1, Ink::Semibold}) +
        ui_.px(14);
    const std::string_view name = v_.state.mean ? "mean weight" : "weight";
    end += ui_.text(end, middle + ui_.px(2), name, {type::label, ui_.theme.text2}) + ui_.px(12);
    if (v_.key < 0) return y + ui_.px(44);
    // The two tokens, placed from the right.
    const float most = std::max(ui_.px(30), (right - end - ui_.px(40)) / 2);
    const auto chip = [&](float at, const std::string& words, Rgba hue) {
      const std::string shown = ui_.fitted(words, type::label, Ink::Medium, most - ui_.px(16));
      const float wide = ui_.text_width(shown, type::label, Ink::Medium) + ui_.px(16);
      const Box box{at - wide, middle - ui_.px(12), wide, ui_.px(24)};
      ui_.fill(box, fade(hue, 0.3f), ui_.px(6));
      ui_.text(box.centre_x(), middle, shown, {type::label, ui_.theme.text1, Ink::Medium, Align::Centre});
      return box.x;
    };
    if (right - end < ui_.px(90)) return y + ui_.px(44);
    const float left = chip(right, v_.key_name(v_.key), ui_.theme.key);
    if (v_.state.mean) return y + ui_.px(44);
    ui_.text(left - ui_.px(14), middle, "→", {type::label, ui_.theme.text3, Ink::Regular, Align::Centre});
    chip(left - ui_.px(28), v_.query_name(v_.position), ui_.theme.query);
    return y + ui_.px(44);
  }

  /// "held  0.4301   now − held  +0.1351", for the key that is looked at.
  float draw_held(float y, float row) const {
    const float x = region_.x + pad_, right = region_.right() - pad_,
                middle = std::round(y + row / 2 - ui_.px(4));
    const float held = v_.held_weight(), size = v_.scene.compact ? type::tick : type::label;
    std::string name = "held";
    if (v_.held == nullptr)
      name = has_held_head() ? "held: being computed" : "What is held has no such head.";
    else if (!v_.state.mean && v_.held_position != v_.position)
      name = "held, row " + own(std::to_string(v_.held_position));
    float end =
        x + ui_.text(x, middle, name, {size, ui_.theme.b, Ink::Medium, Align::Left, right - x}) + ui_.px(10);
    if (v_.held == nullptr) return y + row;
    end += ui_.text(end, middle, std::isnan(held) ? "–" : in_full(static_cast<double>(held)),
                    {size, ui_.theme.text1}) +
           ui_.px(16);
    if (std::isnan(held) || v_.row == nullptr || v_.key < 0) return y + row;
    const double difference = static_cast<double>(v_.row[v_.key]) - static_cast<double>(held);
    const std::string number = (difference > 0 ? "+" : "") + in_full(difference);
    const float wide = ui_.text_width(number, size, Ink::Medium);
    if (right - wide < end) return y + row;
    ui_.text(right, middle, number, {size, ui_.theme.text1, Ink::Medium, Align::Right});
    constexpr std::string_view words = "now − held";
    if (right - wide - ui_.px(10) - ui_.text_width(words, size) > end)
      ui_.text(right - wide - ui_.px(10), middle, words, {size, ui_.theme.text2, Ink::Regular, Align::Right});
    return y + row;
  }

  bool has_held_head() const {
    const WatchedLayer* const layer = v_.state.held->head->text->find(v_.state.layer);
    return layer != nullptr && layer->rows() > 0 && v_.state.head < layer->heads;
  }

  void measure(const Box& line, std::string_view name, double value, double uniform, const Tip& tip) const {
    const float y = line.centre_y(), right = line.right();
    const float bar_wide = std::min(ui_.px(92), line.w * 0.2f);
    const Box track{right - ui_.px(42) - bar_wide, std::round(y - ui_.px(3)), bar_wide, ui_.px(6)};
    const Ui::Touch touch = ui_.touch(("watched " + std::string(name)).c_str(), line, false);
    ui_.text(line.x, y, name,
             {type::label, ui_.theme.text2, Ink::Regular, Align::Left, track.x - line.x - ui_.px(8)});
    ui_.fill(track, ui_.theme.bar_ground, ui_.px(2));
    const auto share = [](double of) { return static_cast<float>(std::clamp(of, 0.0, 1.0)); };
    if (!std::isnan(value))
      ui_.fill({track.x, track.y, std::round(track.w * share(value)), track.h}, ui_.theme.bar, ui_.px(2));
    if (!std::isnan(value) && !std::isnan(uniform))
      ui_.vertical(std::round(track.x + track.w * share(uniform)), track.y - ui_.px(3), track.h + ui_.px(6),
                   ui_.theme.text2);
    ui_.text(right, y, std::isnan(value) ? "–" : fixed(value, 2),
             {type::label, ui_.theme.text1, Ink::Medium, Align::Right});
    tooltip(ui_, touch.hovered, line, tip);
  }

  void draw_measures(float y, float row) const {
    const float x = region_.x + pad_, wide = region_.w - 2 * pad_;
    ui_.horizontal(x, y, wide, ui_.theme.hairline);
    y += ui_.px(8);
    const WatchedMeasures& m = v_.head->measures;
    const auto line = [&] { return Box{x, std::exchange(y, y + row), wide, row}; };
    const auto uniform = [](const PatternScore& score) {
      return "uniform attention: " + fixed(score.uniform, 2);
    };
    measure(
        line(), "previous token", m.previous.score, m.previous.uniform,
        {"Previous token", uniform(m.previous), "The mean weight on the token before, over all rows.", {}});
    measure(line(), "first token", m.first.score, m.first.uniform,
            {"First token", uniform(m.first), "The mean weight on the first token, over all rows.", {}});
    measure(line(), "induction, by equal ids", m.induction.score, m.induction.uniform,
            {"Induction",
             uniform(m.induction),
             "The mean weight on what followed an equal token before. Without ids, or without a repetition, "
             "it is not known.",
             {}});
    const std::string name = v_.end > 1 && !v_.state.mean
                                 ? "entropy of the row ÷ ln " + own(std::to_string(v_.end))
                                 : "entropy ÷ ln n, mean";
    measure(line(), name, v_.state.mean ? m.normalised : v_.words.entropy, 1,
            {"Entropy",
             "H ÷ ln n; uniform attention: 1",
             "How evenly the weights are spread: 0 one key, 1 all alike.",
             {}});
  }

  WatchView& v_;
  const Ui& ui_;
  Box region_;
  float pad_;
};

}  // namespace

void draw_watch_head(WatchView& v, const Box& region) {
  v.ui.fill(region, v.ui.theme.panel);
  WatchedHead(v, region).draw();
  v.ui.vertical(region.x, region.y, region.h, v.ui.theme.hairline);
}

}  // namespace attnscope
