// app/kit: the page of all widgets, in every theme and at two scales.
#include <algorithm>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/gallery_picture.hpp"
#include "robot/easel.hpp"
#include "robot/layout.hpp"

namespace attnscope {

TEST_CASE("kit: the gallery shows every widget, and no words lie over others") {
  for (const ThemeName name : {ThemeName::Dark, ThemeName::Light, ThemeName::Contrast})
    for (const float scale : {1.f, 1.5f}) {
      CAPTURE(static_cast<int>(name), scale);
      const Easel easel;
      const float wide = 1600 * scale, high = 1000 * scale;
      SvgCanvas copy({0, 0, wide, high});
      GalleryState state;
      const Image image = gallery_picture({.width = static_cast<int>(wide),
                                           .height = static_cast<int>(high),
                                           .scale = scale,
                                           .theme = name,
                                           .system_fonts = true,
                                           .copy = &copy},
                                          state);
      CHECK(image.at(2, 2) == theme(name).panel);
      const std::vector<PlacedText> texts = texts_in(copy.finish("gallery", scale));
      CHECK(collisions(texts).empty());
      for (const PlacedText& text : texts) {
        INFO(text.text);
        CHECK((text.x0 >= 0 && text.y0 >= 0 && text.x1 <= wide && text.y1 <= high));
      }
      for (const std::string_view words : {"readout 32",    "masked", "a switch that is off",
                                           "second",        "Button", "its value",
                                           "a slider",      "65",     "the cat sat",
                                           "a placeholder", "Ctrl",   "share",
                                           "3.5",           "–",      "0.12",
                                           "of 1",          "in all", "A measure",
                                           "held",          "0.999"}) {
        INFO(words);
        CHECK(std::ranges::any_of(
            texts, [&](const PlacedText& text) { return text.text.find(words) != std::string::npos; }));
      }
    }
}

}  // namespace attnscope
