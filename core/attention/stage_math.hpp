// core/attention: the interface to the expensive stages. By default it calls the functions of this folder on
// the CPU's threads; the GPU backend overrides them. Only run_stage.cpp decides which settings lead to which
// call.
#pragma once

#include <cstdint>

#include "core/attention/positions.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/document/mask.hpp"

namespace attnscope {

/// See projections.hpp, core/base/dense.hpp (output), positions.hpp, scores.hpp, softmax.hpp and mix.hpp for
/// what each computes; tensors may be null only where noted.
template <class T>
class StageMath {
 public:
  using Ptr = TensorPtrOf<T>;
  explicit StageMath(const Work& work) : work_(work) {}
  virtual ~StageMath() = default;

  const Work& work() const { return work_; }
  /// `bias` may be null.
  virtual Ptr project(const Ptr& x, const Ptr& w, const Ptr& bias, std::int64_t heads,
                      std::int64_t first) const;
  virtual Ptr score(const Ptr& query, const Ptr& key) const;
  virtual Ptr scale(const Ptr& scores, double factor) const;
  virtual Ptr cap(const Ptr& scaled, T c) const;
  /// `bias` and `additive` may be null.
  virtual Ptr mask(const Ptr& capped, const Ptr& bias, const Ptr& additive, const MaskRule& rule) const;
  virtual Ptr softmax(SoftmaxKind kind, const Ptr& masked, T temperature) const;
  virtual Ptr mix(const Ptr& weights, const Ptr& value) const;
  virtual Ptr concat(const Ptr& mixed) const;
  virtual Ptr rotate(const Ptr& x, const Rotation<T>& rotation) const;
  virtual Ptr spread_distances(const Ptr& values, std::int64_t queries, std::int64_t keys) const;
  /// `bias` may be null.
  virtual Ptr output(const Ptr& concatenated, const Ptr& w, const Ptr& bias) const;

 private:
  const Work& work_;
};

}  // namespace attnscope
