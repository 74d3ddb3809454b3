#include "app/views/neuron/neuron_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/row_list.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/inspector/pages.hpp"

namespace attnscope {
namespace {

constexpr float names_height = 20, query_height = 20, facts_height = 24;

std::string_view scaled_name(const LayerResult& r, bool narrow) {
  if (narrow || is_disentangled(r.document)) return "scaled";
  return r.document.layer().scaling.kind == Scaling::Kind::InverseSqrtDk ? "÷ √dₖ" : "scaled";
}

/// The ends of a colour scale as a short text: "±2.1".
std::string reach(float most) { return "±" + tight(static_cast<double>(most)); }

/// The row under the mouse, and the dimension in the strips of q and k or in those of v.
struct Under {
  std::optional<std::int64_t> key, dimension, value;  // dimension: an index into the order on screen
};

class NeuronTable {
 public:
  NeuronTable(Scene& scene, const CellPlace& at, const Box& area, const NeuronColumns& columns,
              const NeuronStyle& style)
      : scene_(scene),
        ui_(scene.ui),
        r_(scene.result),
        at_(at),
        x_(columns),
        style_(style),
        area_(area),
        keys_(keys_of_row(r_, scene.stats.rule(), at, false)),
        q_(vector_of(r_, Stage::RotateQuery, at.b, at.h, at.query)),
        o_(vector_of(r_, Stage::Mix, at.b, at.h, at.query)) {
    // The order depends on the chosen key, not on the hovered one, so that nothing moves under the mouse.
    CellPlace sorted_by = at;
    sorted_by.key = scene.selection.cell.key;
    order_ =
        products_of(r_, sorted_by,
                    inspector_of(scene.view).by_contribution ? ProductOrder::Size : ProductOrder::Dimension)
            .order;
    for (const RowKey& key : keys_) {
      const std::span<const float> k = key_vector(key.key);
      for (std::size_t d = 0; d < q_.size(); ++d) {
        grow(most_product_, q_[d] * k[d]);
        grow(most_key_, k[d]);
      }
      for (const float v : value_vector(key.key)) grow(most_value_, v);
      if (std::isfinite(key.weight)) most_weight_ = std::max(most_weight_, key.weight);
    }
    for (const float q : q_) grow(most_key_, q);
    for (float* const most : {&most_product_, &most_key_, &most_value_})
      if (*most == 0) *most = 1;
    if (most_weight_ == 0) most_weight_ = 1;
  }

  float draw() {
    const float names = ui_.px(names_height), head = ui_.px(query_height), facts = ui_.px(facts_height);
    const float top = area_.y + names + head + ui_.px(style_.large ? 22 : 6);
    const float room = std::max(area_.bottom() - top - facts, 2 * style_.row_height);
    const auto rows = std::min(static_cast<std::int64_t>(room / style_.row_height), std::ssize(keys_));
    const Box box{area_.x, top, area_.w, style_.row_height * static_cast<float>(rows)};
    head_ = {area_.x, area_.y + names, area_.w, head};
    draw_names({area_.x, area_.y, area_.w, names});
    take_head();
    {
      InspectorState& state = inspector_of(scene_.view);
      const RowList list(ui_, style_.label, box, style_.row_height, std::ssize(keys_),
                         style_.large ? state.large_row : state.key_row, scene_.selection.cell.key);
      std::vector<Ui::Touch> touches;
      for (std::int64_t j = list.first(); j < list.last(); ++j) touches.push_back(take_row(j, list.row(j)));
      for (std::int64_t j = list.first(); j < list.last(); ++j)
        draw_row(keys_[static_cast<std::size_t>(j)], list.row(j),
                 touches[static_cast<std::size_t>(j - list.first())].hovered);
      draw_blocks(list, box);
    }
    draw_head();
    draw_facts({area_.x, box.bottom() + ui_.px(4), area_.w, facts - ui_.px(4)});
    return box.bottom() + facts;
  }

 private:
  std::span<const float> key_vector(std::int64_t j) const {
    return vector_of(r_, Stage::RotateKey, at_.b, at_.kv, j);
  }
  std::span<const float> value_vector(std::int64_t j) const {
    return vector_of(r_, Stage::Value, at_.b, at_.kv, j);
  }
  static void grow(float& most, float value) {
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  }
  static Box part(const ColumnSpan& column, const Box& row) { return {column.x, row.y, column.w, row.h}; }

  void draw_names(const Box& line) const {
    const float y = line.centre_y();
    const auto strip = [&](const ColumnSpan& column, std::string_view name, Rgba hue, float most) {
      if (!column.there()) return;
      const float width = ui_.text(column.x, y, name, {type::tick, hue, Ink::Medium});
      if (width + ui_.px(36) < column.w)
        ui_.text(column.x + column.w, y, reach(most),
                 {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
    };
    const auto number = [&](const ColumnSpan& column, std::string_view name) {
      if (column.there())
        ui_.text(column.x + column.w, y, name, {type::tick, ui_.theme.text2, Ink::Medium, Align::Right});
    };
    ui_.text(x_.token.x, y, "key", {type::tick, ui_.theme.key, Ink::Medium});
    strip(x_.key, operand_names(r_).key, ui_.theme.key, most_key_);
    strip(x_.product, operand_names(r_).product, ui_.theme.text2, most_product_);
    number(x_.score, "q · k");
    number(x_.scaled, scaled_name(r_, false));
    number(x_.weight, "weight");
    if (x_.bar.there())
      ui_.text(x_.bar.x, y, "0 … " + in_cell(most_weight_),
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, x_.bar.w});
    strip(x_.value, "v", ui_.theme.value, most_value_);
  }

  void take_head() {
    const Ui::Touch touch = ui_.touch((std::string(style_.label) + " query").c_str(), head_, false);
    if (touch.hovered) look_under_mouse(head_);
  }

  void look_under_mouse(const Box& row) {
    for (const ColumnSpan& column : {x_.key, x_.product})
      if (!under_.dimension && column.there())
        under_.dimension = column_under_mouse(part(column, row), std::ssize(q_));
    if (x_.value.there()) under_.value = column_under_mouse(part(x_.value, row), std::ssize(o_));
  }

  Ui::Touch take_row(std::int64_t j, const Box& row) {
    const std::string label = std::string(style_.label) + " " + std::to_string(j);
    const Ui::Touch touch = ui_.touch(label.c_str(), row, false);
    point_at_key(scene_, at_, j, touch);
    if (touch.hovered) {
      under_.key = j;
      look_under_mouse(row);
    }
    return touch;
  }

  void draw_row(const RowKey& key, const Box& row, bool hovered) const {
    const bool chosen = key.key == at_.key;
    const float y = row.centre_y();
    if (hovered || chosen)
      ui_.fill({row.x - ui_.px(6), row.y, row.w + ui_.px(10), row.h},
               hovered ? ui_.theme.control_hover : ui_.theme.raised, ui_.px(4));
    if (chosen)
      ui_.fill({row.x - ui_.px(6), row.y + ui_.px(3), ui_.px(3), row.h - ui_.px(6)}, ui_.theme.key,
               ui_.px(1));
    const Rgba quiet = key.masked ? ui_.theme.text3 : ui_.theme.text2;
    ui_.text(x_.token.x, y, key_label(r_, at_.b, key.key),
             {type::label, chosen ? ui_.theme.key : quiet, chosen ? Ink::Semibold : Ink::Regular, Align::Left,
              x_.token.w});
    const auto number = [&](const ColumnSpan& column, const std::string& text, Rgba ink) {
      if (column.there())
        ui_.text(column.x + column.w, y, text,
                 {type::tick, ink, chosen ? Ink::Medium : Ink::Regular, Align::Right, column.w});
    };
    number(x_.score, score_text(key.score), quiet);
    const float scaled = matrix_of(r_, Stage::Scale, at_.b, at_.h)(at_.query, key.key);
    number(x_.scaled, score_text(static_cast<double>(scaled)), quiet);
    if (key.masked) return number(x_.weight, "masked", ui_.theme.text3);
    number(x_.weight, key.weight > 0 && key.weight < 5e-4 ? tight(key.weight) : fixed(key.weight, 3),
           ui_.theme.text1);
    draw_bar(key, row, chosen);
  }

  /// The bar of a weight beside its number, or a thin one below it if there is no room.
  void draw_bar(const RowKey& key, const Box& row, bool chosen) const {
    const bool beside = x_.bar.there();
    const Box track = beside ? Box{x_.bar.x, std::round(row.centre_y() - ui_.px(4)), x_.bar.w, ui_.px(8)}
                             : Box{x_.weight.x, row.bottom() - ui_.px(3), x_.weight.w, ui_.px(2)};
    ui_.fill(track, ui_.theme.bar_ground, ui_.px(beside ? 2 : 1));
    const bool known = std::isfinite(key.weight);
    const float share = known ? static_cast<float>(key.weight / most_weight_) : 1;
    ui_.fill({track.x, track.y, share > 0 ? std::max(1.f, track.w * share) : 0, track.h},
             !known   ? ui_.theme.nan
             : chosen ? ui_.theme.key
                      : ui_.theme.bar,
             ui_.px(beside ? 2 : 1));
  }

  /// The strips of all rows in sight, one picture for each column.
  void draw_blocks(const RowList& list, const Box& box) const {
    const std::int64_t rows = list.last() - list.first();
    const auto width = std::ssize(q_);
    StripMatrix keys(rows, width), products(rows, width), values(rows, std::ssize(o_));
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::span<const float> k = key_vector(list.first() + i), v = value_vector(list.first() + i);
      for (std::int64_t d = 0; d < width; ++d) {
        const auto from = static_cast<std::size_t>(order_[static_cast<std::size_t>(d)]);
        keys(i, d) = k[from];
        products(i, d) = q_[from] * k[from];
      }
      std::copy(v.begin(), v.end(), values.row(i).data());
    }
    draw_block("keys", x_.key, box, keys, most_key_, under_.dimension);
    draw_block("products", x_.product, box, products, most_product_, under_.dimension);
    draw_block("values", x_.value, box, values, most_value_, under_.value);
    for (std::int64_t j = list.first(); j < list.last(); ++j) {
      if (!keys_[static_cast<std::size_t>(j)].masked) continue;
      for (const ColumnSpan& column : {x_.key, x_.product, x_.value})
        ui_.fill(part(column, list.row(j)), fade(style_.ground, 0.65f));
    }
  }

  void draw_block(const char* name, const ColumnSpan& column, const Box& box, const StripMatrix& values,
                  float most, std::optional<std::int64_t> marked) const {
    if (!column.there()) return;
    const Box block = part(column, {box.x, box.y + ui_.px(1), box.w, box.h});
    draw_strips(ui_, {.place = name, .box = block, .values = values, .most = most, .ground = style_.ground});
    if (marked) mark_column(ui_, block, *marked, values.cols());
  }

  /// The query above its keys and products, the head's output z above the values.
  void draw_head() const {
    ui_.text(x_.token.x, head_.centre_y(), query_label(r_, at_.b, at_.query),
             {type::label, ui_.theme.query, Ink::Semibold, Align::Left, x_.token.w});
    const StripMatrix q = strip_of(q_, 1, order_);
    const auto strip = [&](const char* name, const ColumnSpan& column, const StripMatrix& values, float most,
                           std::optional<std::int64_t> marked) {
      if (!column.there()) return;
      const Box box = part(column, head_);
      draw_strips(
          ui_,
          {.place = name, .box = box, .values = values, .most = most, .ground = style_.ground, .row_gap = 2});
      if (marked) mark_column(ui_, box, *marked, values.cols());
    };
    strip("query over keys", x_.key, q, most_key_, under_.dimension);
    strip("query over products", x_.product, q, most_key_, under_.dimension);
    strip("mix over values", x_.value, strip_of(o_), most_value_, under_.value);
    const auto name = [&](const ColumnSpan& column, std::string_view text, Rgba hue) {
      const float x = column.x - ui_.px(5);
      if (column.there()) ui_.text(x, head_.centre_y(), text, {type::tick, hue, Ink::Medium, Align::Right});
    };
    name(x_.key.there() ? x_.key : x_.product, operand_names(r_).query, ui_.theme.query);
    name(x_.value, "z", ui_.theme.text2);
    if (style_.large) {
      draw_indices(x_.key, order_);
      draw_indices(x_.product, order_);
      draw_indices(x_.value, {});
    }
    ui_.horizontal(area_.x, head_.bottom() + ui_.px(style_.large ? 18 : 2), area_.w, ui_.theme.hairline);
  }

  /// The indices of the dimensions in a column of strips, as many as fit; in sorted order all or none.
  void draw_indices(const ColumnSpan& column, std::span<const std::int64_t> order) const {
    if (!column.there()) return;
    const std::int64_t count = order.empty() ? std::ssize(o_) : std::ssize(order);
    const Box line = part(column, {0, head_.bottom(), 0, ui_.px(16)});
    const float side = column.w / static_cast<float>(std::max<std::int64_t>(count, 1));
    const float widest = ui_.text_width(std::to_string(count - 1), type::tick);
    const bool sorted = inspector_of(scene_.view).by_contribution && !order.empty();
    // In order, indices can be left out; sorted by contribution they cannot be inferred from their
    // neighbours.
    std::int64_t step = 1;
    while (side * static_cast<float>(step) < widest + ui_.px(4) && step < count) step *= 2;
    if (sorted && step > 1) return;
    for (std::int64_t d = 0; d < count; d += step) {
      const std::int64_t index = order.empty() ? d : order[static_cast<std::size_t>(d)];
      const Box cell = cell_box(line, 0, d, 1, count);
      ui_.text(cell.centre_x(), line.centre_y(), std::to_string(index),
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Centre});
    }
  }

  /// One line about the number under the mouse.
  void draw_facts(const Box& line) const {
    std::string text = x_.bar.there() ? "Hover a strip for its numbers, click a key to choose it."
                                      : "Hover a strip for its numbers.";
    const std::int64_t j = under_.key.value_or(at_.key);
    const std::string key = key_label(r_, at_.b, j);
    const RowKey& row = keys_[static_cast<std::size_t>(j)];
    if (under_.dimension) {
      const std::int64_t d = order_[static_cast<std::size_t>(*under_.dimension)];
      const auto at = static_cast<std::size_t>(d);
      const double q = static_cast<double>(q_[at]), k = static_cast<double>(key_vector(j)[at]);
      text = "dim " + std::to_string(d) + ":  q " + fixed(q, 3) + " × k(" + own(key) + ") " + fixed(k, 3) +
             " = " + fixed(q * k, 3) + "  of " + score_text(row.score);
    } else if (under_.value) {
      const auto at = static_cast<std::size_t>(*under_.value);
      const double v = static_cast<double>(value_vector(j)[at]);
      text = "dim " + std::to_string(*under_.value) + ":  weight " + fixed(row.weight, 3) + " × v(" +
             own(key) + ") " + fixed(v, 3) + " = " + fixed(row.weight * v, 3) + "  of o " +
             fixed(static_cast<double>(o_[at]), 3);
    }
    const bool any = under_.dimension || under_.value;
    if (any) scene_.view.hint = text;
    ui_.text(line.x, line.centre_y(), text,
             {type::tick, any ? ui_.theme.text1 : ui_.theme.text3, Ink::Regular, Align::Left, line.w});
  }

  Scene& scene_;
  const Ui& ui_;
  const LayerResult& r_;
  CellPlace at_;
  NeuronColumns x_;
  NeuronStyle style_;
  Box area_, head_{};
  std::vector<RowKey> keys_;
  std::span<const float> q_, o_;  // [d_k], [d_v]
  std::vector<std::int64_t> order_;
  float most_key_ = 0, most_product_ = 0, most_value_ = 0;  // of this head; o never exceeds v
  double most_weight_ = 0;
  Under under_;
};

}  // namespace

float draw_neuron_table(Scene& scene, const CellPlace& at, const Box& area, const NeuronColumns& columns,
                        const NeuronStyle& style) {
  return NeuronTable(scene, at, area, columns, style).draw();
}

void draw_dimension_order(Scene& scene, const Box& box) {
  constexpr std::array<std::string_view, 2> names{"in order", "by contribution"};
  constexpr std::array<Tip, 2> tips{Tip{"In order", {}, "Dimensions as they stand in the vectors."},
                                    Tip{"By contribution", "|q_d · k_d| of the chosen key",
                                        "What decides the chosen key's score comes first, in every strip."}};
  if (const auto chosen =
          segments(scene.ui, "Dimensions", box, names, inspector_of(scene.view).by_contribution ? 1 : 0, tips,
                   {.text_size = type::tick}))
    inspector_of(scene.view).by_contribution = *chosen == 1;
}

}  // namespace attnscope
