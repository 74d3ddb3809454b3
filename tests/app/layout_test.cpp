// Every view at three sizes and two scales: no text overlaps another or leaves the window, and every text is
// within two pixels of its place in the committed description. A layout that was changed on purpose is
// described again with ATTNSCOPE_DESCRIBE=1; review the difference.
#include "robot/layout.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "robot/main_views.hpp"

namespace attnscope::layout_test {

namespace {

struct Screen {
  int width, height;
  float scale;
  std::string name() const { return fmt::format("{}x{} at scale {}", width, height, scale); }
};
constexpr std::array<Screen, 6> screens{
    {{1280, 720, 1}, {1280, 720, 2}, {1600, 1000, 1}, {1600, 1000, 2}, {3840, 2160, 1}, {3840, 2160, 2}}};

std::vector<PlacedText> look(const MainView& view, const Screen& screen) {
  Robot robot({.width = screen.width, .height = screen.height, .scale = screen.scale});
  robot.settle();
  view.show(robot);
  robot.leave();
  robot.settle();
  return texts_of(robot);
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Whether two lines of a description agree within two pixels.
bool agree(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.starts_with("and ") || b.starts_with("and ")) return false;
  if (a.size() < 13 || b.size() < 13 || a.substr(11) != b.substr(11)) return false;
  return std::abs(std::stof(a.substr(0, 5)) - std::stof(b.substr(0, 5))) <= 2 &&
         std::abs(std::stof(a.substr(6, 5)) - std::stof(b.substr(6, 5))) <= 2;
}

}  // namespace

TEST_CASE("every view stands as it is described at three sizes and two scales") {
  const bool describe = std::getenv("ATTNSCOPE_DESCRIBE") != nullptr;
  const std::filesystem::path goldens = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens" / "layouts";
  for (const MainView& view : main_views()) {
    std::vector<std::string> now;
    for (const Screen& screen : screens) {
      INFO(view.name << ", " << screen.name());
      const std::vector<PlacedText> texts = look(view, screen);
      CHECK(texts.size() > 10);
      for (const std::string& sentence : collisions(texts)) FAIL_CHECK(sentence);
      for (const PlacedText& text : texts) {
        INFO(text.text);
        CHECK((text.x0 > -2 && text.y0 > -2 && text.x1 < static_cast<float>(screen.width) + 2 &&
               text.y1 < static_cast<float>(screen.height) + 2));
      }
      now.push_back(screen.name());
      for (const std::string& line : description(texts, screen.scale)) now.push_back(line);
    }
    const std::filesystem::path path = goldens / (std::string(view.name) + ".txt");
    if (describe) {
      std::ofstream file(path);
      for (const std::string& line : now) file << line << '\n';
      continue;
    }
    const std::vector<std::string> then = lines_of(path);
    INFO(view.name);
    CHECK(now.size() == then.size());
    int told = 0;
    for (std::size_t i = 0; i < std::min(now.size(), then.size()) && told < 10; ++i) {
      if (agree(now[i], then[i])) continue;
      FAIL_CHECK("line " << i + 1 << " is now \"" << now[i] << "\", was \"" << then[i] << "\"");
      ++told;
    }
  }
}

}  // namespace attnscope::layout_test
