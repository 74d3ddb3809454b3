#include "app/kit/ui/fonts.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fontconfig/fontconfig.h>

#include "app/kit/ui/glyph_fonts.hpp"

namespace attnscope {
namespace {

constexpr float reference_size = 16;
constexpr float digit_advance =
    8.2f;  // of Inter at the reference size: wide enough for the 0 of every weight
constexpr ImWchar all_but_digits[] = {0x0001, 0x002F, 0x003A, IM_UNICODE_CODEPOINT_MAX, 0};
constexpr ImWchar only_the_box[] = {missing_sign, missing_sign, 0};
// One character per script that neither Inter nor DejaVu Sans has: Chinese, traditional Chinese, Japanese,
// Korean.
constexpr FcChar32 other_scripts[] = {0x6CE8, 0x8A9E, 0x30A2, 0xD55C};

using Pattern = std::unique_ptr<FcPattern, decltype(&FcPatternDestroy)>;
using CharSet = std::unique_ptr<FcCharSet, decltype(&FcCharSetDestroy)>;

struct FontFile {
  std::string path;
  int index = 0;                                   // in a collection
  bool has_outlines = false;                       // TrueType's or PostScript's in an OpenType file
  CharSet characters{nullptr, &FcCharSetDestroy};  // those it has glyphs for

  bool covers(FcChar32 character) const {
    return characters && FcCharSetHasChar(characters.get(), character);
  }
};

/// Whether Fontconfig is configured. Without this check it would write an error to the standard error.
bool has_font_configuration() {
  std::error_code unknown;
  return std::getenv("FONTCONFIG_FILE") != nullptr || std::getenv("FONTCONFIG_PATH") != nullptr ||
         std::filesystem::exists("/etc/fonts/fonts.conf", unknown);
}

/// Adds the program's own fonts to those of the machine. On a machine without Fontconfig's files, the
/// program's own configuration lists the font folders.
void add_own_fonts(const std::filesystem::path& own) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(own, unknown)) return;
  if (!has_font_configuration()) {
    const std::string file = (own / "fonts.conf").native();
    FcConfig* const config = FcConfigCreate();
    if (FcConfigParseAndLoad(config, reinterpret_cast<const FcChar8*>(file.c_str()), FcFalse) &&
        FcConfigBuildFonts(config))
      FcConfigSetCurrent(config);  // takes a reference of its own
    FcConfigDestroy(config);
  }
  FcConfigAppFontAddDir(nullptr, reinterpret_cast<const FcChar8*>(own.c_str()));
}

/// The font that Fontconfig finds for a family and a character, both optional; empty if it does not match
/// both.
std::optional<FontFile> find_font(const char* family, int weight, FcChar32 character = 0) {
  const Pattern request(FcPatternCreate(), &FcPatternDestroy);
  const CharSet needed(FcCharSetCreate(), &FcCharSetDestroy);
  if (family) FcPatternAddString(request.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  if (character) {
    FcCharSetAddChar(needed.get(), character);
    FcPatternAddCharSet(request.get(), FC_CHARSET, needed.get());
  }
  FcPatternAddInteger(request.get(), FC_WEIGHT, weight);
  FcPatternAddInteger(request.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(request.get(), FC_SCALABLE, FcTrue);
  FcPatternAddBool(request.get(), FC_COLOR, FcFalse);
  FcPatternAddBool(request.get(), FC_VARIABLE,
                   FcFalse);  // stb_truetype draws a variable font in its default weight only
  FcConfigSubstitute(nullptr, request.get(), FcMatchPattern);
  FcDefaultSubstitute(request.get());

  FcResult result = FcResultNoMatch;
  const Pattern found(FcFontMatch(nullptr, request.get(), &result), &FcPatternDestroy);
  FcChar8 *path = nullptr, *name = nullptr;
  if (!found || FcPatternGetString(found.get(), FC_FILE, 0, &path) != FcResultMatch) return {};
  if (family && (FcPatternGetString(found.get(), FC_FAMILY, 0, &name) != FcResultMatch ||
                 FcStrCmpIgnoreCase(name, reinterpret_cast<const FcChar8*>(family)) != 0))
    return {};
  int index = 0;
  FcPatternGetInteger(found.get(), FC_INDEX, 0, &index);
  FontFile file{reinterpret_cast<const char*>(path),
                index & 0xFFFF};  // above: the instance of a variable font
  FcChar8* format = nullptr;
  if (FcPatternGetString(found.get(), FC_FONTFORMAT, 0, &format) == FcResultMatch) {
    const std::string_view name_of_format(reinterpret_cast<const char*>(format));
    file.has_outlines = name_of_format == "TrueType" || name_of_format == "CFF";
  }
  FcCharSet* covered = nullptr;
  if (FcPatternGetCharSet(found.get(), FC_CHARSET, 0, &covered) == FcResultMatch)
    file.characters.reset(FcCharSetCopy(covered));
  if (character && !file.covers(character)) return {};
  return file;
}

/// The fewest fonts that cover the other scripts.
std::vector<FontFile> find_other_scripts() {
  std::vector<FontFile> files;
  for (const FcChar32 character : other_scripts) {
    if (std::ranges::any_of(files, [&](const FontFile& file) { return file.covers(character); })) continue;
    if (auto file = find_font(nullptr, FC_WEIGHT_REGULAR, character)) files.push_back(std::move(*file));
  }
  return files;
}

/// The fonts of one weight, in the order in which a character is looked up.
struct Family {
  std::optional<FontFile> inter, dejavu;
  const std::vector<FontFile>* scripts = nullptr;
};

/// Merged into one ImFont; null if no font could be read.
ImFont* load_chain(const Family& family) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFont* font = nullptr;
  const auto add = [&](const FontFile& file, const ImFontConfig& request) {
    ImFontConfig config = request;
    config.FontNo = static_cast<ImU32>(file.index);
    config.MergeMode = font != nullptr;
    if (ImFont* added = atlas.AddFontFromFileTTF(file.path.c_str(), reference_size, &config)) font = added;
  };
  ImFontConfig plain;
  plain.Flags = ImFontFlags_NoLoadError;
  plain.GlyphExcludeRanges = only_the_box;
  if (family.inter) {
    ImFontConfig digits = plain;
    digits.GlyphExcludeRanges = all_but_digits;
    digits.GlyphMinAdvanceX = digits.GlyphMaxAdvanceX = digit_advance;
    add(*family.inter, digits);
    add(*family.inter, plain);
  }
  if (family.dejavu) add(*family.dejavu, plain);
  for (const FontFile& file : *family.scripts) add(file, plain);
  if (font) add_missing_box(*font);
  return font;
}

/// The same fonts as files, and the machine's other fonts, for shaping.
GlyphFonts::Chain glyph_chain(const Family& family, int weight) {
  GlyphFonts::Chain chain;
  const auto add = [&chain](const FontFile& file, float digits) {
    if (FacePtr face = Face::load(file.path, file.index)) chain.faces.push_back({std::move(face), digits});
  };
  if (family.inter) add(*family.inter, digit_advance / reference_size);
  if (family.dejavu) add(*family.dejavu, 0);
  for (const FontFile& file : *family.scripts) add(file, 0);
  chain.find = [weight](char32_t character) -> FacePtr {
    const std::optional<FontFile> file = find_font(nullptr, weight, character);
    return file && file->has_outlines ? Face::load(file->path, file->index) : nullptr;
  };
  return chain;
}

}  // namespace

Fonts load_fonts(bool system_fonts, const std::filesystem::path& own) {
  Fonts fonts;
  fonts.system = system_fonts;
  if (system_fonts) {
    add_own_fonts(own);
    const std::vector<FontFile> scripts = find_other_scripts();
    constexpr std::array weights{FC_WEIGHT_REGULAR, FC_WEIGHT_MEDIUM, FC_WEIGHT_DEMIBOLD};
    std::array<GlyphFonts::Chain, GlyphFonts::weights> chains;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const Family family{find_font("Inter", weights[i]), find_font("DejaVu Sans", weights[i]), &scripts};
      *std::array{&fonts.regular, &fonts.medium, &fonts.semibold}[i] = load_chain(family);
      chains[i] = glyph_chain(family, weights[i]);
    }
    const std::vector<FontFile> none;
    if (std::optional<FontFile> code = find_font("DejaVu Sans Mono", FC_WEIGHT_REGULAR))
      fonts.mono = load_chain({{}, std::move(code), &none});
    if (std::ranges::none_of(chains, [](const GlyphFonts::Chain& c) { return c.faces.empty(); }))
      fonts.glyphs = std::make_shared<GlyphFonts>(std::move(chains));
  }
  if (!fonts.regular) {
    ImFontConfig pixels;  // as Dear ImGui configures it
    pixels.OversampleH = pixels.OversampleV = 1;
    pixels.PixelSnapH = true;
    pixels.GlyphExcludeRanges = only_the_box;
    fonts.regular = ImGui::GetIO().Fonts->AddFontDefault(&pixels);
    add_missing_box(*fonts.regular);
  }
  if (!fonts.mono) fonts.mono = fonts.regular;
  if (!fonts.medium) fonts.medium = fonts.regular;
  if (!fonts.semibold) fonts.semibold = fonts.medium;
  return fonts;
}

}  // namespace attnscope
