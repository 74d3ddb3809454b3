#include "app/views/atlas/head_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/table_view.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/state/model_look.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {
namespace {

constexpr float widest_cell = 64, highest_cell = 40;  // logical

/// The map of one frame.
class HeadMapOf {
 public:
  HeadMapOf(Scene& scene, const Box& area, const HeadNumbers& numbers)
      : scene_(scene),
        ui_(scene.ui),
        state_(model_look_of(scene.view)),
        numbers_(numbers),
        spec_(scene.model->within.model->model->spec),
        of_(numbers.of.value_or(output_attention(spec_))),
        chosen_(chosen_head(scene)) {
    for (const HeadPlace& head : numbers.heads) {
      rows_ = std::max(rows_, head.block + 1);
      columns_ = std::max(columns_, head.head + 1);
    }
    const float label = ui_.px(28), top = ui_.px(18);
    const float wide = std::min(area.w - label, ui_.px(widest_cell) * static_cast<float>(columns_));
    const float high = std::min(area.h - top, ui_.px(highest_cell) * static_cast<float>(rows_));
    map_ = {area.x + label, area.y + top, whole_cells(wide, columns_), whole_cells(high, rows_)};
  }

  void draw() {
    if (map_.w < ui_.px(24) || map_.h < ui_.px(24)) return;
    draw_labels();
    take_mouse();
    for (std::size_t i = 0; i < numbers_.heads.size(); ++i) draw_cell(i);
    if (state_.hovered && !(*state_.hovered == chosen_)) ring(*state_.hovered, ui_.theme.text2, 1);
    ring(chosen_, ui_.theme.query, 2);
  }

 private:
  /// A size with whole pixels per cell, unless cells are tiny.
  static float whole_cells(float room, int count) {
    const auto n = static_cast<float>(std::max(1, count));
    return room / n >= 8 ? std::floor(room / n) * n : std::floor(room);
  }

  Box cell(const HeadPlace& head) const { return cell_box(map_, head.block, head.head, rows_, columns_); }

  void draw_labels() {
    const bool of_stack = chosen_.of == of_;
    float end = -1e9f;
    for (int block = 0; block < rows_; ++block) {
      const float y = cell({block, 0}).centre_y();
      const bool is_chosen = of_stack && block == chosen_.block;
      if (!is_chosen && y - ui_.px(7) < end) continue;
      end = y + ui_.px(7);
      ui_.text(map_.x - ui_.px(8), y, std::to_string(block), label_style(is_chosen, Align::Right));
    }
    end = -1e9f;
    for (int head = 0; head < columns_; ++head) {
      const std::string number = std::to_string(head);
      const float x = cell({0, head}).centre_x(), half = ui_.text_width(number, type::tick) / 2;
      const bool is_chosen = of_stack && head == chosen_.head;
      if (!is_chosen && x - half < end + ui_.px(3)) continue;
      end = x + half;
      ui_.text(x, map_.y - ui_.px(9), number, label_style(is_chosen, Align::Centre));
    }
  }

  TextStyle label_style(bool is_chosen, Align align) const {
    return {type::tick, is_chosen ? ui_.theme.query : ui_.theme.text2,
            is_chosen ? Ink::Semibold : Ink::Regular, align};
  }

  std::optional<std::size_t> find(const HeadPlace& place) const {
    const auto found = std::ranges::find(numbers_.heads, place);
    if (found == numbers_.heads.end()) return std::nullopt;
    return static_cast<std::size_t>(found - numbers_.heads.begin());
  }

  void take_mouse() {
    const Ui::Touch touch = ui_.touch(numbers_.label, map_);
    if (touch.focused) take_arrows();
    if (touch.clicked && !ImGui::IsMouseReleased(0)) return open_in_explore(scene_);
    if (!touch.pointed && !touch.clicked) return;
    const Cell at = cell_at(map_, ImGui::GetIO().MousePos, rows_, columns_);
    const HeadPlace place{static_cast<int>(at.query), static_cast<int>(at.key)};
    const std::optional<std::size_t> index = find(place);
    if (!index) return;
    const ModelHead head = model_head(spec_, place, of_);
    point_at_head(scene_, head);
    const HeadTip tip = numbers_.tip(*index);
    tooltip(ui_, touch.hovered, cell(place), {tip.title, tip.numbers, tip.why, {}});
    if (touch.clicked) click_on_head(scene_, head);
  }

  void take_arrows() {
    ui_.frame(map_.grown(ui_.px(3)), ui_.theme.query, ui_.px(2), ui_.px(4));
    take_arrow_keys([&](int right, int down) {
      const HeadPlace to{chosen_.block + down, static_cast<int>(chosen_.head) + right};
      if (find(to)) look_at(scene_, model_head(spec_, to, of_));
    });
  }

  void draw_cell(std::size_t i) {
    const Box whole = cell(numbers_.heads[i]);
    const float gap = whole.w >= 6 && whole.h >= 6 ? std::max(1.f, std::floor(ui_.scale())) : 0;
    const Box box{whole.x, whole.y, whole.w - gap, whole.h - gap};
    const double value = numbers_.values[i];
    if (!std::isfinite(value)) return ui_.fill(box, ui_.theme.hatch_ground);
    const Rgba ground = colour_of(numbers_.scale, static_cast<float>(value));
    const bool estimate = !numbers_.is_estimate.empty() && numbers_.is_estimate[i];
    ui_.fill(box, ground);
    if (estimate) {
      const float side = std::min({ui_.px(6), box.w / 2, box.h / 2});
      const std::array<ImVec2, 3> corner{{{box.x, box.y}, {box.x + side, box.y}, {box.x, box.y + side}}};
      ui_.area(corner, ui_.theme.text2);
    }
    if (box.h < ui_.px(14) || box.w < ui_.px(26)) return;
    const std::string number = numbers_.written(value);
    if (ui_.text_width(number, type::tick) > box.w - ui_.px(4)) return;
    const float most = std::max(std::abs(numbers_.scale.low), std::abs(numbers_.scale.high));
    const bool small = std::abs(value) < 0.06 * static_cast<double>(most);
    ui_.text(box.centre_x(), box.centre_y(), number,
             {type::tick, small ? ui_.theme.text3 : ink_on(ground), Ink::Regular, Align::Centre});
  }

  void ring(const ModelHead& head, Rgba colour, float thick) {
    const HeadPlace place{head.block, static_cast<int>(head.head)};
    if (head.of == of_ && find(place))
      ui_.frame(cell(place).grown(ui_.px(1)), colour, std::max(1.f, ui_.px(thick)), ui_.px(2));
  }

  Scene& scene_;
  const Ui& ui_;
  ModelLook& state_;
  const HeadNumbers& numbers_;
  const ModelSpec& spec_;
  AttentionOf of_;
  ModelHead chosen_;
  int rows_ = 1, columns_ = 1;
  Box map_;
};

}  // namespace

ModelHead model_head(const ModelSpec& spec, const HeadPlace& place, std::optional<AttentionOf> of) {
  return {of.value_or(output_attention(spec)), place.block, place.head};
}

ColourScale centred_scale(const Ui& ui, std::span<const double> values) {
  double most = 0;
  for (const double value : values)
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  const auto high = static_cast<float>(most > 0 ? most : 1);
  return {.map = ui.theme.scores, .low = -high, .high = high, .zero_centred = true};
}

void draw_head_map_of(Scene& scene, const Box& area, const HeadNumbers& numbers) {
  HeadMapOf(scene, area, numbers).draw();
}

void draw_head_list(Scene& scene, const Box& box, const HeadList& list, TableOrder& order) {
  const ModelSpec& spec = scene.model->within.model->model->spec;
  const auto head_at = [&](std::size_t row) { return model_head(spec, list.heads[row], list.of); };
  TableLook look{.label = list.label,
                 .first_width = scene.compact ? 62.f : 84.f,
                 .row_height = scene.compact ? 20.f : 22.f,
                 .swatch = list.colour};
  const ModelHead chosen = chosen_head(scene);
  for (std::size_t row = 0; row < list.heads.size(); ++row)
    if (head_at(row) == chosen) look.chosen = row;
  const TableTouch touch = draw_table(scene.ui, box, list.table, look, order);
  if (touch.pointed) point_at_head(scene, head_at(*touch.pointed));
  if (touch.clicked) click_on_head(scene, head_at(*touch.clicked));
  if (!touch.copied.empty()) scene.requests.copy = touch.copied;
}

ProgressPress draw_progress_row(const Ui& ui, const Box& box, const HowFar& progress) {
  const float wide = ui.px(68);
  const Box press{box.right() - wide, box.y, wide, box.h};
  const std::string name = progress.runs ? "Cancel" : "Go on";
  const bool pressed =
      button(ui, (std::string(progress.what) + ": " + name).c_str(), press,
             progress.runs ? Tip{"Cancel", {}, "Stops here; what is known of the model stays.", {}}
                           : Tip{"Go on", {}, "Goes on with what is not known yet.", {}},
             name);
  const float left = box.x, right = press.x - ui.px(12);
  ui.text(left, box.centre_y() - ui.px(6), grouped(progress.known) + " of " + grouped(progress.all),
          {type::tick, ui.theme.text2, Ink::Regular, Align::Left, right - left});
  const Box track{left, std::round(box.bottom() - ui.px(8)), right - left, ui.px(4)};
  ui.fill(track, ui.theme.bar_ground, ui.px(2));
  const float share =
      progress.all > 0 ? static_cast<float>(progress.known) / static_cast<float>(progress.all) : 0;
  ui.fill({track.x, track.y, track.w * share, track.h}, ui.theme.query, ui.px(2));
  if (!pressed) return ProgressPress::None;
  return progress.runs ? ProgressPress::Cancel : ProgressPress::GoOn;
}

std::string with_sign_in_cell(double value) {
  if (std::abs(value) < 0.005) return "0";
  return std::abs(value) < 0.995 ? (value > 0 ? "+" : "") + in_cell(value) : with_sign(value);
}

std::string with_sign(double value) {
  const std::string number = fixed(std::abs(value), std::abs(value) < 9.995 ? 2 : 1);
  return (value < 0 && number != "0.00" ? "−" : "+") + number;
}

}  // namespace attnscope
