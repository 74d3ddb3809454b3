#include "app/views/heads/thumbnail.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/head_words.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/heads_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/regions/token_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/heads/flags.hpp"
#include "app/views/heads/head_order.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/heads.hpp"

namespace attnscope {
namespace {

Intervention::Kind operation_on(const Document& document, std::int64_t h) {
  return has_intervention(document, h) ? document.layer().interventions[static_cast<std::size_t>(h)].kind
                                       : Intervention::Kind::None;
}

/// The opacity of the thumbnail: 1 without a hovered token, else from 0.22 to 1 by the largest weight of the
/// token's column (or row). Rows with one allowed key do not count: their weight is always 1.
float relevance(const Scene& scene, std::int64_t h) {
  if (!scene.selection.hovered_token) return 1;
  const std::int64_t token = *scene.selection.hovered_token;
  const bool forward = token_look_of(scene.view).direction == Direction::QueryToKeys;
  if (const std::optional<AttentionOf> stack = scene.selection.hovered_stack) {
    const AttentionOf of = scene.result.document.within.read().of;
    const bool of_encoder = of == AttentionOf::Encoder || (of == AttentionOf::Cross && forward);
    if (of_encoder != (stack == AttentionOf::Encoder)) return 1;  // a token of the other text
  }
  const Dimensions& d = scene.result.dimensions;
  if (token >= (forward ? d.keys : d.queries)) return 1;
  return 0.22f + 0.78f * std::min(1.f, scene.stats.most_given({scene.sequence(), h, token, forward}));
}

/// ".46", or "n/a" if a head has no such number. Values below .005 are not rounded to 0: in a long text all
/// weights may be that small.
std::string read_out(double value, int places) {
  if (std::isnan(value)) return "n/a";
  if (places == 2 && value != 0 && std::abs(value) < 0.005) return tight(value);
  return places == 2 && std::abs(value) <= 1 ? in_cell(value) : fixed(value, places);
}

/// Draws one thumbnail.
class Thumbnail {
 public:
  Thumbnail(Scene& scene, const Box& box, float side, std::int64_t h, bool lines)
      : scene_(scene),
        ui_(scene.ui),
        h_(h),
        lines_(lines),
        kind_(operation_on(scene.result.document, h)),
        chosen_(h == scene.selection.head),
        box_(box),
        picture_(
            Aspect(scene.result.dimensions)
                .picture(ui_, box.x, box.y + ui_.px(ThumbnailSpace::label + ThumbnailSpace::above), side)),
        label_y_(box.y + ui_.px(ThumbnailSpace::label) / 2) {}

  void draw() {
    // Widgets on the thumbnail come first, as the first one under the mouse gets the input.
    const float right = draw_badge();
    const float below = picture_.bottom() + ui_.px(ThumbnailSpace::below + ThumbnailSpace::line / 2);
    const float marks = lines_
                            ? touch_flags(scene_, box_.right(), below, h_)
                            : touch_flags(scene_, picture_.right() - ui_.px(2), picture_.y + ui_.px(8), h_);
    touch_picture();
    draw_label(right);
    if (lines_) draw_read_outs(marks, below);
    // Without the line of read-outs the marks are in the corner that a causal mask leaves empty.
    draw_flags(scene_, lines_ ? box_.right() : picture_.right() - ui_.px(2),
               lines_ ? below : picture_.y + ui_.px(8), h_, lines_ ? 0 : ui_.theme.panel);
  }

 private:
  const HeadMeasures& measures() const { return scene_.result.measures.head(scene_.sequence(), h_); }

  /// Returns the left end.
  float draw_badge() {
    const std::string number = std::to_string(h_);
    const float width = std::max(ui_.px(box_.w < ui_.px(80) ? 16 : 18),
                                 ui_.text_width(number, type::tick, Ink::Semibold) + ui_.px(8));
    const Box tag{box_.right() - width, std::round(label_y_ - ui_.px(8)), width, ui_.px(16)};
    const Ui::Touch touch = ui_.touch(("badge " + number).c_str(), tag);
    const Rgba hue = ui_.theme.head(h_);
    const bool muted = kind_ == Intervention::Kind::Mute;
    badge(ui_, tag, number, chosen_ ? hue : fade(hue, touch.hovered ? 0.44f : 0.22f),
          fade(chosen_ ? ink_on(hue) : hue, muted ? 0.6f : 1));
    if (muted) {
      const std::array<ImVec2, 2> stroke{
          {{tag.x + ui_.px(1), tag.bottom() - ui_.px(1)}, {tag.right() - ui_.px(1), tag.y + ui_.px(1)}}};
      ui_.polyline(stroke, chosen_ ? ink_on(hue) : hue, ui_.px(1.5f));
    }
    if (edit::is_soloed(scene_.result.document, h_))
      ui_.frame(tag.grown(ui_.px(2)), hue, ui_.px(1.5f), ui_.px(6));
    if (touch.focused) ui_.frame(tag.grown(ui_.px(3)), ui_.theme.query, ui_.px(2), ui_.px(6));
    if (touch.hovered) point_at("click mutes head " + number + ", Shift-click mutes all others");
    if (touch.clicked) {
      Document& document = scene_.document;
      document =
          ImGui::GetIO().KeyShift ? edit::solo(std::move(document), h_) : edit::mute(std::move(document), h_);
    }
    tooltip(ui_, touch.hovered, tag,
            {muted ? "Muted" : "Mute this head", muted ? "A′ = 0, so head · W_O = 0" : "Y − head · W_O",
             "A click mutes the head (zero ablation) or restores it; with Shift all the others. The change "
             "of the output is shown below the heads.",
             "Shift+M"});
    return tag.x;
  }

  void touch_picture() {
    const std::string id = "head " + std::to_string(h_);
    const float bottom =
        lines_ ? picture_.bottom() + ui_.px(ThumbnailSpace::below + ThumbnailSpace::line) : picture_.bottom();
    const Ui::Touch touch = ui_.touch(id.c_str(), {box_.x, box_.y, box_.w, bottom - box_.y});
    const bool muted = kind_ == Intervention::Kind::Mute;
    Plane plane = stage_look_of(scene_.view).stage;
    // A muted head shows its own weights, faintly.
    if (muted && plane == Plane(Stage::Intervention)) plane = own_weights_stage(scene_.result.document);
    const float opacity = muted ? 0.22f : relevance(scene_, h_);
    draw_matrix(scene_, id.c_str(), picture_, plane, scene_.sequence(), h_, colour_scale(scene_, plane, h_),
                opacity);
    if (chosen_) {
      ui_.frame(picture_.grown(ui_.px(3)), ui_.theme.query, ui_.px(2), ui_.px(4));
    } else if (touch.hovered || touch.focused || scene_.selection.hovered_head == h_) {
      ui_.frame(picture_.grown(ui_.px(3)), ui_.theme.text3, std::max(1.f, ui_.px(1)), ui_.px(4));
    }
    if (touch.hovered) point_at("head " + std::to_string(h_) + "  ·  click keeps it, right-click for more");
    if (touch.clicked) scene_.next.head = h_;
    show_tip(touch.hovered);
  }

  /// Called while the mouse is on the head: previews it; a right click opens its menu.
  void point_at(std::string hint) {
    scene_.next.hovered_head = h_;
    scene_.view.hint = std::move(hint);
    if (!ImGui::IsMouseClicked(1)) return;
    HeadsState& state = head_grid_of(scene_.view);
    state.menu_opens = true;
    state.menu_by_key = false;
    state.menu_head = h_;
  }

  /// The role's name, or the intervention. If names do not fit, or there is none, the normalised entropy,
  /// unless the read-outs show it.
  std::string label_text(float room) const {
    const bool muted = kind_ == Intervention::Kind::Mute,
               replaced = kind_ != Intervention::Kind::None && !muted;
    const std::string entropy = read_out(measures().normalised, 2);
    if (box_.w < ui_.px(60)) return muted ? "off" : (replaced ? "= " : "") + entropy;
    if (replaced) return std::string(words(kind_).state);
    const HeadRole role = role_of(scene_.result, h_);
    if (role.does.empty()) {
      if (!lines_) return muted ? std::string(words(kind_).state) : "H " + entropy;
      return role_name(scene_.result, h_);
    }
    // The score follows the name; the long name is shortened before the score is dropped.
    const std::string score = "  " + in_cell(role.score),
                      short_name = short_role_name(ui_, scene_.result, h_);
    for (const std::string& text : {role.does + score, short_name + score})
      if (ui_.text_width(text, type::tick, ink()) <= room) return text;
    return short_name;
  }

  void draw_label(float right) {
    const float room = std::max(1.f, right - ui_.px(3) - box_.x);
    const std::string text = label_text(room);
    const float size = ui_.text_width(text, type::tick, ink()) > room ? 12.f : type::tick;
    const bool muted = kind_ == Intervention::Kind::Mute,
               replaced = kind_ != Intervention::Kind::None && !muted;
    const Rgba colour = muted                                        ? ui_.theme.text3
                        : chosen_ || replaced || h_ == scene_.head() ? ui_.theme.text1
                                                                     : ui_.theme.text2;
    ui_.text(box_.x, label_y_, text, {size, colour, ink(), Align::Left, room});
  }
  Ink ink() const { return chosen_ ? Ink::Medium : Ink::Regular; }

  /// Below the picture: mean normalised entropy at the left; at the right the largest weight, or the
  /// statistic of the order, if there is room beside the marks.
  void draw_read_outs(float right, float y) {
    if (kind_ == Intervention::Kind::Mute) {
      ui_.text(box_.x, y, words(kind_).state, {type::tick, ui_.theme.text3});
      return;
    }
    const TextStyle name{type::tick, ui_.theme.text3}, value{type::tick, ui_.theme.text2};
    float x = box_.x + ui_.text(box_.x, y, "H", name) + ui_.px(4);
    x += ui_.text(x, y, read_out(measures().normalised, 2), value) + ui_.px(6);
    const HeadStatistic& other = shown_statistic(head_grid_of(scene_.view).placed_by);
    const std::string number = read_out(other.value(scene_.result, scene_.sequence(), h_), other.places);
    if (right < box_.right()) right -= ui_.px(4);  // beside marks
    const float at = right - ui_.text_width(number, type::tick);
    if (at < x) return;
    ui_.text(at, y, number, value);
    const float before = at - ui_.px(4) - ui_.text_width(other.short_name, type::tick);
    if (before >= x) ui_.text(before, y, other.short_name, name);
  }

  void show_tip(bool hovered) {
    if (!hovered) return;  // its words take as long as the rest of the thumbnail
    const HeadMeasures& m = measures();
    std::string title = "Head " + std::to_string(h_);
    const HeadRole role = role_of(scene_.result, h_);
    if (!role.does.empty()) title += " · " + role.does;
    if (!role.built_as.empty()) title += " · built as · " + role.built_as;
    const auto percent = [](double share) {
      return own_number(std::isnan(share) ? "n/a" : fixed(100 * share, 0) + " %");
    };
    std::string facts =
        "mean H " + own_number(std::isnan(m.entropy) ? "n/a" : fixed(m.entropy, 2)) + " nats, " +
        percent(m.normalised) + " of ln(allowed); e^H " +
        own_number(std::isnan(m.effective) ? "n/a" : fixed(m.effective, 1)) + " keys; largest weight " +
        own_number(read_out(statistic(HeadOrder::Largest).value(scene_.result, scene_.sequence(), h_), 2)) +
        " where there is a choice";
    const RowMeans& even = m.uniform;
    std::string why = "Weight on the previous token " + percent(m.previous) + ", itself " + percent(m.self) +
                      ", the next " + percent(m.next) + ", the first " + percent(m.first) +
                      ". Uniform attention under this mask has " + percent(even.previous) + ", " +
                      percent(even.self) + ", " + percent(even.next) + " and " + percent(even.first) + ".";
    if (std::isnan(even.first)) why = "No query has a choice of keys.";
    if (const std::string rests = words(role); !rests.empty() && kind_ == Intervention::Kind::None)
      why = rests + "  " + why;
    if (kind_ != Intervention::Kind::None) why = std::string(words(kind_).sentence) + "  " + why;
    for (const HeadFlag flag : flags_of(scene_.result, scene_.sequence(), h_))
      why += "  " + std::string(mark_of(flag));
    why += " A click keeps this head in the focus; a right click replaces its pattern or builds its weights.";
    tooltip(ui_, hovered, picture_, {title, facts, why, "[ ]"});
  }

  Scene& scene_;
  const Ui& ui_;
  std::int64_t h_;
  bool lines_;
  Intervention::Kind kind_;
  bool chosen_;
  Box box_, picture_;
  float label_y_;
};

}  // namespace

Aspect::Aspect(const Dimensions& d)
    : wide(std::min(1.f, static_cast<float>(d.keys) / static_cast<float>(d.queries))),
      high(std::min(1.f, static_cast<float>(d.queries) / static_cast<float>(d.keys))) {}

Box Aspect::picture(const Ui& ui, float x, float y, float side) const {
  return {x, y, std::max(ui.px(12), std::floor(side * wide)), std::max(ui.px(12), std::floor(side * high))};
}

void draw_thumbnail(Scene& scene, const Box& box, float side, std::int64_t h, bool lines) {
  Thumbnail(scene, box, side, h, lines).draw();
}

}  // namespace attnscope
