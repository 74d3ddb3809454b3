// Runs on a machine with a card what the tests run on the emulated one, and measures it: see tests/bench/gpu.
// on_card [--emulated] SECTION …   parity far determinism abort memory times
#include "gpu/cuda/on_card.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/error.hpp"
#include "core/samples.hpp"
#if defined(ATTNSCOPE_HAS_CUDA)
#include "gpu/cuda_device.hpp"
#endif
#include "gpu/emulated_device.hpp"

namespace attnscope::on_card {

void Card::report(const std::string& name, double value, const std::string& unit) {
  std::printf("%s\t%.6g\t%s\n", name.c_str(), value, unit.c_str());
  std::fflush(stdout);
}

void Card::check(const std::string& name, const std::string& what) {
  if (what.empty()) return;
  ++failures;
  std::printf("FAILED\t%s\t%s\n", name.c_str(), what.c_str());
  std::fflush(stdout);
}

Numbers::Numbers(std::int64_t heads, std::int64_t n, std::int64_t d) {
  samples::Random random(static_cast<std::uint64_t>(n * 1000 + d));
  for (std::vector<float>* values : {&q, &k, &v})
    for (std::int64_t i = 0; i < n * d; ++i) values->push_back(static_cast<float>(random.normal()));
  // Whoever owns the numbers lives as long as they do: the card keeps its copy from sweep to sweep.
  const auto owner = std::make_shared<int>(0);
  problem.heads = problem.kv_heads = heads;
  problem.queries = problem.keys = n;
  problem.d_k = problem.d_v = d;
  problem.query = {q.data(), 0, d, owner};
  problem.key = {k.data(), 0, d, owner};
  problem.value = {v.data(), 0, d, owner};
  problem.scale = 1 / std::sqrt(static_cast<double>(d));
}

namespace {

std::unique_ptr<TimedDevice> open_emulated() {
  return std::make_unique<TimedDevice>(
      std::make_unique<emulator::EmulatedDevice>(emulator::Schedule::Adversarial));
}

std::unique_ptr<TimedDevice> open_real() {
#if defined(ATTNSCOPE_HAS_CUDA)
  std::string why_not;
  auto device = gpu::open_cuda_device(why_not);
  if (!device) throw Error(why_not);
  return std::make_unique<TimedDevice>(std::move(device));
#else
  throw Error("This build has no CUDA kernels; --emulated proves the program.");
#endif
}

}  // namespace

}  // namespace attnscope::on_card

int main(int argc, char** argv) {
  using namespace attnscope::on_card;
  constexpr struct {
    const char* name;
    void (*run)(Card&);
  } sections[] = {
      {"parity", parity},    {"sanitized", sanitized}, {"far", far_rows}, {"determinism", determinism},
      {"abort", abort_time}, {"memory", memory},       {"times", times}};
  Card card;
  card.open = open_real;
  try {
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--emulated") == 0) {
        card.open = open_emulated;
        card.emulated = true;
        continue;
      }
      bool found = false;
      for (const auto& section : sections) {
        if (std::strcmp(argv[i], section.name) != 0) continue;
        const auto begin = Clock::now();
        section.run(card);
        card.report(std::string("seconds of ") + section.name, milliseconds_since(begin) / 1000, "s");
        found = true;
      }
      if (!found) throw attnscope::Error(std::string("There is no section ") + argv[i] + ".");
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "on_card: %s\n", e.what());
    return 2;
  }
  return card.failures == 0 ? 0 : 1;
}
