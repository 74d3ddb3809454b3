// app/views/watch: all heads of all layers, with the entropy of the newest row of every layer.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/state/model_look.hpp"
#include "app/views/model/parts.hpp"
#include "app/views/watch/grid_paint.hpp"
#include "app/views/watch/parts.hpp"

namespace attnscope {
namespace {

AttentionOf attention_of(WatchKind kind) {
  return kind == WatchKind::Encoder ? AttentionOf::Encoder
         : kind == WatchKind::Cross ? AttentionOf::Cross
                                    : AttentionOf::Decoder;
}

class WatchGrid {
 public:
  WatchGrid(WatchView& v, const Box& region) : v_(v), ui_(v.ui), region_(region), shown_(*v.shown.grid) {
    for (const ShownWatchLayer& layer : shown_.layers) of(attention_of(layer.layer->kind)).push_back(&layer);
    const float pad = watch_pad(v.scene), top = watch_title_height(ui_);
    const Box area{region.x + pad, region.y + top, region.w - 2 * pad, region.h - top - ui_.px(8)};
    plan_ = plan_layers(ui_, area, parts(), ui_.px(v.state.grid_scroll));
    const float most = std::max(0.f, plan_.height - plan_.window.h) / ui_.scale();
    if (v.state.grid_scroll > most) {
      v.state.grid_scroll = most;
      plan_ = plan_layers(ui_, area, parts(), ui_.px(most));
    }
  }

  void draw() {
    point();
    draw_title();
    draw_columns();
    draw_layers();
    draw_pictures();
    draw_marks();
  }

 private:
  std::vector<const ShownWatchLayer*>& of(AttentionOf which) {
    return which == AttentionOf::Encoder ? encoder_ : which == AttentionOf::Cross ? cross_ : decoder_;
  }

  std::vector<GridPart> parts() {
    std::vector<GridPart> parts;
    for (const AttentionOf which : {AttentionOf::Encoder, AttentionOf::Decoder, AttentionOf::Cross}) {
      if (of(which).empty()) continue;
      const WatchedLayer& first = *of(which).front()->layer;
      GridPart part{.of = which,
                    .heads = {},
                    .group = static_cast<int>(first.heads / std::max<std::int64_t>(1, first.kv_heads)),
                    .effects = true,
                    .queries = 1,
                    .keys = 1};
      for (const ShownWatchLayer* layer : of(which))
        part.heads.push_back(static_cast<int>(layer->layer->heads));
      // Square pictures: a strip of few rows would be hard to point at, and would grow with every pass.
      parts.push_back(std::move(part));
    }
    return parts;
  }

  bool by_maximum() const { return pools_by_maximum(v_.state, shown_.text->keys); }

  WatchPainter painter() const {
    return {.plan = plan_,
            .decoder = decoder_,
            .encoder = encoder_,
            .cross = cross_,
            .weights = colormap(watch_scale(v_.scene).map),
            .changes = colormap(ui_.theme.scores),
            .ground = ui_.theme.picture & 0x00FFFFFFu,
            .hidden = ui_.theme.hatch_ground,
            .nan = ui_.theme.nan,
            .colour = v_.state.colour,
            .by_maximum = by_maximum(),
            .held = v_.differs() ? v_.state.held->grid.get() : nullptr};
  }

  const GridPlan::Cell* cell_under(ImVec2 at) const {
    for (const GridPlan::Cell& cell : plan_.cells)
      if (cell.box.grown((plan_.pitch - plan_.side) / 2).contains(at)) return &cell;
    return nullptr;
  }

  /// The index of the followed row in the layer; that of the newest if the layer does not have it.
  std::int64_t followed_row(const WatchedLayer& layer) const {
    const std::int64_t row = v_.state.row ? layer.row_at(*v_.state.row) : -1;
    return row < 0 ? layer.rows() - 1 : row;
  }

  void point() {
    const Ui::Touch touch = ui_.touch("Watched heads", plan_.window);
    const ImGuiIO& io = ImGui::GetIO();
    if (touch.pointed && io.MouseWheel != 0 && plan_.height > plan_.window.h)
      v_.state.grid_scroll = std::max(0.f, v_.state.grid_scroll - io.MouseWheel * 48);
    if (!touch.pointed || !ImGui::IsMousePosValid()) return;
    const GridPlan::Cell* const cell = cell_under(io.MousePos);
    if (cell == nullptr) return;
    const ShownWatchLayer* const layer = painter().layer_of(cell->head);
    if (layer == nullptr) return;
    hovered_ = cell;
    if (touch.clicked) {
      v_.state.layer = layer->layer->index;
      v_.state.head = cell->head.head;
    }
    const float entropy = layer->entropy(cell->head.head, followed_row(*layer->layer));
    const std::string name = "Layer " + own(std::to_string(layer->layer->index)) + " · Head " +
                             own(std::to_string(cell->head.head));
    const std::string says =
        std::isnan(entropy) ? std::string() : "H ÷ ln n of the row " + fixed(static_cast<double>(entropy), 2);
    tooltip(ui_, touch.hovered, cell->box, {name, says, own(layer->layer->name), {}});
  }

  void draw_title() const {
    const Box line{region_.x + watch_pad(v_.scene), region_.y, region_.w - 2 * watch_pad(v_.scene),
                   watch_title_height(ui_)};
    const std::int64_t tokens = shown_.text->keys;
    std::string note = v_.state.paused ? "paused" : v_.is_live() ? "live" : "as it was last";
    note += " · " + counted(tokens, "token", "tokens");
    if (v_.differs())
      note += " · now − held";
    else if (v_.state.colour == WatchColour::Pattern)
      note += " · newest row at the bottom";
    const bool is_pooled = shown_.layers.front().pictures.keys_per_cell > 1;
    if (is_pooled && v_.state.colour != WatchColour::Change && !v_.differs())
      note += by_maximum() ? " · largest of each cell" : " · mean of each cell";
    if (shown_.text->sequences > 1)
      note += " · " + fmt::format("sequence {} of {}", own(std::to_string(shown_.text->sequence)),
                                  own(std::to_string(shown_.text->sequences)));
    ColourScale scale = watch_scale(v_.scene);
    const bool change = v_.differs() || v_.state.colour == WatchColour::Change;
    if (change) scale = {ui_.theme.scores, -1, 1, true};
    const float end = line.w < ui_.px(380)  // title and ramp need that room
                          ? line.right()
                          : draw_watch_switch(v_, line.right(), line.y + ui_.px(22)) - ui_.px(16);
    const float left = draw_small_ramp(ui_, "watch ramp", end, line.y + ui_.px(22), scale, 1,
                                       change ? "−1" : "0", "1", ui_.px(v_.scene.compact ? 48 : 72));
    draw_region_title(ui_, line, "All heads", note, left - ui_.px(12));
  }

  bool is_chosen(const GridPlan::Layer& layer) const {
    const ShownWatchLayer* const shown = painter().layer_of({layer.of, layer.block, 0});
    return shown != nullptr && shown->layer->index == v_.state.layer;
  }

  void draw_columns() const {
    float widest = 0, end = -1e9f;
    for (const GridPlan::Column& column : plan_.columns)
      widest = std::max(widest, ui_.text_width(std::to_string(column.head), type::tick));
    for (const GridPlan::Column& column : plan_.columns) {
      if (column.head == 0) end = -1e9f;
      if (column.x - widest / 2 < end + ui_.px(3)) continue;
      end = column.x + widest / 2;
      ui_.text(column.x, column.y, std::to_string(column.head),
               {type::tick, ui_.theme.text2, Ink::Regular, Align::Centre});
    }
    for (const GridPlan::Line& line : plan_.lines)
      ui_.horizontal(line.x, line.y, line.width, ui_.theme.border);
    for (const GridPlan::Title& part : plan_.parts) {
      if (part.text != "effect") {
        ui_.text(part.x, part.y, part.text, {type::label, ui_.theme.text2, Ink::Medium});
        continue;
      }
      const float room = std::min(part.room, region_.right() - watch_pad(v_.scene) - part.x);
      std::string_view name = v_.state.mean ? "mean entropy" : "entropy of the row";
      if (ui_.text_width(name, type::tick) > room) name = "entropy";
      if (ui_.text_width(name, type::tick) <= room)
        ui_.text(part.x, part.y, name, {type::tick, ui_.theme.text2});
    }
  }

  void draw_layers() const {
    float end = -1e9f, above = -1e9f;
    for (const GridPlan::Layer& layer : plan_.layers) {
      if (layer.band.y <= above) end = -1e9f;
      above = layer.band.y;
      if (layer.band.bottom() < plan_.window.y + ui_.px(4) ||
          layer.band.y > plan_.window.bottom() - ui_.px(4))
        continue;
      const bool chosen = is_chosen(layer);
      const float y = layer.band.centre_y();
      if (chosen) ui_.fill(layer.band, fade(ui_.theme.text1, 0.06f), ui_.px(6));
      const ShownWatchLayer* const shown = painter().layer_of({layer.of, layer.block, 0});
      if (shown == nullptr || (!chosen && y - ui_.px(7) < end)) continue;
      end = y + ui_.px(7);
      ui_.text(layer.number, y, std::to_string(shown->layer->index),
               {type::tick, chosen ? ui_.theme.query : ui_.theme.text2, chosen ? Ink::Semibold : Ink::Regular,
                Align::Right});
      if (layer.effect.w > 0) draw_entropy(layer.effect, y, *shown, chosen);
    }
  }

  void draw_entropy(const Box& box, float y, const ShownWatchLayer& shown, bool chosen) const {
    const float room = ui_.px(34);
    const Box track{box.x, std::round(y - ui_.px(4)), std::max(ui_.px(12), box.w - room), ui_.px(8)};
    ui_.fill(track, ui_.theme.bar_ground, ui_.px(2));
    const float value = v_.state.mean ? shown.mean_entropy : shown.entropy_of_row(followed_row(*shown.layer));
    if (!std::isnan(value))
      ui_.fill({track.x, track.y, std::max(ui_.px(1), std::round(track.w * value)), track.h},
               chosen ? ui_.theme.query : ui_.theme.bar, ui_.px(2));
    ui_.text(track.right() + ui_.px(8), y, std::isnan(value) ? "–" : in_cell(static_cast<double>(value)),
             {type::tick, chosen ? ui_.theme.text1 : ui_.theme.text2, chosen ? Ink::Medium : Ink::Regular});
  }

  void draw_pictures() const {
    if (plan_.window.w < 1 || plan_.window.h < 1) return;
    std::uint64_t content = mix_hash(shown_.ticket, static_cast<std::uint64_t>(v_.state.colour));
    content = mix_hash(content, static_cast<std::uint64_t>(by_maximum() ? 1 : 0));
    content = mix_hash(content, v_.differs() ? v_.state.held->grid->ticket : 0);
    content = mix_hash(content, static_cast<std::uint64_t>(watch_scale(v_.scene).map));
    content = mix_hash(content, static_cast<std::uint64_t>(ui_.theme.name));
    for (const float number : {plan_.side, plan_.pitch, plan_.window.x, plan_.window.y, plan_.window.w,
                               plan_.window.h, v_.state.grid_scroll})
      content = mix_hash(content, number);
    ui_.picture("watched heads", content, plan_.window, [this] { return painter().paint(); });
  }

  void draw_marks() const {
    for (const GridPlan::Cell& cell : plan_.cells) {
      if (cell.box.bottom() > plan_.window.bottom() + 1 || cell.box.y < plan_.window.y - 1) continue;
      const ShownWatchLayer* const shown = painter().layer_of(cell.head);
      if (shown == nullptr) continue;
      const bool chosen = shown->layer->index == v_.state.layer && cell.head.head == v_.state.head;
      if (&cell == hovered_ && !chosen)
        ui_.frame(cell.box.grown(ui_.px(2)), ui_.theme.text3, ui_.px(1), ui_.px(4));
      if (chosen) ui_.frame(cell.box.grown(ui_.px(2)), ui_.theme.query, ui_.px(2), ui_.px(4));
    }
    if (plan_.height <= plan_.window.h) return;
    const float share = plan_.window.h / plan_.height;
    const Box track{region_.right() - ui_.px(7), plan_.window.y, ui_.px(4), plan_.window.h};
    ui_.fill(
        {track.x, track.y + track.h * ui_.px(v_.state.grid_scroll) / plan_.height, track.w, track.h * share},
        ui_.theme.border, ui_.px(2));
  }

  WatchView& v_;
  const Ui& ui_;
  Box region_;
  const ShownWatchGrid& shown_;
  std::vector<const ShownWatchLayer*> decoder_, encoder_, cross_;
  GridPlan plan_;
  const GridPlan::Cell* hovered_ = nullptr;
};

}  // namespace

void draw_watch_grid(WatchView& v, const Box& region) {
  v.ui.fill(region, v.ui.theme.picture);
  if (v.shown.grid && !v.shown.grid->layers.empty()) return WatchGrid(v, region).draw();
  const std::string_view why = v.shown.trouble.empty()
                                   ? std::string_view("The weights of the first pass are being computed.")
                                   : std::string_view(v.shown.trouble);
  v.ui.text(region.centre_x(), region.centre_y(), why,
            {type::body, v.ui.theme.text2, Ink::Regular, Align::Centre, region.w - v.ui.px(32)});
}

}  // namespace attnscope
