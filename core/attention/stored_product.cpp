#include "core/attention/stored_product.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/attention/blocks.hpp"
#include "core/base/error.hpp"
#include "core/base/product.hpp"

namespace attnscope {
namespace {

// Columns of the result per panel: enough that widening costs little beside the product, and a multiple of
// the product's own block size, so that cutting changes no bit.
constexpr std::int64_t panel_columns = 64;
// Rows of x that share a widened panel.
constexpr std::int64_t rows_per_panel = 4 * rows_per_block;

using StoredRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Columns [first, first + count) of the result and their weights.
struct Panel {
  std::int64_t first, count;
  StoredRows weights;  // in the layout of W
};

Panel widened_panel(const StoredTensor& w, WeightLayout layout, std::int64_t first, std::int64_t count) {
  Panel panel{first, count, {}};
  if (layout == WeightLayout::OutIn) {
    const std::int64_t d_in = w.shape()[1];
    panel.weights.resize(count, d_in);
    w.read(first * d_in, {panel.weights.data(), static_cast<std::size_t>(count * d_in)});
  } else {
    panel.weights.resize(w.shape()[0], count);
    w.read_columns(first, {panel.weights.data(), panel.weights.rows(), panel.weights.cols()});
  }
  return panel;
}

void check_sizes(const Tensor& x, const StoredTensor& w, WeightLayout layout, const Tensor* bias) {
  const bool ranks = x.shape().rank() == 3 && w.shape().rank() == 2;
  const int in = layout == WeightLayout::InOut ? 0 : 1;
  if (!ranks || x.shape()[2] != w.shape()[in] || (bias != nullptr && bias->size() != w.shape()[1 - in]))
    throw Error(fmt::format("x of shape {} cannot be multiplied by weights of shape {}{}.",
                            to_string(x.shape()), to_string(w.shape()),
                            bias != nullptr ? " with a bias of shape " + to_string(bias->shape()) : ""));
}

}  // namespace

Tensor stored_product(const Work& work, const Tensor& x, const StoredTensor& w, WeightLayout layout,
                      const Tensor* bias) {
  check_sizes(x, w, layout, bias);
  const std::int64_t batch = x.shape()[0], rows = x.shape()[1], d_in = x.shape()[2];
  const std::int64_t d_out = w.shape()[layout == WeightLayout::InOut ? 1 : 0];
  Tensor y(Shape{batch, rows, d_out});
  // A single remaining column joins the panel before it: alone it would be computed as a vector, with another
  // order of additions.
  const std::int64_t panels = std::max<std::int64_t>(1, (d_out + panel_columns - 2) / panel_columns);
  const std::int64_t blocks = (rows + rows_per_panel - 1) / rows_per_panel;
  const double block_ns = product_ns(std::min(rows, rows_per_panel), d_in, std::min(d_out, panel_columns));
  work.for_each(batch * panels * blocks, block_ns, [&](std::int64_t i) {
    const std::int64_t b = i / blocks / panels, at = i / blocks % panels, first = at * panel_columns;
    const Panel panel = widened_panel(w, layout, first, at + 1 == panels ? d_out - first : panel_columns);
    const std::int64_t from = i % blocks * rows_per_panel, to = std::min(rows, from + rows_per_panel);
    auto result = y.matrix(b);
    for (std::int64_t row = from; row < to; row += rows_per_block) {
      const std::int64_t count = std::min(rows_per_block, to - row);
      const auto some = x.matrix(b).middleRows(row, count);
      auto block = result.block(row, panel.first, count, panel.count);
      if (layout == WeightLayout::InOut)
        multiply<float>(some, panel.weights, block);
      else
        multiply_transposed<float>(some, panel.weights, block);
      if (bias != nullptr) block.rowwise() += bias->matrix().row(0).segment(panel.first, panel.count);
    }
  });
  return y;
}

}  // namespace attnscope
