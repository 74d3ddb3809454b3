// The vector copy: well-formed, with text as text, cells as cells, clipped as on the screen.
#include "app/kit/draw/svg.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "app/controls_robot.hpp"
#include "app/shell/app.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::svg_test {

using namespace attnscope::test;

namespace {

/// Empty when the text is well-formed XML; else what is wrong. Knows only what AttnScope writes: elements,
/// attributes, five entities.
std::string fault_in(const std::string& xml) {
  std::vector<std::string> open;
  const std::regex tag(R"re(^<(/?)([A-Za-z]+)((?:\s+[A-Za-z:-]+="[^"<]*")*)\s*(/?)>)re");
  std::size_t at = xml.find("?>");
  if (!xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")) return "no declaration";
  at += 2;
  bool closed_root = false;
  while (at < xml.size()) {
    if (xml[at] == '<') {
      const std::size_t end = xml.find('>', at);
      if (end == std::string::npos) return "an open tag";
      const std::string text = xml.substr(at, end - at + 1);
      const bool is_data = text.find("data:image") != std::string::npos;  // too long for the expression
      std::smatch match;
      const std::string head = is_data ? "<image/>" : text;
      if (!std::regex_search(head, match, tag)) return "no tag: " + text.substr(0, 80);
      if (match[1].length() > 0) {
        if (open.empty() || open.back() != match[2]) return "closes another: " + text;
        open.pop_back();
        closed_root = open.empty();
      } else if (match[4].length() == 0) {
        open.push_back(match[2]);
      }
      at = end + 1;
    } else {
      const std::size_t end = std::min(xml.find('<', at), xml.size());
      const std::string text = xml.substr(at, end - at);
      if (text.find('>') != std::string::npos) return "a bare >";
      for (std::size_t and_at = text.find('&'); and_at != std::string::npos;
           and_at = text.find('&', and_at + 1)) {
        constexpr std::array<std::string_view, 4> entities{"&amp;", "&lt;", "&gt;", "&quot;"};
        const bool known = std::ranges::any_of(entities, [&](std::string_view entity) {
          return text.compare(and_at, entity.size(), entity) == 0;
        });
        if (!known) return "an unknown entity";
      }
      if (closed_root && text.find_first_not_of(" \n") != std::string::npos) return "text behind the end";
      at = end;
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

/// The contents of all text elements.
std::vector<std::string> texts_in(const std::string& svg) {
  std::vector<std::string> texts;
  for (std::size_t at = svg.find("<text"); at != std::string::npos; at = svg.find("<text", at + 1)) {
    const std::size_t begin = svg.find('>', at) + 1;
    texts.push_back(svg.substr(begin, svg.find("</text>", begin) - begin));
  }
  return texts;
}

bool has(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string svg_of(Robot& robot, PictureRegion region) {
  const TemporaryDirectory directory;
  robot.app().files().saving.save_picture({region, 1, directory / "picture.svg"});
  REQUIRE(robot.app().message().starts_with("Saved"));
  robot.app().view().notices.clear();
  return bytes_of(directory / "picture.svg");
}

}  // namespace

TEST_CASE("the heatmap as SVG: tokens and numbers are text, cells are rectangles", "[svg]") {
  Robot robot({.width = 1600, .height = 1000});
  const std::string svg = svg_of(robot, PictureRegion::Focus);
  CHECK(fault_in(svg) == "");
  const std::vector<std::string> texts = texts_in(svg);
  for (const char* word : {"The", "cat", "sat", "on", "mat", ".63", "1.0", "query ↓", "Weights"}) {
    INFO(word);
    CHECK(has(texts, word));
  }
  CHECK(count(svg, "fill=\"url(#hatch0)\"") == 15);  // the causal mask hides 15 of 36
  CHECK(count(svg, "<image") <= 1);                  // at most the ramp of the colour bar is pixels
  const float weight = shown(robot).trace[Stage::Softmax]->matrix(0, 3)(2, 1);
  const Rgba colour = colormap(Map::Weights)[static_cast<std::size_t>(map_index(weight, 0, 1))];
  CHECK(svg.find(fmt::format("fill=\"#{:02x}{:02x}{:02x}\"", colour & 255, colour >> 8 & 255,
                             colour >> 16 & 255)) != std::string::npos);
  CHECK(svg.find("font-family=\"Inter, ") != std::string::npos);
  CHECK_FALSE(has(texts, "Scores"));  // in a figure a control shows only its setting
  CHECK_FALSE(has(texts, "Input"));   // other regions are not in it
}

TEST_CASE("every region and mode is well-formed", "[svg]") {
  Robot robot({.width = 1600, .height = 1000});
  for (const PictureRegion region :
       {PictureRegion::Window, PictureRegion::Heads, PictureRegion::Signals, PictureRegion::Inspector}) {
    const std::string svg = svg_of(robot, region);
    CHECK(fault_in(svg) == "");
    // Every clip path that is used is defined.
    std::set<std::string> there;
    const std::regex defined("clipPath id=\"([^\"]+)\""), used("clip-path=\"url\\(#([^)]+)\\)\"");
    for (std::sregex_iterator at(svg.begin(), svg.end(), defined), end; at != end; ++at)
      there.insert((*at)[1]);
    for (std::sregex_iterator at(svg.begin(), svg.end(), used), end; at != end; ++at)
      CHECK(there.contains((*at)[1]));
  }
  CHECK(
      has(texts_in(svg_of(robot, PictureRegion::Window)), "The cat sat on the mat"));  // the text field's own
  robot.key(ImGuiKey_Backslash);
  robot.key(ImGuiKey_S);
  for (const ImGuiKey mode : {ImGuiKey_F3, ImGuiKey_F4}) {
    robot.key(mode);
    robot.settle();
    CHECK(fault_in(svg_of(robot, PictureRegion::Focus)).empty());
  }
}

TEST_CASE("any token is text in the file, upright where it is on the screen", "[svg]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.retype("##Text", "<b>&amp; \"q\" 猫 one two three four five six seven eight nine ten eleven");
  robot.settle();
  const std::string svg = svg_of(robot, PictureRegion::Focus);
  CHECK(fault_in(svg) == "");
  const std::vector<std::string> texts = texts_in(svg);
  for (const char* word : {"&lt;b&gt;", "&amp;", "&quot;", "猫"}) {
    INFO(word);
    CHECK(has(texts, word));
  }
  CHECK(count(svg, "rotate(-90)") > 10);
}

TEST_CASE("a canvas leaves out what cannot be seen and clips what partly can", "[svg]") {
  SvgCanvas canvas({100, 100, 50, 50});
  const int one = 0, two = 0;
  canvas.begin(&one, {100, 100, 50, 50});
  canvas.rect({0, 0, 50, 50}, 0xFF0000FFu);         // outside the region
  canvas.rect({110, 110, 10, 10}, 0x000000FFu);     // invisible
  canvas.rect({110, 110, 10, 10}, 0x80FF0000u, 2);  // half transparent blue
  canvas.begin(&two, {100, 100, 20, 20});
  canvas.circle({120, 110}, 5, 0xFF00FF00u);  // crosses the clip
  canvas.begin(&one, {100, 100, 50, 50});
  const std::array<SvgCanvas::Point, 3> line{{{105, 105}, {115, 125}, {130.123f, 105}}};
  canvas.polyline(line, 0xFFFFFFFFu, 2);
  canvas.text({{105, 130}, 20, 10, 8, 600, 1, 0xFF000000u, false}, "a\x01<\xFF");
  const std::string svg = canvas.finish("A & B", 2);
  CHECK(fault_in(svg) == "");
  CHECK(svg.find("width=\"25\" height=\"25\" viewBox=\"100 100 50 50\"") != std::string::npos);
  CHECK(svg.find("<title>A &amp; B</title>") != std::string::npos);
  CHECK(svg.find("fill=\"#ff0000\"") == std::string::npos);
  CHECK(svg.find("rx=\"2\" fill=\"#0000ff\" fill-opacity=\"0.5\"") != std::string::npos);
  CHECK(svg.find("<clipPath id=\"clip0\"><rect x=\"100\" y=\"100\" width=\"20\" height=\"20\"/>") !=
        std::string::npos);
  CHECK(svg.find("points=\"105,105 115,125 130.12,105\"") != std::string::npos);
  CHECK(svg.find("font-weight=\"600\" font-size=\"10\" text-anchor=\"end\"") != std::string::npos);
  CHECK(has(texts_in(svg), "a\uFFFD&lt;\uFFFD"));
  // Layers are in the order of their first use.
  CHECK(svg.find("<polyline") < svg.find("<circle"));
}

TEST_CASE("cells one by one are the same picture as pixels", "[svg]") {
  Tensor values(Shape{5, 7});
  for (std::int64_t i = 0; i < values.size(); ++i) values.data()[i] = static_cast<float>(i) / 34;
  values.data()[3] = std::numeric_limits<float>::infinity();
  values.data()[4] = std::numeric_limits<float>::quiet_NaN();
  RasterJob job{.values = std::as_const(values).matrix(), .map = &colormap(Map::Viridis)};
  job.kind = [](std::int64_t row, std::int64_t column) {
    if (row == 4) return CellKind::NoKey;
    return column == 6 ? CellKind::Masked : column == 0 ? CellKind::Underflow : CellKind::Number;
  };
  job.colours = {0xFF111111u, 0xFF222222u, 0xFF333333u, 0xFF444444u, 0xFF555555u, 0xFFD400FFu};
  job.gap = 1;
  for (const bool turned : {false, true}) {
    for (const double first : {0.0, 1.3}) {
      job.turned = turned;
      job.row0 = job.column0 = first;
      job.rows = 5 - first;
      job.columns = 7 - first;
      job.width = 211;
      job.height = 173;
      const auto cells = visible_cells(job, 1000);
      REQUIRE(cells);
      const Image expected = raster(job);
      Image drawn(job.width, job.height);
      std::fill(drawn.pixels.begin(), drawn.pixels.end(), job.colours.ground);
      const auto fill = [&](const PaintedCell::Part& part) {
        for (int y = part.y0; y < part.y1; ++y)
          for (int x = part.x0; x < part.x1; ++x) drawn.at(x, y) = part.colour;
      };
      for (const PaintedCell& cell : *cells) {
        fill(cell.ground);
        for (const PaintedCell::Part& mark : cell.marks) fill(mark);
      }
      std::size_t differing = 0;
      for (std::size_t i = 0; i < drawn.pixels.size(); ++i) {
        const bool hatch =
            expected.pixels[i] == job.colours.hatch_line && drawn.pixels[i] == job.colours.hatch_ground;
        differing += expected.pixels[i] != drawn.pixels[i] && !hatch;
      }
      CHECK(differing == 0);
    }
  }
  CHECK_FALSE(visible_cells(job, 3));  // more than asked for
  job.width = 3;
  job.height = 3;
  CHECK_FALSE(visible_cells(job, 1000));  // pooled: there are only pixels
}

TEST_CASE("a matrix of many cells is embedded as pixels", "[svg]") {
  Tensor values(Shape{200, 200});
  RasterJob job{.values = std::as_const(values).matrix(), .map = &colormap(Map::Grey)};
  job.rows = job.columns = 200;
  job.width = job.height = 400;
  SvgCanvas canvas({0, 0, 400, 400});
  canvas.begin(nullptr, {0, 0, 400, 400});
  canvas.matrix({0, 0, 400, 400}, job, 0.5f);
  const std::string svg = canvas.finish("", 1);
  CHECK(fault_in(svg) == "");
  CHECK(count(svg, "<image") == 1);
  CHECK(svg.find("href=\"data:image/png;base64,iVBORw0KGgo") != std::string::npos);
  CHECK(svg.find("image-rendering:pixelated") != std::string::npos);
  CHECK(svg.find("opacity=\"0.5\"") != std::string::npos);
}

}  // namespace attnscope::svg_test
