#include "app/views/watch/grid_paint.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace attnscope {
namespace {

Rgba colour_at(const Colormap& map, float share, Rgba nan) {
  if (std::isnan(share)) return nan;
  return map[static_cast<std::size_t>(std::clamp(share, 0.f, 1.f) * 255.f + 0.5f)];
}

/// Paints the cells of one head into a box of whole pixels.
class WatchHeadPainter {
 public:
  WatchHeadPainter(const WatchPainter& job, const ShownWatchLayer& layer, std::int64_t head)
      : job_(job),
        layer_(layer),
        pictures_(job.colour == WatchColour::Pattern ? layer.pictures : layer.last),
        values_(job.by_maximum ? pictures_.max : pictures_.mean),
        rows_(values_.shape()[1]),
        columns_(values_.shape()[2]),
        cells_(values_.data() + head * rows_ * columns_) {}

  void paint(Image& image, const Box& box, const Box& window) const {
    const int left = static_cast<int>(box.x - window.x), top = static_cast<int>(box.y - window.y);
    const int wide = static_cast<int>(box.w), high = static_cast<int>(box.h);
    for (int y = std::max(0, -top); y < high && top + y < image.height; ++y)
      for (int x = std::max(0, -left); x < wide && left + x < image.width; ++x)
        image.at(left + x, top + y) = pixel(x, y, wide, high);
  }

 private:
  Rgba pixel(int x, int y, int wide, int high) const {
    const WatchedLayer& layer = *layer_.layer;
    const std::int64_t key = x * layer.keys() / wide, column = key / pictures_.keys_per_cell;
    if (job_.colour == WatchColour::Pattern) {
      const std::int64_t row = y * layer.rows() / high;
      const std::int64_t cell = std::min(rows_ - 1, row / pictures_.rows_per_cell);
      const std::int64_t last = std::min(layer.rows(), (cell + 1) * pictures_.rows_per_cell) - 1;
      if (column * pictures_.keys_per_cell >= layer.end_of(last)) return job_.hidden;
      return colour_at(job_.weights, cells_[cell * columns_ + column], job_.nan);
    }
    const float newest = cells_[(rows_ - 1) * columns_ + column];
    if (job_.colour == WatchColour::NewestRow || rows_ < 2) return colour_at(job_.weights, newest, job_.nan);
    return colour_at(job_.changes, 0.5f + (newest - cells_[column]) / 2, job_.nan);
  }

  const WatchPainter& job_;
  const ShownWatchLayer& layer_;
  const WatchedPictures& pictures_;
  const Tensor& values_;
  std::int64_t rows_, columns_;
  const float* cells_;
};

/// now − held of every layer, computed when its first head is painted.
class HeldDifferences {
 public:
  explicit HeldDifferences(const ShownWatchGrid& held) : held_(held) {}

  /// Null: the two cannot be compared.
  const WatchLayerDifference* of(const ShownWatchLayer& now) {
    const auto [at, is_new] = all_.try_emplace(&now);
    if (is_new) {
      const auto there = std::ranges::find(held_.layers, now.layer->index,
                                           [](const ShownWatchLayer& layer) { return layer.layer->index; });
      if (there != held_.layers.end()) at->second = held_difference(now, *there);
    }
    return at->second ? &*at->second : nullptr;
  }

 private:
  const ShownWatchGrid& held_;
  std::map<const ShownWatchLayer*, std::optional<WatchLayerDifference>> all_;
};

/// One head as now − held; hatched if the two cannot be compared.
void paint_difference(const WatchPainter& job, const ShownWatchLayer& layer, std::int64_t head,
                      const WatchLayerDifference* difference, const Box& box, Image& image) {
  const int left = static_cast<int>(box.x - job.plan.window.x),
            top = static_cast<int>(box.y - job.plan.window.y);
  const int wide = static_cast<int>(box.w), high = static_cast<int>(box.h);
  const auto colour = [&](int x, int y) {
    if (difference == nullptr) return job.hidden;
    const Tensor& values = job.by_maximum ? difference->max : difference->mean;
    const std::int64_t down = values.shape()[1], across = values.shape()[2];
    const std::int64_t cell = y * layer.layer->rows() / high / difference->rows_per_cell,
                       column = x * layer.layer->keys() / wide / difference->keys_per_cell;
    const std::int64_t last = std::min(layer.layer->rows(), (cell + 1) * difference->rows_per_cell) - 1;
    const float value = values.data()[(head * down + cell) * across + column];
    if (column * difference->keys_per_cell >= layer.layer->end_of(last) || std::isnan(value))
      return job.hidden;
    return colour_at(job.changes, 0.5f + value / 2, job.nan);
  };
  for (int y = std::max(0, -top); y < high && top + y < image.height; ++y)
    for (int x = std::max(0, -left); x < wide && left + x < image.width; ++x)
      image.at(left + x, top + y) = colour(x, y);
}

}  // namespace

const ShownWatchLayer* WatchPainter::layer_of(const ModelHead& head) const {
  const auto all = head.of == AttentionOf::Encoder ? encoder
                   : head.of == AttentionOf::Cross ? cross
                                                   : decoder;
  return head.block < std::ssize(all) ? all[static_cast<std::size_t>(head.block)] : nullptr;
}

Image WatchPainter::paint() const {
  Image image(static_cast<int>(plan.window.w), static_cast<int>(plan.window.h));
  std::fill(image.pixels.begin(), image.pixels.end(), ground);
  std::optional<HeldDifferences> differences;
  if (held != nullptr) differences.emplace(*held);
  for (const GridPlan::Cell& cell : plan.cells) {
    if (cell.box.bottom() < plan.window.y || cell.box.y > plan.window.bottom()) continue;
    const ShownWatchLayer* const layer = layer_of(cell.head);
    if (layer == nullptr || cell.head.head >= layer->layer->heads) continue;
    if (differences)
      paint_difference(*this, *layer, cell.head.head, differences->of(*layer), cell.box, image);
    else
      WatchHeadPainter(*this, *layer, cell.head.head).paint(image, cell.box, plan.window);
  }
  return image;
}

}  // namespace attnscope
