#include "app/views/many_texts/spread_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/ui/number_format.hpp"
#include "app/ui/number_words.hpp"
#include "app/views/model/facts.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_spread_rows = 8;

/// An effect may be small: it is no zero then.
std::string effect_number(double value) {
  if (std::isnan(value)) return "–";
  return value != 0 && std::abs(value) < 0.0005 ? tight(value) : fixed(value, 3);
}

std::vector<std::string> numbers_of(const MeasureSpread& found, bool of_scores) {
  const Spread& values = found.values;
  if (of_scores)
    return {known_number(values.mean(), 3), known_number(values.deviation(), 3),
            known_number(found.uniform.mean(), 3), grouped(values.count())};
  return {effect_number(values.mean()), effect_number(values.deviation()), effect_number(values.least()),
          effect_number(values.largest()), grouped(values.count())};
}

}  // namespace

std::string known_number(double value, int places) { return std::isnan(value) ? "–" : fixed(value, places); }

void sort_by_mean(std::vector<SpreadLine>& lines) {
  const auto size = [](const SpreadLine& line) {
    const double mean = line.found->values.mean();
    return std::isnan(mean) ? -1.0 : std::abs(mean);
  };
  std::ranges::stable_sort(lines,
                           [&](const SpreadLine& a, const SpreadLine& b) { return size(a) > size(b); });
}

float draw_spread_rows(const Ui& ui, const Box& top, const ModelSpec& spec,
                       const std::vector<SpreadLine>& lines, const SpreadColumns& columns) {
  std::vector<std::string_view> titles{"mean", "deviation", "uniform"};
  if (!columns.of_scores) titles = {"mean", "deviation", "least", "largest"};
  titles.push_back(columns.counted);
  const auto right = [&](std::size_t i) {
    const float left_over =
        0.8f / static_cast<float>(titles.size()) * static_cast<float>(titles.size() - 1 - i);
    return top.x + top.w * (1 - left_over);
  };
  float y = top.y;
  ui.text(top.x, y + ui.px(8), "head", {type::tick, ui.theme.text3});
  for (std::size_t i = 0; i < titles.size(); ++i)
    ui.text(right(i), y + ui.px(8), titles[i], {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  y += ui.px(22);
  for (std::size_t row = 0; row < std::min(lines.size(), most_spread_rows); ++row) {
    ui.text(top.x, y + ui.px(10), head_name(spec, lines[row].head),
            {type::label, ui.theme.text1, Ink::Medium});
    const std::vector<std::string> numbers = numbers_of(*lines[row].found, columns.of_scores);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ui.text(right(i), y + ui.px(10), numbers[i], {type::label, ui.theme.text1, Ink::Regular, Align::Right});
    y += ui.px(22);
  }
  if (lines.size() > most_spread_rows) {
    ui.text(top.x, y + ui.px(10),
            fmt::format("The first {:d} of {:d} heads stand here; the command line writes all.",
                        most_spread_rows, lines.size()),
            {type::tick, ui.theme.text3, Ink::Regular, Align::Left, top.w});
    y += ui.px(22);
  }
  return y + ui.px(6);
}

}  // namespace attnscope
