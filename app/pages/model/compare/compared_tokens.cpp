// app/pages/model: token by token: the distance of the chosen head's rows, the change of the residual stream
// after every layer, and the divergence of the predictions.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/compare/compared_models.hpp"
#include "app/scene/picture.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model_compare/tables.hpp"
#include "core/models/changes.hpp"

namespace attnscope {
namespace {

constexpr float token_row_height = 14;   // logical, its height
constexpr double most_change_shown = 2;  // in lengths of the vector: larger changes share a colour

/// The stack whose rows this attention has: cross-attention has the decoder's.
AttentionOf stack_with_rows(AttentionOf of) { return of == AttentionOf::Cross ? AttentionOf::Decoder : of; }

/// The table of one frame. Rows are pairs of tokens.
class ComparedTokens {
 public:
  ComparedTokens(Scene& scene, const Box& region, const ComparedModels& compared)
      : scene_(scene),
        ui_(scene.ui),
        state_(model_state_of(scene.view).compare),
        compared_(compared),
        rows_of_(compared.attention.queries),
        shown_(compared.shown()),
        region_(region),
        pad_(region_pad(scene)) {
    if (const auto* const found = compared.difference.find(stack_with_rows(compared.head.of)))
      if (!found->stream.empty()) stream_ = found;
    const AttentionOf output = output_attention(compared.spec_a());
    if (stack_with_rows(compared.head.of) == output &&
        std::ssize(compared.difference.divergences) == rows_of_.count())
      divergences_ = compared.difference.divergences;
    plan();
  }

  void draw() {
    draw_title();
    if (visible_rows_ <= 0) return;
    draw_header();
    take_mouse();
    for (std::int64_t i = first_; i < first_ + visible_rows_; ++i) draw_row(i);
    draw_scroll();
    if (pointed_) draw_pointed();
  }

 private:
  void plan() {
    const float title = title_height(ui_) - ui_.px(4), header = ui_.px(20);
    const Box area{region_.x + pad_, region_.y + title + header, region_.w - 2 * pad_,
                   region_.h - title - header - ui_.px(8)};
    const std::int64_t count = rows_of_.count();
    visible_rows_ = std::min(count, static_cast<std::int64_t>(area.h / ui_.px(token_row_height)));
    if (visible_rows_ <= 0) return;
    height_ = std::min(std::floor(area.h / static_cast<float>(visible_rows_)), ui_.px(22));
    state_.rows_back = std::clamp<std::int64_t>(state_.rows_back, 0, count - visible_rows_);
    first_ = count - visible_rows_ - state_.rows_back;
    const float label = label_width(), head = ui_.px(scene_.compact ? 84 : 120),
                kl = divergences_.empty() ? 0 : ui_.px(scene_.compact ? 84 : 120), gap = ui_.px(16);
    rows_ = {area.x, area.y, area.w, height_ * static_cast<float>(visible_rows_)};
    names_ = {area.x, area.y, label, rows_.h};
    head_ = {names_.right(), area.y, head, rows_.h};
    kl_ = {area.right() - kl, area.y, kl, rows_.h};
    const float left = head_.right() + gap, right = kl > 0 ? kl_.x - gap : area.right() - ui_.px(12);
    map_ = {left, area.y, std::max(0.f, right - left), rows_.h};
    if (stream_ != nullptr) {
      const auto columns = static_cast<float>(stream_->stream.size());
      const float wide = map_.w / columns;
      if (wide >= 6) map_.w = std::floor(wide) * columns;
    }
    for (const auto& layer : layers())
      if (layer)
        for (const double change : *layer)
          if (std::isfinite(change)) most_change_ = std::max(most_change_, change);
    for (const double divergence : divergences_)
      if (std::isfinite(divergence)) most_divergence_ = std::max(most_divergence_, divergence);
  }

  std::span<const std::shared_ptr<const std::vector<double>>> layers() const {
    if (stream_ == nullptr) return {};
    return stream_->stream;
  }

  bool has_other_words() const { return rows_of_.kind == TokenMatch::Kind::Position; }
  std::string name(std::int64_t pair) const {
    std::string words = row_word(compared_.a(), compared_.head.of, rows_of_.in_a(pair));
    if (!has_other_words()) return words;
    const std::string other = row_word(compared_.b(), compared_.head.of, rows_of_.in_b(pair));
    return other == words ? words : words + " | " + other;
  }

  float label_width() const {
    float widest = ui_.px(24);
    for (std::int64_t i = first_; i < first_ + visible_rows_; ++i)
      widest = std::max(widest, ui_.text_width(name(i), type::tick));
    return std::min(widest, ui_.px(has_other_words() ? 128 : 72)) + ui_.px(12);
  }

  /// Changes beyond most_change_shown, as of a token whose vector grows a hundredfold, get the last colour.
  ColourScale scale() const {
    const double high = most_change_ > 0 ? std::min(most_change_, most_change_shown) : 1;
    return {ui_.theme.weights, 0, static_cast<float>(high)};
  }

  void draw_title() {
    const Box line{region_.x + pad_, region_.y, region_.w - 2 * pad_, title_height(ui_) - ui_.px(4)};
    float right = line.right();
    if (stream_ != nullptr)
      right = draw_small_ramp(ui_, "token ramp", right, line.y + ui_.px(22), scale(), scale().high, "0",
                              (most_change_ > most_change_shown ? "≥ " : "") +
                                  distance_words(static_cast<double>(scale().high)),
                              ui_.px(72)) -
              ui_.px(12);
    std::string note = "residual stream: ‖now − held‖ ÷ ‖now‖ after each layer";
    if (stream_ == nullptr) note = "the streams are of other widths";
    draw_region_title(ui_, line, "By token", note, right);
  }

  void draw_header() {
    const float y = rows_.y - ui_.px(10);
    ui_.text(head_.x, y, "head " + head_name(compared_.spec_a(), compared_.head),
             {type::tick, ui_.theme.text2, Ink::Regular, Align::Left, head_.w});
    if (kl_.w > 0)
      ui_.text(kl_.x, y, "KL of prediction", {type::tick, ui_.theme.text2, Ink::Regular, Align::Left, kl_.w});
    if (stream_ == nullptr) return;
    const auto columns = std::ssize(stream_->stream);
    float end = -1e9f;
    for (std::int64_t i = 0; i < columns; ++i) {
      const Box box = cell_box(map_, 0, i, visible_rows_, columns);
      const bool chosen = i - 1 == compared_.head.block;
      const std::string text = i == 0 ? "in" : std::to_string(i - 1);
      const float width = ui_.text_width(text, type::tick);
      if (!chosen && box.centre_x() - width / 2 < end + ui_.px(4)) continue;
      end = box.centre_x() + width / 2;
      ui_.text(box.centre_x(), y, text,
               {type::tick, chosen ? ui_.theme.query : ui_.theme.text3, chosen ? Ink::Semibold : Ink::Regular,
                Align::Centre});
    }
  }

  Box line(std::int64_t pair) const {
    return {rows_.x, rows_.y + static_cast<float>(pair - first_) * height_, rows_.w, height_};
  }

  bool is_chosen(std::int64_t pair) const {
    const std::optional<Cell> cell = marked_cell(scene_, compared_);
    return cell && cell->query == rows_of_.in_a(pair);
  }

  void draw_row(std::int64_t pair) {
    const Box row = line(pair);
    const float y = row.centre_y();
    const bool chosen = is_chosen(pair), pointed = pointed_ == pair;
    if (pointed) ui_.fill({row.x - ui_.px(4), row.y, row.w + ui_.px(4), row.h}, fade(ui_.theme.text1, 0.06f));
    ui_.text(names_.right() - ui_.px(10), y, name(pair),
             {type::tick,
              chosen    ? ui_.theme.query
              : pointed ? ui_.theme.text1
                        : ui_.theme.text2,
              chosen ? Ink::Semibold : Ink::Regular, Align::Right, names_.w - ui_.px(10)});
    const auto at = static_cast<std::size_t>(pair);
    if (shown_ != nullptr && at < shown_->rows.size())
      draw_bar({head_.x, row.y, head_.w, row.h}, static_cast<double>(shown_->rows[at]), 1, ui_.theme.bar);
    if (kl_.w > 0) draw_bar({kl_.x, row.y, kl_.w, row.h}, divergences_[at], most_divergence_, ui_.theme.b);
    if (stream_ == nullptr) return;
    const auto columns = std::ssize(stream_->stream);
    const float gap = std::max(1.f, std::floor(ui_.scale()));
    for (std::int64_t i = 0; i < columns; ++i) {
      Box box = cell_box(map_, pair - first_, i, visible_rows_, columns);
      box.h -= gap;
      if (box.w > ui_.px(6)) box.w -= gap;
      const double change = change_at(pair, i);
      ui_.fill(box, std::isfinite(change) ? colour_of(scale(), static_cast<float>(change))
                                          : ui_.theme.hatch_ground);
    }
  }

  double change_at(std::int64_t pair, std::int64_t column) const {
    const auto& layer = stream_->stream[static_cast<std::size_t>(column)];
    if (!layer || pair >= std::ssize(*layer)) return NAN;
    return (*layer)[static_cast<std::size_t>(pair)];
  }

  /// A number with its bar; a dash if it is unknown.
  void draw_bar(const Box& box, double value, double most, Rgba colour) {
    const float room = ui_.px(36), y = box.centre_y();
    const Box track{box.x, std::round(y - ui_.px(3)), box.w - room - ui_.px(6), ui_.px(6)};
    if (track.w > ui_.px(8)) {
      ui_.fill(track, ui_.theme.bar_ground, ui_.px(2));
      const double share = std::isfinite(value) && most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0;
      if (share > 0)
        ui_.fill({track.x, track.y, std::max(ui_.px(1), track.w * static_cast<float>(share)), track.h},
                 colour, ui_.px(2));
    }
    ui_.text(box.right(), y, distance_words(value),
             {type::tick, std::isnan(value) ? ui_.theme.text3 : ui_.theme.text1, Ink::Regular, Align::Right});
  }

  void take_mouse() {
    const Ui::Touch touch = ui_.touch("Compared tokens", rows_);
    if (touch.focused) ui_.frame(rows_.grown(ui_.px(2)), ui_.theme.query, ui_.px(2), ui_.px(4));
    const ImGuiIO& io = ImGui::GetIO();
    if (touch.hovered && io.MouseWheel != 0)
      state_.rows_back += static_cast<std::int64_t>(std::lround(3 * io.MouseWheel));
    if (!touch.pointed && !touch.clicked) return;
    pointed_ = std::clamp(first_ + static_cast<std::int64_t>((io.MousePos.y - rows_.y) / height_), first_,
                          first_ + visible_rows_ - 1);
    hovered_ = touch.hovered;
    const std::int64_t query = rows_of_.in_a(*pointed_);
    scene_.view.hint = "click looks at the row of " + row_word(compared_.a(), compared_.head.of, query);
    if (!touch.clicked) return;
    if (const std::optional<Cell> cell = marked_cell(scene_, compared_)) {
      const KeysSeen seen =
          keys_seen(compared_.spec_a(), *compared_.a().run, compared_.head.of, compared_.head.block);
      scene_.next.cell = {query, std::clamp(cell->key, seen.first(query), seen.last(query) - 1)};
      scene_.next.locked = true;
    }
    const ModelSpec& spec = compared_.spec_a();
    if (stack_with_rows(compared_.head.of) == output_attention(spec) && spec.has_logits() &&
        spec.head.input == HeadInput::EveryRow)
      model_state_of(scene_.view).predicted_row = query;
  }

  void draw_pointed() {
    const std::int64_t pair = *pointed_;
    const auto at = static_cast<std::size_t>(pair);
    const Box row = line(pair);
    const float x = ImGui::GetIO().MousePos.x;
    std::string numbers;
    if (shown_ != nullptr && at < shown_->rows.size())
      numbers = "head " + head_name(compared_.spec_a(), compared_.head) + " " +
                distance_words(static_cast<double>(shown_->rows[at]));
    if (stream_ != nullptr && x >= map_.x && x < map_.right()) {
      const auto columns = std::ssize(stream_->stream);
      const std::int64_t column = cell_at(map_, {x, map_.y}, visible_rows_, columns).key;
      const std::string place =
          column == 0 ? "as it enters the first layer" : "after layer " + std::to_string(column - 1);
      numbers = "stream " + place + ": " + distance_words(change_at(pair, column));
      ui_.frame(cell_box(map_, pair - first_, column, visible_rows_, columns), ui_.theme.query,
                std::max(1.f, ui_.px(1.5f)), ui_.px(2));
    } else if (kl_.w > 0 && x >= kl_.x) {
      numbers = "KL of the predictions " + distance_words(divergences_[at]) + " nats";
    }
    const std::string title = row_word(compared_.a(), compared_.head.of, rows_of_.in_a(pair)) + "  ·  held " +
                              row_word(compared_.b(), compared_.head.of, rows_of_.in_b(pair));
    tooltip(
        ui_, hovered_, row,
        {title,
         numbers,
         "Of the stream 0 is no change, 1 a change as long as the vector itself; two unrelated vectors of "
         "one length give 1.41.",
         {}});
  }

  void draw_scroll() {
    const auto count = static_cast<float>(rows_of_.count());
    if (visible_rows_ >= rows_of_.count()) return;
    ui_.fill({rows_.right() + ui_.px(6), rows_.y + rows_.h * static_cast<float>(first_) / count, ui_.px(4),
              rows_.h * static_cast<float>(visible_rows_) / count},
             ui_.theme.border, ui_.px(2));
  }

  Scene& scene_;
  const Ui& ui_;
  CompareHeadsState& state_;
  const ComparedModels& compared_;
  const TokenMatch& rows_of_;
  const HeadDifference* shown_;
  Box region_;
  float pad_;
  const ModelDifference::Attention* stream_ = nullptr;  // null: the streams have different widths
  std::span<const double> divergences_;
  double most_change_ = 0, most_divergence_ = 0;
  Box rows_, names_, head_, map_, kl_;
  float height_ = 0;
  std::int64_t first_ = 0, visible_rows_ = 0;
  std::optional<std::int64_t> pointed_;
  bool hovered_ = false;
};

}  // namespace

void draw_compared_tokens(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.panel);
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  if (const std::optional<ComparedModels> compared = compared_models(scene))
    ComparedTokens(scene, region, *compared).draw();
}

}  // namespace attnscope
