#include "app/views/model/grid_picture.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/draw/raster.hpp"
#include "app/views/model/facts.hpp"
#include "core/engine/model/usual_contribution.hpp"

namespace attnscope {
namespace {

/// Cells [begin, end) of a row or column of the picture that one pixel shows.
struct CellSpan {
  std::int64_t begin = 0, end = 0;
  bool operator==(const CellSpan&) const = default;
};

std::vector<CellSpan> spans(std::int64_t cells, int pixels) {
  std::vector<CellSpan> all;
  for (int i = 0; i < pixels; ++i) {
    const std::int64_t begin = i * cells / pixels;
    all.push_back({begin, std::max(begin + 1, (i + 1) * cells / pixels)});
  }
  return all;
}

/// The means of cells, or their largest weights.
const Tensor& numbers_of(const HeadPictures& pictures, bool by_maximum) {
  return by_maximum && pictures.largest.size() > 0 ? pictures.largest : pictures.mean;
}

/// A NaN in `a` is kept.
float larger(float a, float b) { return std::isnan(a) || b <= a ? a : b; }

/// Paints adjacent heads of one block.
class BlockPainter {
 public:
  BlockPainter(const GridPainter& job, Image& image, AttentionOf of, int block)
      : job_(job),
        image_(image),
        pictures_(attention_of(job.run, of)[static_cast<std::size_t>(block)].pictures),
        mask_(job.spec, job.run, of, block) {}

  void paint(const GridPlan::Cell& cell) {
    if (pictures_.mean.size() == 0) return;
    const auto values = numbers_of(pictures_, job_.by_maximum).matrix(cell.head.head);
    const int width = static_cast<int>(cell.box.w), height = static_cast<int>(cell.box.h);
    take_factors(cell.head, values.cols());
    if (std::ssize(across_) != width) across_ = spans(values.cols(), width);
    if (std::ssize(down_) != height) down_ = spans(values.rows(), height);
    const int left = static_cast<int>(cell.box.x - job_.plan.window.x);
    const int top = static_cast<int>(cell.box.y - job_.plan.window.y);
    line_.resize(static_cast<std::size_t>(width));
    for (int y = 0; y < height; ++y) {
      const auto at = static_cast<std::size_t>(y);
      if (y == 0 || !(down_[at] == down_[at - 1])) colour_line(cell.head.head, values, down_[at]);
      put_line(left, top + y);
    }
  }

 private:
  void take_factors(const ModelHead& head, std::int64_t columns) {
    if (job_.norms == nullptr) return factors_.assign(static_cast<std::size_t>(columns), 1);
    take_column_norms(*job_.norms, head.of, static_cast<std::size_t>(head.block),
                      static_cast<std::size_t>(head.head), pictures_.cells, columns, factors_);
  }

  void colour_line(std::int64_t head, const ConstMatrixMap<float>& values, const CellSpan& rows) {
    sums_.assign(across_.size(), 0.f);
    counts_.assign(across_.size(), 0);
    seen_.resize(static_cast<std::size_t>(values.cols()));
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const float* const numbers = values.data() + row * values.cols();
      mask_.see_cells(head, row, seen_);
      add_leaks({numbers, seen_.size()}, seen_);
      for (std::size_t x = 0; x < across_.size(); ++x) {
        for (std::int64_t column = across_[x].begin; column < across_[x].end; ++column) {
          const auto at = static_cast<std::size_t>(column);
          if (seen_[at] == 0) continue;
          const float number = numbers[at] * factors_[at];
          sums_[x] = job_.by_maximum ? larger(sums_[x], number) : sums_[x] + number;
          ++counts_[x];
        }
      }
    }
    for (std::size_t x = 0; x < across_.size(); ++x) line_[x] = colour(sums_[x], counts_[x]);
  }

  Rgba colour(float sum, int count) const {
    if (count == 0) return job_.hidden;
    const float value = job_.by_maximum ? sum : sum / static_cast<float>(count);
    if (std::isnan(value)) return job_.nan;
    if (job_.low > 0) return job_.map[static_cast<std::size_t>(map_index(value, job_.low, job_.high, true))];
    return job_.map[static_cast<std::size_t>(std::clamp(value / job_.high * 255.f + 0.5f, 0.f, 255.f))];
  }

  void put_line(int left, int y) {
    if (y < 0 || y >= image_.height) return;
    const int skip = std::max(0, -left), width = static_cast<int>(line_.size());
    const int count = std::min(width, image_.width - left) - skip;
    if (count > 0) std::copy_n(line_.data() + skip, count, &image_.at(left + skip, y));
  }

  const GridPainter& job_;
  Image& image_;
  const HeadPictures& pictures_;
  HeadMask mask_;
  std::vector<CellSpan> across_, down_;
  std::vector<Rgba> line_;
  std::vector<float> sums_, factors_;  // sums_: sums, or the largest
  std::vector<std::uint8_t> seen_;     // of a row of cells: 0 = hidden
  std::vector<int> counts_;
};

/// Whether a query of the head has more keys than one: else it gives all its weight without a choice.
bool has_choice(const HeadMask& mask, const ModelHead& head, std::int64_t query) {
  return mask.allowed_keys(head.head, query) >= 2;
}

const HeadPictures* pictures_of(const ModelRun& run, const ModelHead& head) {
  const std::vector<AttentionRun>& blocks = attention_of(run, head.of);
  if (head.block >= std::ssize(blocks)) return nullptr;
  const HeadPictures& pictures = blocks[static_cast<std::size_t>(head.block)].pictures;
  return pictures.mean.size() == 0 ? nullptr : &pictures;
}

}  // namespace

Image GridPainter::paint() const {
  Image image(static_cast<int>(plan.window.w), static_cast<int>(plan.window.h));
  std::fill(image.pixels.begin(), image.pixels.end(), ground);
  for (std::size_t i = 0; i < plan.cells.size();) {
    const ModelHead& first = plan.cells[i].head;
    BlockPainter painter(*this, image, first.of, first.block);
    for (; i < plan.cells.size() && plan.cells[i].head.of == first.of &&
           plan.cells[i].head.block == first.block;
         ++i) {
      const Box& box = plan.cells[i].box;
      if (box.bottom() > plan.window.y && box.y < plan.window.bottom()) painter.paint(plan.cells[i]);
    }
  }
  return image;
}

float most_given(const ModelSpec& spec, const ModelRun& run, const ModelHead& head, std::int64_t key) {
  const HeadPictures* const pictures = pictures_of(run, head);
  if (pictures == nullptr) return 1;
  const Tensor& largest = pictures->largest.size() > 0 ? pictures->largest : pictures->mean;
  const auto values = largest.matrix(head.head);
  const std::int64_t column = key / pictures->cells.keys_per_cell;
  if (column >= values.cols()) return 0;
  const HeadMask mask(spec, run, head.of, head.block);
  const std::int64_t queries = rows_of(run, head.of);
  float most = 0;
  for (std::int64_t row = 0; row < values.rows(); ++row) {
    const std::int64_t last = std::min(queries, (row + 1) * pictures->cells.rows_per_cell) - 1;
    if (!has_choice(mask, head, last)) continue;
    if (const float value = values(row, column); value > most) most = value;
  }
  return std::min(1.f, most);
}

float most_given_by(const ModelSpec& spec, const ModelRun& run, const ModelHead& head, std::int64_t query) {
  const HeadPictures* const pictures = pictures_of(run, head);
  if (pictures == nullptr) return 1;
  if (query >= rows_of(run, head.of) || !has_choice({spec, run, head.of, head.block}, head, query)) return 0;
  const Tensor& largest = pictures->largest.size() > 0 ? pictures->largest : pictures->mean;
  const auto values = largest.matrix(head.head);
  const std::int64_t row = query / pictures->cells.rows_per_cell;
  if (row >= values.rows()) return 0;
  float most = 0;
  for (std::int64_t column = 0; column < values.cols(); ++column)
    if (const float value = values(row, column); value > most) most = value;
  return std::min(1.f, most);
}

}  // namespace attnscope
