// app/pages/model: one head of both sides, large: its weights now, held, and the difference.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/compare/compared_models.hpp"
#include "app/scene/picture.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model/head_map.hpp"
#include "app/views/model_compare/tables.hpp"

namespace attnscope {
namespace {

/// The map of exactly this head, as numbers beside it are of it. Null while it is computed.
HeadMapPtr pair_map(Scene& scene, HeadMaps::Place place, const ComparedRun& run, const ModelHead& head) {
  HeadMapPtr map = head_map_of(scene, place, run.model->model, run.run, head, CellValue::Weight);
  return map && map->head == head ? map : nullptr;
}

bool has_map(const ComparedRun& run, const ModelHead& head) {
  return map_cells(*run.model->model, *run.run, head) <= most_map_cells;
}

/// The panel of one frame.
class HeadPair {
 public:
  HeadPair(Scene& scene, const Box& region, const ComparedModels& compared)
      : scene_(scene),
        ui_(scene.ui),
        compared_(compared),
        region_(region),
        pad_(region_pad(scene)),
        side_(ui_.px(scene.compact ? 8 : 12)) {
    a_ = pair_map(scene, HeadMaps::Place::Now, compared.a(), compared.head);
    if (compared.other) b_ = pair_map(scene, HeadMaps::Place::Held, compared.b(), *compared.other);
    content_ = mix_hash(mix_hash(scene.model->ticket, scene.held_model->reading->ticket),
                        static_cast<float>(scene.held_model->seconds));
    for (const ModelHead& head : {compared.head, compared.other.value_or(compared.head)})
      content_ = mix_hash(content_, static_cast<std::uint64_t>((head.block * 4096 + head.head) * 4 +
                                                               static_cast<int>(head.of)));
  }

  void draw() {
    draw_title();
    const float row = ui_.px(scene_.compact ? 20 : 24), numbers = 4 * row + ui_.px(14);
    Box area{region_.x + side_, region_.y + title_height(ui_), region_.w - 2 * side_,
             region_.h - title_height(ui_) - numbers};
    if (area.h >= ui_.px(160)) {
      const float small = std::floor(
          std::min((area.w - ui_.px(16)) / 2, (area.h - ui_.px(48)) * (scene_.compact ? 0.4f : 0.42f)));
      draw_side(0, {area.x, area.y, small, small + ui_.px(20)});
      draw_side(1, {std::round(area.x + (area.w + ui_.px(16)) / 2), area.y, small, small + ui_.px(20)});
      const float below = small + ui_.px(30);
      draw_difference({area.x, area.y + below, area.w, area.h - below});
    } else if (area.h >= ui_.px(60)) {
      draw_difference(area);
    }
    if (region_.h - title_height(ui_) >= numbers)
      draw_pair_numbers(scene_, compared_,
                        {region_.x + pad_, region_.bottom() - numbers, region_.w - 2 * pad_, numbers}, row);
  }

 private:
  const TokenMatch& queries() const { return compared_.attention.queries; }
  const TokenMatch& keys() const { return compared_.attention.keys; }

  void draw_title() {
    const float y = region_.y + ui_.px(22), right = region_.right() - pad_;
    float x = region_.x + pad_;
    const std::string number = std::to_string(compared_.head.head);
    const float wide = std::max(ui_.px(18), ui_.text_width(number, type::tick, Ink::Semibold) + ui_.px(8));
    const Rgba hue = ui_.theme.head(compared_.head.head);
    badge(ui_, {x, std::round(y - ui_.px(8)), wide, ui_.px(16)}, number, hue, ink_on(hue));
    x += wide + ui_.px(8);
    const float button_width = ui_.px(scene_.compact ? 50 : 58);
    const Box open{right - button_width, y - ui_.px(14), button_width, ui_.px(28)};
    const ModelSpec& spec = compared_.spec_a();
    const std::string name =
        scene_.compact ? head_name(spec, compared_.head)
                       : layer_name(spec, compared_.head.of, compared_.head.block) + " · Head " + number;
    ui_.text(x, y, name, {type::body, ui_.theme.text1, Ink::Semibold, Align::Left, open.x - x - ui_.px(8)});
    if (button(ui_, "Open", open,
               {"Open the layer in Compare",
                "now | held | now − held",
                "All stages of this layer beside those of the layer that is held.",
                {}})) {
      look_at(scene_, compared_.head);
      scene_.view.mode = Mode::Compare;
    }
  }

  /// One side, now or held: its name and its picture.
  void draw_side(std::size_t side, const Box& box) {
    const bool is_a = side == 0;
    const ComparedRun& run = is_a ? compared_.a() : compared_.b();
    const Rgba ink = is_a ? ui_.theme.text1 : ui_.theme.b;
    const float y = box.y + ui_.px(8);
    const ColourScale scale{ui_.theme.weights, 0, 1};
    const float end = box.x + ui_.text(box.x, y, is_a ? "now" : "held", {type::label, ink, Ink::Medium});
    if (is_a && box.right() - end > ui_.px(64))  // the bar is valid for both sides
      draw_small_ramp(ui_, "pair weights", box.right(), y, scale, 1, "0", "1", ui_.px(32));
    if (!is_a && compared_.other && compared_.difference.asked.shift != 0)
      ui_.text(box.right(), y, head_name(compared_.spec_b(), *compared_.other),
               {type::tick, ink, Ink::Regular, Align::Right, box.right() - end - ui_.px(8)});
    const Box picture{box.x, box.y + ui_.px(20), box.w, box.w};
    if (!is_a && !compared_.other) {
      ui_.fill(picture, ui_.theme.hatch_ground);
      ui_.paragraph(picture.x + ui_.px(8), picture.y + ui_.px(8), picture.w - ui_.px(16),
                    "What is held has no such head.", {type::tick, ui_.theme.text2});
      return;
    }
    const ModelHead& head = is_a ? compared_.head : *compared_.other;
    const HeadMapPtr& map = is_a ? a_ : b_;
    const ModelSpec& spec = run.model->model->spec;
    const char* const place = is_a ? "compared now" : "compared held";
    if (map != nullptr) {
      draw_run_map(ui_, place, {spec, run.run, head, map->numbers.matrix(), {}, CellValue::Weight, content_},
                   picture,
                   {0, 0, static_cast<double>(map->numbers.matrix().rows()),
                    static_cast<double>(map->numbers.matrix().cols()), false},
                   scale);
      return mark_side(picture, *map, is_a);
    }
    const HeadPictures& pictures =
        attention_of(*run.run, head.of)[static_cast<std::size_t>(head.block)].pictures;
    if (pictures.mean.size() == 0) return;
    const auto values = std::as_const(pictures.mean).matrix(head.head);
    draw_run_map(
        ui_, place, {spec, run.run, head, values, pictures.cells, CellValue::Weight, content_}, picture,
        {0, 0, static_cast<double>(values.rows()), static_cast<double>(values.cols()), false}, scale);
  }

  /// Marks the chosen cell and the hovered one.
  void mark_side(const Box& picture, const HeadMap& map, bool is_a) {
    const auto shape = map.numbers.matrix();
    const Ui::Touch touch = ui_.touch(is_a ? "Weights now" : "Weights held", picture, false);
    if (const std::optional<Cell> cell = marked()) {
      const std::optional<std::int64_t> query = is_a ? cell->query : queries().b_of(cell->query),
                                        key = is_a ? cell->key : keys().b_of(cell->key);
      if (query && key && *query < shape.rows() && *key < shape.cols())
        ring(cell_box(picture, *query, *key, shape.rows(), shape.cols()));
    }
    if (!touch.pointed) return;
    const Cell at = cell_at(picture, ImGui::GetIO().MousePos, shape.rows(), shape.cols());
    const ComparedRun& run = is_a ? compared_.a() : compared_.b();
    const AttentionOf of = compared_.attention.of;
    const std::string title = row_word(run, of, at.query) + " → " + key_word(run, of, at.key),
                      number = "α " + distance_words(static_cast<double>(shape(at.query, at.key)));
    tooltip(ui_, touch.hovered, cell_box(picture, at.query, at.key, shape.rows(), shape.cols()),
            {title, number, is_a ? "Of what is shown." : "Of what is held.", {}}, Clear::OfRowAndColumn);
    const std::optional<std::int64_t> query = is_a ? at.query : queries().a_of(at.query),
                                      key = is_a ? at.key : keys().a_of(at.key);
    if (query && key) point_at({*query, *key});
  }

  std::optional<Cell> marked() const { return marked_cell(scene_, compared_); }

  void point_at(const Cell& cell) {
    if (marked()) scene_.next.hovered_cell = cell;
  }

  void ring(const Box& box) {
    ui_.frame(box.grown(ui_.px(1)), ui_.theme.query, std::max(1.f, ui_.px(1.5f)), ui_.px(2));
  }

  bool is_magnitude() const { return compare_of(scene_.view).difference == DifferenceKind::Magnitude; }

  /// now − held for corresponding tokens, [pairs of queries][pairs of keys].
  Tensor difference() const {
    Tensor made(Shape{queries().count(), keys().count()});
    const auto x = a_->numbers.matrix(), y = b_->numbers.matrix();
    auto to = made.matrix();
    for (std::int64_t i = 0; i < to.rows(); ++i)
      for (std::int64_t j = 0; j < to.cols(); ++j) {
        const float change = x(queries().in_a(i), keys().in_a(j)) - y(queries().in_b(i), keys().in_b(j));
        to(i, j) = is_magnitude() ? std::abs(change) : change;
      }
    return made;
  }

  ColourScale difference_scale() const {
    const HeadDifference* const shown = compared_.shown();
    const float most = shown != nullptr && shown->largest != 0 ? std::abs(shown->largest) : 1;
    if (is_magnitude()) return {ui_.theme.weights, 0, most};
    return {.map = ui_.theme.scores, .low = -most, .high = most, .zero_centred = true};
  }

  void draw_difference(const Box& area) {
    const float y = area.y + ui_.px(10);
    constexpr std::array<std::string_view, 2> names{"±", "| |"};
    constexpr std::array<Tip, 2> tips{
        {{"now − held", {}, "Orange: more weight now; blue: more weight in what is held.", "/"},
         {"|now − held|", {}, "How much the weight changes, whichever way.", "/"}}};
    const Box choice{area.right() - ui_.px(76), area.y - ui_.px(2), ui_.px(76), ui_.px(24)};
    if (const auto picked = segments(ui_, "Difference", choice, names, is_magnitude() ? 1 : 0, tips,
                                     {.text_size = type::tick}))
      compare_of(scene_.view).difference = *picked == 1 ? DifferenceKind::Magnitude : DifferenceKind::Signed;
    const ColourScale scale = difference_scale();
    const float end = area.x + ui_.text(area.x, y, is_magnitude() ? "|now − held|" : "now − held",
                                        {type::label, ui_.theme.text1, Ink::Medium});
    const float top = area.y + ui_.px(28);
    const bool is_coming =
        compared_.other && has_map(compared_.a(), compared_.head) && has_map(compared_.b(), *compared_.other);
    if ((a_ == nullptr || b_ == nullptr) && is_coming) return;
    if (a_ == nullptr || b_ == nullptr) {
      ui_.paragraph(area.x, top, area.w,
                    compared_.other
                        ? "Too many tokens for every cell; the pictures above are means of cells, "
                          "the numbers below are of all cells."
                        : "What is held has no such head.",
                    {type::label, ui_.theme.text2});
      return;
    }
    // The colour bar is between title and choice, or, without room there, at the end of the axes.
    const bool beside = choice.x - end > ui_.px(160);
    draw_small_ramp(ui_, "pair ramp", beside ? choice.x - ui_.px(10) : area.right(),
                    beside ? y : top + ui_.px(6), scale, scale.high,
                    scale.low == 0 ? "0" : distance_words(static_cast<double>(scale.low)),
                    distance_words(static_cast<double>(scale.high)), ui_.px(48));
    const float axes = ui_.px(18), label = label_width();
    ui_.text(area.x + label - ui_.px(6), top + ui_.px(6), "query ↓",
             {type::tick, ui_.theme.query, Ink::Regular, Align::Right});
    ui_.text(area.x + label, top + ui_.px(6), "key →", {type::tick, ui_.theme.key});
    draw_cells({area.x, top + axes, area.w, area.bottom() - top - axes}, label, scale);
  }

  float label_width() const {
    float widest = ui_.text_width("query ↓", type::tick);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(queries().count(), 128); ++i)
      widest = std::max(
          widest,
          ui_.text_width(row_word(compared_.a(), compared_.attention.of, queries().in_a(i)), type::tick));
    return std::min(widest, ui_.px(64)) + ui_.px(8);
  }

  void draw_cells(const Box& area, float label, const ColourScale& scale) {
    const std::int64_t rows = queries().count(), columns = keys().count();
    if (rows == 0 || columns == 0) return;
    float side = std::min((area.w - label) / static_cast<float>(columns), area.h / static_cast<float>(rows));
    if (side >= 4) side = std::floor(side);
    if (side <= 0) return;
    const Box map{area.x + label, area.y, std::max(1.f, std::floor(side * static_cast<float>(columns))),
                  std::max(1.f, std::floor(side * static_cast<float>(rows)))};
    std::uint64_t content = mix_hash(content_, scale.high);
    for (const float number :
         {map.w, map.h, static_cast<float>(ui_.theme.name), static_cast<float>(is_magnitude())})
      content = mix_hash(content, number);
    const HeadMask mask_a = mask_of(compared_.a(), compared_.head),
                   mask_b = mask_of(compared_.b(), *compared_.other);
    ui_.matrix("compared difference", content, map, [&](const Ui::UseJob& use) {
      const Tensor values = difference();
      RasterJob job = whole_matrix(ui_, values.matrix(), colormap(scale.map), map);
      job.low = scale.low;
      job.high = scale.high;
      std::vector<std::uint8_t> in_a(static_cast<std::size_t>(a_->numbers.shape()[1])),
          in_b(static_cast<std::size_t>(b_->numbers.shape()[1])), seen(static_cast<std::size_t>(columns));
      job.row_kinds = [&](std::int64_t i, std::span<CellKind> kinds) {
        mask_a.see(compared_.head.head, queries().in_a(i), in_a);
        mask_b.see(compared_.other->head, queries().in_b(i), in_b);
        for (std::size_t j = 0; j < seen.size(); ++j) {
          const auto pair = static_cast<std::int64_t>(j);
          seen[j] = in_a[static_cast<std::size_t>(keys().in_a(pair))] |
                    in_b[static_cast<std::size_t>(keys().in_b(pair))];
        }
        kinds_of_row({values.data() + i * columns, seen.size()}, seen, {.leaks_are_numbers = true}, kinds);
      };
      use(job);
    });
    draw_row_labels(map, rows);
    take_mouse(map, rows, columns);
  }

  static HeadMask mask_of(const ComparedRun& run, const ModelHead& head) {
    return {run.model->model->spec, *run.run, head.of, head.block};
  }

  void draw_row_labels(const Box& map, std::int64_t rows) {
    const std::optional<Cell> cell = marked();
    float end = -1e9f, chosen = 1e9f;  // the marked label is always drawn
    for (std::int64_t i = 0; cell && i < rows; ++i)
      if (queries().in_a(i) == cell->query) chosen = cell_box(map, i, 0, rows, 1).centre_y();
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t row = queries().in_a(i);
      const Box box = cell_box(map, i, 0, rows, 1);
      const bool is_marked = cell && cell->query == row;
      const bool is_near = std::abs(box.centre_y() - chosen) < ui_.px(13);
      if (!is_marked && (is_near || box.centre_y() - ui_.px(7) < end)) continue;
      end = box.centre_y() + ui_.px(6);
      ui_.text(map.x - ui_.px(6), box.centre_y(), row_word(compared_.a(), compared_.attention.of, row),
               {type::tick, is_marked ? ui_.theme.query : ui_.theme.text2,
                is_marked ? Ink::Semibold : Ink::Regular, Align::Right, ui_.px(64)});
    }
  }

  void take_mouse(const Box& map, std::int64_t rows, std::int64_t columns) {
    const Ui::Touch touch = ui_.touch("Weights now − held", map);
    if (touch.focused) ui_.frame(map.grown(ui_.px(3)), ui_.theme.query, ui_.px(2), ui_.px(4));
    if (const std::optional<Cell> cell = marked())
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; queries().in_a(i) == cell->query && j < columns; ++j)
          if (keys().in_a(j) == cell->key) ring(cell_box(map, i, j, rows, columns));
    if (!touch.pointed) return;
    const Cell at = cell_at(map, ImGui::GetIO().MousePos, rows, columns);
    const Cell in_a{queries().in_a(at.query), keys().in_a(at.key)},
        in_b{queries().in_b(at.query), keys().in_b(at.key)};
    const AttentionOf of = compared_.attention.of;
    std::string title =
        row_word(compared_.a(), of, in_a.query) + " → " + key_word(compared_.a(), of, in_a.key);
    const std::string other =
        row_word(compared_.b(), of, in_b.query) + " → " + key_word(compared_.b(), of, in_b.key);
    if (other != title) title += "  ·  held " + other;
    const auto x = static_cast<double>(a_->numbers.matrix()(in_a.query, in_a.key)),
               y = static_cast<double>(b_->numbers.matrix()(in_b.query, in_b.key));
    const std::string numbers =
        "now " + distance_words(x) + "   held " + distance_words(y) + "   now − held " + change_words(x - y);
    point_at(in_a);
    tooltip(ui_, touch.hovered, cell_box(map, at.query, at.key, rows, columns),
            {title, numbers, "A click chooses the cell.", {}}, Clear::OfRowAndColumn);
    if (!touch.clicked || !marked()) return;
    scene_.next.cell = in_a;
    scene_.next.locked = true;
  }

  Scene& scene_;
  const Ui& ui_;
  const ComparedModels& compared_;
  Box region_;
  float pad_, side_;
  HeadMapPtr a_, b_;
  std::uint64_t content_ = 0;  // of both runs and heads
};

}  // namespace

void draw_head_pair(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.panel);
  ui.vertical(region.x, region.y, region.h, ui.theme.hairline);
  if (const std::optional<ComparedModels> compared = compared_models(scene))
    HeadPair(scene, region, *compared).draw();
}

}  // namespace attnscope
