#include "tests/robot/layout.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "app/shell/still.hpp"

namespace attnscope {
namespace {

/// The number behind `name="`; the fallback when there is none.
float attribute(std::string_view element, std::string_view name, float fallback) {
  const std::size_t at = element.find(fmt::format(" {}=\"", name));
  if (at == std::string_view::npos) return fallback;
  return std::stof(std::string(element.substr(at + name.size() + 3, 24)));
}

std::string plain(std::string text) {
  for (const auto& [code, letter] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    for (std::size_t at = text.find(code); at != std::string::npos; at = text.find(code))
      text.replace(at, std::string_view(code).size(), letter);
  return text;
}

/// From a <text …> tag and its content.
PlacedText placed(std::string_view tag, std::string text) {
  const float em = attribute(tag, "font-size", 16), width = attribute(tag, "textLength", em * 0.5f);
  const float shift = tag.find("text-anchor=\"middle\"") != std::string_view::npos ? width / 2
                      : tag.find("text-anchor=\"end\"") != std::string_view::npos  ? width
                                                                                   : 0;
  const float capitals = em * 0.7f;
  if (const std::size_t turned = tag.find("translate("); turned != std::string_view::npos) {
    const std::string numbers(tag.substr(turned + 10, 48));
    std::size_t end = 0;
    const float x = std::stof(numbers, &end), y = std::stof(numbers.substr(end));
    return {std::move(text), x - capitals, y - width, x, y, capitals};
  }
  const float x = attribute(tag, "x", 0) - shift, y = attribute(tag, "y", 0);
  return {std::move(text), x, y - capitals, x + width, y, capitals};
}

/// Whether it is the number in a cell or on an axis: there are hundreds, and their places follow from other
/// texts.
bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789.,+-e∞× ") == std::string::npos ||
         (text.starts_with("−") && text.find_first_not_of("0123456789.,e−∞ ", 3) == std::string::npos);
}

bool tells_time(const std::string& text) {
  return text.find(" ms") != std::string::npos || text.find("thread") != std::string::npos ||
         text.find("CPU") != std::string::npos;
}

}  // namespace

std::vector<PlacedText> texts_in(std::string_view svg) {
  std::vector<PlacedText> texts;
  for (std::size_t at = svg.find("<text"); at != std::string_view::npos; at = svg.find("<text", at + 1)) {
    const std::size_t inside = svg.find('>', at) + 1, end = svg.find("</text>", inside);
    texts.push_back(
        placed(svg.substr(at, inside - at), plain(std::string(svg.substr(inside, end - inside)))));
  }
  return texts;
}

std::vector<PlacedText> texts_of(Robot& robot) {
  // Drawn without a file: saving would write hundreds of pictures to the disk.
  const std::string svg = draw_picture(robot.app(), {PictureRegion::Window, 1, "window.svg"}).file;
  robot.app().view().notices.clear();
  return texts_in(svg);
}

bool shows(Robot& robot, std::string_view words) {
  return std::ranges::any_of(
      texts_of(robot), [&](const PlacedText& text) { return text.text.find(words) != std::string::npos; });
}

std::vector<std::string> collisions(const std::vector<PlacedText>& texts) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = i + 1; j < texts.size(); ++j) {
      const PlacedText &a = texts[i], &b = texts[j];
      const float wide = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
      const float high = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
      if (wide > 1 && high > 1)
        found.push_back(fmt::format("\"{}\" and \"{}\" overlap at {:.0f}, {:.0f}.", a.text, b.text,
                                    std::max(a.x0, b.x0), std::max(a.y0, b.y0)));
    }
  }
  return found;
}

std::vector<std::string> description(const std::vector<PlacedText>& texts, float scale) {
  std::vector<std::string> lines;
  int numbers = 0;
  for (const PlacedText& placed : texts) {
    if (tells_time(placed.text)) continue;
    if (is_number(placed.text)) {
      ++numbers;
      continue;
    }
    std::string words = placed.text;
    for (char& c : words)
      if (c >= '0' && c <= '9') c = '#';
    lines.push_back(fmt::format("{:5.0f} {:5.0f}  {}", placed.x0 / scale, placed.y1 / scale, words));
  }
  lines.push_back(fmt::format("and {} numbers", numbers));
  return lines;
}

}  // namespace attnscope
