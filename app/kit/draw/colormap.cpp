#include "app/kit/draw/colormap.hpp"

#include <cmath>
#include <span>

namespace attnscope {
namespace {

// Anchors are 0xRRGGBB, evenly spaced from 0 to 1.
constexpr auto weights = std::to_array<unsigned>(  // magma
    {0x000004, 0x0C0926, 0x1C1046, 0x331067, 0x4F127B, 0x6A1C81, 0x822681, 0x9C2E7F, 0xB73779, 0xD0416F,
     0xE75263, 0xF56B5C, 0xFC8961, 0xFEA772, 0xFEC488, 0xFDE2A3, 0xFCFDBF});
constexpr auto weights_paper = std::to_array<unsigned>(
    {0xFFFEFA, 0xFEF0DC, 0xFEDDB4, 0xFEC488, 0xFEA772, 0xFC8961, 0xF56B5C, 0xE75263, 0xD0416F, 0xB73779,
     0x9C2E7F, 0x822681, 0x6A1C81, 0x4F127B, 0x331067, 0x1C1046, 0x0C0926});
constexpr auto scores =
    std::to_array<unsigned>({0xB3DBFF, 0x78BBFA, 0x3E93DE, 0x226CAE, 0x174B7C, 0x102E4C, 0x0B0D10, 0x46260C,
                             0x7A3D0E, 0xAF5A14, 0xE07F2A, 0xFBAC64, 0xFFDAB0});
constexpr auto scores_paper =
    std::to_array<unsigned>({0x053061, 0x1A5899, 0x3480B9, 0x67A9CF, 0xA2CDE3, 0xD6E8F1, 0xFFFFFF, 0xFCE4CF,
                             0xF9BF8F, 0xEE9651, 0xD46F1E, 0xA84E0A, 0x6B2F04});
constexpr auto viridis = std::to_array<unsigned>(
    {0x440154, 0x482878, 0x3E4A89, 0x31688E, 0x26828E, 0x1F9E89, 0x35B779, 0x6DCD59, 0xB4DE2C, 0xFDE725});
constexpr auto cividis = std::to_array<unsigned>(
    {0x00204D, 0x00336F, 0x39486B, 0x575C6D, 0x707173, 0x8A8779, 0xA69D75, 0xC4B56C, 0xE4CF5B, 0xFFEA46});
constexpr auto blues = std::to_array<unsigned>(
    {0xF7FBFF, 0xDEEBF7, 0xC6DBEF, 0x9ECAE1, 0x6BAED6, 0x4292C6, 0x2171B5, 0x08519C, 0x08306B});
constexpr auto blues_dark = std::to_array<unsigned>(
    {0x04101F, 0x08306B, 0x08519C, 0x2171B5, 0x4292C6, 0x6BAED6, 0x9ECAE1, 0xC6DBEF, 0xDEEBF7, 0xF7FBFF});
constexpr auto grey = std::to_array<unsigned>({0x000000, 0xFFFFFF});
constexpr auto grey_paper = std::to_array<unsigned>({0xFFFFFF, 0x000000});

constexpr unsigned channel(unsigned colour, int shift) { return colour >> shift & 255u; }

/// The colour at `position` (0..1), each sRGB component interpolated linearly between its two anchors.
constexpr Rgba between(std::span<const unsigned> anchors, double position) {
  const double place = position * static_cast<double>(anchors.size() - 1);
  const std::size_t left = std::min(static_cast<std::size_t>(place), anchors.size() - 2);
  const double share = place - static_cast<double>(left);
  Rgba colour = 0xFF000000u;
  for (const int shift : {0, 8, 16}) {
    const double from = channel(anchors[left], 16 - shift), to = channel(anchors[left + 1], 16 - shift);
    colour |= static_cast<Rgba>(from + (to - from) * share + 0.5) << shift;
  }
  return colour;
}

constexpr Colormap sequential(std::span<const unsigned> anchors) {
  Colormap colours{};
  for (std::size_t i = 0; i < colours.size(); ++i)
    colours[i] = between(anchors, static_cast<double>(i) / 255);
  return colours;
}

/// 256 entries have no middle one, so the middle two are both exactly the centre: a score of 0 has the colour
/// of the ground.
constexpr Colormap diverging(std::span<const unsigned> anchors) {
  Colormap colours{};
  for (std::size_t i = 0; i < 128; ++i) {
    const double reach = static_cast<double>(i) / 127 / 2;
    colours[i] = between(anchors, reach);
    colours[128 + i] = between(anchors, 0.5 + reach);
  }
  return colours;
}

struct NamedMap {
  std::string_view name;
  Colormap colours;
};

// In the order of Map.
constexpr std::array<NamedMap, map_count> maps = {{
    {"Magma", sequential(weights)},
    {"Magma on paper", sequential(weights_paper)},
    {"Blue to orange", diverging(scores)},
    {"Blue to orange on paper", diverging(scores_paper)},
    {"Viridis", sequential(viridis)},
    {"Cividis", sequential(cividis)},
    {"Blues", sequential(blues)},
    {"Grey", sequential(grey)},
    {"Blues on dark", sequential(blues_dark)},
    {"Grey on paper", sequential(grey_paper)},
}};

const NamedMap& entry(Map map) { return maps[static_cast<std::size_t>(map)]; }

}  // namespace

const Colormap& colormap(Map map) { return entry(map).colours; }

std::string_view name_of(Map map) { return entry(map).name; }

double luminance(Rgba colour) {
  const auto linear = [colour](int shift) {
    const double value = static_cast<double>(channel(colour, shift)) / 255;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(0) + 0.7152 * linear(8) + 0.0722 * linear(16);
}

}  // namespace attnscope
