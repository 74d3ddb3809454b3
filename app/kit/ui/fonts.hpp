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
  ImFont* mono = nullptr;      // DejaVu Sans Mono, for code; the regular one where it is missing
  bool system = true;          // false: only the built-in font was asked for
  /// The same fonts for scripts whose letters change with their neighbours or run from right to left; null
  /// where there are none.
  std::shared_ptr<GlyphFonts> glyphs;
};

/// Inter (three weights) with tabular digits, then DejaVu Sans (√ Σ ᵀ), then whatever covers Chinese,
/// Japanese and Korean. Families that are missing are left out; with none at all Dear ImGui's built-in font
/// serves. Scripts that must be shaped also look for other fonts, once a text asks for them. What no font has
/// is a box. `system_fonts = false` takes the built-in font only, so that tests do not depend on the machine.
/// `own`: a folder of fonts that came with the program, which need not exist. Call once per ImGui context.
Fonts load_fonts(bool system_fonts = true, const std::filesystem::path& own = {});

}  // namespace attnscope
