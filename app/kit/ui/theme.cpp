#include "app/kit/ui/theme.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace attnscope {
namespace {

/// Converts 0xRRGGBB, as people write it, to the byte order of a pixel.
constexpr Rgba hex(std::uint32_t rgb) {
  return 0xFF000000u | ((rgb & 0xFFu) << 16) | (rgb & 0xFF00u) | ((rgb >> 16) & 0xFFu);
}

// Chosen so that any two can be told apart without red or green cones as well (see theme_test.cpp): hues stay
// recognisable, and mostly the lightness separates them.
constexpr std::array<Rgba, 8> heads_on_dark = {hex(0x9286DA), hex(0xBE8801), hex(0x7DF1CB), hex(0xEF9483),
                                               hex(0xFBC9FE), hex(0x52B8B7), hex(0xDE6B92), hex(0xFDD972)};
constexpr std::array<Rgba, 8> heads_on_light = {hex(0x3934AC), hex(0xCE6C17), hex(0x3A9482), hex(0xAE4F51),
                                                hex(0x916CFE), hex(0x227C93), hex(0x752D51), hex(0x414C03)};

/// The colours of a role in the three themes, 0xRRGGBB.
struct RoleColours {
  Rgba Theme::*role;
  std::uint32_t dark, light, contrast;
};
constexpr std::array<RoleColours, 25> role_colours{{
    {&Theme::canvas, 0x0B0D10, 0xE9ECF0, 0x000000},
    {&Theme::panel, 0x121519, 0xF8F9FB, 0x000000},
    {&Theme::raised, 0x191D23, 0xFFFFFF, 0x0D0D0D},
    {&Theme::control, 0x20252D, 0xECEFF3, 0x1F1F1F},
    {&Theme::control_hover, 0x2A303A, 0xE0E4EA, 0x383838},
    {&Theme::segment_on, 0x39414D, 0xFFFFFF, 0x383838},
    {&Theme::segment_line, 0x39414D, 0xCBD1DA, 0xB8B8B8},
    {&Theme::hairline, 0x22272F, 0xDFE3E9, 0x5C5C5C},
    {&Theme::border, 0x343B47, 0xC6CCD5, 0xB8B8B8},
    {&Theme::text1, 0xE8EBF0, 0x161A21, 0xFFFFFF},
    {&Theme::text2, 0xA9B1BD, 0x47505E, 0xE6E6E6},
    {&Theme::text3, 0x858E9C, 0x606A79, 0xC8C8C8},
    {&Theme::disabled, 0x555D69, 0x9AA3B0, 0x8F8F8F},
    {&Theme::query, 0x57B6FF, 0x0969DA, 0x4DD2FF},
    {&Theme::key, 0xF2BC57, 0x9A6200, 0xFFD24D},
    {&Theme::value, 0x63D3A6, 0x137A4F, 0x5CFFB0},
    {&Theme::error, 0xFF7B72, 0xC62F2B, 0xFF9C94},
    {&Theme::nan, 0xFF00D4, 0xFF00D4, 0xFF00D4},
    {&Theme::b, 0xC3A1FF, 0x7A4FC9, 0xD7B8FF},
    {&Theme::bar, 0x77818F, 0x8C96A4, 0xC8C8C8},
    {&Theme::bar_ground, 0x20252D, 0xDCE1E7, 0x383838},
    {&Theme::hatch_ground, 0x171A20, 0xF1F3F6, 0x141414},
    {&Theme::hatch_line, 0x2B313B, 0xD8DDE4, 0x7A7A7A},
    {&Theme::small_value, 0x8A7FA8, 0x735D42, 0xB9B0D4},
    {&Theme::picture, 0x0B0D10, 0xFFFFFF, 0x000000},
}};
static_assert(offsetof(Theme, faint_curve) == offsetof(Theme, canvas) + role_colours.size() * sizeof(Rgba),
              "each role has its colours");

constexpr Theme theme_of(ThemeName name, std::uint32_t RoleColours::*column) {
  Theme made{};
  made.name = name;
  for (const RoleColours& row : role_colours) made.*row.role = hex(row.*column);
  const bool is_light = name == ThemeName::Light;
  made.faint_curve = name == ThemeName::Contrast ? 0.5f : 0.42f;
  made.weights = is_light ? Map::WeightsPaper : Map::Weights;
  made.scores = is_light ? Map::ScoresPaper : Map::Scores;
  made.heads = is_light ? heads_on_light : heads_on_dark;
  return made;
}

constexpr Theme dark = theme_of(ThemeName::Dark, &RoleColours::dark);
constexpr Theme light = theme_of(ThemeName::Light, &RoleColours::light);
constexpr Theme contrast = theme_of(ThemeName::Contrast, &RoleColours::contrast);

}  // namespace

const Theme& theme(ThemeName name) {
  switch (name) {
    case ThemeName::Light: return light;
    case ThemeName::Contrast: return contrast;
    case ThemeName::Dark: break;
  }
  return dark;
}

std::optional<ThemeName> theme_named(std::string_view name) {
  if (name == "dark") return ThemeName::Dark;
  if (name == "light") return ThemeName::Light;
  if (name == "contrast") return ThemeName::Contrast;
  return std::nullopt;
}

Rgba fade(Rgba colour, float opacity) {
  const auto alpha = static_cast<Rgba>(std::lround(static_cast<float>(colour >> 24) * opacity));
  return (colour & 0x00FFFFFFu) | (alpha << 24);
}

}  // namespace attnscope
