// What a person at the window waits for: that it opens, an update of what is shown, stages of short
// documents, numbers on their way to the card and back.
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/engine/pipeline.hpp"
#include "gpu/card_backend.hpp"
#include "gpu/cuda/on_card_watch.hpp"

namespace attnscope::on_card {

void opening(Card& card) {
  Clock::time_point begin = Clock::now();
  const auto device = card.open();
  card.report("opening: context and memory wall", milliseconds_since(begin), "ms");
  const Numbers numbers(1, 64, 64);
  gpu::CardCopies copies(*device);
  gpu::CardSweeps sweeps(*device, copies);
  for (const char* which : {"first", "second"}) {
    begin = Clock::now();
    sweeps.sweep(numbers.problem, {}, {}, nullptr);
    card.report(fmt::format("opening: {} sweep wall", which), milliseconds_since(begin), "ms");
  }
}

namespace {

/// An update with everything the window shows, in `type`; "" = as the program chooses.
void time_update(Card& card, std::int64_t n, bool causal, const std::string& type) {
  const std::string name =
      fmt::format("update {}n={} {}", type.empty() ? "" : type + " ", n, causal ? "causal" : "full");
  if (card.skips(name)) return;
  gpu::CardSettings settings;
  if (!type.empty()) settings.bfloat_from = type == "bf16" ? 0 : -1;
  Stopwatch watch(card, settings);
  Numbers numbers(card.emulated ? 2 : 12, n, 64);
  numbers.problem.causal = causal;
  SweepRequest request;
  request.picture = view_cells(n);
  request.received = request.strongest = true;
  const Passes made = watch.time(numbers.problem, request, false);
  card.report(name, made.card, "ms");
  card.report(name + " wall", made.all, "ms");
  card.report(name + " everything read wall", made.all_read, "ms");
  card.report(name + " crossed", made.crossed, "MB");
  card.report(name + " everything read crossed", made.crossed_read, "MB");
}

}  // namespace

void window(Card& card) {
  if (card.emulated) {
    time_update(card, 100, false, "");
    return time_update(card, 70, true, "bf16");
  }
  for (const std::int64_t n : {1024, 16384}) time_update(card, n, false, "");
  for (const std::int64_t n : {4096, 16384})
    for (const char* type : {"fp32", "bf16"}) time_update(card, n, false, type);
  for (const std::int64_t n : {256, 512, 2048, 4096}) time_update(card, n, false, "");
  for (const std::int64_t n : {512, 1024, 4096, 16384}) time_update(card, n, true, "");
}

void staged(Card& card) {
  for (const std::int64_t n :
       card.emulated ? std::vector<std::int64_t>{48} : std::vector<std::int64_t>{512, 1024})
    for (const bool split : {false, true}) {
      const std::string name = fmt::format("staged n={}{}", n, split ? " split" : "");
      if (card.skips(name)) continue;
      gpu::CardSettings settings;
      if (split) settings.split_from = 0;  // SplitProductKernel
      auto opened = card.open();
      TimedDevice& device = *opened;
      Pipeline pipeline(gpu::make_card_backend(std::move(opened), settings));
      samples::Random random(static_cast<std::uint64_t>(n));
      const int heads = card.emulated ? 2 : 12;
      Document document = samples::text_document(random, {n}, heads, 64 * heads);
      device.times = true;
      std::vector<double> passes, wall;
      run_often(card, [&](bool counts) {
        document.layer().masking.causal = !document.layer().masking.causal;
        device.clear_times();
        const Clock::time_point begin = Clock::now();
        const ResultPtr result = pipeline.run(document);
        result->layer().trace[Stage::Softmax]->matrix(0, 0);  // the head that is looked at
        if (!counts) return;
        wall.push_back(milliseconds_since(begin));
        double all = 0;
        for (const double pass : device.milliseconds) all += pass;
        passes.push_back(all);
      });
      card.report(name + " mask switched, kernels", median(passes), "ms");
      card.report(name + " mask switched wall", median(wall), "ms");
      const Clock::time_point begin = Clock::now();
      device.clear_times();
      document.layer().weights[Parameter::WQuery] =
          random.tensor(document.layer().weights[Parameter::WQuery]->shape(), 0.1);
      pipeline.run(document);
      double all = 0;
      for (const double pass : device.milliseconds) all += pass;
      card.report(name + " from the projections on, kernels", all, "ms");
      card.report(name + " from the projections on wall", milliseconds_since(begin), "ms");
    }
}

void uploads(Card& card) {
  const auto device = card.open();
  const std::size_t bytes = std::size_t{card.emulated ? 1u : 256u} << 20, row = 256;
  std::vector<char> host(bytes, 1);
  const gpu::DeviceArray<char> there(*device, bytes);
  const auto rate = [&](const std::string& name, auto&& copy) {
    if (card.skips(name)) return;
    const Repeated times = repeat(card, *device, copy);
    card.report(name, static_cast<double>(bytes) / times.card / 1e6, "GB/s");
    card.report(name + " wall", static_cast<double>(bytes) / times.wall / 1e6, "GB/s");
  };
  rate("upload, one run",
       [&] { device->upload(there.data(), host.data(), bytes, bytes, 1), device->wait(); });
  rate("upload, rows of 256 bytes", [&] {
    device->upload(there.data(), host.data(), row, 2 * row, bytes / row / 2);
    device->upload(there.data() + bytes / 2, host.data() + row, row, 2 * row, bytes / row / 2 - 1);
    device->wait();
  });
  rate("download", [&] { device->download(host.data(), there.data(), bytes); });
}

void trivial(Card& card) {
  const auto device = card.open();
  std::vector<char> host(1000, 7), back(1000);
  const gpu::DeviceArray<char> there(*device, host.size());
  device->upload(there.data(), host.data(), host.size(), host.size(), 1);
  device->download(back.data(), there.data(), back.size());
  card.check("trivial", back == host ? "" : "a copy there and back is another");
}

}  // namespace attnscope::on_card
