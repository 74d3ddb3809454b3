// app/pages/model: the residual stream, tokens by places in the model: the prediction if the model ended
// there (the raw logit lens), or the vectors' norms. A click asks for the prediction after that token.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/heads/model.hpp"
#include "app/state/window_state.hpp"
#include "core/models/changes.hpp"
#include "core/readouts/lens.hpp"

namespace attnscope {
namespace {

/// The lens uses this part of its colour map, so that the heads stay brightest.
constexpr float stream_span = 0.62f;
constexpr float stream_row_height = 14, least_column = 6, last_column = 58;  // logical

/// A column of the map.
struct StreamPlace {
  LensPlace place;
  std::size_t of_lens = 0;  // its index among the places of the lens
  Box box = {};             // x and width
};

std::string name_of_place(const LensPlace& place) {
  if (place.block < 0) return "the embeddings, as they enter the first layer";
  return (place.behind_attention ? "after the attention of layer " : "after layer ") +
         std::to_string(place.block);
}

/// The region of one frame.
class Stream {
 public:
  Stream(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        state_(model_state_of(scene.view)),
        reading_(*scene.model),
        spec_(reading_.within.model->model->spec),
        region_(region),
        pad_(region_pad(scene)),
        run_(shown_run(scene)->last(*reading_.within.model->model)),
        rows_(run_.hidden.empty() ? 0 : run_.hidden.front().rows()) {}

  void draw() {
    ui_.fill(region_, ui_.theme.panel);
    ui_.horizontal(region_.x, region_.y, region_.w, ui_.theme.hairline);
    const float title = title_height(ui_) - ui_.px(4), header = ui_.px(20);
    const float label = label_width();
    const Box cells{region_.x + pad_ + label, region_.y + title + header, region_.w - 2 * pad_ - label,
                    region_.h - title - header - ui_.px(8)};
    const Box line{region_.x + pad_, region_.y, region_.w - 2 * pad_, title};
    const float right = draw_choice(line);  // first: the choice counts for the rest of this frame
    if (shows_lens() && !reading_.lens) {
      draw_title(line, right);
      return say(cells, "The lens is being computed.");
    }
    if (shows_lens() && shown_run(scene_) != reading_.run) {
      draw_title(line, right);
      return say(cells, "Of the model without its changes the lens is not computed.");
    }
    plan_columns(cells);
    plan_rows(cells);
    const bool has_cells = !columns_.empty() && shown_ > 0;
    if (has_cells && !shows_lens()) read_norms();
    draw_title(line, right);
    if (!has_cells) return;
    draw_header(cells);
    take_mouse();
    draw_cells();
    draw_labels();
    draw_row_names();
    draw_pointed();
  }

 private:
  bool shows_lens() const { return state_.stream != StreamView::Norm && has_lens(); }
  bool has_lens() const {
    return spec_.head.kind == HeadKind::NextToken || spec_.head.kind == HeadKind::MaskedToken;
  }
  /// The lens has all rows of the text, or only the last ones, if fewer were asked for.
  std::int64_t lens_row(std::int64_t row) const { return row - (rows_ - reading_.lens->rows); }
  bool has_lens(std::int64_t row) const { return reading_.lens && lens_row(row) >= 0; }

  /// The choice of lens or norms, for a vision model that of its picture. Returns its left end.
  float draw_choice(const Box& line) {
    const float y = line.y + ui_.px(22), wide = ui_.px(scene_.compact ? 146 : 174);
    if (spec_.image) return draw_picture_choice(scene_, line.right(), y);
    constexpr std::array<std::string_view, 3> names{"lens", "norm", "inside"};
    constexpr std::array<Tip, 3> tips{
        {{"Logit lens",
          "unembed(norm(x))",
          "The likeliest token if the model ended after this layer. Raw: the last "
          "norm is applied as it is, so that early layers may say little.",
          {}},
         {"Norm", "‖x‖", "The length of the residual stream after each layer, on a logarithmic scale.", {}},
         {"Lens inside the layers", {}, "The lens between attention and MLP of every layer, too.", {}}}};
    const Box box{line.right() - wide, y - ui_.px(14), wide, ui_.px(28)};
    // A model that predicts no tokens has no lens: norms are shown.
    const int chosen = static_cast<int>(has_lens() ? state_.stream : StreamView::Norm);
    if (const auto picked =
            segments(ui_, "Residual stream", box, names, chosen, tips, {.disabled = has_lens() ? 0u : 5u}))
      state_.stream = static_cast<StreamView>(*picked);
    return box.x;
  }

  void draw_title(const Box& line, float right) const {
    const float y = line.y + ui_.px(22);
    float left = right - ui_.px(14);
    // In a narrow window the title needs the ramp's room.
    const float name = line.x + ui_.text_width("Residual stream", type::body, Ink::Semibold) + ui_.px(12);
    const float room = std::min(ui_.px(72), std::floor(left - ui_.px(30) - name));
    if (!shows_lens())
      left = draw_norm_ramp(left, y);
    else if (room >= ui_.px(16))
      left = draw_small_ramp(ui_, "stream ramp", left, y, lens_scale(), 1, "0", "1", room);
    std::string note = shows_lens() ? "raw lens: top token after each layer; colour: its probability"
                                    : "length of the vectors, logarithmic";
    if (shows_lens() && state_.stream == StreamView::Inside)
      note = "raw lens after attention and MLP of each layer";
    if (scene_.compact && shows_lens()) note = "raw lens";
    draw_region_title(ui_, line, "Residual stream", note, left - ui_.px(12));
  }

  /// The ramp with the smallest and largest norm in sight. Returns its left end.
  float draw_norm_ramp(float right, float y) const {
    if (norms_.empty()) return right;
    const auto end = [](float norm) { return tight(static_cast<double>(norm)); };
    return draw_small_ramp(ui_, "norm ramp", right, y, norm_scale_, norm_scale_.high, end(norm_scale_.low),
                           end(norm_scale_.high), ui_.px(scene_.compact ? 40 : 72));
  }

  /// A probability of 1 has the colour at stream_span.
  ColourScale lens_scale() const { return {ui_.theme.weights, 0, 1 / stream_span}; }
  Rgba lens_colour(double probability) const {
    return colour_of(lens_scale(), static_cast<float>(probability));
  }

  void say(const Box& cells, std::string_view words) {
    ui_.text(region_.x + pad_, cells.y + ui_.px(8), words,
             {type::label, ui_.theme.text2, Ink::Regular, Align::Left, region_.w - 2 * pad_});
  }

  float label_width() const {
    float widest = ui_.px(24);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(rows_, 256); ++i)
      widest = std::max(widest, ui_.text_width(row_name(reading_, rows_ - 1 - i), type::tick));
    return std::min(widest, ui_.px(72)) + ui_.px(10);
  }

  void plan_columns(const Box& cells) {
    const std::vector<LensPlace> all = lens_places(spec_);
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((shows_lens() && state_.stream == StreamView::Inside) || !all[i].behind_attention)
        columns_.push_back({all[i], i});
    // The last column is the prediction and never narrower than the others.
    const float even = std::floor(cells.w / static_cast<float>(columns_.size()));
    const float last = shows_lens() && columns_.size() > 1 ? std::max(even, ui_.px(last_column)) : 0;
    const auto count = static_cast<float>(columns_.size() - (last > 0 ? 1 : 0));
    const float wide = std::max((cells.w - last) / count, ui_.px(least_column));
    float x = cells.x;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_last = last > 0 && i + 1 == columns_.size();
      const float end = is_last ? x + last : cells.x + wide * static_cast<float>(i + 1);
      columns_[i].box = {std::round(x), 0, std::round(end) - std::round(x), 0};
      x = end;
    }
    std::erase_if(columns_,
                  [&](const StreamPlace& place) { return place.box.right() > cells.right() + ui_.px(1); });
  }

  /// Shows the last rows, unless the region was scrolled.
  void plan_rows(const Box& cells) {
    const float least = ui_.px(stream_row_height);
    const auto room = static_cast<std::int64_t>(cells.h / least);
    shown_ = std::min(rows_, room);
    if (shown_ <= 0) return;
    const float height = std::min(std::floor(cells.h / static_cast<float>(shown_)), ui_.px(22));
    state_.stream_back = std::clamp<std::int64_t>(state_.stream_back, 0, rows_ - shown_);
    first_ = rows_ - shown_ - state_.stream_back;
    map_ = {cells.x, cells.y, columns_.empty() ? 0 : columns_.back().box.right() - cells.x,
            height * static_cast<float>(shown_)};
    height_ = height;
  }

  Box cell(std::int64_t row, const StreamPlace& column) const {
    return {column.box.x, map_.y + static_cast<float>(row - first_) * height_, column.box.w, height_};
  }

  std::int64_t predicted_row() const { return reading_.prediction ? reading_.prediction->row : -1; }

  void draw_header(const Box& cells) {
    const ModelHead chosen = chosen_head(scene_);
    float end = -1e9f;
    for (const StreamPlace& column : columns_) {
      const int block = column.place.block;
      if (column.place.behind_attention) continue;
      const bool is_chosen = block == chosen.block && is_of_stack(chosen.of);
      const std::string text = block < 0 ? "in" : std::to_string(block);
      const float width = ui_.text_width(text, type::tick), x = column.box.centre_x();
      if (!is_chosen && x - width / 2 < end + ui_.px(4)) continue;
      end = x + width / 2;
      ui_.text(x, cells.y - ui_.px(10), text,
               {type::tick, is_chosen || is_changed(block) ? ui_.theme.query : ui_.theme.text3,
                is_chosen ? Ink::Semibold : Ink::Regular, Align::Centre});
    }
  }

  bool is_changed(int block) const {
    const ModelChanges& changes = shown_changes(scene_);
    const auto is_here = [&](const auto& change) { return is_of_stack(change.of) && change.block == block; };
    return std::any_of(changes.blocks.begin(), changes.blocks.end(), is_here) ||
           std::any_of(changes.heads.begin(), changes.heads.end(), is_here);
  }
  /// Whether it is the stack that makes the output.
  bool is_of_stack(AttentionOf of) const { return (of == AttentionOf::Encoder) != spec_.decoder.has_value(); }

  /// Reads the norms in sight and the ends of their colours.
  void read_norms() {
    norms_.clear();
    const ModelFacts facts = model_facts_of(scene_);
    const auto all = facts.numbers->stream_norms.matrix();
    for (std::int64_t row = first_; row < first_ + shown_; ++row)
      for (const StreamPlace& column : columns_) norms_.push_back(all(row, column.place.block + 1));
    const auto [low, high] = std::minmax_element(norms_.begin(), norms_.end());
    norm_scale_ = {ui_.theme.weights, std::max(1e-6f, *low), std::max(2e-6f, *high), false, true};
    if (!(norm_scale_.high > norm_scale_.low)) norm_scale_.high = norm_scale_.low * 2;
  }
  float norm_at(std::int64_t row, std::size_t column) const {
    return norms_[static_cast<std::size_t>(row - first_) * columns_.size() + column];
  }

  const LensCell* lens_at(std::int64_t row, std::size_t column) const {
    if (!has_lens(row) || columns_[column].of_lens >= reading_.lens->places.size()) return nullptr;
    const LensCell& cell = reading_.lens->at(lens_row(row), columns_[column].of_lens);
    return cell.top.empty() ? nullptr : &cell;
  }

  void take_mouse() {
    const Ui::Touch touch = ui_.touch("Residual stream map", map_, can_choose());
    const ImGuiIO& io = ImGui::GetIO();
    if (touch.focused) ui_.frame(map_.grown(ui_.px(2)), ui_.theme.query, ui_.px(2), ui_.px(4));
    if (touch.hovered && io.MouseWheel != 0)
      state_.stream_back += static_cast<std::int64_t>(std::lround(3 * io.MouseWheel));
    if (!touch.pointed && !touch.clicked) return;
    const auto row = first_ + static_cast<std::int64_t>((io.MousePos.y - map_.y) / height_);
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (io.MousePos.x >= columns_[i].box.x && io.MousePos.x < columns_[i].box.right())
        pointed_ = {std::clamp(row, first_, first_ + shown_ - 1), i};
    if (!pointed_) return;
    if (touch.clicked && can_choose()) {
      const bool is_usual = pointed_->first == rows_ - 1;
      state_.predicted_row = is_usual && spec_.head.kind == HeadKind::NextToken
                                 ? std::nullopt
                                 : std::optional<std::int64_t>(pointed_->first);
    }
    if (can_choose())
      scene_.view.hint = "click shows what is predicted in the row of " + row_name(reading_, pointed_->first);
    hovered_ = touch.hovered;
  }

  /// Whether the rows have predictions of their own.
  bool can_choose() const { return spec_.has_logits() && spec_.head.input == HeadInput::EveryRow; }

  void draw_cells() {
    for (std::int64_t row = first_; row < first_ + shown_; ++row) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        Box box = cell(row, columns_[i]);
        box.h -= std::max(1.f, std::floor(ui_.scale()));
        if (!shows_lens()) {
          ColourScale scale = norm_scale_;
          ui_.fill(box, colour_of(scale, norm_at(row, i)));
          continue;
        }
        const LensCell* const lens = lens_at(row, i);
        if (i + 1 < columns_.size() && !is_same(lens, lens_at(row, i + 1)))
          box.w -= std::max(1.f, std::floor(ui_.scale()));
        ui_.fill(box,
                 lens == nullptr ? ui_.theme.hatch_ground : lens_colour(lens->top.front().probability()));
      }
    }
  }

  static bool is_same(const LensCell* a, const LensCell* b) {
    return a != nullptr && b != nullptr && a->top.front().id == b->top.front().id;
  }

  /// Adjacent cells with the same token share one label; a label without room is shown only in the tooltip.
  void draw_labels() {
    if (!shows_lens() || height_ < ui_.px(11)) return;
    for (std::int64_t row = first_; row < first_ + shown_; ++row) {
      for (std::size_t i = 0; i < columns_.size();) {
        const LensCell* const lens = lens_at(row, i);
        std::size_t end = i + 1;
        // The last column is the prediction and always has its own label.
        const std::size_t stop = columns_.size() > 1 ? columns_.size() - 1 : 1;
        while (i != stop && end < stop && is_same(lens, lens_at(row, end))) ++end;
        if (lens != nullptr) draw_label(row, i, end, *lens);
        i = end;
      }
    }
  }

  void draw_label(std::int64_t row, std::size_t first, std::size_t end, const LensCell& lens) {
    const Box box = cell(row, columns_[first]);
    const float room = columns_[end - 1].box.right() - box.x - ui_.px(6);
    const std::string name = predicted_name(reading_, lens.top.front().id);
    const float width = ui_.text_width(name, type::tick);
    const bool last = first + 1 == columns_.size() && columns_.size() > 1;
    if (width > room && !last) return;
    const Rgba ground = lens_colour(lens.top.front().probability());
    // A short word is centred in its first cell, a long one extends over cells of the same token.
    const bool fits = width <= box.w - ui_.px(4);
    // In the last column, too, unless it is wider than the others: then its words are left-aligned.
    const bool is_wider = last && box.w > columns_.front().box.w + ui_.px(1);
    const float x = fits && !is_wider ? std::round(box.centre_x() - width / 2) : box.x + ui_.px(4);
    ui_.text(x, box.y + height_ / 2, name, {type::tick, ink_on(ground), Ink::Regular, Align::Left, room});
  }

  void draw_row_names() {
    const std::int64_t predicted = predicted_row();
    for (std::int64_t row = first_; row < first_ + shown_; ++row) {
      const bool is_predicted = row == predicted;
      const float y = map_.y + (static_cast<float>(row - first_) + 0.5f) * height_,
                  right = map_.x - ui_.px(8);
      const bool is_pointed = pointed_ && pointed_->first == row;
      ui_.text(
          right, y, row_name(reading_, row),
          {type::tick,
           is_predicted ? ui_.theme.query
           : is_pointed ? ui_.theme.text1
                        : ui_.theme.text2,
           is_predicted ? Ink::Semibold : Ink::Regular, Align::Right, map_.x - region_.x - pad_ - ui_.px(8)});
      if (is_predicted)
        ui_.fill({map_.x - ui_.px(5), std::round(y - height_ / 2), ui_.px(3), height_ - ui_.px(1)},
                 ui_.theme.query);
    }
    if (shown_ < rows_) {
      const float share = static_cast<float>(shown_) / static_cast<float>(rows_);
      const float from = static_cast<float>(first_) / static_cast<float>(rows_);
      ui_.fill({map_.right() + ui_.px(6), map_.y + map_.h * from, ui_.px(4), map_.h * share},
               ui_.theme.border, ui_.px(2));
    }
  }

  void draw_pointed() {
    if (!pointed_) return;
    const auto [row, column] = *pointed_;
    const Box box = cell(row, columns_[column]);
    ui_.frame({box.x - 1, box.y - 1, box.w + 1, box.h + 1}, ui_.theme.query, std::max(1.f, ui_.px(1.5f)),
              ui_.px(2));
    const std::string title = row_name(reading_, row) + ", " + name_of_place(columns_[column].place);
    std::string numbers;
    if (!shows_lens()) {
      numbers = "‖x‖ = " + tight(static_cast<double>(norm_at(row, column)));
    } else if (const LensCell* const lens = lens_at(row, column)) {
      for (const PredictedToken& token : lens->top) {
        numbers += (numbers.empty() ? "" : "  ·  ") + predicted_name(reading_, token.id) + " " +
                   fixed(100 * token.probability(), 1) + " %";
      }
    } else {
      numbers = "not known yet";
    }
    tooltip(ui_, hovered_, box,
            {title, numbers, shows_lens() ? "The likeliest tokens if the model ended here." : "", {}},
            Clear::OfRowAndColumn);
  }

  Scene& scene_;
  const Ui& ui_;
  ModelState& state_;
  const ModelReading& reading_;
  const ModelSpec& spec_;
  Box region_;
  float pad_;
  const StackRun& run_;
  std::int64_t rows_;
  std::vector<StreamPlace> columns_;
  Box map_;
  float height_ = 0;
  std::int64_t first_ = 0, shown_ = 0;
  std::vector<float> norms_;  // [rows in sight][columns]
  ColourScale norm_scale_;
  std::optional<std::pair<std::int64_t, std::size_t>> pointed_;
  bool hovered_ = false;
};

}  // namespace

void draw_model_stream(Scene& scene, const Box& region) { Stream(scene, region).draw(); }

}  // namespace attnscope
