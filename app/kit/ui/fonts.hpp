// app/kit/ui: the typefaces, found through Fontconfig, with every script merged in. Sizes are chosen when
// text is drawn.
#pragma once

#include <filesystem>
#include <memory>

#include <imgui.h>

namespace attnscope {

class GlyphFonts;

struct Fonts {
  ImFont* regular = nullptr;   // Inter 400, tabular digits
  ImFont* medium = nullptr;    // Inter 500
  ImFont* semibold = nullptr;  // Inter 600
  ImFont* mono = nullptr;      // DejaVu Sans Mono, for code; the regular one if it is missing
  bool system = true;          // false: only the built-in font was asked for
  /// The same fonts for scripts whose letters change with their neighbours or run from right to left; null if
  /// no such fonts were found.
  std::shared_ptr<GlyphFonts> glyphs;
};

/// Inter (three weights) with tabular digits, then DejaVu Sans (√ Σ ᵀ), then fonts for Chinese, Japanese and
/// Korean. Missing families are left out; without any, Dear ImGui's built-in font is used. For scripts that
/// need shaping other fonts are looked up, once a text needs them. A character that no font has is drawn as a
/// box. `system_fonts = false` uses the built-in font only, so that tests do not depend on the machine.
/// `own`: a folder of fonts that came with the program, which need not exist. Call once per ImGui context.
Fonts load_fonts(bool system_fonts = true, const std::filesystem::path& own = {});

}  // namespace attnscope
