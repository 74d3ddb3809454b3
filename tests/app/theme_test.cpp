// The colours of the heads: distinguishable for colour-blind eyes, too, and readable on the panel.
#include "app/kit/ui/theme.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::theme_test {

namespace {

using Vec = std::array<double, 3>;
using Matrix = std::array<Vec, 3>;

double linear(Rgba colour, int shift) {
  const double c = static_cast<double>(colour >> shift & 0xFFu) / 255;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

Vec times(const Matrix& m, const Vec& v) {
  Vec out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

// Machado, Oliveira and Fernandes 2009, "A physiologically-based model for simulation of color vision
// deficiency", severity 1, on linear RGB.
constexpr Matrix full_vision{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix without_red{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix without_green{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

/// CIE L*a*b* (D65) of what an eye sees.
Vec lab(Rgba colour, const Matrix& vision) {
  Vec rgb = times(vision, {linear(colour, 0), linear(colour, 8), linear(colour, 16)});
  for (double& c : rgb) c = std::clamp(c, 0.0, 1.0);
  constexpr Matrix to_xyz{{{0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047},
                           {0.2126729, 0.7151522, 0.0721750},
                           {0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883}}};
  Vec f = times(to_xyz, rgb);
  for (double& t : f) t = t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116;
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double cos_of(double degrees) { return std::cos(degrees * std::numbers::pi / 180); }

/// CIEDE2000 (Sharma, Wu and Dalal 2005): 1 is just noticeable side by side.
double difference(const Vec& x, const Vec& y) {
  const auto seventh = [](double c) {
    return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7)));
  };
  const double mean = (std::hypot(x[1], x[2]) + std::hypot(y[1], y[2])) / 2, grow = 1.5 - seventh(mean) / 2;
  const double a1 = x[1] * grow, a2 = y[1] * grow;
  const double c1 = std::hypot(a1, x[2]), c2 = std::hypot(a2, y[2]);
  const auto hue = [](double a, double b) {
    const double h = std::atan2(b, a) * 180 / std::numbers::pi;
    return h < 0 ? h + 360 : h;
  };
  const double h1 = hue(a1, x[2]), h2 = hue(a2, y[2]);
  const double turn = std::remainder(h2 - h1, 360), h = h1 + turn / 2;
  const double light = (x[0] + y[0]) / 2 - 50, c = (c1 + c2) / 2;
  const double t =
      1 - 0.17 * cos_of(h - 30) + 0.24 * cos_of(2 * h) + 0.32 * cos_of(3 * h + 6) - 0.20 * cos_of(4 * h - 63);
  const double by_l = (y[0] - x[0]) / (1 + 0.015 * light * light / std::sqrt(20 + light * light));
  const double by_c = (c2 - c1) / (1 + 0.045 * c);
  const double by_h =
      2 * std::sqrt(c1 * c2) * std::sin(turn / 2 * std::numbers::pi / 180) / (1 + 0.015 * c * t);
  const double bend = 30 * std::exp(-std::pow((h < 0 ? h + 360 : h) / 25 - 11, 2));
  const double twist = -2 * seventh(c) * std::sin(2 * bend * std::numbers::pi / 180);
  return std::sqrt(by_l * by_l + by_c * by_c + by_h * by_h + twist * by_c * by_h);
}

double contrast(Rgba a, Rgba b) {
  const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
  return std::max(x, y) / std::min(x, y);
}

double least_difference(const Theme& theme, const Matrix& vision) {
  double least = INFINITY;
  for (std::size_t i = 0; i < theme.heads.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      least = std::min(least, difference(lab(theme.heads[i], vision), lab(theme.heads[j], vision)));
  return least;
}

constexpr std::array themes{ThemeName::Dark, ThemeName::Light, ThemeName::Contrast};

}  // namespace

TEST_CASE("the colour difference is the published one") {
  // Pairs 1, 4 and 17 of the data of Sharma, Wu and Dalal.
  CHECK(std::abs(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}) - 2.0425) < 1e-4);
  CHECK(std::abs(difference({50, -1.3802, -84.2814}, {50, 0, -82.7485}) - 1.0000) < 1e-4);
  CHECK(std::abs(difference({50, 2.5, 0}, {73, 25, -18}) - 27.1492) < 1e-4);
}

TEST_CASE("the hues of the heads stay apart without red or green cones") {
  for (const ThemeName name : themes) {
    const Theme& t = theme(name);
    INFO("theme " << static_cast<int>(name));
    CHECK(least_difference(t, full_vision) > 16);
    CHECK(least_difference(t, without_red) > 14);
    CHECK(least_difference(t, without_green) > 14);
  }
}

TEST_CASE("the hues of the heads and B can be read on every ground") {
  for (const ThemeName name : themes) {
    const Theme& t = theme(name);
    INFO("theme " << static_cast<int>(name));
    for (const Rgba ground : {t.panel, t.raised}) {
      for (const Rgba hue : t.heads) CHECK(contrast(hue, ground) >= 3);
      CHECK(contrast(t.b, ground) >= 4.5);
    }
    // B is no head's colour.
    for (const Rgba hue : t.heads) CHECK(difference(lab(hue, full_vision), lab(t.b, full_vision)) > 8);
  }
}

TEST_CASE("fading changes the opacity alone") {
  CHECK(fade(0xFF123456u, 0.5f) == 0x80123456u);
  CHECK(fade(0x80123456u, 0.5f) == 0x40123456u);
  CHECK(theme_named("light") == ThemeName::Light);
  CHECK_FALSE(theme_named("grey"));
}

}  // namespace attnscope::theme_test
