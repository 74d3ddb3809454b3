#include "app/kit/ui/theme.hpp"

#include <cmath>

namespace attnscope {
namespace {

/// 0xRRGGBB as people write it, to the byte order of a pixel.
constexpr Rgba hex(std::uint32_t rgb) {
  return 0xFF000000u | ((rgb & 0xFFu) << 16) | (rgb & 0xFF00u) | ((rgb >> 16) & 0xFFu);
}

// Chosen so that any two stay apart for eyes without red or green cones as well (see theme_test.cpp): within
// the character of each hue mostly the lightness tells them apart.
constexpr std::array<Rgba, 8> heads_on_dark = {hex(0x9286DA), hex(0xBE8801), hex(0x7DF1CB), hex(0xEF9483),
                                               hex(0xFBC9FE), hex(0x52B8B7), hex(0xDE6B92), hex(0xFDD972)};
constexpr std::array<Rgba, 8> heads_on_light = {hex(0x3934AC), hex(0xCE6C17), hex(0x3A9482), hex(0xAE4F51),
                                                hex(0x916CFE), hex(0x227C93), hex(0x752D51), hex(0x414C03)};

constexpr Theme dark = {.name = ThemeName::Dark,
                        .canvas = hex(0x0B0D10),
                        .panel = hex(0x121519),
                        .raised = hex(0x191D23),
                        .control = hex(0x20252D),
                        .control_hover = hex(0x2A303A),
                        .segment_on = hex(0x39414D),
                        .segment_line = hex(0x39414D),
                        .hairline = hex(0x22272F),
                        .border = hex(0x343B47),
                        .text1 = hex(0xE8EBF0),
                        .text2 = hex(0xA9B1BD),
                        .text3 = hex(0x858E9C),
                        .disabled = hex(0x555D69),
                        .query = hex(0x57B6FF),
                        .key = hex(0xF2BC57),
                        .value = hex(0x63D3A6),
                        .error = hex(0xFF7B72),
                        .nan = hex(0xFF00D4),
                        .b = hex(0xC3A1FF),
                        .bar = hex(0x77818F),
                        .bar_ground = hex(0x20252D),
                        .hatch_ground = hex(0x171A20),
                        .hatch_line = hex(0x2B313B),
                        .small_value = hex(0x8A7FA8),
                        .picture = hex(0x0B0D10),
                        .faint_curve = 0.42f,
                        .weights = Map::Weights,
                        .scores = Map::Scores,
                        .heads = heads_on_dark};

constexpr Theme light = {.name = ThemeName::Light,
                         .canvas = hex(0xE9ECF0),
                         .panel = hex(0xF8F9FB),
                         .raised = hex(0xFFFFFF),
                         .control = hex(0xECEFF3),
                         .control_hover = hex(0xE0E4EA),
                         .segment_on = hex(0xFFFFFF),
                         .segment_line = hex(0xCBD1DA),
                         .hairline = hex(0xDFE3E9),
                         .border = hex(0xC6CCD5),
                         .text1 = hex(0x161A21),
                         .text2 = hex(0x47505E),
                         .text3 = hex(0x606A79),
                         .disabled = hex(0x9AA3B0),
                         .query = hex(0x0969DA),
                         .key = hex(0x9A6200),
                         .value = hex(0x137A4F),
                         .error = hex(0xC62F2B),
                         .nan = hex(0xFF00D4),
                         .b = hex(0x7A4FC9),
                         .bar = hex(0x8C96A4),
                         .bar_ground = hex(0xDCE1E7),
                         .hatch_ground = hex(0xF1F3F6),
                         .hatch_line = hex(0xD8DDE4),
                         .small_value = hex(0x735D42),
                         .picture = hex(0xFFFFFF),
                         .faint_curve = 0.42f,
                         .weights = Map::WeightsPaper,
                         .scores = Map::ScoresPaper,
                         .heads = heads_on_light};

constexpr Theme contrast = {.name = ThemeName::Contrast,
                            .canvas = hex(0x000000),
                            .panel = hex(0x000000),
                            .raised = hex(0x0D0D0D),
                            .control = hex(0x1F1F1F),
                            .control_hover = hex(0x383838),
                            .segment_on = hex(0x383838),
                            .segment_line = hex(0xB8B8B8),
                            .hairline = hex(0x5C5C5C),
                            .border = hex(0xB8B8B8),
                            .text1 = hex(0xFFFFFF),
                            .text2 = hex(0xE6E6E6),
                            .text3 = hex(0xC8C8C8),
                            .disabled = hex(0x8F8F8F),
                            .query = hex(0x4DD2FF),
                            .key = hex(0xFFD24D),
                            .value = hex(0x5CFFB0),
                            .error = hex(0xFF9C94),
                            .nan = hex(0xFF00D4),
                            .b = hex(0xD7B8FF),
                            .bar = hex(0xC8C8C8),
                            .bar_ground = hex(0x383838),
                            .hatch_ground = hex(0x141414),
                            .hatch_line = hex(0x7A7A7A),
                            .small_value = hex(0xB9B0D4),
                            .picture = hex(0x000000),
                            .faint_curve = 0.5f,
                            .weights = Map::Weights,
                            .scores = Map::Scores,
                            .heads = heads_on_dark};

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
