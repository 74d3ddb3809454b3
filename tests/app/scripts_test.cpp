// Scripts on the screen: joined, from right to left, with boxes for characters without a font; Latin
// unchanged.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/draw/texture.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/kit/ui/glyph_fonts.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/kit/ui/theme.hpp"
#include "app/kit/ui/ui.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::scripts_test {

namespace {

constexpr int side = 240;

/// A page to draw on with the fonts of the machine, or with the built-in one.
class Page {
 public:
  explicit Page(bool system_fonts = true) : host_(nullptr, system_fonts), picture_(side, side) {
    if (system_fonts && (!host_.fonts().glyphs || !has_arabic())) SKIP("fonts-dejavu-core is not installed");
  }

  Image draw(const std::function<void(const Ui&)>& what) {
    for (int i = 0; i < 3; ++i) {
      picture_.bind();
      host_.frame(side, side, 0.01f, [&] {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({side, side});
        ImGui::PushStyleColor(ImGuiCol_WindowBg, 0xFF000000u);
        ImGui::Begin("page", nullptr, ImGuiWindowFlags_NoDecoration);
        const Ui ui(theme(ThemeName::Dark), host_.fonts(), textures_, 1);
        what(ui);
        ImGui::End();
        ImGui::PopStyleColor();
      });
    }
    return picture_.read();
  }
  Image text(std::string_view text, float size = 32) {
    return draw([&](const Ui& ui) { ui.text(20, 60, text, {size, 0xFFFFFFFFu}); });
  }
  /// As Dear ImGui draws it by itself: character after character.
  Image by_itself(const std::string& text, float size = 32) {
    return draw([&](const Ui& ui) {
      ImGui::GetWindowDrawList()->AddText(ui.font(Ink::Regular), size, {20, 60 - size / 2}, 0xFFFFFFFFu,
                                          text.c_str());
    });
  }

 private:
  bool has_arabic() const { return host_.fonts().regular->IsGlyphInFont(U'م'); }

  OffscreenContext context_;
  ImGuiHost host_;
  TextureCache textures_;
  Framebuffer picture_;
};

bool is_ink(Rgba pixel) { return (pixel & 255) > 100; }

struct InkBox {
  int x0 = side, y0 = side, x1 = -1, y1 = -1;
};
InkBox ink_of(const Image& image) {
  InkBox ink;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (!is_ink(image.at(x, y))) continue;
      ink = {std::min(ink.x0, x), std::min(ink.y0, y), std::max(ink.x1, x), std::max(ink.y1, y)};
    }
  }
  return ink;
}

/// Whether the ink is an upright rectangle with nothing inside.
bool is_box(const Image& image) {
  const InkBox ink = ink_of(image);
  if (ink.x1 - ink.x0 < 4 || ink.y1 - ink.y0 < 6) return false;
  for (int x = ink.x0; x <= ink.x1; ++x)
    if (!is_ink(image.at(x, ink.y0)) || !is_ink(image.at(x, ink.y1))) return false;
  for (int y = ink.y0; y <= ink.y1; ++y)
    if (!is_ink(image.at(ink.x0, y)) || !is_ink(image.at(ink.x1, y))) return false;
  return !is_ink(image.at((ink.x0 + ink.x1) / 2, (ink.y0 + ink.y1) / 2));
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("scripts: Arabic is joined and runs from right to left on the screen") {
  Page page;
  const Image word = page.text("سلام");
  CHECK_FALSE(word == page.by_itself("سلام"));
  CHECK_FALSE(word == page.text("س\u200Cل\u200Cا\u200Cم"));  // not joined
  CHECK_FALSE(word == page.text("\u202Dسلام\u202C"));        // from left to right
  CHECK(word == page.text(own("سلام")));
  // Its last letter, which does not join the one before, is at the left end and looks as it does alone.
  const Image last = page.text("م");
  const InkBox ink = ink_of(last);
  for (int y = ink.y0; y <= ink.y1; ++y)
    for (int x = ink.x0; x < ink.x1; ++x) REQUIRE(is_ink(word.at(x, y)) == is_ink(last.at(x, y)));
}

TEST_CASE("scripts: Latin is drawn as Dear ImGui draws it, to the pixel") {
  Page page;
  for (const char* text : {"The cat sat on the mat?", "√dₖ = 8.25 → Größe", "注意 ア 한국"}) {
    INFO(text);
    CHECK(page.text(text, 16) == page.by_itself(text, 16));
  }
  // Shaped beside another script it looks the same.
  const Image mixed = page.text("cat, 12 בית", 32), alone = page.text("cat, 12", 32);
  const InkBox ink = ink_of(alone);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x <= ink.x1; ++x)
      REQUIRE(std::abs(static_cast<int>(mixed.at(x, y) & 255) - static_cast<int>(alone.at(x, y) & 255)) < 90);
}

TEST_CASE("scripts: a missing glyph is a box, and a question mark is one") {
  for (const bool system_fonts : {false, true}) {
    Page page(system_fonts);
    INFO(system_fonts);
    CHECK(is_box(page.text("\uF8F0")));       // shaped, if a font for shaping exists
    CHECK(is_box(page.by_itself("\uF8F0")));  // as in a text field
    CHECK(is_box(page.text("\U0003FFFD")));   // beyond Han: not shaped
    CHECK_FALSE(is_box(page.text("?")));
    CHECK_FALSE(page.text("?") == page.text("\uF8F0"));
  }
}

TEST_CASE("scripts: upright text is lying text turned") {
  Page page;
  const Image lying = page.draw([](const Ui& ui) { ui.text(40, 120, "سلام", {32, 0xFFFFFFFFu}); });
  const Image upright = page.draw([](const Ui& ui) { ui.upright_text(120, 200, "سلام", {32, 0xFFFFFFFFu}); });
  const InkBox a = ink_of(lying), b = ink_of(upright);
  CHECK(std::abs((a.x1 - a.x0) - (b.y1 - b.y0)) <= 1);
  CHECK(std::abs((a.y1 - a.y0) - (b.x1 - b.x0)) <= 1);
  int same = 0, all = 0;
  for (int y = a.y0; y <= a.y1; ++y) {
    for (int x = a.x0; x <= a.x1; ++x) {
      ++all;
      same += is_ink(lying.at(x, y)) == is_ink(upright.at(120 + (y - 120), 199 - (x - 40)));
    }
  }
  CHECK(same > 0.93 * all);
}

TEST_CASE("scripts: text is cut between a reader's characters") {
  Page page;
  page.draw([](const Ui& ui) {
    const auto cut_of = [&ui](std::string_view text, std::string_view fits) {
      const float room = ui.text_width(std::string(fits) + "…", 16) + 0.5f;
      return plain(ui.fitted(own(text), 16, Ink::Regular, room));
    };
    CHECK(cut_of("e\u0301e\u0301e\u0301e\u0301", "e\u0301e\u0301") == "e\u0301e\u0301…");
    CHECK(cut_of("abcdef", "abc") == "abc…");
    CHECK(cut_of("ab👩‍💻cdef", "ab").starts_with("ab…"));
  });
}

TEST_CASE("scripts: a font that the built-in one is not asked for leaves texts as they are") {
  Page page(false);
  page.draw([](const Ui& ui) {
    CHECK_FALSE(ui.is_shaped("سلام"));
    CHECK(ui.text_width("سلام", 16) == 4 * ui.text_width("?", 16));  // boxes as wide as all its letters
  });
}

TEST_CASE("scripts: chips, labels and the field show a typed Arabic sentence, the file keeps it as typed") {
  const test::TemporaryDirectory directory;
  Robot robot({.width = 1280, .height = 800, .system_fonts = true});
  robot.retype("##Text", "السلام عليكم 12 The");
  const auto below_field = [&robot] {
    const RecordedItem field = *robot.items().find("##Text");
    const Image image = robot.pixels();
    InkBox ink;
    for (int y = static_cast<int>(field.max.y) + 2; y < static_cast<int>(field.max.y) + 20; ++y)
      for (int x = static_cast<int>(field.min.x); x < static_cast<int>(field.max.x); ++x)
        if (is_ink(image.at(x, y))) ink.x1 = std::max(ink.x1, x);
    return ink.x1 >= 0;
  };
  CHECK(below_field());  // below the field, shaped, while it is typed
  robot.key(ImGuiKey_Enter);
  robot.leave();
  robot.settle();
  CHECK_FALSE(below_field());
  REQUIRE(robot.document().input.sequences[0].tokens.size() == 4);
  const std::filesystem::path path = directory.path() / "a.svg";
  robot.app().files().saving.save_picture({PictureRegion::Window, 1, path});
  robot.app().files().saving.finish_picture(true);
  const std::string svg = read(path);
  CHECK(svg.find(">عليكم<") != std::string::npos);
  CHECK(svg.find("direction=\"rtl\"") != std::string::npos);
  const std::size_t latin = svg.find(">The<");
  REQUIRE(latin != std::string::npos);
  CHECK(svg.substr(svg.rfind('<', latin), latin - svg.rfind('<', latin)).find("rtl") == std::string::npos);
}

}  // namespace attnscope::scripts_test
