#include "app/cli/gallery_command.hpp"

#include <cmath>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "app/kit/draw/image.hpp"
#include "app/kit/gallery_picture.hpp"
#include "app/kit/gl/offscreen.hpp"

namespace attnscope {

namespace {

struct GalleryLine {
  std::string out, theme = "dark";
  float scale = 1;
};

}  // namespace

std::function<bool()> add_gallery_command(CLI::App& app) {
  const auto line = std::make_shared<GalleryLine>();
  CLI::App& command =
      *app.add_subcommand("gallery", "Draw every widget in each of its states into a PNG file");
  command.group("");
  command.add_option("-o,--out", line->out, "The picture to write (.png)")->required()->type_name("PATH");
  command.add_option("--theme", line->theme, "dark, light or contrast")
      ->type_name("T")
      ->check(CLI::IsMember({"dark", "light", "contrast"}));
  command.add_option("--scale", line->scale, "Size of everything drawn")
      ->type_name("S")
      ->check(CLI::Range(0.5f, 4.f));
  return [line, &command] {
    if (!command.parsed()) return false;
    const OffscreenContext context;
    context.make_current();
    GalleryState state;
    GalleryPicture picture;
    picture.width = static_cast<int>(std::lround(1600 * line->scale));
    picture.height = static_cast<int>(std::lround(1000 * line->scale));
    picture.scale = line->scale;
    picture.theme = theme_named(line->theme).value_or(ThemeName::Dark);
    save_png(gallery_picture(picture, state), line->out);
    return true;
  };
}

}  // namespace attnscope
