// tests/bench: `attnscope_bench`, how fast attention is on this machine, beside its own best matrix
// product.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/results/choose_backend.hpp"

namespace attnscope {

/// All in one pass; every stage for itself; the first picture of a long sequence; 1000 x 1000 cells of one,
/// with what is known of their rows.
enum class BenchPath { Streaming, Staged, FirstLook, Tile };
/// A mask given cell by cell: half of the keys at random, or what a causal mask says; as booleans, or as
/// numbers that are added.
enum class BenchMask { None, Boolean, BooleanCausal, Added, AddedCausal };
enum class BenchPart { Output, Entropy, Picture, Received };

/// As --path, --mask and --emit say it: "first-look", "added-causal", "output".
std::string_view name_of(BenchPath);
std::string_view name_of(BenchMask);
std::string_view name_of(BenchPart);

struct BenchOptions {
  std::vector<std::int64_t> lengths;  // queries and keys; empty = 1024
  int heads = 12, dim = 64;
  int threads = 0;  // 0 = what the machine has
  bool causal = false;
  BenchPath path = BenchPath::Streaming;
  BenchMask mask = BenchMask::None;
  bool mask_per_head = false;  // every head has cells of its own
  std::set<BenchPart> emit{BenchPart::Output, BenchPart::Entropy};
  std::string isa;     // baseline, avx2, avx512 or neon; empty = the best here
  double seconds = 1;  // how long each length is measured, at least five runs
  std::string json;    // a file to write as well; empty = none
  std::string plot;    // an .svg of time and memory against the length; empty = none
  BackendPreference backend = BackendPreference::Cpu;
};

/// "1024,2048": lengths from 1 to 2^20. False, and anything in `lengths`, where the text is no such list.
bool read_bench_lengths(std::string_view text, std::vector<std::int64_t>& lengths);
bool read_bench_path(std::string_view text, BenchPath& path);
bool read_bench_mask(std::string_view text, BenchMask& mask);
/// "output,picture": every name known and given once.
bool read_bench_parts(std::string_view text, std::set<BenchPart>& emit);

/// Prints a line for each length: median and middle half of the times, GFLOP/s, their share of Eigen's matrix
/// product on the same instruction set (runs of both take turns), memory above inputs and results, and what
/// other programs took of the machine meanwhile. With a mask given cell by cell also how many times as long
/// as without it, in turns as well. With CUDA the matrix product is still the processor's. The numbers go to
/// `json` too, atomically. Throws Error.
void run_bench(const BenchOptions& options);

}  // namespace attnscope
