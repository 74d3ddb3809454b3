#include "core/blocks/norm_rows.hpp"

#include "core/base/row_blocks.hpp"
#include "core/streaming/border/row_kernels.hpp"

namespace attnscope {

void normalise_rows(const Work& work, const NormSettings& settings, const NormParameters<float>& parameters,
                    const ConstFloatRows& x, const FloatRows& y) {
  const streaming::RowKernels& kernels = streaming::row_kernels();
  const auto data = [](std::span<const float> of) { return of.empty() ? nullptr : of.data(); };
  for_row_blocks(work, 1, 1, x.rows, static_cast<double>(x.width) / 2, [&](const RowBlock& at) {
    streaming::NormJob job{};
    job.x = {x.row(at.first), x.stride};
    job.rows = static_cast<int>(at.count);
    job.width = static_cast<int>(x.width);
    job.centred = is_centred(settings.kind);
    job.epsilon = settings.epsilon;
    job.weight = data(parameters.weight);
    job.added_to_weight = adds_one(settings.kind) ? 1 : 0;
    job.bias = data(parameters.bias);
    job.out = y.row(at.first);
    job.out_stride = y.stride;
    kernels.normalise(job);
  });
}

}  // namespace attnscope
