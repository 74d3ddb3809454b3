#include "app/cli/readings.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/window/render.hpp"
#include "core/document/enum_names.hpp"
#include "core/text/whole_text.hpp"

namespace attnscope {

std::optional<double> finite_number(std::string_view text) {
  const std::optional<double> value = whole_text_as<double>(text);
  return value && std::isfinite(static_cast<float>(*value)) ? value : std::nullopt;
}

bool read_size(std::string_view text, RenderOptions& options) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return false;
  const std::optional<int> width = whole_text_as<int>(text.substr(0, cross));
  const std::optional<int> height = whole_text_as<int>(text.substr(cross + 1));
  if (!width || !height || std::min(*width, *height) < 16 || std::max(*width, *height) > 16384) return false;
  constexpr std::int64_t most_pixels = 134'000'000;  // 2 GB while the picture is made
  if (std::int64_t{*width} * *height > most_pixels) return false;
  options.width = *width;
  options.height = *height;
  return true;
}

bool read_cell(std::string_view text, std::optional<Cell>& cell) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  const auto query = whole_text_as<std::int64_t>(text.substr(0, comma));
  const auto key = whole_text_as<std::int64_t>(text.substr(comma + 1));
  if (!query || !key || std::min(*query, *key) < 0 || std::max(*query, *key) > most_index) return false;
  cell = Cell{*query, *key};
  return true;
}

bool read_window(std::string_view text, Window& window) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  const std::optional<int> left = whole_text_as<int>(text.substr(0, comma));
  const std::optional<int> right = whole_text_as<int>(text.substr(comma + 1));
  if (!left || !right || std::min(*left, *right) < -1) return false;
  window = {*left, *right};
  return true;
}

bool read_precision(std::string_view text, Precision& precision) {
  const std::optional<Precision> named = enum_from<Precision>(text);
  precision = named.value_or(precision);
  return named.has_value();
}

bool read_answer(std::string_view text, std::optional<bool>& answer) {
  answer = text == "yes";
  return text == "yes" || text == "no";
}

bool read_positions(std::string_view text, std::optional<Positions>& positions) {
  constexpr std::array<std::string_view, 3> names{"applied", "rope-half", "rope-interleaved"};
  constexpr std::array kinds{Positions::None, Positions::RopeHalf, Positions::RopeInterleaved};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) positions = kinds[i];
  return positions.has_value();
}

}  // namespace attnscope
