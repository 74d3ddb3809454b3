#include "app/draw/raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnscope {
namespace {

constexpr int hatch_every = 6;   // pixels between hatch lines
constexpr int smallest_gap = 6;  // cells up to this size touch

/// One column (or row) of the picture: the cells it shows and the pixels they fill, before clipping to the
/// picture.
struct Span {
  std::int64_t first_cell, last_cell;  // half-open
  int begin, end;                      // half-open, without the gap
  int edge;                            // where the next span begins
};

/// Cuts one axis. Edges are floors of the exact places, so neighbours share them and widths differ by at most
/// one.
std::vector<Span> cut(double first, double count, int pixels, std::int64_t size, int gap) {
  std::vector<Span> spans;
  if (pixels <= 0 || !(count > 0)) return spans;
  const auto keep = [&](std::int64_t from, std::int64_t to, int begin, int edge, int space) {
    from = std::max<std::int64_t>(from, 0);
    to = std::min(to, size);
    if (from < to && begin < edge) spans.push_back({from, to, begin, edge - space, edge});
  };
  if (pixels >= count) {
    const auto edge = [&](std::int64_t cell) {
      return static_cast<int>(std::floor((static_cast<double>(cell) - first) * pixels / count));
    };
    const int space = pixels / count > smallest_gap ? gap : 0;
    const auto last = static_cast<std::int64_t>(std::ceil(first + count));
    for (auto cell = static_cast<std::int64_t>(std::floor(first)); cell < last; ++cell)
      keep(cell, cell + 1, edge(cell), edge(cell + 1), space);
  } else {
    const auto cell = [&](int pixel) {
      return static_cast<std::int64_t>(std::floor(first + pixel * count / pixels));
    };
    for (int pixel = 0; pixel < pixels; ++pixel)
      keep(cell(pixel), std::max(cell(pixel + 1), cell(pixel) + 1), pixel, pixel + 1, 0);
  }
  return spans;
}

/// From a value to its place in the map. The division is done once for all cells.
class Ramp {
 public:
  Ramp(float low, float high) : low_(low), steps_(255 / (static_cast<double>(high) - low)) {}

  int operator()(float value) const {
    const double place = (static_cast<double>(value) - low_) * steps_ + 0.5;
    if (place >= 256) return 255;
    if (place >= 0) return static_cast<int>(place);
    return place < 0 ? 0 : 128;  // neither: ends that are equal or infinite
  }

 private:
  double low_, steps_;
};

struct Block {
  CellKind kind = CellKind::Number;
  float value = 0;
};

/// What one span of rows and one of columns show together.
class Pool {
 public:
  explicit Pool(const RasterJob& job) : job_(job) {}

  Block operator()(const Span& rows, const Span& columns) const {
    if (rows.last_cell - rows.first_cell == 1 && columns.last_cell - columns.first_cell == 1)
      return {kind(rows.first_cell, columns.first_cell), job_.values(rows.first_cell, columns.first_cell)};
    return many(rows, columns);
  }

 private:
  CellKind kind(std::int64_t row, std::int64_t column) const {
    return job_.kind ? job_.kind(row, column) : CellKind::Number;
  }

  Block many(const Span& rows, const Span& columns) const {
    float largest = 0, strange = 0;  // `strange` is not finite once one value was not
    double sum = 0;
    std::int64_t shown = 0, underflows = 0, masked = 0;
    for (auto row = rows.first_cell; row < rows.last_cell; ++row) {
      for (auto column = columns.first_cell; column < columns.last_cell; ++column) {
        const CellKind what = kind(row, column);
        masked += what == CellKind::Masked;
        if (what == CellKind::Masked || what == CellKind::NoKey) continue;
        ++shown;
        underflows += what == CellKind::Underflow;
        const float value = job_.values(row, column);
        if (!std::isfinite(value)) strange = std::isnan(strange) ? strange : value;
        largest = std::abs(value) > std::abs(largest) ? value : largest;
        if (!job_.pool_maximum) sum += value;
      }
    }
    if (shown == 0) return {masked > 0 ? CellKind::Masked : CellKind::NoKey, 0};
    if (strange != 0) return {CellKind::Number, strange};
    if (underflows == shown) return {CellKind::Underflow, 0};
    return {CellKind::Number,
            job_.pool_maximum ? largest : static_cast<float>(sum / static_cast<double>(shown))};
  }

  const RasterJob& job_;
};

void fill(Image& image, int x0, int y0, int x1, int y1, Rgba colour) {
  x0 = std::max(x0, 0);
  x1 = std::min(x1, image.width);
  y1 = std::min(y1, image.height);
  if (x0 >= x1) return;
  for (int y = std::max(y0, 0); y < y1; ++y) std::fill_n(&image.at(x0, y), x1 - x0, colour);
}

void outline(Image& image, const Span& rows, const Span& columns, int thick, Rgba colour) {
  fill(image, columns.begin, rows.begin, columns.end, rows.begin + thick, colour);
  fill(image, columns.begin, rows.end - thick, columns.end, rows.end, colour);
  fill(image, columns.begin, rows.begin, columns.begin + thick, rows.end, colour);
  fill(image, columns.end - thick, rows.begin, columns.end, rows.end, colour);
}

/// Lines rise to the right. Their phase belongs to the picture, so they stand still while the matrix moves
/// below.
void hatch(Image& image, const Span& rows, const Span& columns, const RasterJob& job) {
  const int left = std::max(columns.begin, 0), right = std::min(columns.end, image.width);
  const int step = hatch_every * job.mark;
  for (int y = std::max(rows.begin, 0); y < std::min(rows.end, image.height); ++y) {
    int phase = (left + y) % step;
    for (int x = left; x < right; ++x) {
      image.at(x, y) = phase < job.mark ? job.colours.hatch_line : job.colours.hatch_ground;
      if (++phase == step) phase = 0;
    }
  }
}

void dot(Image& image, const Span& rows, const Span& columns, const RasterJob& job) {
  const int width = columns.end - columns.begin, height = rows.end - rows.begin,
            smaller = std::min(width, height);
  if (smaller < 3 * job.mark) return;
  const int size = smaller >= 6 * job.mark ? 3 * job.mark : job.mark;
  const int x = columns.begin + (width - size) / 2, y = rows.begin + (height - size) / 2;
  fill(image, x, y, x + size, y + size, job.colours.underflow_dot);
}

void no_key_line(Image& image, const Span& rows, const Span& columns, const RasterJob& job) {
  const int height = rows.end - rows.begin;
  if (height < 3 * job.mark) return;
  const int thick = height >= 6 * job.mark ? 2 * job.mark : job.mark;
  const int y = rows.begin + (height - thick) / 2;
  fill(image, columns.begin, y, columns.edge, y + thick, job.colours.no_key_line);  // through the gap as well
}

Rgba colour_of(const Block& block, const Ramp& ramp, const RasterJob& job) {
  if (block.kind == CellKind::Masked || block.kind == CellKind::NoKey) return job.colours.hatch_ground;
  if (std::isnan(block.value)) return job.colours.nan;
  return (*job.map)[static_cast<std::size_t>(ramp(block.value))];
}

void paint_mark(Image& image, const Span& rows, const Span& columns, const Block& block,
                const RasterJob& job) {
  switch (block.kind) {
    case CellKind::Masked: hatch(image, rows, columns, job); return;
    case CellKind::NoKey:
      hatch(image, rows, columns, job);
      no_key_line(image, rows, columns, job);
      return;
    case CellKind::Underflow: dot(image, rows, columns, job); return;
    case CellKind::Number: break;
  }
  if (!std::isinf(block.value)) return;
  const int smaller = std::min(columns.end - columns.begin, rows.end - rows.begin);
  outline(image, rows, columns, smaller >= 12 * job.mark ? 2 * job.mark : job.mark, job.colours.nan);
}

/// One row of cells: its topmost line of pixels is coloured and copied down, then marks are laid over it.
void paint_row(Image& image, const Span& rows, const std::vector<Span>& columns, std::vector<Block>& blocks,
               const RasterJob& job) {
  const int top = std::max(rows.begin, 0), bottom = std::min(rows.end, image.height);
  if (top >= bottom) return;
  const Pool pool(job);
  const Ramp ramp(job.low, job.high);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    blocks[i] = pool(rows, columns[i]);
    const Rgba colour = colour_of(blocks[i], ramp, job);
    const int end = std::min(columns[i].end, image.width);
    for (int x = std::max(columns[i].begin, 0); x < end; ++x) image.at(x, top) = colour;
  }
  for (int y = top + 1; y < bottom; ++y) std::copy_n(&image.at(0, top), image.width, &image.at(0, y));
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (blocks[i].kind != CellKind::Number || std::isinf(blocks[i].value))
      paint_mark(image, rows, columns[i], blocks[i], job);
}

}  // namespace

int map_index(float value, float low, float high) { return std::isnan(value) ? 0 : Ramp(low, high)(value); }

Image raster(const RasterJob& job) {
  Image image(std::max(job.width, 0), std::max(job.height, 0));
  if (image.pixels.empty()) return image;
  std::fill(image.pixels.begin(), image.pixels.end(), job.colours.ground);
  const std::vector<Span> columns = cut(job.column0, job.columns, job.width, job.values.cols(), job.gap);
  std::vector<Block> blocks(columns.size());
  for (const Span& rows : cut(job.row0, job.rows, job.height, job.values.rows(), job.gap))
    paint_row(image, rows, columns, blocks, job);
  return image;
}

}  // namespace attnscope
