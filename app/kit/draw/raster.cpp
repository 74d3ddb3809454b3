#include "app/kit/draw/raster.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attnscope {
namespace {

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
    for (auto cell = static_cast<std::int64_t>(std::floor(first)); cell < last; ++cell) {
      // Rounding must not leave a line of ground behind the last one.
      const int end = cell + 1 == last ? std::max(edge(cell + 1), pixels) : edge(cell + 1);
      keep(cell, cell + 1, edge(cell), end, space);
    }
  } else {
    const auto cell = [&](int pixel) {
      return static_cast<std::int64_t>(std::floor(first + pixel * count / pixels));
    };
    for (int pixel = 0; pixel < pixels; ++pixel)
      keep(cell(pixel), std::max(cell(pixel + 1), cell(pixel) + 1), pixel, pixel + 1, 0);
  }
  return spans;
}

/// Maps a value to its place in the colour map. The division is done once for all cells.
class Ramp {
 public:
  Ramp(float low, float high, bool log)
      : log_(log), low_(log ? std::log2(low) : low), first_(log ? log_floor : 0) {
    const double top = log ? std::log2(high) : high;
    steps_ = (255 - first_) / (top - low_);
  }

  int operator()(float value) const {
    if (!log_) return place(value);
    if (!(value > 0)) return 0;
    return std::max(log_floor, place(std::log2(value)));
  }

 private:
  int place(float value) const {
    const double place = first_ + (static_cast<double>(value) - low_) * steps_ + 0.5;
    if (place >= 256) return 255;
    if (place >= 0) return static_cast<int>(place);
    return place < 0 ? 0 : 128;  // place is NaN: the ends are equal or infinite
  }

  bool log_;
  double low_, first_, steps_;
};

using PooledBlock = ColumnPool::Pooled;

/// Reads the cells of one span of rows, row by row, and pools them for every span of columns.
class RowReader {
 public:
  RowReader(const RasterJob& job, const std::vector<Span>& columns)
      : job_(job),
        columns_(columns),
        first_(columns.empty() ? 0 : columns.front().first_cell),
        last_(columns.empty() ? 0 : columns.back().last_cell),
        kinds_(static_cast<std::size_t>(job.values.cols()), CellKind::Number),
        pool_(static_cast<std::size_t>(last_ - first_)),
        sums_(columns.size()),
        counts_(columns.size()) {}

  void read(const Span& rows, std::vector<PooledBlock>& blocks) {
    const bool single_cells = last_ - first_ == std::ssize(columns_);
    if (rows.last_cell - rows.first_cell == 1 && single_cells) {
      look_up_kinds(rows.first_cell);
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::int64_t column = columns_[i].first_cell;
        blocks[i] = {kinds_[static_cast<std::size_t>(column)], job_.values(rows.first_cell, column)};
      }
      return;
    }
    pool(rows, blocks);
  }

 private:
  std::size_t at(std::int64_t column) const { return static_cast<std::size_t>(column - first_); }

  void look_up_kinds(std::int64_t row) {
    if (job_.row_kinds) return job_.row_kinds(row, kinds_);
    if (!job_.kind) return;
    for (auto column = first_; column < last_; ++column)
      kinds_[static_cast<std::size_t>(column)] = job_.kind(row, column);
  }

  void pool(const Span& rows, std::vector<PooledBlock>& blocks) {
    const auto count = static_cast<std::size_t>(last_ - first_);
    pool_.clear();
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(counts_.begin(), counts_.end(), 0);
    for (auto row = rows.first_cell; row < rows.last_cell; ++row) {
      look_up_kinds(row);
      const std::span<const float> values(job_.values.data() + row * job_.values.cols() + first_, count);
      const auto kinds = std::span(kinds_).subspan(static_cast<std::size_t>(first_), count);
      pool_.add(values, kinds);
      if (!job_.pool_maximum) sum(values, kinds);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      PooledBlock& block = blocks[i];
      block = pool_.over(at(columns_[i].first_cell), at(columns_[i].last_cell));
      if (!job_.pool_maximum && block.kind == CellKind::Number && std::isfinite(block.value))
        block.value = static_cast<float>(sums_[i] / static_cast<double>(counts_[i]));
    }
  }

  void sum(std::span<const float> values, std::span<const CellKind> kinds) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t j = at(columns_[i].first_cell); j < at(columns_[i].last_cell); ++j) {
        if (!shows_number(kinds[j])) continue;
        sums_[i] += static_cast<double>(values[j]);
        ++counts_[i];
      }
    }
  }

  const RasterJob& job_;
  const std::vector<Span>& columns_;
  std::int64_t first_, last_;    // columns in sight, half-open
  std::vector<CellKind> kinds_;  // [columns of the matrix], of the current row
  ColumnPool pool_;
  std::vector<double> sums_;  // [spans], for the mean
  std::vector<std::int64_t> counts_;
};

void fill(Image& image, int x0, int y0, int x1, int y1, Rgba colour) {
  x0 = std::max(x0, 0);
  x1 = std::min(x1, image.width);
  y1 = std::min(y1, image.height);
  if (x0 >= x1) return;
  for (int y = std::max(y0, 0); y < y1; ++y) std::fill_n(&image.at(x0, y), x1 - x0, colour);
}

// Marks are made of rectangles; `fill(x0, y0, x1, y1, colour)` paints them or collects them.

template <class Fill>
void outline(Fill& fill, const Span& rows, const Span& columns, int thick, Rgba colour) {
  fill(columns.begin, rows.begin, columns.end, rows.begin + thick, colour);
  fill(columns.begin, rows.end - thick, columns.end, rows.end, colour);
  fill(columns.begin, rows.begin, columns.begin + thick, rows.end, colour);
  fill(columns.end - thick, rows.begin, columns.end, rows.end, colour);
}

/// Lines rise to the right. Their phase is that of the picture, so they do not move when the matrix scrolls.
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

template <class Fill>
void dot(Fill& fill, const Span& rows, const Span& columns, const RasterJob& job) {
  const int width = columns.end - columns.begin, height = rows.end - rows.begin,
            smaller = std::min(width, height);
  if (smaller < 3 * job.mark) return;
  const int size = smaller >= 6 * job.mark ? 3 * job.mark : job.mark;
  const int x = columns.begin + (width - size) / 2, y = rows.begin + (height - size) / 2;
  fill(x, y, x + size, y + size, job.colours.underflow_dot);
}

template <class Fill>
void no_key_line(Fill& fill, const Span& rows, const Span& columns, const RasterJob& job) {
  const int height = rows.end - rows.begin;
  if (height < 3 * job.mark) return;
  const int thick = height >= 6 * job.mark ? 2 * job.mark : job.mark;
  const int y = rows.begin + (height - thick) / 2;
  fill(columns.begin, y, columns.edge, y + thick, job.colours.no_key_line);  // through the gap as well
}

/// Draws the marks of a cell over its colour or hatch.
template <class Fill>
void mark(Fill&& fill, const Span& rows, const Span& columns, const PooledBlock& block,
          const RasterJob& job) {
  if (block.kind == CellKind::NoKey) no_key_line(fill, rows, columns, job);
  if (block.kind == CellKind::Underflow) dot(fill, rows, columns, job);
  if (block.kind != CellKind::Number || !std::isinf(block.value)) return;
  const int smaller = std::min(columns.end - columns.begin, rows.end - rows.begin);
  outline(fill, rows, columns, smaller >= 12 * job.mark ? 2 * job.mark : job.mark, job.colours.nan);
}

Rgba colour_of(const PooledBlock& block, const Ramp& ramp, const RasterJob& job) {
  if (block.kind == CellKind::Masked || block.kind == CellKind::NoKey) return job.colours.hatch_ground;
  if (std::isnan(block.value)) return job.colours.nan;
  return (*job.map)[static_cast<std::size_t>(ramp(block.value))];
}

void paint_mark(Image& image, const Span& rows, const Span& columns, const PooledBlock& block,
                const RasterJob& job) {
  if (!shows_number(block.kind)) hatch(image, rows, columns, job);
  mark([&image](int x0, int y0, int x1, int y1, Rgba colour) { fill(image, x0, y0, x1, y1, colour); }, rows,
       columns, block, job);
}

/// Marks of the row's blocks. Hatched neighbours without a gap between them are hatched as one.
void paint_marks(Image& image, const Span& rows, const std::vector<Span>& columns,
                 const std::vector<PooledBlock>& blocks, const RasterJob& job) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const PooledBlock& block = blocks[i];
    if (block.kind == CellKind::Number && !std::isinf(block.value)) continue;
    Span span = columns[i];
    if (block.kind == CellKind::Masked) {
      while (i + 1 < columns.size() && blocks[i + 1].kind == CellKind::Masked &&
             columns[i + 1].begin == span.end)
        span.end = columns[++i].end;
    }
    paint_mark(image, rows, span, block, job);
  }
}

/// One row of cells: its topmost line of pixels is coloured and copied down, then marks are laid over it.
void paint_row(Image& image, const Span& rows, const std::vector<Span>& columns,
               const std::vector<PooledBlock>& blocks, const RasterJob& job, const Ramp& ramp) {
  const int top = std::max(rows.begin, 0), bottom = std::min(rows.end, image.height);
  if (top >= bottom) return;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Rgba colour = colour_of(blocks[i], ramp, job);
    const int end = std::min(columns[i].end, image.width);
    for (int x = std::max(columns[i].begin, 0); x < end; ++x) image.at(x, top) = colour;
  }
  for (int y = top + 1; y < bottom; ++y) std::copy_n(&image.at(0, top), image.width, &image.at(0, y));
  paint_marks(image, rows, columns, blocks, job);
}

/// `width` and `height` are those before a turn.
Image paint(const RasterJob& job, int width, int height) {
  Image image(width, height);
  std::fill(image.pixels.begin(), image.pixels.end(), job.colours.ground);
  const std::vector<Span> columns = cut(job.column0, job.columns, width, job.values.cols(), job.gap);
  std::vector<PooledBlock> blocks(columns.size());
  RowReader reader(job, columns);
  const Ramp ramp(job.low, job.high, job.log);
  for (const Span& rows : cut(job.row0, job.rows, height, job.values.rows(), job.gap)) {
    if (columns.empty()) break;
    reader.read(rows, blocks);
    paint_row(image, rows, columns, blocks, job, ramp);
  }
  return image;
}

}  // namespace

int map_index(float value, float low, float high, bool log) {
  return std::isnan(value) ? 0 : Ramp(low, high, log)(value);
}

std::optional<std::vector<PaintedCell>> visible_cells(const RasterJob& job, std::size_t most) {
  const int width = job.turned ? job.height : job.width, height = job.turned ? job.width : job.height;
  if (width < job.columns || height < job.rows) return std::nullopt;
  const std::vector<Span> columns = cut(job.column0, job.columns, width, job.values.cols(), job.gap);
  const std::vector<Span> rows = cut(job.row0, job.rows, height, job.values.rows(), job.gap);
  if (columns.empty() || rows.empty() || rows.size() * columns.size() > most) return std::nullopt;
  std::vector<PaintedCell> cells;
  std::vector<PooledBlock> blocks(columns.size());
  RowReader reader(job, columns);
  const Ramp ramp(job.low, job.high, job.log);
  const auto clipped = [&](int x0, int y0, int x1, int y1, Rgba colour) {
    x0 = std::clamp(x0, 0, width), x1 = std::clamp(x1, 0, width);
    y0 = std::clamp(y0, 0, height), y1 = std::clamp(y1, 0, height);
    return job.turned ? PaintedCell::Part{y0, x0, y1, x1, colour} : PaintedCell::Part{x0, y0, x1, y1, colour};
  };
  for (const Span& row : rows) {
    reader.read(row, blocks);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Span& column = columns[i];
      PaintedCell cell{clipped(column.begin, row.begin, column.end, row.end, colour_of(blocks[i], ramp, job)),
                       !shows_number(blocks[i].kind),
                       {}};
      const auto collect = [&](int x0, int y0, int x1, int y1, Rgba colour) {
        cell.marks.push_back(clipped(x0, y0, x1, y1, colour));
      };
      mark(collect, row, column, blocks[i], job);
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

Image mirrored_at_diagonal(const Image& image) {
  Image turned(image.height, image.width);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) turned.at(y, x) = image.at(x, y);
  return turned;
}

Image raster(const RasterJob& job) {
  const int width = std::max(job.width, 0), height = std::max(job.height, 0);
  if (width == 0 || height == 0) return Image(width, height);
  // Hatch and marks are the same on both sides of the diagonal.
  return job.turned ? mirrored_at_diagonal(paint(job, height, width)) : paint(job, width, height);
}

}  // namespace attnscope
