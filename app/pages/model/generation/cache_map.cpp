// app/pages/model: the key/value cache as a picture, layers down and positions across: the weight that the
// predicting row puts on each position, and the column that its own token writes.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/generation/parts.hpp"
#include "app/state/regions/focus_state.hpp"
#include "core/models/opened/model_cost.hpp"

namespace attnscope {
namespace {

class CacheMap {
 public:
  CacheMap(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        reading_(*scene.model),
        generation_(*scene.model->generation),
        spec_(reading_.within.model->model->spec),
        blocks_(std::ssize(spec_.decoder->blocks)),
        region_(region) {
    scale_ = {.map = weights_map(ui_.theme, focus_of(scene.view).colours), .low = 0, .high = largest()};
  }

  void draw() {
    ui_.fill(region_, ui_.theme.panel);
    ui_.horizontal(region_.x, region_.y, region_.w, ui_.theme.hairline);
    const float pad = region_pad(scene_);
    const Box line{region_.x + pad, region_.y, region_.w - 2 * pad, title_height(ui_)};
    const float right = draw_small_ramp(ui_, "cache ramp", line.right(), line.y + ui_.px(22), scale_,
                                        scale_.high, "0", high_words(), ui_.px(scene_.compact ? 48 : 72)) -
                        ui_.px(12);
    draw_region_title(ui_, line, "Key/value cache", note(), right);
    const float left = ui_.px(24), below = ui_.px(24);
    const Box area{line.x + left, line.bottom(), line.w - left, region_.bottom() - line.bottom() - below};
    if (area.w < ui_.px(80) || area.h < ui_.px(24) || generation_.rows == 0) return;
    cell_ = std::clamp(std::floor(area.w / static_cast<float>(generation_.rows)), 1.f, ui_.px(40));
    // A text that is wider than the region ends at its right edge.
    shown_ = std::min(generation_.rows, static_cast<std::int64_t>(area.w / cell_));
    first_ = std::clamp<std::int64_t>(generation_.row + 1 - shown_, 0, generation_.rows - shown_);
    if (generation_.row < shown_) first_ = 0;
    map_ = {area.x, area.y, cell_ * static_cast<float>(shown_), area.h};
    draw_cells();
    draw_layers();
    draw_positions();
    take_mouse();
  }

 private:
  std::string note() const {
    const LayerSpec& block = spec_.decoder->blocks.front();
    std::string words =
        "what “" + row_name(reading_, generation_.row) + "” reads: mean weight over the heads of a layer";
    if (block.kv_heads != block.heads && !scene_.compact)
      words += "  ·  " + std::to_string(block.heads) + " heads share " +
               counted(block.kv_heads, "key and value", "keys and values");
    return words;
  }

  bool has_reads() const { return generation_.reads.size() > 0; }
  float read_at(std::int64_t block, std::int64_t position) const {
    return generation_.reads.data()[block * generation_.rows + position];
  }
  /// The first position gets the largest weight in nearly every layer: colours end at the largest of the
  /// others.
  float largest() const {
    float most = 0;
    for (std::int64_t b = 0; has_reads() && b < blocks_; ++b)
      for (std::int64_t p = 1; p <= generation_.row; ++p) most = std::max(most, read_at(b, p));
    return most > 0 ? most : 1;
  }

  /// The upper end of the ramp, marked if the first position is beyond it.
  std::string high_words() const {
    bool beyond = false;
    for (std::int64_t b = 0; has_reads() && b < blocks_; ++b) beyond = beyond || read_at(b, 0) > scale_.high;
    return (beyond ? "≥ " : "") + in_cell(static_cast<double>(scale_.high));
  }

  Box cell(std::int64_t block, std::int64_t position) const {
    const auto at = [&](std::int64_t i) {
      return std::round(map_.y + map_.h * static_cast<float>(i) / static_cast<float>(blocks_));
    };
    const float x = map_.x + cell_ * static_cast<float>(position - first_);
    return {x, at(block), cell_, at(block + 1) - at(block)};
  }
  /// The number of positions that the row sees.
  std::int64_t seen(std::int64_t block) const {
    return keys_of_row(*spec_.decoder, spec_.decoder->blocks[static_cast<std::size_t>(block)],
                       generation_.row, generation_.rows);
  }
  /// Whether the row sees the position: with a window only the last ones.
  bool is_read(std::int64_t block, std::int64_t position) const {
    return position > generation_.row - seen(block);
  }

  void draw_cells() {
    const std::int64_t last = std::min(first_ + shown_, generation_.row + 1);
    const float gap = cell_ >= ui_.px(8) ? 1.f : 0.f;
    for (std::int64_t b = 0; b < blocks_; ++b) {
      for (std::int64_t p = first_; p < last; ++p) {
        Box box = cell(b, p);
        box.w -= gap;
        if (box.h >= ui_.px(5)) box.h -= 1;
        const Rgba colour =
            !has_reads() || !is_read(b, p) ? ui_.theme.control : colour_of(scale_, read_at(b, p));
        ui_.fill(box, colour);
      }
    }
    // Positions that are not written yet, or not any more after going back.
    if (last < first_ + shown_) {
      const Box box{cell(0, last).x, map_.y, map_.right() - cell(0, last).x, map_.h};
      ui_.frame(box, ui_.theme.border, std::max(1.f, std::floor(ui_.scale())), ui_.px(3));
    }
    const Box own = cell(0, generation_.row);
    if (generation_.row >= first_ && generation_.row < first_ + shown_)
      ui_.frame(Box{own.x, map_.y, own.w - gap, map_.h}.grown(ui_.px(2)), ui_.theme.query, ui_.px(2),
                ui_.px(3));
    if (generation_.first > first_ && generation_.first < first_ + shown_)
      ui_.vertical(cell(0, generation_.first).x - gap, map_.y - ui_.px(6), map_.h + ui_.px(12),
                   ui_.theme.text3);
  }

  void draw_layers() {
    const float one = map_.h / static_cast<float>(blocks_);
    const auto every = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(ui_.px(16) / one)));
    for (std::int64_t b = 0; b < blocks_; b += every)
      ui_.text(map_.x - ui_.px(8), cell(b, 0).centre_y(), std::to_string(b),
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
  }

  void draw_positions() {
    // The written column is always labelled, the others from the left as far as they fit.
    const float y = map_.bottom() + ui_.px(13);
    float taken_from = 0, taken_to = -1;
    const auto draw = [&](std::int64_t p, Rgba ink, Ink weight, float least) {
      const std::string name = row_name(reading_, p);
      const float half = ui_.text_width(name, type::tick, weight) / 2;
      const float x =
          std::clamp(cell(0, p).centre_x(), map_.x + half, std::max(map_.x + half, region_.right() - half));
      if (x - half < least || (taken_to > taken_from && x + half > taken_from && x - half < taken_to))
        return least;
      ui_.text(x, y, name, {type::tick, ink, weight, Align::Centre});
      return x + half + ui_.px(8);
    };
    if (generation_.row >= first_ && generation_.row < first_ + shown_) {
      const float half =
          ui_.text_width(row_name(reading_, generation_.row), type::tick, Ink::Semibold) / 2 + ui_.px(8);
      draw(generation_.row, ui_.theme.query, Ink::Semibold, 0);
      const float x = cell(0, generation_.row).centre_x();
      taken_from = x - half;
      taken_to = x + half;
    }
    float least = map_.x - ui_.px(8);
    for (std::int64_t p = first_; p < first_ + shown_; ++p)
      if (p != generation_.row)
        least = draw(p, p > generation_.row ? ui_.theme.disabled : ui_.theme.text3, Ink::Regular, least);
  }

  void take_mouse() {
    const Ui::Touch touch = ui_.touch("Key/value cache", map_);
    if (touch.focused) ui_.frame(map_.grown(ui_.px(3)), ui_.theme.query, ui_.px(2), ui_.px(4));
    if (!touch.pointed || !has_reads()) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const std::int64_t p = first_ + static_cast<std::int64_t>((mouse.x - map_.x) / cell_);
    const auto b = std::clamp<std::int64_t>(
        static_cast<std::int64_t>((mouse.y - map_.y) / map_.h * static_cast<float>(blocks_)), 0, blocks_ - 1);
    if (p < 0 || p >= generation_.rows) return;
    const Box box = cell(b, p);
    ui_.frame(box, ui_.theme.text1, std::max(1.f, ui_.px(1)));
    const std::string title =
        "layer " + std::to_string(b) + ", position " + std::to_string(p) + " " + row_name(reading_, p);
    std::string numbers = "not written yet";
    if (p <= generation_.row && !is_read(b, p)) numbers = "outside of this layer's window: not read any more";
    if (p <= generation_.row && is_read(b, p)) {
      numbers = "mean weight " + tight(static_cast<double>(read_at(b, p))) + ", uniform " +
                tight(1.0 / static_cast<double>(seen(b)));
    }
    tooltip(ui_, touch.hovered, box, {title, numbers, "A click looks at the layer and at this key.", {}},
            Clear::OfRowAndColumn);
    if (!touch.clicked || p > generation_.row) return;
    look_at(scene_, {AttentionOf::Decoder, static_cast<int>(b),
                     std::min<std::int64_t>(scene_.selection.head,
                                            heads_in(spec_, AttentionOf::Decoder, static_cast<int>(b)) - 1)});
    model_state_of(scene_.view).locked = true;
    scene_.next.cell = Cell{generation_.row, p};
    scene_.next.locked = true;
  }

  Scene& scene_;
  const Ui& ui_;
  const ModelReading& reading_;
  const GenerationReading& generation_;
  const ModelSpec& spec_;
  std::int64_t blocks_;
  Box region_;
  ColourScale scale_;
  Box map_;
  float cell_ = 1;
  std::int64_t first_ = 0, shown_ = 0;
};

}  // namespace

void draw_generation_cache(Scene& scene, const Box& region) {
  if (generation_place(scene)) return CacheMap(scene, region).draw();
  scene.ui.fill(region, scene.ui.theme.panel);
  scene.ui.horizontal(region.x, region.y, region.w, scene.ui.theme.hairline);
}

}  // namespace attnscope
