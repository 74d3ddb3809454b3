#include "app/cli/gallery_command.hpp"

#include <cmath>
#include <string>

#include <CLI/CLI.hpp>

#include "app/kit/draw/image.hpp"
#include "app/kit/gallery_picture.hpp"
#include "app/kit/gl/offscreen.hpp"

namespace attnscope {

struct GalleryCommand::Line {
  CLI::App* command = nullptr;
  std::string out, theme = "dark";
  float scale = 1;
};

GalleryCommand::GalleryCommand(CLI::App& app) : line_(std::make_unique<Line>()) {
  line_->command = app.add_subcommand("gallery", "Draw every widget in each of its states into a PNG file");
  line_->command->group("");
  line_->command->add_option("-o,--out", line_->out, "The picture to write (.png)")
      ->required()
      ->type_name("PATH");
  line_->command->add_option("--theme", line_->theme, "dark, light or contrast")
      ->type_name("T")
      ->check(CLI::IsMember({"dark", "light", "contrast"}));
  line_->command->add_option("--scale", line_->scale, "Size of everything drawn")
      ->type_name("S")
      ->check(CLI::Range(0.5f, 4.f));
}
GalleryCommand::~GalleryCommand() = default;

bool GalleryCommand::run() const {
  if (!line_->command->parsed()) return false;
  const OffscreenContext context;
  context.make_current();
  GalleryState state;
  GalleryPicture picture;
  picture.width = static_cast<int>(std::lround(1600 * line_->scale));
  picture.height = static_cast<int>(std::lround(1000 * line_->scale));
  picture.scale = line_->scale;
  picture.theme = theme_named(line_->theme).value_or(ThemeName::Dark);
  save_png(gallery_picture(picture, state), line_->out);
  return true;
}

}  // namespace attnscope
