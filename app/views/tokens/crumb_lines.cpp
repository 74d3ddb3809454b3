#include "app/views/tokens/crumb_lines.hpp"

#include <algorithm>
#include <cmath>

#include "core/edits/within.hpp"

namespace attnscope {

CrumbLines crumb_lines(const Scene& scene, const Box& strip) {
  const Ui& ui = scene.ui;
  const std::size_t texts = typed_texts(scene.document);
  const std::size_t fields =
      std::clamp<std::size_t>(texts > 0 ? texts : scene.document.input.sequences.size(), 1, 3);
  const float high = static_cast<float>(fields) * ui.px(36) - ui.px(8), gap = (strip.h - high) / 2;
  return {strip.x + ui.px(16), ui.px((scene.compact ? 184 : 232) + 16), std::round(strip.y + gap / 2),
          std::round(strip.bottom() - gap / 2)};
}

}  // namespace attnscope
