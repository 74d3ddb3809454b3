// gpu/kernels: which kernel a pass is launched with. The graphics card and the emulator both go through here.
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>

#include "gpu/kernels/cell_pass.hpp"
#include "gpu/kernels/column_pass.hpp"
#include "gpu/kernels/float_units.hpp"
#include "gpu/kernels/group_pass.hpp"
#include "gpu/kernels/key_units.hpp"
#include "gpu/kernels/matrix_units.hpp"
#include "gpu/kernels/measure_passes.hpp"
#include "gpu/kernels/model_passes.hpp"
#include "gpu/kernels/row_pass.hpp"
#include "gpu/kernels/small_passes.hpp"
#include "gpu/kernels/stage_passes.hpp"
#include "gpu/kernels/wide_units.hpp"

namespace attnscope::gpu {

using AnyPass = std::variant<RowPass, ColumnPass, CellPass, PreparePass, RowEndPass, GatherPass, FoldPass,
                             JoinPass, ProductPass, ElementPass, MaskPass, SoftmaxPass, ConcatPass,
                             RotatePass, MeasurePass, ReceivedPass, OverviewPass, NormPass, SumPass,
                             ActivationPass, TurnPass, SplitPass, JoinProductPass, DistancePass>;

/// What the large passes multiply with: d is 32, 64, 96 or 128. The small ones take no notice.
struct Units {
  Arithmetic arithmetic = Arithmetic::Float;
  int d = 64;
  /// Pass 1 by products of warpgroups: bfloat16, d of 64 or 128, nothing changes scores; keys and values lie
  /// in tiles.
  bool groups = false;
};

/// Whether the kernel consists of instructions that compute capability 9.0 alone has.
template <class Kernel, class = void>
struct NeedsGroups : std::false_type {};
template <class Kernel>
struct NeedsGroups<Kernel, std::enable_if_t<Kernel::needs_groups>> : std::true_type {};

/// d_k and d_v padded; 0 when they are too wide.
inline int padded_width(std::int64_t d_k, std::int64_t d_v) {
  const std::int64_t widest = larger_of(d_k, d_v);
  return widest > 128 ? 0 : static_cast<int>((widest + 31) / 32 * 32);
}

namespace table {

template <template <int> class OfWidth, class F>
void with_width(int d, F&& f) {
  switch (d) {
    case 32: return f(OfWidth<32>{});
    case 64: return f(OfWidth<64>{});
    case 96: return f(OfWidth<96>{});
    default: return f(OfWidth<128>{});
  }
}
/// Those of pass 2.
template <class F>
void with_units(Units units, F&& f) {
  if (units.arithmetic == Arithmetic::Bfloat)
    with_width<KeyUnits>(units.d, f);
  else
    with_width<FloatUnits>(units.d, f);
}

/// Those of pass 1.
template <class F>
void with_row_units(Units units, F&& f) {
  if (units.arithmetic == Arithmetic::Bfloat)
    with_width<WideUnits>(units.d, f);
  else
    with_width<FloatUnits>(units.d, f);
}

template <int D, class F>
void with_group_kernel(const RowPass& pass, F&& f) {
  if (pass.output != nullptr)
    f(GroupKernel<D, true>{});
  else
    f(GroupKernel<D, false>{});
}

template <class F>
void with_kernel(const RowPass& pass, Units units, F&& f) {
  if (units.groups) return units.d == 64 ? with_group_kernel<64>(pass, f) : with_group_kernel<128>(pass, f);
  with_row_units(units, [&](auto of) {
    using Of = decltype(of);
    if (changes_scores(pass.in.rule))
      f(RowKernel<Of, false>{});
    else if (pass.entropy || !Of::needs_matrix_units)
      f(RowKernel<Of, true>{});
    else
      f(RowKernel<Of, true, !Of::needs_matrix_units>{});  // to measure what entropies cost
  });
}
template <class F>
void with_kernel(const ColumnPass& pass, Units units, F&& f) {
  with_units(units, [&](auto of) {
    if (changes_scores(pass.in.rule))
      f(ColumnKernel<decltype(of), false>{});
    else
      f(ColumnKernel<decltype(of), true>{});
  });
}
/// Exact numbers are what it is for.
template <class F>
void with_kernel(const CellPass&, Units units, F&& f) {
  with_width<FloatUnits>(units.d, [&](auto of) { f(CellKernel<decltype(of)>{}); });
}
template <class F>
void with_kernel(const PreparePass&, Units, F&& f) {
  f(EachKernel<PrepareEach>{});
}
template <class F>
void with_kernel(const RowEndPass&, Units, F&& f) {
  f(EachKernel<RowEndEach>{});
}
template <class F>
void with_kernel(const GatherPass&, Units, F&& f) {
  f(EachKernel<GatherEach>{});
}
template <class F>
void with_kernel(const FoldPass&, Units, F&& f) {
  f(EachKernel<FoldEach>{});
}
template <class F>
void with_kernel(const JoinPass&, Units, F&& f) {
  f(EachKernel<JoinEach>{});
}

template <class F>
void with_kernel(const ProductPass& pass, Units, F&& f) {
  if (pass.split)
    f(SplitProductKernel{});
  else
    f(ProductKernel{});
}
template <class F>
void with_kernel(const ElementPass&, Units, F&& f) {
  f(EachKernel<ElementEach>{});
}
template <class F>
void with_kernel(const MaskPass&, Units, F&& f) {
  f(EachKernel<MaskEach>{});
}
template <class F>
void with_kernel(const ConcatPass&, Units, F&& f) {
  f(EachKernel<ConcatEach>{});
}
template <class F>
void with_kernel(const RotatePass&, Units, F&& f) {
  f(EachKernel<RotateEach>{});
}
template <class F>
void with_kernel(const MeasurePass&, Units, F&& f) {
  f(MeasureKernel{});
}
template <class F>
void with_kernel(const OverviewPass&, Units, F&& f) {
  f(EachKernel<OverviewEach>{});
}
template <class F>
void with_kernel(const ReceivedPass&, Units, F&& f) {
  f(EachKernel<ReceivedEach>{});
}
template <class F>
void with_kernel(const SoftmaxPass&, Units, F&& f) {
  f(SoftmaxKernel{});
}
template <class F>
void with_kernel(const DistancePass&, Units, F&& f) {
  f(EachKernel<DistanceEach>{});
}
template <class F>
void with_kernel(const NormPass&, Units, F&& f) {
  f(RowsKernel<NormRow>{});
}
template <class F>
void with_kernel(const SplitPass&, Units, F&& f) {
  f(RowsKernel<SplitRow>{});
}
template <class F>
void with_kernel(const SumPass&, Units, F&& f) {
  f(EachKernel<SumEach>{});
}
template <class F>
void with_kernel(const ActivationPass&, Units, F&& f) {
  f(EachKernel<ActivationEach>{});
}
template <class F>
void with_kernel(const TurnPass&, Units, F&& f) {
  f(EachKernel<TurnEach>{});
}
template <class F>
void with_kernel(const JoinProductPass&, Units, F&& f) {
  f(EachKernel<JoinProductEach>{});
}

}  // namespace table

/// Rows of an item of pass 1.
inline int row_block_of(const RowPass& pass, Units units) {
  int rows = 0;
  table::with_kernel(pass, units, [&](auto kernel) { rows = kernel.row_block; });
  return rows;
}

/// Keys of an item of pass 2.
inline int key_block_of(const ColumnPass& pass, Units units) {
  int keys = 0;
  table::with_kernel(pass, units, [&](auto kernel) { keys = kernel.key_block; });
  return keys;
}

/// Calls f(kernel, pass) with the type that `any` holds.
template <class F>
void with_kernel(const AnyPass& any, Units units, F&& f) {
  std::visit(
      [&](const auto& pass) { table::with_kernel(pass, units, [&](auto kernel) { f(kernel, pass); }); }, any);
}

}  // namespace attnscope::gpu
