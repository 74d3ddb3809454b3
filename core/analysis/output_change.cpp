#include "core/analysis/output_change.hpp"

#include "core/attention/blocks.hpp"
#include "core/attention/dropout.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/product.hpp"
#include "core/document/precision.hpp"

namespace attnscope {

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of the output, and the change of them by intervention.
class ChangedOutput {
 public:
  ChangedOutput(const Document& document, const Trace& trace)
      : document_(document),
        trace_(trace),
        size_(check(document)),
        own_(*trace[own_weights_stage(document)]),
        w_output_(has_output_weights(document)
                      ? stored(document.precision, document.layer().weights[Parameter::WOutput])
                      : nullptr) {}

  const Dimensions& size() const { return size_; }

  /// [rows][d_model] of the output, or [rows][heads · d_v] of the heads side by side.
  Rows output(const RowBlock& at) const {
    const Tensor& output = *trace_[w_output_ ? Stage::Output : Stage::Concat];
    return output.matrix(at.b).middleRows(at.first, at.count).cast<double>();
  }

  /// The same rows with intervention minus without: Σ (used - own)·V·W_O over the intervened heads.
  Rows change(const RowBlock& at) const {
    Rows change = Rows::Zero(at.count, size_.d_model);
    for (std::int64_t h = 0; h < size_.heads; ++h) {
      if (!has_intervention(document_, h)) continue;
      const Rows used = trace_[Stage::Drop]->matrix(at.b, h).middleRows(at.first, at.count).cast<double>();
      const Rows value = trace_[Stage::Value]->matrix(at.b, h * size_.kv_heads / size_.heads).cast<double>();
      const Rows moved = used - own_weights(at, h);
      Rows mixed(at.count, size_.d_v);
      multiply<double>(moved, value, mixed);
      if (!w_output_) {
        change.middleCols(h * size_.d_v, size_.d_v) = mixed;
        continue;
      }
      const Rows block = w_output_->matrix().middleRows(h * size_.d_v, size_.d_v).cast<double>();
      Rows added(at.count, size_.d_model);
      multiply<double>(mixed, block, added);
      change += added;
    }
    return change;
  }

 private:
  /// The head's own weights after dropout.
  Rows own_weights(const RowBlock& at, std::int64_t h) const {
    Rows own = own_.matrix(at.b, h).middleRows(at.first, at.count).cast<double>();
    const Dropout& dropout = document_.layer().dropout;
    if (dropout.rate == 0) return own;
    const std::int64_t start = ((at.b * size_.heads + h) * size_.queries + at.first) * size_.keys;
    const double grown = 1 / (1 - static_cast<double>(dropout.rate));
    for (std::int64_t i = 0; i < own.size(); ++i)
      own.data()[i] = keeps(dropout, start + i) ? own.data()[i] * grown : 0;
    return own;
  }

  const Document& document_;
  const Trace& trace_;
  Dimensions size_;
  const Tensor& own_;
  TensorPtr w_output_;  // null where given Q, K and V have no W_O
};

}  // namespace

std::vector<OutputChange> output_change(const Work& work, const Document& document, const Trace& trace) {
  const ChangedOutput output(document, trace);
  const Dimensions& size = output.size();
  std::vector<OutputChange> rows(static_cast<std::size_t>(size.batch * size.queries));
  const double row_ns = product_ns(size.heads, size.d_v, size.keys + size.d_model);
  for_row_blocks(work, size.batch, 1, size.queries, row_ns, [&](const RowBlock& at) {
    const Rows change = output.change(at), without = output.output(at) - change;
    for (std::int64_t i = 0; i < at.count; ++i)
      rows[static_cast<std::size_t>(at.b * size.queries + at.first + i)] = {change.row(i).norm(),
                                                                            without.row(i).norm()};
  });
  return rows;
}

}  // namespace attnscope
