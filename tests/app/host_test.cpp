// The picture cache, the offscreen context, PNG files and the item recorder, with a few widgets of their own.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/kit/draw/texture.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/kit/ui/item_recorder.hpp"
#include "core/base/error.hpp"

namespace attnscope::host_test {

namespace {

constexpr Rgba orange = 0xFF2A7FE0u, blue = 0xFFDE933Eu;

Image plain(int w, int h, Rgba colour) {
  Image image(w, h);
  for (Rgba& pixel : image.pixels) pixel = colour;
  return image;
}

/// A picture of one colour and a few widgets.
struct Stand {
  static constexpr int width = 320, height = 200;
  OffscreenContext context;
  Framebuffer picture{width, height};
  ImGuiHost host{nullptr, false};
  TextureCache textures;
  ItemRecorder items;
  Rgba colour = orange;
  bool show = true, checked = false;
  int value = 0;

  void frame() {
    items.clear();
    picture.bind();
    host.frame(width, height, 1.0f / 60, [this] { draw(); });
  }
  void draw() {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({width, height});
    ImGui::Begin("stand", nullptr, ImGuiWindowFlags_NoDecoration);
    ImGui::Checkbox("Causal mask", &checked);
    ImGui::Combo("##norm", &value, "linear\0log\0");
    if (show) ImGui::Image(textures.get(1, colour, [this] { return plain(32, 16, colour); }), {32, 16});
    ImGui::SetCursorPosY(500);
    ImGui::Button("Below");
    ImGui::End();
    textures.end_frame();
  }
};

bool contains(const Image& image, Rgba colour) {
  return std::ranges::find(image.pixels, colour) != image.pixels.end();
}

}  // namespace

TEST_CASE("the same frame gives the same pixels, and nothing is painted again") {
  Stand stand;
  stand.frame();
  CHECK(stand.textures.painted() == 1);
  stand.frame();
  const Image once = stand.picture.read();
  CHECK(stand.textures.painted() == 0);
  stand.frame();
  const Image twice = stand.picture.read();
  CHECK((once == twice));
  CHECK(contains(once, orange));
}

TEST_CASE("a picture is painted anew when its content changed, and freed when it is not asked for any more") {
  Stand stand;
  stand.frame();
  stand.colour = blue;
  stand.frame();
  CHECK(stand.textures.painted() == 1);
  const Image changed = stand.picture.read();
  CHECK(contains(changed, blue));
  CHECK_FALSE(contains(changed, orange));
  stand.show = false;
  for (int i = 0; i < 119; ++i) stand.frame();
  CHECK(stand.textures.size() == 1);
  for (int i = 0; i < 2; ++i) stand.frame();
  CHECK(stand.textures.size() == 0);
}

TEST_CASE("a picture that changed its size is shown in the new one") {
  Stand stand;
  TextureCache cache;
  const ImTextureID first = cache.get(7, 1, [] { return plain(4, 4, orange); });
  const ImTextureID second = cache.get(7, 2, [] { return plain(9, 3, blue); });
  CHECK(first == second);  // same place, same texture
  CHECK(cache.get(8, 2, [] { return plain(1, 1, blue); }) != first);
}

TEST_CASE("content hashes differ where the content does") {
  CHECK(mix_hash(1, std::uint64_t{2}) != mix_hash(2, std::uint64_t{1}));
  CHECK(mix_hash(0, 1.0f) != mix_hash(0, 1.0000001f));
  CHECK(mix_hash(0, std::uint64_t{0}) != 0);
}

TEST_CASE("content hashes differ where two numbers that count up do so together") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t ticket = 0; ticket < 64; ++ticket)
    for (std::uint64_t run = 0; run < 64; ++run) seen.insert(mix_hash(ticket, run));
  CHECK(seen.size() == 64u * 64u);  // (6, 2) and (7, 3) had one
}

TEST_CASE("an object keeps its number, and the next one at its address has another") {
  TextureCache cache;
  int place = 0;
  const auto share = [&place] { return std::shared_ptr<const int>(&place, [](const int*) {}); };
  CHECK(cache.serial(nullptr) == 0);
  std::shared_ptr<const int> object = share();
  const std::uint64_t first = cache.serial(object);
  CHECK(first != 0);
  CHECK(cache.serial(std::shared_ptr<const int>(object)) == first);
  cache.end_frame();
  CHECK(cache.serial(object) == first);
  std::set<std::uint64_t> given{first};
  for (int i = 0; i < 100; ++i) {
    object = share();
    CHECK(given.insert(cache.serial(object)).second);
    if (i % 3 == 0) cache.end_frame();
  }
}

TEST_CASE("the recorder finds labelled, unlabelled and hidden widgets, and only while it records") {
  Stand stand;
  stand.frame();
  CHECK(stand.items.items().empty());
  stand.items.start();
  stand.frame();
  REQUIRE(stand.items.find("Causal mask"));
  CHECK(stand.items.find("Causal mask")->visible);
  REQUIRE(stand.items.find("##norm"));  // a combo reports no label
  CHECK(stand.items.find("##norm")->min.y > stand.items.find("Causal mask")->min.y);
  REQUIRE(stand.items.find("Below"));
  CHECK_FALSE(stand.items.find("Below")->visible);
  CHECK_FALSE(stand.items.find("nowhere"));
  stand.items.stop();
  stand.frame();
  CHECK(stand.items.items().empty());
}

TEST_CASE("a mouse click reaches a widget") {
  Stand stand;
  stand.items.start();
  stand.frame();
  stand.frame();
  const RecordedItem* box = stand.items.find("Causal mask");
  REQUIRE(box);
  ImGui::GetIO().AddMousePosEvent(box->min.x + 4, box->min.y + 4);
  stand.frame();
  for (const bool down : {true, false}) {
    ImGui::GetIO().AddMouseButtonEvent(0, down);
    stand.frame();
  }
  CHECK(stand.checked);
}

TEST_CASE("PNG files are written whole, and what stands in the way is named") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("attnscope-png-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  save_png(plain(3, 2, orange), folder / "a.png");
  std::ifstream file(folder / "a.png", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  CHECK(bytes.starts_with("\x89PNG\r\n\x1a\n"));
  CHECK(bytes.substr(16, 8) == std::string("\0\0\0\3\0\0\0\2", 8));
  CHECK_THROWS_MATCHES(save_png(plain(1, 1, 0), folder / "missing" / "a.png"), Error,
                       Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("a.png")));
  CHECK_THROWS_AS(save_png(Image(), folder / "b.png"), Error);
  CHECK_FALSE(std::filesystem::exists(folder / "b.png"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("an offscreen context may live within another, which is current again when it ends") {
  Stand stand;
  stand.frame();
  {
    const OffscreenContext inner;
    const Framebuffer other(2, 2);
    CHECK_FALSE(contains(other.read(), orange));
  }
  CHECK(contains(stand.picture.read(), orange));
  const OffscreenContext later;
  stand.context.make_current();
  stand.colour = blue;
  stand.frame();
  CHECK(contains(stand.picture.read(), blue));
}

TEST_CASE("the top row of an offscreen picture comes first, and impossible sizes are refused") {
  OffscreenContext context;
  CHECK_THROWS_AS(Framebuffer(0, 10), Error);
  CHECK_THROWS_AS(Framebuffer(1 << 20, 10), Error);
  Framebuffer picture(40, 30);
  ImGuiHost host(nullptr, false);
  picture.bind();
  host.frame(40, 30, 1.0f / 60, [] {
    ImGui::GetBackgroundDrawList()->AddRectFilled({0, 0}, {40, 10}, blue);
    ImGui::GetBackgroundDrawList()->AddRectFilled({0, 10}, {40, 30}, orange);
  });
  const Image image = picture.read();
  CHECK(image.at(5, 5) == blue);
  CHECK(image.at(5, 25) == orange);
}

}  // namespace attnscope::host_test
