// Runs on a machine with a card what the tests run on the emulated one, and measures it: see tests/bench/gpu.
// on_card [--emulated] [--out FOLDER] [--seconds S] SECTION …
// on_card kernels   "CUDA" or "none": whether this build has kernels for cards; exit code 1 where it has none
// on_card probe     the card's name; without one, a sentence and exit code 77
// on_card line FOLDER NAME VALUE UNIT    keeps a line that another program measured
// on_card table FOLDER   what is there so far
#include "gpu/cuda/on_card.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/base/error.hpp"
#include "core/samples.hpp"
#if defined(ATTNSCOPE_HAS_CUDA)
#include "gpu/cuda_device.hpp"
#endif
#include "gpu/cuda/on_card_results.hpp"
#include "gpu/emulated_device.hpp"

namespace attnscope::on_card {

void Card::keep(const std::string& name, const std::string& value, const std::string& unit) {
  std::printf("%s\t%s\t%s\n", name.c_str(), value.c_str(), unit.c_str());
  std::fflush(stdout);
  if (!folder.empty()) keep_line(folder, name, value, unit);
}

void Card::report(const std::string& name, double value, const std::string& unit) {
  keep(name, fmt::format("{:.6g}", value), unit);
}

void Card::check(const std::string& name, const std::string& what) {
  if (what.empty()) return;
  ++failures;
  std::string line = what;
  for (char& c : line) c = c == '\n' || c == '\t' ? ' ' : c;
  keep("FAILED", name, line);
}

bool Card::skips(const std::string& name) {
  if (milliseconds_since(begun) < seconds * 1000) return false;
  keep("SKIPPED", name, "the time of its section was over");
  return true;
}

Numbers::Numbers(std::int64_t heads, std::int64_t n, std::int64_t d) {
  samples::Random random(static_cast<std::uint64_t>(n * 1000 + d));
  for (std::vector<float>* values : {&q, &k, &v})
    for (std::int64_t i = 0; i < n * d; ++i) values->push_back(static_cast<float>(random.normal()));
  // The owner of the numbers lives as long as they do: the card keeps its copy from sweep to sweep.
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
  auto device = std::make_unique<emulator::EmulatedDevice>(emulator::Schedule::Adversarial);
  device->have_groups();
  return std::make_unique<TimedDevice>(std::move(device));
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

struct Section {
  const char* name;
  void (*run)(Card&);
};
constexpr Section sections[] = {{"parity", parity},
                                {"sanitized", sanitized},
                                {"trivial", trivial},
                                {"far", far_rows},
                                {"abort", abort_time},
                                {"memory", memory},
                                {"opening", opening},
                                {"determinism", determinism},
                                {"passes", passes},
                                {"passes-more", passes_more},
                                {"window", window},
                                {"staged", staged},
                                {"uploads", uploads},
                                {"far-times", far_times},
                                {"model-parity", model_parity},
                                {"models", models},
                                {"warpgroups", warpgroups}};

void run_section(Card& card, const std::string& name) {
  for (const Section& section : sections) {
    if (name != section.name) continue;
    card.begun = Clock::now();
    section.run(card);
    card.report("seconds of " + name, milliseconds_since(card.begun) / 1000, "s");
    return;
  }
  throw Error("There is no section " + name + ".");
}

/// Whether a card can be used, in a sentence; 77 is what tests that cannot run here return.
int probe() {
#if defined(ATTNSCOPE_HAS_CUDA)
  std::string why_not;
  if (const auto device = gpu::open_cuda_device(why_not)) {
    std::printf("%s\n", device->facts().name.c_str());
    return 0;
  }
  std::fprintf(stderr, "on_card: %s\n", why_not.c_str());
#else
  std::fprintf(stderr, "on_card: This build has no CUDA kernels.\n");
#endif
  return 77;
}

int run_words(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "kernels") {
#if defined(ATTNSCOPE_HAS_CUDA)
    return std::puts("CUDA"), 0;
#else
    return std::puts("none"), 1;
#endif
  }
  if (words.size() == 1 && words[0] == "probe") return probe();
  if (words.size() == 2 && words[0] == "table") return std::fputs(table_of(words[1]).c_str(), stdout), 0;
  if (words.size() == 5 && words[0] == "line") return keep_line(words[1], words[2], words[3], words[4]), 0;
  Card card;
  card.open = open_real;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--emulated") {
      card.open = open_emulated;
      card.emulated = true;
    } else if (words[i] == "--out" && i + 1 < words.size()) {
      card.folder = words[++i];
    } else if (words[i] == "--seconds" && i + 1 < words.size()) {
      card.seconds = std::atof(words[++i].c_str());
    } else {
      run_section(card, words[i]);
    }
  }
  return card.failures == 0 ? 0 : 1;
}

}  // namespace

}  // namespace attnscope::on_card

int main(int argc, char** argv) {
  try {
    return attnscope::on_card::run_words({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "on_card: %s\n", e.what());
    return 2;
  }
}
