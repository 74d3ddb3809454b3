#include "gpu/emulated_sweeps.hpp"

namespace attnscope::emulator {

namespace {

gpu::CardSettings settings_of(const Setup& setup) {
  gpu::CardSettings settings;
  settings.bfloat_from = setup.arithmetic == gpu::Arithmetic::Bfloat ? 0 : -1;
  settings.cells_at_once = setup.cells_at_once;
  settings.groups = setup.groups;
  return settings;
}

std::shared_ptr<EmulatedDevice> device_of(const Setup& setup) {
  auto device = std::make_shared<EmulatedDevice>(setup.schedule, setup.seed, setup.blocks);
  device->never_stale = setup.never_stale;
  if (setup.groups) device->have_groups();
  return device;
}

}  // namespace

Sweep sweep(const AttentionProblem& problem, const SweepRequest& request, const Setup& setup) {
  const auto device = device_of(setup);
  gpu::CardCopies copies(device);
  return gpu::CardSweeps(*device, copies, settings_of(setup)).sweep(problem, request, {}, nullptr);
}

Tensor tile(const AttentionProblem& problem, const TileRequest& request, const Setup& setup) {
  const auto device = device_of(setup);
  gpu::CardCopies copies(device);
  return gpu::CardSweeps(*device, copies, settings_of(setup)).tile(problem, request, {});
}

PooledTile pooled_tile(const AttentionProblem& problem, const TileRequest& request, const PooledCells& cells,
                       const Setup& setup) {
  const auto device = device_of(setup);
  gpu::CardCopies copies(device);
  return gpu::CardSweeps(*device, copies, settings_of(setup)).pooled_tile(problem, request, cells, {});
}

std::unique_ptr<streaming_cases::Case> in_quarters(samples::Random& random,
                                                   const streaming_cases::Sizes& sizes, float offset) {
  auto made = streaming_cases::plain_case(random, sizes);
  const auto fill = [&](std::vector<float>& values, std::int64_t d, float first) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          static_cast<std::int64_t>(i) % d == 0 ? first : static_cast<float>(random.between(-4, 4)) / 4;
  };
  fill(made->q, sizes.d_k, 1);
  fill(made->k, sizes.d_k, offset);
  fill(made->v, sizes.d_v, 1);
  made->problem.scale = 1;
  return made;
}

}  // namespace attnscope::emulator
