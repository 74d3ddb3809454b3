// app/views/model: one enlarged head of the model, the locked one or the one under the mouse; below it its
// measures beside chance.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/state/model_look.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/views/model/go_to_head.hpp"
#include "app/views/model/grid_colours.hpp"
#include "app/views/model/head_map.hpp"
#include "app/views/model/head_score_rows.hpp"
#include "app/views/model/parts.hpp"
#include "app/views/parts/heat_map.hpp"
#include "app/views/parts/map_parts.hpp"
#include "core/attention/run_stage.hpp"
#include "core/models/changes.hpp"

namespace attnscope {
namespace {

/// The panel of one frame.
class HeadPanel {
 public:
  HeadPanel(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        reading_(*scene.model),
        spec_(reading_.within.model->model->spec),
        region_(region),
        pad_(region_pad(scene)),
        head_(attnscope::shown_head(scene)) {}

  void draw_without_scores() {
    ui_.fill(region_, ui_.theme.panel);
    draw_title();
    const float side = ui_.px(scene_.compact ? 8 : 12);
    const Box map{region_.x + side, region_.y + title_height(ui_), region_.w - 2 * side,
                  region_.h - title_height(ui_)};
    if (map.h >= ui_.px(80)) draw_map(map);
  }

  /// Whether the layer on screen is the block of this head, run with the same tokens.
  bool is_layer_on_screen() const {
    const LayerResult& result = scene_.result;
    if (result.is_long() || result.dimensions.batch != 1) return false;
    const ModelContext& within = result.document.within.read();
    const ModelRun& run = *shown_run(scene_);
    return within && within.of == head_.of && within.block == head_.block &&
           within.input == reading_.within.input && result.dimensions.heads > head_.head &&
           result.dimensions.queries == rows_of(run, head_.of);
  }

  void draw_map(const Box& area, bool all_names = true) {
    const CellValue value = model_look_of(scene_.view).value;
    // For a long text the map of the layer, from 0 to 1, would show almost nothing.
    const bool is_dark = !focus_of(scene_.view).log && high_of_weights(scene_.result.dimensions.keys) < 1;
    if (value == CellValue::Weight && is_layer_on_screen() && !model_look_of(scene_.view).without_changes &&
        (!is_dark || scene_.result.is_long())) {
      // The pattern of a muted head is still shown.
      const Document& layer = scene_.result.document;
      const bool muted = changed_to(HeadChange::Kind::Zero) || changed_to(HeadChange::Kind::Mean);
      const HeatMapStyle style{.wide_strip = false,
                               .strips = false,
                               .all_names = all_names,
                               .plane = Plane(muted ? own_weights_stage(layer) : weights_stage(layer)),
                               .name = "model map",
                               .short_names = true};
      draw_heat_map(scene_, area, 0, style);
      return say_scale_over(area, style, colour_scale(scene_, *style.plane, head_.head));
    }
    draw_preview(area, value, all_names);
  }

  void draw() {
    ui_.fill(region_, ui_.theme.panel);
    ui_.vertical(region_.x, region_.y, region_.h, ui_.theme.hairline);
    draw_title();
    const float row = ui_.px(scene_.compact ? 20 : 24);
    HeadScoreRows scores_below(scene_, head_);
    const bool offers = offers_strongest(region_.h - title_height(ui_) - scores_below.height(row) - row);
    const auto room_of_map = [&] {
      return Box{region_.x + ui_.px(scene_.compact ? 8 : 12), region_.y + title_height(ui_),
                 region_.w - ui_.px(scene_.compact ? 16 : 28),
                 region_.h - title_height(ui_) - scores_below.height(row) - (offers ? row : 0) -
                     ui_.px(6)};  // for the mark of the last row
    };
    // In a low window first all names but those of the chosen cell are left out, then scores.
    const bool all_names = is_picture_large(room_of_map(), true);
    while (!is_picture_large(room_of_map(), all_names) && scores_below.leave_one_out()) {
    }
    const float scores = scores_below.height(row) + (offers ? row : 0);
    const Box map = room_of_map();
    if (map.h >= ui_.px(80)) draw_map(map, all_names);
    if (region_.h - title_height(ui_) >= scores)
      scores_below.draw({region_.x + pad_, region_.bottom() - scores, region_.w - 2 * pad_, scores}, row);
    if (offers && region_.h - title_height(ui_) >= scores)
      draw_strongest({region_.x + pad_, region_.bottom() - row - ui_.px(10), region_.w - 2 * pad_, row});
  }

 private:
  /// Whether the picture is large enough, or as large as its width allows.
  bool is_picture_large(const Box& room, bool all_names) const {
    constexpr float enough = 120;  // logical
    Box high = room;
    high.h = 4 * room.w;
    return height_of_picture(room, all_names) >= std::min(ui_.px(enough), height_of_picture(high, all_names));
  }
  float height_of_picture(const Box& room, bool all_names) const {
    const auto rows = static_cast<float>(std::max<std::int64_t>(1, rows_of(*shown_run(scene_), head_.of)));
    const auto keys = static_cast<float>(
        std::max<std::int64_t>(1, keys_seen(spec_, *shown_run(scene_), head_.of, head_.block).keys));
    const Dimensions& d = scene_.result.dimensions;
    const bool labelled = !scene_.result.is_long() && static_cast<float>(d.queries) == rows &&
                          static_cast<float>(d.keys) == keys;
    if (!labelled) return std::min(room.h - ui_.px(24), room.w * rows / keys);
    const HeatMapStyle style{
        .wide_strip = false, .strips = false, .all_names = all_names, .short_names = true};
    const MapFrame m = plan_map(scene_, room, 0, style);
    // Cells have whole pixels: the pixels lost by that are no reason to leave something out.
    return m.cells.h < 1 ? 0 : std::min(m.cells.h, m.fitted * rows) + rows - 1;
  }

  /// Whether zeroing heads changes a prediction here: then a row is reserved until all effects are known. In
  /// a low window the map needs that room.
  bool offers_strongest(float room_of_map) const {
    return spec_.has_logits() && head_.of == output_attention(spec_) && room_of_map >= ui_.px(160);
  }

  /// The head with the largest effect, as soon as it is known.
  void draw_strongest(const Box& line) {
    const std::optional<ModelHead> head = strongest_head(reading_);
    if (!head) return;
    const std::string name = attnscope::head_name(spec_, *head);
    const bool is_here = *head == chosen_head(scene_);
    const Ui::Touch touch = ui_.touch("Strongest head", line, !is_here);
    if (touch.hovered && !is_here) ui_.fill(line, ui_.theme.control_hover, ui_.px(4));
    if (touch.focused) ui_.frame(line, ui_.theme.query, ui_.px(2), ui_.px(4));
    const float said = ui_.text(line.x, line.centre_y(), "strongest head " + name,
                                {type::label, is_here ? ui_.theme.text3 : ui_.theme.query, Ink::Medium});
    const double change = measure(reading_, model_facts_of(scene_), HeadMeasure::Effect, *head).value;
    const std::string note = is_here ? "this one" : "Δ logit " + fixed(change, 2);
    const bool has_room = said + ui_.px(8) + ui_.text_width(note, type::tick, Ink::Regular) <= line.w;
    if (!std::isnan(change) && has_room)
      ui_.text(line.right(), line.centre_y(), note,
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
    tooltip(
        ui_, touch.hovered, line,
        {"The strongest head",
         "largest |Δ logit|",
         "Of all heads zeroing this one alone changes the logit of the likeliest token most. A click looks "
         "at it, where it looks most from the token that something is predicted of.",
         {}});
    if (touch.clicked && !is_here) go_to_strongest_head(scene_);
  }

  void draw_title() {
    const float y = region_.y + ui_.px(22);
    float x = region_.x + pad_;
    const std::string number = std::to_string(head_.head);
    const float wide = std::max(ui_.px(18), ui_.text_width(number, type::tick, Ink::Semibold) + ui_.px(8));
    const Rgba hue = ui_.theme.head(head_.head);
    badge(ui_, {x, std::round(y - ui_.px(8)), wide, ui_.px(16)}, number, hue, ink_on(hue));
    x += wide + ui_.px(8);
    const float button_width = ui_.px(scene_.compact ? 50 : 58), right = region_.right() - pad_;
    const Box open{right - button_width, y - ui_.px(14), button_width, ui_.px(28)};
    const Box why{open.x - ui_.px(8) - button_width, open.y, button_width, open.h};
    const std::string name = scene_.compact ? attnscope::head_name(spec_, head_)
                                            : layer_name(spec_, head_.of, head_.block) + " · Head " + number;
    ui_.text(x, y, name, {type::body, ui_.theme.text1, Ink::Semibold, Align::Left, why.x - x - ui_.px(8)});
    ModelLook& state = model_look_of(scene_.view);
    const bool is_why = state.screen == ModelScreen::Why;
    if (button(ui_, is_why ? "Back" : "Why?", why,
               {"Why did it look there?",
                "score = Σ query parts × key parts",
                "Splits the score of the chosen cell into what each earlier head and MLP put into its query "
                "and its key.",
                {}}))
      state.screen = is_why ? ModelScreen::Heads : ModelScreen::Why;
    if (button(ui_, "Open", open,
               {"Open the layer in Explore",
                {},
                "All stages and controls of this layer; what is changed there acts inside the model.",
                "Enter"})) {
      look_at(scene_, head_);
      open_in_explore(scene_);
    }
  }

  bool changed_to(HeadChange::Kind kind) const {
    const HeadChange* const change = change_of_head(shown_changes(scene_), head_);
    return change != nullptr && change->kind == kind;
  }

  /// A head that is not in the layer on screen, from the run; the labels are those of the layer.
  void draw_preview(const Box& area, CellValue value, bool all_names) {
    const ModelRun& run = *shown_run(scene_);
    ColourScale scale{weights_map(ui_.theme, focus_of(scene_.view).colours), 0, 1};
    const HeadMapPtr map = head_map(scene_, head_, value);
    if (map != nullptr && value == CellValue::Contribution) scale.high = map->largest > 0 ? map->largest : 1;
    scale.log = focus_of(scene_.view).log;
    if (scale.log) scale.low = scale.high * 1e-4f;
    const std::int64_t keys = keys_seen(spec_, run, head_.of, head_.block).keys;
    clips_ = value == CellValue::Weight && !scale.log && high_of_weights(keys) < 1;
    if (clips_) scale.high = high_of_weights(keys);  // as in the grid
    const HeatMapStyle style{.wide_strip = false,
                             .strips = false,
                             .all_names = all_names,
                             .name = "model map",
                             .short_names = true};
    const Dimensions& d = scene_.result.dimensions;
    const bool labelled =
        map != nullptr && !scene_.result.is_long() && d.queries == rows_of(run, head_.of) && d.keys == keys;
    if (labelled) {
      const MapFrame m = plan_map(scene_, area, 0, style);
      if (m.cells.w < 1 || m.cells.h < 1) return;
      draw_axis_names(m);
      draw_labels(m);
      draw_head_map(scene_, *map, m.cells, m.part(), scale);
      draw_mark(m);
      take_cell(m, *map);
      if (value == CellValue::Weight) say_scale_over(area, style, scale);
    } else {
      draw_unlabelled(area, map.get(), scale);
    }
    if (value == CellValue::Contribution && map != nullptr)
      ui_.text(area.right(), area.y + ui_.px(8),
               "‖α·v·W_O‖ up to " + tight(static_cast<double>(map->largest)),
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
  }

  /// At the right of the line over the map; at its left if the only name, that of the chosen key, is at the
  /// right.
  void say_scale_over(const Box& area, const HeatMapStyle& style, const ColourScale& scale) const {
    Align side = Align::Right;
    if (!style.all_names) {
      const MapFrame m = plan_map(scene_, area, 0, style);
      if (m.visible_cell(scene_.cell()).centre_x() > area.centre_x()) side = Align::Left;
    }
    say_scale({area.x, area.y, area.w, ui_.px(16)}, side, ends_of(scale));
  }

  /// The ends of the colours if these are not weights from 0 to 1; else empty.
  std::string ends_of(const ColourScale& scale) const {
    const auto end = [](float value) { return tight(static_cast<double>(value)); };
    const std::string log = "log " + end(scale.low) + " … " + end(scale.high);
    return scale.log ? log : clips_ ? "0 … ≥ " + end(scale.high) : std::string();
  }

  void say_scale(const Box& line, Align align, const std::string& words) const {
    const float x = align == Align::Right ? line.right() : align == Align::Left ? line.x : line.centre_x();
    ui_.text(x, line.centre_y(), words,
             {type::tick, ui_.theme.text3, Ink::Regular, align, std::max(1.f, line.w)});
  }

  /// Over a map without labels: the names of its axes and, between them, the ends of its colours. Without
  /// room for all words, the short ones of the grid's bar are used, and the axes' names move aside.
  void draw_line_over(const Box& area, const Box& map, const ColourScale& scale, bool pooled) const {
    const float query = ui_.text_width("query ↓", type::label, Ink::Medium);
    const float key = ui_.text_width("key →", type::label, Ink::Medium);
    const float names = query + key + 2 * ui_.px(8);
    const std::string ends = ends_of(scale);
    std::string words = ends;
    if (pooled) {
      words = ends.empty() ? "largest of each cell" : "largest of each cell  ·  " + ends;
      if (ui_.text_width(words, type::tick) > map.w - names)
        words = ends.empty() ? "max" : scale.log ? "max, " + inner(ends) : "max " + inner(ends);
    }
    const bool has_room = ui_.text_width(words, type::tick) <= map.w - names;
    const Box line{has_room ? map.x : area.x, area.y, has_room ? map.w : area.w, ui_.px(20)};
    ui_.text(line.x, line.centre_y(), "query ↓", {type::label, ui_.theme.query, Ink::Medium});
    ui_.text(line.right(), line.centre_y(), "key →", {type::label, ui_.theme.key, Ink::Medium, Align::Right});
    say_scale({line.x + query + ui_.px(8), line.y, line.w - names, line.h}, Align::Centre, words);
  }

  /// The mouse on a preview shows a cell's number; a click chooses the cell.
  void take_cell(const MapFrame& m, const HeadMap& map) {
    const Ui::Touch touch = ui_.touch("model map 0", m.cells);
    if (!touch.pointed || !ImGui::IsMousePosValid()) return;
    const Cell cell = m.under(ImGui::GetIO().MousePos);
    scene_.next.hovered_cell = cell;
    if (touch.clicked) {
      scene_.next.cell = cell;
      scene_.next.locked = true;
    }
    const float number = map.numbers.matrix()(cell.query, cell.key);
    tooltip(ui_, touch.hovered, m.visible_cell(cell),
            {own(m.label(m.queries(), cell.query)) + " → " + own(m.label(m.keys(), cell.key)),
             (map.value == CellValue::Weight ? "α " : "‖α·v·W_O‖ ") + tight(static_cast<double>(number)),
             {},
             {}},
            Clear::OfRowAndColumn);
  }

  /// Too many tokens for labels, or other tokens than those of the layer on screen.
  void draw_unlabelled(const Box& area, const HeadMap* map, const ColourScale& scale) {
    const ModelRun& run = *shown_run(scene_);
    const auto rows = static_cast<float>(std::max<std::int64_t>(1, rows_of(run, head_.of)));
    const auto keys =
        static_cast<float>(std::max<std::int64_t>(1, keys_seen(spec_, run, head_.of, head_.block).keys));
    const float top = ui_.px(24), side = std::min((area.h - top) / rows, area.w / keys);
    const Box box{std::round(area.centre_x() - side * keys / 2), area.y + top,
                  std::max(1.f, std::floor(side * keys)), std::max(1.f, std::floor(side * rows))};
    draw_line_over(area, box, scale, map == nullptr);
    if (map != nullptr)
      draw_head_map(scene_, *map, box, {0, 0, static_cast<double>(rows), static_cast<double>(keys), false},
                    scale);
    else
      draw_pooled_map(scene_, head_, box, scale);
  }

  Scene& scene_;
  const Ui& ui_;
  const ModelReading& reading_;
  const ModelSpec& spec_;
  Box region_;
  float pad_;
  ModelHead head_;
  bool clips_ = false;  // of a preview: the last colour begins below a weight of 1
};

}  // namespace

void draw_model_head(Scene& scene, const Box& region) { HeadPanel(scene, region).draw(); }

void draw_model_head_map(Scene& scene, const Box& region) { HeadPanel(scene, region).draw_without_scores(); }

void draw_model_head_picture(Scene& scene, const Box& area, bool all_names) {
  HeadPanel(scene, area).draw_map(area, all_names);
}

bool is_layer_on_screen(Scene& scene) { return HeadPanel(scene, {}).is_layer_on_screen(); }

}  // namespace attnscope
