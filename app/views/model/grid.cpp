// app/views/model: all heads of a model as live pictures, or coloured by what is measured of them; beside
// every layer what the prediction owes to its heads.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <imgui_internal.h>

#include "app/ui/number_format.hpp"
#include "app/views/model/grid_layout.hpp"
#include "app/views/model/grid_picture.hpp"
#include "app/views/model/parts.hpp"
#include "core/models/changes.hpp"

namespace attnscope {
namespace {

constexpr float muted = 0.22f;  // opacity of what is switched off

struct GroupWords {
  HeadGroup group;
  std::string_view name;
};
constexpr std::array<GroupWords, head_groups> group_words{{{HeadGroup::Previous, "previous token"},
                                                           {HeadGroup::Induction, "induction"},
                                                           {HeadGroup::First, "first token"},
                                                           {HeadGroup::Duplicate, "duplicate token"},
                                                           {HeadGroup::Rest, "other heads"}}};

/// What the colour of the grid is of; nothing: the patterns themselves.
std::optional<HeadMeasure> measure_of(HeadColour colour) {
  switch (colour) {
    case HeadColour::Entropy: return HeadMeasure::Entropy;
    case HeadColour::Previous: return HeadMeasure::Previous;
    case HeadColour::Induction: return HeadMeasure::Induction;
    case HeadColour::First: return HeadMeasure::First;
    case HeadColour::Effect: return HeadMeasure::Effect;
    case HeadColour::Pattern: break;
  }
  return std::nullopt;
}

/// The grid of one frame.
class Grid {
 public:
  Grid(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        state_(*scene.view.model),
        reading_(*scene.model),
        spec_(reading_.within.model->model->spec),
        run_(*shown_run(scene)),
        facts_(facts_of(scene)),
        changes_(shown_changes(scene)),
        region_(region),
        chosen_(chosen_head(scene)) {}

  void draw() {
    ui_.fill(region_, ui_.theme.picture);
    const float pad = region_pad(scene_), title = title_height(ui_);
    const Box area{region_.x + pad, region_.y + title, region_.w - 2 * pad, region_.h - title};
    plan_ = plan(area);
    ui_.clip(region_);
    draw_title({region_.x + pad, region_.y, region_.w - 2 * pad, title});
    draw_columns();
    ui_.clip(plan_.window);
    take_mouse();
    draw_layers();
    draw_pictures();
    draw_marks();
    ui_.unclip();
    draw_scroll();
    ui_.unclip();
  }

 private:
  std::vector<GridPart> parts() const {
    std::vector<GridPart> all;
    for (const AttentionOf of : attentions_of(spec_)) {
      const std::vector<AttentionRun>& runs = attention_of(run_, of);
      GridPart part{.of = of, .heads = {}, .effects = spec_.has_logits() && of == output_attention(spec_)};
      for (int block = 0; block < blocks_in(spec_, of); ++block)
        part.heads.push_back(heads_in(spec_, of, block));
      const AttentionSpec& first = stack_of(spec_, of).blocks.front();
      part.group = of == AttentionOf::Cross || first.kv_heads == 0 ? 1 : first.heads / first.kv_heads;
      if (!runs.empty() && runs.front().pictures.mean.size() > 0) {
        const auto picture = runs.front().pictures.mean.matrix();
        part.queries = picture.rows();
        part.keys = picture.cols();
      }
      all.push_back(std::move(part));
    }
    return all;
  }

  GridPlan plan(const Box& area) {
    const std::vector<GridPart> all = parts();
    const std::vector<GridList> heads = lists();
    const auto planned = [&] {
      const float scroll = ui_.px(state_.grid_scroll);
      return state_.order == GridOrder::Layers ? plan_layers(ui_, area, all, scroll)
                                               : plan_lists(ui_, area, all, heads, scroll);
    };
    GridPlan made = planned();
    const float most = std::max(0.f, made.height - made.window.h) / ui_.scale();
    if (state_.grid_scroll <= most) return made;
    state_.grid_scroll = most;
    return planned();
  }

  std::vector<GridList> lists() const {
    std::vector<GridList> all;
    if (state_.order == GridOrder::Groups) {
      for (const GroupWords& words : group_words) {
        GridList list{words.name, {}};
        for (const ModelHead& head : all_model_heads(spec_))
          if (group_of(reading_, head) == words.group) list.heads.push_back(head);
        if (!list.heads.empty()) all.push_back(std::move(list));
      }
    } else if (state_.order == GridOrder::Largest) {
      GridList list{{}, all_model_heads(spec_)};
      const auto size = [&](const ModelHead& head) {
        const double value = value_of(head);
        return std::isnan(value) ? -1.0 : std::abs(value);
      };
      std::stable_sort(list.heads.begin(), list.heads.end(),
                       [&](const ModelHead& a, const ModelHead& b) { return size(a) > size(b); });
      all.push_back(std::move(list));
    }
    return all;
  }

  /// Patterns are sorted by how spread out they are.
  double value_of(const ModelHead& head) const {
    return measure(reading_, facts_, measure_of(state_.colour).value_or(HeadMeasure::Entropy), head).value;
  }

  ColourScale scale() const {
    const Theme& theme = ui_.theme;
    if (state_.colour == HeadColour::Effect) {
      double most = 0;
      if (reading_.effects)
        for (const AblationEffect& effect : reading_.effects->effects)
          if (std::abs(effect.top_logit_change) > most) most = std::abs(effect.top_logit_change);
      const auto high = static_cast<float>(most > 0 ? most : 1);
      return {theme.scores, -high, high, true};
    }
    ColourScale scale{theme.weights, 0, 1};
    if (state_.colour == HeadColour::Pattern) scale.high = high();
    return scale;
  }

  /// Lengths of the values of the shown run, where the grid shows contributions and they are known.
  const ValueNorms* norms() const {
    const bool is_of_run = &run_ == reading_.run.get();
    return state_.value == CellValue::Contribution && is_of_run ? reading_.value_norms.get() : nullptr;
  }

  float contribution_high() const {
    if (state_.contributions_of != reading_.value_norms) {
      state_.contributions_of = reading_.value_norms;
      state_.usual_contribution = usual_contribution(spec_, run_, *reading_.value_norms);
    }
    return state_.usual_contribution;
  }

  /// Of short texts 1; where many keys share the weight, a fourth or less, so that something is seen.
  float high() const {
    if (norms() != nullptr) return contribution_high();
    const std::int64_t keys =
        attention_of(run_, chosen_.of).empty() ? 1 : keys_seen(spec_, run_, chosen_.of, 0).keys;
    float most = 1;
    for (std::int64_t n = 64; n < keys && most > 1.f / 16; n *= 4) most /= 2;
    return most;
  }

  std::string note() const {
    if (state_.order == GridOrder::Groups)
      return reading_.scores ? "by what they do on this text and on repeated random tokens"
                             : "what they do is still being measured";
    std::string words;
    switch (state_.colour) {
      case HeadColour::Pattern: words = norms() != nullptr ? "‖α·v·W_O‖" : "weights"; break;
      case HeadColour::Entropy: words = "entropy ÷ ln n"; break;
      case HeadColour::Previous: words = "weight on the token before"; break;
      case HeadColour::Induction: words = "weight on what followed the same token"; break;
      case HeadColour::First: words = "weight on the first token"; break;
      case HeadColour::Effect: words = "Δ logit when zeroed"; break;
    }
    if (state_.order == GridOrder::Largest) return words + "  ·  the largest first";
    words += "  ·  rows are layers";
    bool shares = false;
    for (const GridPart& part : parts())
      shares = shares || (part.group > 1 && part.group < part.heads.front());
    if (shares && !scene_.compact) words += "  ·  a line joins heads that share keys and values";
    return words;
  }

  void draw_title(const Box& line) {
    const float y = line.y + ui_.px(22), choice = draw_screen_choice(scene_, line);
    const ColourScale shown = scale();
    const std::string low = shown.low == 0 ? "0" : fixed(static_cast<double>(shown.low), 1);
    const bool clips = state_.colour == HeadColour::Pattern && norms() != nullptr;
    const std::string high =
        shown.high == 1 ? "1" : (clips ? "≥ " : "") + tight(static_cast<double>(shown.high));
    const float left =
        draw_small_ramp(ui_, "grid ramp", choice - ui_.px(14), y, shown, shown.high, low, high, ui_.px(72));
    draw_region_title(ui_, line, "All heads", note(), left - ui_.px(12));
  }

  void draw_columns() {
    const bool layers = state_.order == GridOrder::Layers;
    if (!layers) return;
    float widest = 0, end = -1e9f;
    for (const GridPlan::Column& column : plan_.columns)
      widest = std::max(widest, ui_.text_width(std::to_string(column.head), type::tick));
    const ModelHead shown = shown_head(scene_);
    for (const GridPlan::Column& column : plan_.columns) {
      const bool is_shown =
          column.of == shown.of && column.head == shown.head && bank_of(shown) == column.bank;
      if (column.head == 0) end = -1e9f;
      if (!is_shown && column.x - widest / 2 < end + ui_.px(3)) continue;
      end = column.x + widest / 2;
      ui_.text(column.x, plan_.head_y, std::to_string(column.head),
               {type::tick, is_shown ? ui_.theme.query : ui_.theme.text2,
                is_shown ? Ink::Semibold : Ink::Regular, Align::Centre});
    }
    for (const GridPlan::Line& line : plan_.lines)
      ui_.horizontal(line.x, plan_.line_y, line.width, ui_.theme.border);
    for (const GridPlan::Title& part : plan_.parts) {
      if (part.text == "effect") {
        const float width = ui_.text(part.x, part.y, "effect", {type::tick, ui_.theme.text2, Ink::Medium});
        ui_.text(part.x + width + ui_.px(8), part.y, "Σ |Δ logit|", {type::tick, ui_.theme.text3});
      } else {
        ui_.text(part.x, part.y, part.text, {type::label, ui_.theme.text2, Ink::Medium});
      }
    }
  }

  std::size_t bank_of(const ModelHead& head) const {
    // Banks follow each other in the order of their layers.
    std::size_t bank = 0;
    const GridPlan::Cell* const cell = find_cell(plan_, head);
    if (cell == nullptr) return bank;
    for (const GridPlan::Column& column : plan_.columns)
      if (column.of == head.of && column.head == 0 && column.x <= cell->box.x + plan_.side)
        bank = column.bank;
    return bank;
  }

  void take_mouse() {
    const Ui::Touch touch = ui_.touch("All heads", plan_.window);
    const ImGuiIO& io = ImGui::GetIO();
    state_.hovered.reset();
    if (touch.focused) take_arrows();
    const bool by_key = touch.clicked && !ImGui::IsMouseReleased(0);
    if (by_key) return open_in_explore(scene_);
    if (touch.hovered && io.MouseWheel != 0) {
      const float most = std::max(0.f, plan_.height - plan_.window.h) / ui_.scale();
      state_.grid_scroll = std::clamp(state_.grid_scroll - 40 * io.MouseWheel, 0.f, most);
    }
    if (!touch.pointed && !touch.clicked) return;
    const std::optional<ModelHead> head = head_at(plan_, io.MousePos);
    if (!head) return;
    state_.hovered = head;
    if (!state_.locked && head->of == chosen_.of && head->block == chosen_.block)
      scene_.next.hovered_head = head->head;
    const bool is_locked = state_.locked && *head == chosen_;
    scene_.view.hint = "head " + head_name(spec_, *head) +
                       (is_locked ? "   ·   locked, Esc frees" : "   ·   click locks") +
                       "   ·   Enter opens the layer in Explore";
    show_tip(*head, touch.hovered);
    if (!touch.clicked) return;
    state_.locked = !is_locked;
    look_at(scene_, *head);
  }

  /// The grid has the keyboard: arrows go from head to head instead of leaving it.
  void take_arrows() {
    ui_.frame({plan_.window.x - ui_.px(2), plan_.window.y, plan_.window.w + ui_.px(4), plan_.window.h},
              ui_.theme.query, ui_.px(2), ui_.px(4));
    struct Arrow {
      ImGuiKey key;
      int right, down;
    };
    for (const Arrow& arrow : {Arrow{ImGuiKey_LeftArrow, -1, 0},
                               {ImGuiKey_RightArrow, 1, 0},
                               {ImGuiKey_UpArrow, 0, -1},
                               {ImGuiKey_DownArrow, 0, 1}}) {
      const ImGuiID owner = ImGui::GetItemID();
      ImGui::SetKeyOwner(arrow.key, owner);
      if (!ImGui::IsKeyPressed(arrow.key, ImGuiInputFlags_Repeat, owner)) continue;
      const ModelHead to = neighbour(plan_, chosen_, arrow.right, arrow.down);
      if (to == chosen_) continue;
      look_at(scene_, to);
      bring_into_sight(to);
    }
  }

  void bring_into_sight(const ModelHead& head) {
    const GridPlan::Cell* const cell = find_cell(plan_, head);
    if (cell == nullptr) return;
    const float above = plan_.window.y + ui_.px(4) - cell->box.y,
                below = cell->box.bottom() + ui_.px(4) - plan_.window.bottom();
    if (above > 0) state_.grid_scroll -= above / ui_.scale();
    if (below > 0) state_.grid_scroll += below / ui_.scale();
    state_.grid_scroll = std::max(0.f, state_.grid_scroll);
  }

  /// Only where the panel beside the grid does not say the same.
  void show_tip(const ModelHead& head, bool hovered) {
    const GridPlan::Cell* const cell = find_cell(plan_, head);
    if (cell == nullptr || (state_.colour == HeadColour::Pattern && state_.order == GridOrder::Layers))
      return;
    const double value = value_of(head);
    const std::string number = std::isnan(value) ? "not known yet" : fixed(value, 2);
    std::string why = "Entropy over its maximum, ln of the allowed keys.";
    if (state_.colour != HeadColour::Pattern) why = note();
    tooltip(ui_, hovered, cell->box.grown(ui_.px(3)), {"head " + head_name(spec_, head), number, why, {}});
  }

  void draw_layers() {
    for (const GridPlan::Title& title : plan_.titles) {
      const float width = ui_.text(title.x, title.y, title.text, {type::label, ui_.theme.text2, Ink::Medium});
      ui_.text(title.x + width + ui_.px(8), title.y, std::to_string(title.count),
               {type::tick, ui_.theme.text3});
    }
    const std::vector<BlockEffect> effects = block_effects(reading_);
    double most = 0;
    for (const BlockEffect& effect : effects) most = std::max(most, effect.sum);
    float end = -1e9f;
    for (const GridPlan::Layer& layer : plan_.layers) {
      if (layer.band.bottom() < plan_.window.y || layer.band.y > plan_.window.bottom()) continue;
      const bool chosen = layer.of == chosen_.of && layer.block == chosen_.block;
      if (chosen) ui_.fill(layer.band, fade(ui_.theme.text1, 0.06f), ui_.px(6));
      draw_number(layer, chosen, end);
      if (layer.effect.w > 0) draw_effect(layer, effects, most, chosen);
    }
  }

  void draw_number(const GridPlan::Layer& layer, bool chosen, float& end) {
    const BlockChange* const change = change_of_block(changes_, layer.of, layer.block);
    const float y = layer.band.centre_y();
    if (layer.block == 0) end = -1e9f;
    if (!chosen && change == nullptr && y - ui_.px(7) < end) return;
    if (layer.band.y > plan_.window.y - plan_.pitch) end = y + ui_.px(7);
    const Rgba ink = chosen || change != nullptr ? ui_.theme.query : ui_.theme.text2;
    const float width = ui_.text(layer.number, y, std::to_string(layer.block),
                                 {type::tick, ink, chosen ? Ink::Semibold : Ink::Regular, Align::Right});
    if (change == nullptr) return;
    std::string_view sign = "√";
    if (change->attention_off || change->mlp_off)
      sign = "○";
    else if (!change->scale)
      sign = change->mask_off ? "◸" : "τ";
    ui_.text(layer.number - width - ui_.px(5), y, sign, {type::tick, ink, Ink::Regular, Align::Right});
  }

  void draw_effect(const GridPlan::Layer& layer, const std::vector<BlockEffect>& effects, double most,
                   bool chosen) {
    const Box& box = layer.effect;
    const float room = ui_.px(34), y = layer.band.centre_y();
    const Box track{box.x, std::round(y - ui_.px(4)), std::max(ui_.px(12), box.w - room), ui_.px(8)};
    ui_.fill(track, ui_.theme.bar_ground, ui_.px(2));
    const auto at = static_cast<std::size_t>(layer.block);
    if (at >= effects.size() || effects[at].known == 0) return;
    const BlockEffect& effect = effects[at];
    const bool whole = effect.known == effect.heads;
    const auto share = static_cast<float>(most > 0 ? effect.sum / most : 0);
    ui_.fill({track.x, track.y, std::max(ui_.px(1), std::round(track.w * share)), track.h},
             fade(chosen ? ui_.theme.query : ui_.theme.bar, whole ? 1 : 0.5f), ui_.px(2));
    ui_.text(track.right() + ui_.px(8), y, fixed(effect.sum, 1),
             {type::tick,
              chosen  ? ui_.theme.text1
              : whole ? ui_.theme.text2
                      : ui_.theme.text3,
              chosen ? Ink::Medium : Ink::Regular});
  }

  void draw_pictures() {
    if (state_.colour != HeadColour::Pattern) return draw_flat();
    const Colormap& map = colormap(ui_.theme.weights);
    const Rgba clear = ui_.theme.picture & 0x00FFFFFFu;  // bands and numbers of layers lie below
    const GridPainter painter{plan_,         spec_,  run_,   map, clear, ui_.theme.hatch_ground,
                              ui_.theme.nan, high(), norms()};
    std::uint64_t content =
        mix_hash(mix_hash(reading_.ticket, static_cast<const void*>(&run_)), painter.high);
    content = mix_hash(content, static_cast<const void*>(painter.norms));
    for (const float number :
         {plan_.side, plan_.pitch, plan_.window.x, plan_.window.y, plan_.window.w, plan_.window.h})
      content = mix_hash(content, number);
    content = mix_hash(content, static_cast<std::uint64_t>(ui_.theme.name));
    for (const GridPlan::Cell& cell : plan_.cells)
      content = (content ^ std::bit_cast<std::uint32_t>(cell.box.y + cell.box.x * 8192)) * 1099511628211u +
                static_cast<std::uint64_t>(cell.head.block * 4096 + cell.head.head);
    ui_.picture("all heads", content, plan_.window, [&] { return painter.paint(); });
  }

  /// One colour a head; what is not known yet has none.
  void draw_flat() {
    const ColourScale shown = scale();
    for (const GridPlan::Cell& cell : plan_.cells) {
      if (cell.box.bottom() < plan_.window.y || cell.box.y > plan_.window.bottom()) continue;
      const double value = value_of(cell.head);
      if (std::isnan(value))
        ui_.fill(cell.box, ui_.theme.hatch_ground);
      else
        ui_.fill(cell.box, colour_of(shown, static_cast<float>(value)));
      // Nothing may melt into the ground.
      ui_.frame(cell.box, ui_.theme.hairline, std::max(1.f, std::floor(ui_.scale())));
    }
  }

  /// What lies on the pictures: dimmed by a token, switched off, chosen.
  void draw_marks() {
    const std::int64_t token = state_.token_dims ? scene_.selection.hovered_token.value_or(-1) : -1;
    for (const GridPlan::Cell& cell : plan_.cells) {
      if (cell.box.bottom() < plan_.window.y || cell.box.y > plan_.window.bottom()) continue;
      const HeadChange* const change = changes_.heads.empty() ? nullptr : change_of_head(changes_, cell.head);
      const bool off = change != nullptr && (change->kind == HeadChange::Kind::Zero);
      float opacity = off ? muted : 1;
      if (token >= 0) opacity *= muted + (1 - muted) * given(cell.head, token);
      if (opacity < 1) ui_.fill(cell.box, fade(ui_.theme.picture, 1 - opacity));
      if (off) {
        const std::array<ImVec2, 2> stroke{{{cell.box.x, cell.box.bottom()}, {cell.box.right(), cell.box.y}}};
        ui_.polyline(stroke, ui_.theme.text3, ui_.px(1.5f));
      } else if (change != nullptr) {
        const float side = std::max(ui_.px(4), std::round(plan_.side / 5));
        const std::array<ImVec2, 3> corner{{{cell.box.right() - side, cell.box.y},
                                            {cell.box.right(), cell.box.y},
                                            {cell.box.right(), cell.box.y + side}}};
        ui_.area(corner, ui_.theme.query);
      }
    }
    const auto ring = [&](const ModelHead& head, Rgba colour, float thick) {
      if (const GridPlan::Cell* const cell = find_cell(plan_, head))
        ui_.frame(cell->box.grown(ui_.px(plan_.pitch - plan_.side > ui_.px(4) ? 3 : 2)), colour, thick,
                  ui_.px(4));
    };
    if (state_.hovered && !(*state_.hovered == chosen_))
      ring(*state_.hovered, ui_.theme.text3, std::max(1.f, ui_.px(1)));
    ring(chosen_, ui_.theme.query, ui_.px(2));
  }

  float given(const ModelHead& head, std::int64_t token) const {
    const bool forward = scene_.view.direction == Direction::QueryToKeys;
    return forward ? most_given(spec_, run_, head, token) : most_given_by(spec_, run_, head, token);
  }

  void draw_scroll() {
    if (plan_.height <= plan_.window.h) return;
    const float share = plan_.window.h / plan_.height;
    const Box track{region_.right() - ui_.px(7), plan_.window.y, ui_.px(4), plan_.window.h};
    const float at = ui_.px(state_.grid_scroll) / plan_.height * track.h;
    ui_.fill({track.x, track.y + at, track.w, track.h * share}, ui_.theme.border, ui_.px(2));
  }

  Scene& scene_;
  const Ui& ui_;
  ModelState& state_;
  const ModelReading& reading_;
  const ModelSpec& spec_;
  const ModelRun& run_;
  const ModelFacts& facts_;
  const ModelChanges& changes_;
  Box region_;
  ModelHead chosen_;
  GridPlan plan_;
};

}  // namespace

void draw_model_grid(Scene& scene, const Box& region) { Grid(scene, region).draw(); }

}  // namespace attnscope
