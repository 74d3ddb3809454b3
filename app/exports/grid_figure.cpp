#include "app/exports/grid_figure.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

void check_size(const GridPage& page, const std::filesystem::path& path) {
  const double pixels = static_cast<double>(page.width) * page.height;
  if (page.width <= longest_page && page.height <= longest_page && pixels <= most_page_pixels) return;
  throw Error(fmt::format(
      "Cannot write {}: {:d} × {:d} pixels are too many; fewer than {:d} pixels a token can be drawn.",
      in_quotes(path.native()), page.width, page.height, page.painting.pixels));
}

namespace {

constexpr double painting_share = 0.7;  // of the time; the rest compresses the file

void write_pixels(const GridFigure& figure, const Work& work, const std::function<void(double)>& told) {
  Image whole(figure.page.width, figure.page.height);
  std::ranges::fill(whole.pixels, figure.page.ground | 0xFF000000u);
  for (const GridFigure::Piece& piece : figure.chrome)
    for (int y = 0; y < piece.pixels.height; ++y)
      std::copy_n(piece.pixels.pixels.begin() + static_cast<std::ptrdiff_t>(y) * piece.pixels.width,
                  piece.pixels.width, &whole.at(piece.x, piece.y + y));
  figure.page.painting.paint(whole, 0, 0, work, told);
  if (work.stop.stop_requested()) throw Cancelled();
  save_png(whole, figure.path);
}

void write_shapes(GridFigure& figure, const Work& work, const std::function<void(double)>& told) {
  const Box& heads = figure.page.heads;
  Image picture(static_cast<int>(heads.w), static_cast<int>(heads.h));  // transparent between the heads
  figure.page.painting.paint(picture, static_cast<int>(heads.x), static_cast<int>(heads.y), work, told);
  if (work.stop.stop_requested()) throw Cancelled();
  figure.canvas->image(
      {heads.x, heads.y, static_cast<float>(picture.width), static_cast<float>(picture.height)}, picture, 1);
  const std::string text = figure.canvas->finish(figure.title, figure.scale);
  if (work.stop.stop_requested()) throw Cancelled();
  write_atomically(figure.path, std::array{std::string_view(text)});
}

}  // namespace

void write_grid_figure(GridFigure& figure, const Work& work, const std::function<void(double)>& told) {
  const auto painted = [&](double share) {
    if (told) told(painting_share * share);
  };
  figure.canvas ? write_shapes(figure, work, painted) : write_pixels(figure, work, painted);
  if (told) told(1);
}

}  // namespace attnscope
