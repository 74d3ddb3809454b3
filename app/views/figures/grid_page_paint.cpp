// app/views/figures: the pictures of a page, pixel by pixel.
#include <algorithm>
#include <cmath>

#include "app/kit/draw/raster.hpp"
#include "app/views/figures/grid_page.hpp"
#include "app/views/model/facts.hpp"
#include "core/base/error.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

constexpr float faint_part = 0.22f;  // of what is switched off

/// `share` of the colour over the ground, which is opaque.
Rgba blended(Rgba colour, Rgba ground, float share) {
  Rgba out = 0xFF000000u;
  for (int shift = 0; shift < 24; shift += 8) {
    const auto part = [&](Rgba of) { return static_cast<float>((of >> shift) & 0xFFu); };
    const float mixed = part(colour) * share + part(ground) * (1 - share);
    out |= static_cast<Rgba>(std::lround(mixed)) << shift;
  }
  return out;
}

/// A part of the page.
struct Paper {
  Image& image;
  int left, top;

  void row(int x, int y, int width, Rgba colour) const {
    const int at = y - top, begin = std::max(0, x - left), end = std::min(image.width, x - left + width);
    if (at < 0 || at >= image.height || begin >= end) return;
    std::fill_n(&image.at(begin, at), end - begin, colour);
  }
  void box(int x, int y, int width, int height, Rgba colour) const {
    for (int i = 0; i < height; ++i) row(x, y + i, width, colour);
  }
};

using PaintedHead = HeadsPainting::Cell;

void paint_flat(const HeadsPainting& job, const PaintedHead& cell, const Paper& paper) {
  const auto opaque = [&](Rgba colour) { return blended(colour, job.ground, cell.is_off ? faint_part : 1); };
  paper.box(cell.x, cell.y, cell.width, cell.height, opaque(job.edge));
  paper.box(cell.x + 1, cell.y + 1, cell.width - 2, cell.height - 2, opaque(cell.flat));
}

std::size_t place_in_map(const HeadsPainting& job, float value) {
  if (job.low > 0) return static_cast<std::size_t>(map_index(value, job.low, job.high, true));
  return static_cast<std::size_t>(std::clamp(value / job.high * 255.f + 0.5f, 0.f, 255.f));
}

void paint_pattern(const HeadsPainting& job, const PaintedHead& cell, const Paper& paper, const Work& work) {
  const Model& model = *job.model->model;
  const ModelHead& head = cell.head;
  const auto block = static_cast<std::size_t>(head.block);
  const Tensor made = head_weights(model, *job.run, head.of, block, head.head, work);
  const auto weights = made.matrix();
  const HeadMask mask(model.spec, *job.run, head.of, head.block);
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(weights.cols()));
  std::span<const float> norms;
  if (job.norms)
    norms = (*job.norms)[static_cast<std::size_t>(head.of)][block][static_cast<std::size_t>(head.head)];
  for (std::int64_t i = 0; i < weights.rows(); ++i) {
    const int y = cell.y + static_cast<int>(i) * job.pixels;
    mask.see(head.head, i, seen);
    add_leaks({weights.row(i).data(), seen.size()}, seen);
    for (std::int64_t j = 0; j < weights.cols(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      const float value = weights(i, j) * (at < norms.size() ? norms[at] : 1);
      Rgba colour = job.hidden;
      if (seen[at] != 0) colour = std::isnan(value) ? job.nan : job.map[place_in_map(job, value)];
      if (cell.is_off) colour = blended(colour, job.ground, faint_part);
      paper.box(cell.x + static_cast<int>(j) * job.pixels, y, job.pixels, job.pixels, colour | 0xFF000000u);
    }
  }
}

/// A line from the lower left to the upper right corner, or a triangle in a corner.
void paint_marks(const HeadsPainting& job, const PaintedHead& cell, const Paper& paper) {
  if (cell.is_off) {
    for (int y = 0; y < cell.height; ++y) {
      const int x = (cell.height - 1 - y) * cell.width / std::max(1, cell.height);
      paper.row(cell.x + std::max(0, x - job.line / 2), cell.y + y,
                job.line + cell.width / std::max(1, cell.height), job.stroke);
    }
  } else if (cell.changed) {
    const int side = std::max(4, std::min(cell.width, cell.height) / 5);
    for (int y = 0; y < side; ++y)
      paper.row(cell.x + cell.width - side + y, cell.y + y, side - y, job.corner);
  }
}

}  // namespace

void HeadsPainting::paint(Image& image, int left, int top, const Work& work,
                          const std::function<void(double)>& told) const {
  const Paper paper{image, left, top};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (work.stop.stop_requested()) throw Cancelled();
    patterns ? paint_pattern(*this, cells[i], paper, work) : paint_flat(*this, cells[i], paper);
    paint_marks(*this, cells[i], paper);
    if (told) told(static_cast<double>(i + 1) / static_cast<double>(cells.size()));
  }
}

}  // namespace attnscope
