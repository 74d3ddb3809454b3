#include "core/attention/intervention.hpp"

#include <algorithm>
#include <utility>

#include "core/attention/blocks.hpp"

namespace attnscope {

std::int64_t named_key(Intervention::Kind kind, std::int64_t position) {
  switch (kind) {
    case Intervention::Kind::PreviousToken: return position - 1;
    case Intervention::Kind::Identity: return position;
    case Intervention::Kind::FirstToken: return 0;
    default: return -1;
  }
}

namespace {

/// The mean of the rows of a head, [keys].
template <class T>
std::vector<T> mean_row(const ConstMatrixMap<T>& weights) {
  std::vector<T> mean(static_cast<std::size_t>(weights.cols()));
  for (Eigen::Index j = 0; j < weights.cols(); ++j)
    mean[static_cast<std::size_t>(j)] =
        static_cast<T>(weights.col(j).template cast<double>().sum() / static_cast<double>(weights.rows()));
  return mean;
}

}  // namespace

template <class T>
TensorOf<T> operate(const Work& work, const TensorOf<T>& weights, const TensorPtrOf<T>& additive,
                    const std::vector<Intervention>& intervention, const MaskRule& rule) {
  const Shape& shape = weights.shape();
  const std::int64_t keys = shape[3];
  TensorOf<T> result(shape);
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      if (intervention[static_cast<std::size_t>(h)].kind != Intervention::Kind::Mean) continue;
      const std::vector<T> mean = mean_row<T>(weights.matrix(b, h));
      for (std::int64_t i = 0; i < shape[2]; ++i) std::ranges::copy(mean, result.matrix(b, h).row(i).data());
    }
  for_row_blocks(work, shape[0], shape[1], shape[2], static_cast<double>(keys), [&](const RowBlock& at) {
    const Intervention& head = intervention[static_cast<std::size_t>(at.h)];
    auto rows = result.matrix(at.b, at.h).middleRows(at.first, at.count);
    if (head.kind == Intervention::Kind::None) {
      rows = weights.matrix(at.b, at.h).middleRows(at.first, at.count);
    } else if (head.kind == Intervention::Kind::Frozen) {
      rows = head.frozen->matrix(at.b).middleRows(at.first, at.count).template cast<T>();
    } else if (head.kind != Intervention::Kind::Mute && head.kind != Intervention::Kind::Mean) {
      std::vector<std::uint8_t> seen(static_cast<std::size_t>(keys));
      for (std::int64_t i = at.first; i < at.first + at.count; ++i) {
        rule.see<T>(at.b, at.h, i, MaskRule::additive_row<T>(additive, at.b, at.h, i), seen);
        const std::span<T> row(result.matrix(at.b, at.h).row(i).data(), seen.size());
        fill_replaced_row<T>(
            named_key(head.kind, rule.position(at.b, i)), rule.token_keys(),
            [&](std::size_t key) { return seen[key] != 0; }, row);
      }
    }
  });
  return result;
}

template <class T>
void operate_backward(const std::vector<Intervention>& intervention, TensorOf<T>& gradient) {
  const Shape& shape = gradient.shape();
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      const Intervention::Kind kind = intervention[static_cast<std::size_t>(h)].kind;
      auto head = gradient.matrix(b, h);
      if (!lets_pass(kind)) head.setZero();
      if (kind != Intervention::Kind::Mean) continue;
      const std::vector<T> mean = mean_row<T>(std::as_const(gradient).matrix(b, h));
      for (std::int64_t i = 0; i < shape[2]; ++i) std::ranges::copy(mean, head.row(i).data());
    }
}

template TensorOf<float> operate(const Work&, const TensorOf<float>&, const TensorPtr&,
                                 const std::vector<Intervention>&, const MaskRule&);
template TensorOf<double> operate(const Work&, const TensorOf<double>&, const TensorPtrOf<double>&,
                                  const std::vector<Intervention>&, const MaskRule&);

template void operate_backward(const std::vector<Intervention>&, TensorOf<float>&);
template void operate_backward(const std::vector<Intervention>&, TensorOf<double>&);

}  // namespace attnscope
