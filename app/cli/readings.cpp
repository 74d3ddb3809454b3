#include "app/cli/readings.hpp"

#include <algorithm>
#include <cmath>

#include "app/cli/whole_text.hpp"

namespace attnscope {

std::optional<double> finite_number(std::string_view text) {
  const std::optional<double> value = whole_text_as<double>(text);
  return value && std::isfinite(static_cast<float>(*value)) ? value : std::nullopt;
}

bool read_size(std::string_view text, RenderWish& wish) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return false;
  const std::optional<int> width = whole_text_as<int>(text.substr(0, cross));
  const std::optional<int> height = whole_text_as<int>(text.substr(cross + 1));
  if (!width || !height || std::min(*width, *height) < 16 || std::max(*width, *height) > 16384) return false;
  wish.width = *width;
  wish.height = *height;
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

}  // namespace attnscope
