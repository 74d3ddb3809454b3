#include "app/views/picture/picture.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/state/model_look.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/token_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model/head_map.hpp"
#include "app/views/model/parts.hpp"
#include "app/views/picture/heat.hpp"
#include "app/views/picture/patches.hpp"

namespace attnscope {
namespace {

constexpr Tip rollout_tip{
    "Attention rollout", "R = Ā_L · … · Ā_1,  Ā = (mean of all heads + I) with rows divided by their sums",
    "How much of each patch is in a row after the last layer, if layers did nothing but mix rows (Abnar & "
    "Zuidema 2020). A heuristic: values, MLPs and norms are left out, so a bright patch need not matter for "
    "the class."};

/// The region of one frame.
class PictureView {
 public:
  PictureView(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        state_(model_look_of(scene.view).picture),
        reading_(*scene.model),
        region_(region),
        pad_(region_pad(scene)),
        patches_(patches_of(scene)),
        head_(shown_head(scene)) {}

  /// `alone`: only the picture, without the panels of a head. Returns the box of those.
  Box draw(bool alone) {
    ui_.fill(region_, ui_.theme.panel);
    ui_.horizontal(region_.x, region_.y, region_.w, ui_.theme.hairline);
    draw_title(alone);
    const float title = title_height(ui_) - ui_.px(4), caption = ui_.px(28), gap = ui_.px(20);
    const Box body{region_.x + pad_, region_.y + title, region_.w - 2 * pad_,
                   region_.h - title - ui_.px(scene_.compact ? 10 : 16)};
    const float count = state_.rollout ? 3 : 2;
    // The numbers have a column if the pictures stay large beside it.
    const float numbers = body.w >= ui_.px(700) ? ui_.px(200) + facts_gap() : 0;
    const float most = (body.w - numbers - (count - 1) * gap) / count;
    const float shape = static_cast<float>(patches_.rows) / static_cast<float>(patches_.columns);
    const float width = std::floor(std::min(most, (body.h - caption) / shape));
    if (width < ui_.px(24)) return body;
    Box panel{body.x, body.y + caption, width, std::floor(width * shape)};
    const float step = width + gap;
    draw_photo(panel, {panel.x, body.y, width, caption});
    panel.x += step;
    if (alone) return {panel.x, body.y, body.right() - panel.x, body.h};
    draw_head_panel(panel, {panel.x, body.y, width, caption});
    if (state_.rollout) {
      panel.x += step;
      draw_rollout_panel(panel, {panel.x, body.y, width, caption});
    }
    const float left = panel.right() + facts_gap();
    if (body.right() - left >= ui_.px(200))
      draw_facts({left, body.y, std::min(body.right() - left, ui_.px(340)), body.h});
    return {};
  }

 private:
  float facts_gap() const { return ui_.px(scene_.compact ? 20 : 32); }
  bool forward() const { return token_look_of(scene_.view).direction == Direction::QueryToKeys; }
  /// The token whose attention is shown: the query, or the key in the other direction.
  std::int64_t token() const {
    const Cell cell = scene_.cell();
    return std::clamp<std::int64_t>(forward() ? cell.query : cell.key, 0, patches_.tokens() - 1);
  }
  std::int64_t other_token() const {
    const Cell cell = scene_.cell();
    return std::clamp<std::int64_t>(forward() ? cell.key : cell.query, 0, patches_.tokens() - 1);
  }
  Rgba ink() const { return forward() ? ui_.theme.query : ui_.theme.key; }
  Rgba other_ink() const { return forward() ? ui_.theme.key : ui_.theme.query; }

  void draw_title(bool alone) {
    const Box line{region_.x + pad_, region_.y, region_.w - 2 * pad_, title_height(ui_)};
    if (alone) {
      ui_.text(line.x, line.y + ui_.px(22), "Picture",
               {type::body, ui_.theme.text1, Ink::Semibold, Align::Left, line.w});
      return;
    }
    const float y = line.y + ui_.px(22);
    float left = draw_picture_choice(scene_, line.right(), y) - ui_.px(20);
    const std::string_view name = scene_.compact ? "rollout" : "attention rollout";
    const float wide = ui_.text_width(name, type::label) + ui_.px(48);
    const Box row{left - wide, y - ui_.px(14), wide, ui_.px(28)};
    if (toggle(ui_, "Attention rollout", name, row, state_.rollout, rollout_tip))
      state_.rollout = !state_.rollout;
    left = row.x - ui_.px(12);
    const std::string file = reading_.within.input.image.filename().string();
    const std::string note = own(file) + "  ·  " + std::to_string(patches_.columns) + " × " +
                             std::to_string(patches_.rows) + " patches of " + std::to_string(patches_.side) +
                             " px" + (scene_.compact ? "" : "  ·  drop or open another PNG or JPEG");
    // With little room, the title is left out and the choice beside it is kept.
    if (line.x + ui_.text_width("Picture", type::body, Ink::Semibold) < left)
      draw_region_title(ui_, line, "Picture", note, left);
  }

  void draw_photo(const Box& box, const Box& caption) {
    const float y = caption.y + ui_.px(11);
    float x = caption.x;
    if (patches_.first > 0) x += draw_class_token({x, y - ui_.px(10), ui_.px(46), ui_.px(20)}) + ui_.px(10);
    const std::string words = (forward() ? "query: " : "key: ") +
                              inner(scene_.compact ? patches_.place(token()) : patches_.name(token()));
    ui_.text(x, y, words, {type::label, ink(), Ink::Medium, Align::Left, caption.right() - x});
    const RgbPicture& picture = photo();
    ui_.picture("picture", content_of(box, 0), box,
                [&] { return paint_picture(picture, static_cast<int>(box.w), static_cast<int>(box.h)); });
    draw_patch_lines(ui_, patches_, box);
    take_token(box, "picture patches", token(), true);
    draw_marks(box, false);
  }

  /// A token without a patch. Returns its width.
  float draw_class_token(const Box& box) {
    const Ui::Touch touch = ui_.touch("class token", box);
    const bool chosen = token() < patches_.first;
    ui_.fill(box, touch.hovered ? ui_.theme.control_hover : ui_.theme.control, ui_.px(6));
    if (chosen) ui_.frame(box, ink(), ui_.px(1.5f), ui_.px(6));
    if (touch.focused) ui_.frame(box.grown(ui_.px(2)), ui_.theme.query, ui_.px(2), ui_.px(8));
    ui_.text(box.centre_x(), box.centre_y(), "[CLS]",
             {type::tick, ui_.theme.text1, Ink::Medium, Align::Centre});
    tooltip(ui_, touch.hovered, box,
            {"The class token", {}, "It stands for no patch; the class is predicted from its row."});
    if (touch.pointed) preview(0, true);
    if (touch.clicked) choose(0, true);
    return box.w;
  }

  void draw_head_panel(const Box& box, const Box& caption) {
    const CellValue value = model_look_of(scene_.view).value;
    const HeadMapPtr map = head_map(scene_, head_, value);
    draw_caption(caption, "head " + head_name(spec(), head_), map != nullptr ? head_scale(*map).high : 0);
    if (map == nullptr) {
      const bool is_coming =
          map_cells(*scene_.model->within.model->model, *shown_run(scene_), head_) <= most_map_cells;
      return is_coming ? void() : say(box, "Too many patches to be drawn one by one.");
    }
    const std::vector<float> values = patches_.values(map->numbers.matrix(), token(), forward());
    draw_heat(box, "heat head", values, head_scale(*map),
              mix_hash(ui_.textures.serial(map->run), static_cast<std::uint64_t>(value)));
    take_token(box, "picture head", other_token(), false);
    draw_marks(box, true);
    tell(box, values, value == CellValue::Weight ? "α " : "‖α·v·W_O‖ ", value == CellValue::Weight);
  }

  void draw_rollout_panel(const Box& box, const Box& caption) {
    const TensorOf<double>* const rollout = shown_rollout();
    draw_caption(caption, "rollout", rollout != nullptr ? rollout_scale(*rollout).high : 0);
    if (rollout == nullptr)
      return say(box, shown_run(scene_) == reading_.run ? "The rollout is being computed."
                                                        : "Not of the model without changes.");
    const std::vector<float> values = patches_.values(rollout->matrix(), token(), forward());
    draw_heat(box, "heat rollout", values, rollout_scale(*rollout), ui_.textures.serial(reading_.rollout));
    take_token(box, "picture rollout", other_token(), false);
    draw_marks(box, true);
    tell(box, values, "rollout ", false);
  }

  const TensorOf<double>* shown_rollout() const {
    const bool is_of_run = shown_run(scene_) == reading_.run && reading_.rollout;
    return is_of_run && reading_.rollout->shape()[0] == patches_.tokens() ? reading_.rollout.get() : nullptr;
  }

  template <class Matrix>
  ColourScale scale_of(const Matrix& numbers) const {
    ColourScale scale{weights_map(ui_.theme, focus_of(scene_.view).colours), 0, 0};
    for (const float value : patches_.values(numbers, token(), forward()))
      if (value > scale.high) scale.high = value;
    if (scale.high <= 0) scale.high = 1;
    return scale;
  }
  ColourScale head_scale(const HeadMap& map) const { return scale_of(map.numbers.matrix()); }
  ColourScale rollout_scale(const TensorOf<double>& rollout) const { return scale_of(rollout.matrix()); }

  void draw_caption(const Box& caption, std::string_view name, float high) {
    const float y = caption.y + ui_.px(11);
    float right = caption.right();
    if (high > 0) {
      const ColourScale scale{weights_map(ui_.theme, focus_of(scene_.view).colours), 0, high};
      const std::string place = "ramp of " + std::string(name.substr(0, 4));
      right = draw_small_ramp(ui_, place.c_str(), right, y, scale, high, "0",
                              tight(static_cast<double>(high)), ui_.px(scene_.compact ? 32 : 48));
    }
    ui_.text(caption.x, y, name,
             {type::label, ui_.theme.text1, Ink::Medium, Align::Left, right - ui_.px(8) - caption.x});
  }

  void say(const Box& box, std::string_view words) {
    ui_.frame(box, ui_.theme.hairline, std::max(1.f, std::floor(ui_.scale())), ui_.px(4));
    ui_.paragraph(box.x + ui_.px(12), box.y + ui_.px(10), box.w - ui_.px(24), words,
                  {type::label, ui_.theme.text2});
  }

  void draw_heat(const Box& box, const char* place, const std::vector<float>& values,
                 const ColourScale& scale, std::uint64_t numbers) {
    const RgbPicture& picture = photo();
    ui_.picture(place, mix_hash(content_of(box, numbers), scale.high), box, [&] {
      const HeatJob job{picture,   values,     patches_.rows, patches_.columns, colormap(scale.map),
                        scale.low, scale.high, ui_.theme.nan};
      return paint_heat(job, static_cast<int>(box.w), static_cast<int>(box.h));
    });
  }

  /// `numbers` identifies the numbers drawn over the photo; 0: none are.
  std::uint64_t content_of(const Box& box, std::uint64_t numbers) const {
    std::uint64_t content = mix_hash(reading_.ticket, numbers);
    content = mix_hash(content, ui_.textures.serial(reading_.tokens));
    if (numbers == 0) return content;
    for (const std::int64_t number :
         {token(), std::int64_t{forward()}, static_cast<std::int64_t>(head_.block), head_.head,
          static_cast<std::int64_t>(ui_.theme.name), static_cast<std::int64_t>(box.w),
          static_cast<std::int64_t>(focus_of(scene_.view).colours)})
      content = mix_hash(content, static_cast<std::uint64_t>(number));
    return content;
  }

  const RgbPicture& photo() const { return kept_photo(scene_); }
  const ModelSpec& spec() const { return reading_.within.model->model->spec; }

  Cell with(std::int64_t token, bool own) const {
    Cell cell = scene_.selection.cell;
    (own == forward() ? cell.query : cell.key) = token;
    return cell;
  }
  void preview(std::int64_t token, bool own) { scene_.next.hovered_cell = with(token, own); }
  void choose(std::int64_t token, bool own) { scene_.next.choose(with(token, own)); }

  /// The patch under the mouse is previewed; a click chooses it. `own`: it becomes the token whose attention
  /// is shown, else the one that attention goes to.
  void take_token(const Box& box, const char* label, std::int64_t now, bool own) {
    const Ui::Touch touch = ui_.touch(label, box);
    if (touch.focused) ui_.frame(box.grown(ui_.px(3)), ui_.theme.query, ui_.px(2), ui_.px(4));
    if (touch.focused)  // the arrows go from patch to patch instead of to the next widget
      take_arrow_keys([&](int right, int down) { choose(patches_.neighbour(now, down, right), own); });
    hovered_.reset();
    if (!touch.pointed || !ImGui::IsMousePosValid()) return;
    const std::int64_t under = patches_.at(box, ImGui::GetIO().MousePos);
    hovered_ = under;
    scene_.view.hint = patches_.name(under) + (under == now ? "   ·   chosen" : "   ·   click chooses it") +
                       "   ·   D turns query and key";
    preview(under, own);
    if (touch.clicked) choose(under, own);
  }

  void draw_marks(const Box& box, bool both) {
    if (both) patches_.draw_ring(ui_, box, other_token(), other_ink());
    patches_.draw_ring(ui_, box, token(), ink());
  }

  void tell(const Box& box, const std::vector<float>& values, std::string_view what, bool has_chance) {
    if (!hovered_) return;
    const auto at = static_cast<std::size_t>(*hovered_ - patches_.first);
    const Box cell = patches_.box(box, *hovered_);
    std::string numbers = std::string(what) + tight(static_cast<double>(values[at]));
    if (has_chance) numbers += "  ·  uniform " + tight(1 / static_cast<double>(patches_.tokens()));
    tooltip(ui_, true, cell, {patches_.name(*hovered_), numbers}, Clear::OfRowAndColumn);
  }

  /// Facts that the colours do not show: the token without a patch, and the weight of uniform attention.
  void draw_facts(const Box& area);

  Scene& scene_;
  const Ui& ui_;
  PictureState& state_;
  const ModelReading& reading_;
  Box region_;
  float pad_;
  Patches patches_;
  ModelHead head_;
  std::optional<std::int64_t> hovered_;
};

/// Numbers of one panel for the facts.
struct Facts {
  std::string name;
  double class_token = 0, itself = 0, largest = 0, uniform = 0;
  std::int64_t where = 0;
};

template <class Matrix>
Facts facts_from(const Matrix& numbers, const Patches& patches, std::int64_t token, bool forward) {
  Facts facts;
  const auto at = [&](std::int64_t other) {
    return static_cast<double>(forward ? numbers(token, other) : numbers(other, token));
  };
  facts.class_token = at(0);
  facts.itself = at(token);
  facts.where = patches.first;
  for (std::int64_t j = patches.first; j < patches.tokens(); ++j)
    if (at(j) > at(facts.where)) facts.where = j;
  facts.largest = at(facts.where);
  return facts;
}

void PictureView::draw_facts(const Box& area) {
  std::vector<Facts> all;
  const double tokens = static_cast<double>(patches_.tokens());
  if (const HeadMapPtr map = head_map(scene_, head_, model_look_of(scene_.view).value)) {
    all.push_back(facts_from(map->numbers.matrix(), patches_, token(), forward()));
    all.back().name = "head " + head_name(spec(), head_);
    all.back().uniform = model_look_of(scene_.view).value == CellValue::Weight ? 1 / tokens : NAN;
  }
  if (const TensorOf<double>* const rollout = state_.rollout ? shown_rollout() : nullptr) {
    all.push_back(facts_from(rollout->matrix(), patches_, token(), forward()));
    all.back().name = "rollout";
    // In the rollout, every layer keeps half of a row and spreads the other half.
    all.back().uniform = (1 - std::exp2(-static_cast<double>(spec().stack(head_.of).blocks.size()))) / tokens;
  }
  const float names = ui_.px(92), column = (area.w - names) / 2;
  float y = area.y + ui_.px(11);
  const auto right_of = [&](std::size_t i) { return area.x + names + column * static_cast<float>(i + 1); };
  for (std::size_t i = 0; i < all.size(); ++i)
    ui_.text(right_of(i), y, all[i].name, {type::label, ui_.theme.text2, Ink::Medium, Align::Right});
  const auto row = [&](std::string_view name, const auto& value, Rgba ink) {
    y += ui_.px(24);
    ui_.text(area.x, y, name, {type::label, ui_.theme.text2, Ink::Regular, Align::Left, names});
    for (std::size_t i = 0; i < all.size(); ++i)
      ui_.text(right_of(i), y, value(all[i]), {type::label, ink, Ink::Medium, Align::Right});
  };
  const auto number = [](double value) { return std::isnan(value) ? std::string("–") : tight(value); };
  y += ui_.px(6);
  if (patches_.first > 0)
    row(
        forward() ? "to [CLS]" : "from [CLS]", [&](const Facts& f) { return number(f.class_token); },
        ui_.theme.text1);
  if (token() >= patches_.first)
    row(
        "itself", [&](const Facts& f) { return number(f.itself); }, ui_.theme.text1);
  row(
      "largest patch", [&](const Facts& f) { return number(f.largest); }, ui_.theme.text1);
  row(
      "its place", [&](const Facts& f) { return patches_.place(f.where); }, ui_.theme.text2);
  row(
      "uniform", [&](const Facts& f) { return number(f.uniform); }, ui_.theme.text3);
  if (!state_.rollout) return;
  y += ui_.px(20);
  ui_.paragraph(area.x, y, area.w, "Rollout is a heuristic: values, MLPs and norms are left out.",
                {type::tick, ui_.theme.text3});
}

}  // namespace

bool looks_at_picture(const Shown& shown) {
  return shown.model != nullptr && shown.model->tokens && shown.model->run &&
         shown.model->tokens->input.image.size() > 0;
}

void draw_model_picture(Scene& scene, const Box& region) { PictureView(scene, region).draw(false); }

Box draw_model_picture_alone(Scene& scene, const Box& region) {
  return PictureView(scene, region).draw(true);
}

}  // namespace attnscope
