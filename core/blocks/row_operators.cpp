#include "core/blocks/row_operators.hpp"

#include <algorithm>

#include "core/blocks/activation.hpp"
#include "core/blocks/norm_rows.hpp"

namespace attnscope {

FloatRows CpuRows::make(RowBuffer purpose, std::int64_t rows, std::int64_t width) {
  return rooms_[static_cast<std::size_t>(purpose)].make(rows, width);
}

void CpuRows::bring(const Work& work, const ConstFloatRows& here, const FloatRows& there) {
  copy(work, here, there);
}

void CpuRows::fetch(const Work& work, const ConstFloatRows& there, const FloatRows& here) {
  copy(work, there, here);
}

void CpuRows::copy(const Work&, const ConstFloatRows& from, const FloatRows& to) {
  for (std::int64_t i = 0; i < to.rows; ++i) std::copy_n(from.row(i), to.width, to.row(i));
}

void CpuRows::clear(const Work&, const FloatRows& x) {
  for (std::int64_t i = 0; i < x.rows; ++i) std::fill_n(x.row(i), x.width, 0.0f);
}

void CpuRows::add(const Work& work, const ConstFloatRows& more, const FloatRows& x) {
  work.for_each(x.rows, static_cast<double>(x.width) / 8, [&](std::int64_t i) {
    Eigen::Map<Eigen::ArrayXf>(x.row(i), x.width) += Eigen::Map<const Eigen::ArrayXf>(more.row(i), x.width);
  });
}

void CpuRows::norm(const Work& work, const NormSettings& settings, const NormParameters<float>& parameters,
                   const ConstFloatRows& x, const FloatRows& y) {
  normalise_rows(work, settings, parameters, x, y);
}

void CpuRows::norm_heads(const Work& work, const NormSettings& settings,
                         const NormParameters<float>& parameters, const HeadsInRows& heads, std::int64_t d) {
  Tensor head(Shape{heads.rows * heads.heads, d});
  const auto each = [&](auto&& fn) {
    for (std::int64_t row = 0; row < heads.rows; ++row)
      for (std::int64_t h = 0; h < heads.heads; ++h)
        fn(heads.data + row * heads.row_stride + h * heads.head_stride,
           head.data() + (row * heads.heads + h) * d);
  };
  each([&](const float* in_place, float* copy) { std::copy_n(in_place, d, copy); });
  const FloatRows all{head.data(), head.shape()[0], d, d};
  normalise_rows(work, settings, parameters, all, all);
  each([&](float* in_place, const float* copy) { std::copy_n(copy, d, in_place); });
}

void CpuRows::multiply(const Work& work, const ConstFloatRows& x, const LinearMap& map, const FloatRows& y) {
  attnscope::multiply(work, x, map, y);
}

// The padding between the rows passes through the activation, too.
void CpuRows::activate(const Work& work, Activation activation, const FloatRows& x) {
  activate_all(work, activation, MatrixMap<float>(x.data, x.rows, x.stride));
}

void CpuRows::gate(const Work& work, Activation activation, const FloatRows& gate, const ConstFloatRows& up) {
  gate_all(work, activation, MatrixMap<float>(gate.data, gate.rows, gate.stride),
           ConstMatrixMap<float>(up.data, up.rows, up.stride));
}

void CpuRows::rotate(const Work& work, Positions kind, const RopeFrequencies& frequencies,
                     std::span<const std::int64_t> positions, const HeadsInRows& in) {
  rotate_in_place(work, kind, frequencies, positions, in);
}

void CpuRows::sweep(const Work& work, Sweep& result, const AttentionProblem& problem,
                    const SweepRequest& request) {
  sweep_into(result, problem, request, work);
}

void CpuRows::concat_heads(const Work&, Tensor& heads, const FloatRows& to) {
  const std::int64_t d = heads.shape()[2];
  for (std::int64_t h = 0; h < heads.shape()[0]; ++h)
    for (std::int64_t row = 0; row < to.rows; ++row)
      std::copy_n(heads.data() + (h * to.rows + row) * d, d, to.row(row) + h * d);
}

}  // namespace attnscope
