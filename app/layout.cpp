#include "app/layout.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {

Layout compute_layout(float width, float height, const ViewState& view, std::size_t strip_lines) {
  const float s = view.scale;
  const auto px = [s](float logical) { return std::round(logical * s); };
  Layout l;
  l.compact = width / s < 1400;
  const float top = px(l.compact ? 40 : 48), status = px(24);
  const float extra = px(36) * static_cast<float>(std::clamp<std::size_t>(strip_lines, 1, 3) - 1);
  const float strip = view.is_hidden(Region::Strip) ? 0 : px(l.compact ? 72 : 80) + extra;
  const float controls = view.is_hidden(Region::Controls) ? 0 : px(l.compact ? 216 : 264);
  float heads = view.is_hidden(Region::Heads) ? 0 : px(l.compact ? 182 : 276);
  float inspector = view.is_hidden(Region::Inspector) ? 0 : px(l.compact ? 280 : 368);
  float signals = view.is_hidden(Region::Signals) ? 0 : px(l.compact ? 152 : 208);

  // In a window too small for everything the heatmap gives way last.
  const float least = px(240);
  if (width - controls - heads - inspector < least) inspector = 0;
  if (width - controls - heads < least) heads = 0;
  const float body_top = top + strip;
  if (height - body_top - signals - status < least) signals = 0;
  const float left = width - controls < least ? 0 : controls;

  l.top = {0, 0, width, top};
  l.strip = {0, top, width, strip};
  l.status = {0, std::max(0.f, height - status), width, status};
  const float bottom = l.status.y, middle = std::max(0.f, bottom - signals - body_top);
  l.controls = {0, body_top, left, std::max(0.f, bottom - body_top)};
  l.heads = {left, body_top, heads, middle};
  l.inspector = {width - inspector, body_top, inspector, middle};
  l.focus = {left + heads, body_top, std::max(0.f, width - left - heads - inspector), middle};
  l.signals = {left, body_top + middle, std::max(0.f, width - left), signals};
  return l;
}

}  // namespace attnscope
