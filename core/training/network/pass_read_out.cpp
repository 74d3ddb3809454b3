// The read-outs of a Pass: logits, loss and where the way back begins.
#include <algorithm>
#include <cstddef>

#include "core/training/kernels/kernels.hpp"
#include "core/training/network/pass.hpp"

namespace attnscope::training {
namespace {

/// The map of a read-out as the product wants it, forward [d][classes] and backward [classes][d]. A tied one
/// is stored the other way round.
template <class T>
struct ReadOutMaps {
  const T *forward, *backward;
};
template <class T>
ReadOutMaps<T> maps_of(WeightsOf<T> weights, const MapAt& map, bool tied) {
  const T *const stored = weights.values + map.weight, *const turned = weights.transposed + map.weight;
  return tied ? ReadOutMaps<T>{turned, stored} : ReadOutMaps<T>{stored, turned};
}

}  // namespace

template <class T>
double Pass<T>::read_out(std::size_t number, WeightsOf<T> weights, const Targets& targets, T* gradient) {
  const int count = static_cast<int>(targets.rows.size());
  if (count == 0) return 0;
  const NetworkSpec& spec = network_.spec;
  const MapAt& map = network_.layout.read_outs[number];
  const bool tied = spec.read_outs[number].tied, every = count == rows_;
  const ReadOutMaps<T> maps = maps_of(weights, map, tied);
  const int d = spec.width, classes = map.d_out;
  const std::int64_t row = padded(classes);
  const T* const last = spec.is_pre_norm() ? last_.data() : out_.data();
  const auto row_at = [&](int i) { return std::int64_t{targets.rows[static_cast<std::size_t>(i)]} * d; };
  if (!every)
    for (int i = 0; i < count; ++i) std::copy_n(last + row_at(i), d, gathered_.data() + std::int64_t{i} * d);
  const T* const x = every ? last : gathered_.data();
  T* const logits = logits_.data();
  kernels_.multiply({x, d, 1, maps.forward, classes, logits, row, count, classes, d,
                     map.bias < 0 ? nullptr : weights.values + map.bias});
  const double loss = kernels_.cross_entropy(logits, row, count, classes, targets.classes.data(),
                                             static_cast<T>(targets.weight));
  T* const d_w = gradient + map.weight;
  if (tied)
    kernels_.multiply({logits, 1, row, x, d, d_w, d, classes, d, count, nullptr, d_w, d});
  else
    kernels_.multiply({x, 1, d, logits, row, d_w, classes, d, classes, count, nullptr, d_w, classes});
  if (map.bias >= 0) kernels_.add_columns(logits, row, count, classes, gradient + map.bias);
  if (every) {
    kernels_.multiply(
        {logits, row, 1, maps.backward, d, d_.data(), d, count, d, classes, nullptr, d_.data(), d});
  } else {
    kernels_.multiply({logits, row, 1, maps.backward, d, d_gathered_.data(), d, count, d, classes});
    for (int i = 0; i < count; ++i)
      kernels_.add(d_.data() + row_at(i), d_gathered_.data() + std::int64_t{i} * d, d);
  }
  return loss * targets.weight;
}

template <class T>
void Pass<T>::logits(std::size_t read_out, WeightsOf<T> weights, std::span<const std::int32_t> rows, T* out) {
  const NetworkSpec& spec = network_.spec;
  const MapAt& map = network_.layout.read_outs[read_out];
  const ReadOutMaps<T> maps = maps_of(weights, map, spec.read_outs[read_out].tied);
  const T* const last = spec.is_pre_norm() ? last_.data() : out_.data();
  const int d = spec.width, count = static_cast<int>(rows.size());
  for (int i = 0; i < count; ++i)
    std::copy_n(last + std::int64_t{rows[static_cast<std::size_t>(i)]} * d, d,
                gathered_.data() + std::int64_t{i} * d);
  kernels_.multiply({gathered_.data(), d, 1, maps.forward, map.d_out, out, map.d_out, count, map.d_out, d,
                     map.bias < 0 ? nullptr : weights.values + map.bias});
}

template double Pass<float>::read_out(std::size_t, WeightsOf<float>, const Targets&, float*);
template double Pass<double>::read_out(std::size_t, WeightsOf<double>, const Targets&, double*);
template void Pass<float>::logits(std::size_t, WeightsOf<float>, std::span<const std::int32_t>, float*);
template void Pass<double>::logits(std::size_t, WeightsOf<double>, std::span<const std::int32_t>, double*);

}  // namespace attnscope::training
