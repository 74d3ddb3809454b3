#include "app/state/regions/layout.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/widgets/widgets.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

using PaneLimits = SplitterLimits;
constexpr PaneLimits head_limits{112, 640}, inspector_limits{240, 640}, signal_limits{112, 480};
constexpr float lowest_signals = 128;  // logical pixels, unless dragged: the curves are 54 high then

/// The usual size of a region, or the clamped size set by its splitter.
float chosen(float dragged, float usual, PaneLimits limits) {
  return dragged > 0 ? std::clamp(dragged, limits.least, limits.most) : usual;
}

}  // namespace

SplitterLine drag_splitter(const Ui& ui, const Splitter& edge) {
  SplitterLine line;
  const Ui::Touch touch = ui.touch(edge.label, edge.grip, false);
  if (touch.hovered || touch.held) {
    ImGui::SetMouseCursor(edge.upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    const float wide = ui.px(2);
    line.box = edge.upright
                   ? Box{std::round(edge.grip.centre_x() - wide / 2), edge.grip.y, wide, edge.grip.h}
                   : Box{edge.grip.x, std::round(edge.grip.centre_y() - wide / 2), edge.grip.w, wide};
    line.colour = touch.held ? ui.theme.query : ui.theme.border;
  }
  tooltip(ui, touch.hovered && !touch.held, edge.grip,
          {"Splitter", {}, "Drag to give a region more room; a double click gives the usual size back.", {}});
  if (touch.hovered && ImGui::IsMouseDoubleClicked(0)) {
    *edge.size = 0;
  } else if (touch.held && ImGui::IsMouseDragging(0, 1)) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float size = std::abs((edge.upright ? mouse.x : mouse.y) - edge.from) / ui.scale();
    *edge.size = std::clamp(size, edge.limits.least, edge.limits.most);
  }
  return line;
}

namespace {

void drag_edge(const Ui& ui, const Splitter& edge) {
  if (const SplitterLine line = drag_splitter(ui, edge); line.box.w > 0) ui.fill(line.box, line.colour);
}

}  // namespace

bool is_narrow(float width, float scale) { return width / scale < 1280; }
bool is_narrow(const ViewState& view) { return is_narrow(ImGui::GetIO().DisplaySize.x, view.scale); }

Layout compute_layout(float width, float height, const ViewState& view, std::size_t strip_lines) {
  const float s = view.scale;
  const auto px = [s](float logical) { return std::round(logical * s); };
  Layout l;
  l.compact = width / s < 1400;
  const float top = px(l.compact ? 40 : 48), status = px(24);
  const float extra = px(36) * static_cast<float>(std::clamp<std::size_t>(strip_lines, 1, 3) - 1);
  const bool has_strip = !regions_of(view).is_hidden(Region::Strip) && has_sentence(view.mode);
  float strip = has_strip ? px(l.compact ? 72 : 80) + extra : 0;
  const auto size = [&](Region region, float dragged, float usual, PaneLimits limits) {
    return regions_of(view).is_hidden(region) ? 0 : px(chosen(dragged, usual, limits));
  };
  const RegionSizes& sizes = regions_of(view).sizes;
  const float controls = size(Region::Controls, sizes.controls, l.compact ? 216 : 264, control_limits);
  float heads = size(Region::Heads, sizes.heads, l.compact ? 182 : 276, head_limits);
  const float inspector_width = px(chosen(sizes.inspector, l.compact ? 280 : 368, inspector_limits));
  float signals = size(Region::Signals, sizes.signals, usual_signals(l.compact), signal_limits);

  // The map gives way last: other regions shrink to give it the comfortable size, and are hidden to give it
  // the least one.
  const float least = px(240), comfortable = px(320), comfortable_height = px(448);
  float inspector = regions_of(view).is_hidden(Region::Inspector) ? 0 : inspector_width;
  bool narrow = is_narrow(width, s);
  if (width - controls - heads - (narrow ? 0 : inspector) < comfortable) heads = 0;
  narrow = narrow || width - controls - heads - inspector < comfortable;
  if (narrow) inspector = 0;
  float tab = narrow ? px(24) : 0;
  if (width - tab < least) tab = 0;
  if (height - top - strip - status < least) strip = 0;
  const float body_top = top + strip, body = height - body_top - status;
  const bool opened = sizes.signals > 0;
  // Where the inspector is beside the map the plots get lower before they fold, so that 1280 x 720 shows
  // them.
  if (signals > 0 && !opened && !is_narrow(width, s))
    signals = std::clamp(body - comfortable_height, px(lowest_signals), signals);
  if (signals > 0 && body - signals < (opened ? least : comfortable_height)) {
    l.folded = true;
    signals = px(32);
    if (body - signals < least) signals = 0;
  }
  const float left = width - controls - tab < least ? 0 : controls;

  l.top = {0, 0, width, top};
  l.strip = {0, top, width, strip};
  l.status = {0, std::max(0.f, height - status), width, status};
  const float bottom = l.status.y, middle = std::max(0.f, bottom - signals - body_top);
  l.whole = {0, body_top, width, std::max(0.f, bottom - body_top)};
  l.controls = {0, body_top, left, std::max(0.f, bottom - body_top)};
  l.heads = {left, body_top, heads, middle};
  l.tab = {width - tab, body_top, tab, middle};
  l.drawer = tab > 0 && regions_of(view).drawer;
  if (l.drawer) inspector = std::min(inspector_width, l.tab.x - px(24));
  l.inspector = {width - tab - inspector, body_top, inspector, middle};
  l.focus = {left + heads, body_top, std::max(0.f, width - left - heads - tab - (l.drawer ? 0 : inspector)),
             middle};
  l.signals = {left, body_top + middle, std::max(0.f, width - left), signals};
  return l;
}

Layout long_layout(Layout l) {
  const float top = l.top.bottom(), bottom = l.status.y;
  l.whole = {0, top, l.top.w, std::max(0.f, bottom - top)};
  for (Box* box : {&l.controls, &l.tab, &l.inspector}) *box = {box->x, top, box->w, l.whole.h};
  l.focus = {l.controls.right(), top, l.focus.right() - l.controls.right(), l.whole.h};
  l.heads = l.strip = l.signals = {};
  l.folded = false;
  return l;
}

void draw_splitters(const Ui& ui, const Layout& l, ViewState& view) {
  const float half = ui.px(splitter_reach);
  const auto upright = [&](float x, const Box& beside) {
    return Box{x - half, beside.y, 2 * half, beside.h};
  };
  RegionSizes& sizes = regions_of(view).sizes;
  if (l.controls.w > 0)
    drag_edge(ui, {"split controls", upright(l.controls.right(), l.controls), &sizes.controls, l.controls.x,
                   true, control_limits});
  if (l.heads.w > 0)
    drag_edge(ui,
              {"split heads", upright(l.heads.right(), l.heads), &sizes.heads, l.heads.x, true, head_limits});
  if (l.inspector.w > 0)
    drag_edge(ui, {"split inspector", upright(l.inspector.x, l.inspector), &sizes.inspector,
                   l.inspector.right(), true, inspector_limits});
  if (l.signals.h > 0 && !l.folded)
    drag_edge(ui, {"split signals",
                   {l.signals.x, l.signals.y - half, l.signals.w, 2 * half},
                   &sizes.signals,
                   l.signals.bottom(),
                   false,
                   signal_limits});
}

std::optional<Box> box_of(PictureRegion region, const Layout& layout, const ViewState& view) {
  const bool explore = view.mode == Mode::Explore;
  const auto seen = [](const Box& box) { return has_room(box) ? std::optional(box) : std::nullopt; };
  switch (region) {
    case PictureRegion::Window: return Box{0, 0, layout.top.w, layout.status.bottom()};
    case PictureRegion::Focus: return seen(explore ? layout.focus : layout.whole);
    case PictureRegion::Heads: return explore ? seen(layout.heads) : std::nullopt;
    case PictureRegion::Signals: return explore ? seen(layout.signals) : std::nullopt;
    case PictureRegion::Inspector: return explore ? seen(layout.inspector) : std::nullopt;
    case PictureRegion::Grid: break;
  }
  return std::nullopt;
}

}  // namespace attnscope
