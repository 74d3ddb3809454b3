// app/pages/experiments: rotary positions as phasors, a circle for each pair.
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/experiments/parts.hpp"
#include "core/experiments/quantities.hpp"

namespace attnscope {
namespace {

using N = experiments::PhasorNumbers;

std::string phasor_distance(double value) { return grouped(std::llround(value)); }
std::string plain_rope_title(double) { return "base 10,000"; }
std::string interpolated_title(double) { return "interpolated, Δ / 8"; }

std::vector<std::string> phasor_sentences(const ExperimentNumbers& n) {
  const std::string at = own_number(phasor_distance(n.value()));
  std::vector<std::string> all{"At distance " + at + " a query whose key is the same vector keeps " +
                               n.say(N::SumA) + " of its score; interpolated " + n.say(N::SumB) +
                               ", with base 500,000 " + n.say(N::SumC) + "."};
  all.push_back(
      n.say(N::TurnedA, NumberForm::Whole) +
      " of 32 pairs have turned by a full circle: each of them alone stood nearly like this at a shorter "
      "distance; interpolated " +
      n.say(N::TurnedB, NumberForm::Whole) + " have. The slowest pair has turned by " + n.say(N::Slowest) +
      "°.");
  if (n.value() < 1)
    all.push_back("At distance 0 every pair points the same way, and the sum is largest.");
  else
    all.push_back("Of the distances up to here the two most alike are " + n.say(N::NearestFastest) +
                  " apart in the fastest pair alone, " + n.say(N::NearestA) +
                  " over all pairs, and interpolated only " + n.say(N::NearestB) +
                  ": then neighbours are harder to tell apart.");
  return all;
}

/// One circle: unchanged angle in the colour of A, interpolated in that of B.
void draw_phasor(const Ui& ui, ImVec2 centre, float radius, double a, double b) {
  ui.ring(centre, radius, ui.theme.border, std::max(1.f, ui.px(1)));
  const auto hand = [&](double angle, Rgba colour, float length, float thickness) {
    const ImVec2 line[2] = {centre,
                            {centre.x + length * static_cast<float>(std::cos(angle)),
                             centre.y - length * static_cast<float>(std::sin(angle))}};
    ui.polyline(line, colour, thickness);
    ui.disc(line[1], thickness, colour);
  };
  hand(b, ui.theme.b, radius * 0.72f, ui.px(1.5f));
  hand(a, ui.theme.text1, radius * 0.92f, ui.px(1.5f));
}

}  // namespace

void draw_phasors(const ExperimentPage& page, const Box& area) {
  const Ui& ui = page.ui();
  const double distance = page.shown.experiment->values[page.point];
  const std::vector<double> a = experiments::phasor_angles(distance, false),
                            b = experiments::phasor_angles(distance, true);
  const float words = ui.px(20), high = area.h - words;
  constexpr int columns = 8;
  const int rows = (static_cast<int>(a.size()) + columns - 1) / columns;
  const float wide_cell = area.w / columns, high_cell = high / static_cast<float>(rows);
  const float radius = std::floor(std::max(3.f, std::min(wide_cell, high_cell) / 2 - ui.px(4)));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
    const ImVec2 centre{std::round(area.x + wide_cell * (static_cast<float>(column) + 0.5f)),
                        std::round(area.y + high_cell * (static_cast<float>(row) + 0.5f))};
    draw_phasor(ui, centre, radius, a[i], b[i]);
  }
  const float y = area.bottom() - words / 2;
  const float right =
      ui.text(area.right(), y, "slowest pair", {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  ui.text(area.x, y, "fastest pair, top left",
          {type::tick, ui.theme.text3, Ink::Regular, Align::Left, area.w - right - ui.px(12)});
}

ExperimentWords phasors_words() {
  using H = SeriesHue;
  constexpr double open = std::numeric_limits<double>::quiet_NaN();
  return {.name = "phasors",
          .number = 15,
          .title = "RoPE as phasors",
          .subtitle = "turns, aliases, base",
          .about =
              "A query and a key that are the same vector, dₖ 64, a distance apart: each of 32 pairs of "
              "dimensions "
              "turns by θᵢΔ, θᵢ = base^(−2i/64). 24 seeds draw it.",
          .symbol = "Δ",
          .axis = "distance Δ, tokens",
          .value = phasor_distance,
          .legend = {{"fastest pair alone", H::Fourth},
                     {"base 500,000", H::Third},
                     {"interpolated, Δ / 8", H::B},
                     {"base 10,000", H::A}},
          .plots = {{"Sum of the phasors",
                     "share of the score at distance 0",
                     {{N::SumC, H::Third}, {N::SumB, H::B}, {N::SumA, H::A}, {N::Formula, H::Formula}},
                     false,
                     -0.5,
                     1,
                     NumberForm::Small,
                     "all pairs equally long"},
                    {"Pairs that have gone round",
                     "of 32",
                     {{N::TurnedC, H::Third}, {N::TurnedB, H::B}, {N::TurnedA, H::A}},
                     false,
                     0,
                     32,
                     NumberForm::Whole},
                    {"Nearest other distance",
                     "chord of the phasors",
                     {{N::NearestFastest, H::Fourth},
                      {N::NearestC, H::Third},
                      {N::NearestB, H::B},
                      {N::NearestA, H::A}},
                     true,
                     open,
                     open},
                    {.title = "The pairs", .unit = "angle θᵢΔ, fastest first", .draw = draw_phasors}},
          .columns = {{"sum", "as it is", N::SumA, H::A},
                      {"sum", "Δ / 8", N::SumB, H::B},
                      {"round", "as it is", N::TurnedA, H::A, NumberForm::Whole},
                      {"round", "Δ / 8", N::TurnedB, H::B, NumberForm::Whole}},
          .picture_title = "Weights of equal tokens",
          .picture_a = plain_rope_title,
          .picture_b = interpolated_title,
          .headline = {"of the score kept", N::SumA, N::SumB},
          .sentences = phasor_sentences,
          .thumb_a = {0.98f, 0.6f, 0.45f, 0.35f, 0.25f, 0.15f, 0.1f},
          .thumb_b = {0.98f, 0.97f, 0.9f, 0.62f, 0.5f, 0.4f, 0.3f}};
}

}  // namespace attnscope
