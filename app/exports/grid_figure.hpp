// app/exports: a page with all heads of a model on its way into a file: the drawn parts, and those that are
// still to be painted.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/kit/draw/svg.hpp"
#include "app/views/figures/grid_page.hpp"

namespace attnscope {

struct GridFigure {
  GridPage page;
  std::filesystem::path path;  // .png or .svg
  struct Piece {
    int x = 0, y = 0;
    Image pixels;
  };
  std::vector<Piece> chrome;          // of a PNG
  std::unique_ptr<SvgCanvas> canvas;  // of an SVG
  std::string title;
  float scale = 1;  // of an SVG: pixels a unit
};

/// Larger pages are refused.
inline constexpr int longest_page = 32'768;  // pixels
inline constexpr double most_page_pixels = 2.6e8;
/// Throws Error that names the path if the page is too large.
void check_size(const GridPage&, const std::filesystem::path&);

/// Paints the heads and writes the file, atomically. Call once, on any thread. `told(share)` with 0 … 1.
/// Throws Error that names the path, or Cancelled; nothing is written then.
void write_grid_figure(GridFigure&, const Work&, const std::function<void(double)>& told);

}  // namespace attnscope
