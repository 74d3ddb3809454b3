// tests: what runs beside the threads of an emulated block: bulk copies, the signals that they complete
// (mbarrier), and products of warpgroups (wgmma), whose operands are described as in the PTX ISA
// ("Asynchronous Warpgroup Level Matrix Multiply-Accumulate"). Strict: where the ISA says "undefined", the
// block fails; two rules are stricter than the ISA (each thread of a warpgroup has to wait for a signal
// itself before it reads what a copy brought; products begin anew after each wait).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace attnscope::emulator {

class Block;

/// One lane's part in c = a·bᵀ (a_tile) or c += a·b (a of registers).
struct GroupProduct {
  float* c;
  int columns;
  const std::uint32_t* a;
  std::uint64_t a_tile, b_tile;
  bool add;
};

class Groups {
 public:
  static constexpr int lanes = 128;

  /// at_once: copies land and products are computed when they are asked for; otherwise at the last moment.
  Groups(Block& block, bool at_once) : block_(block), at_once_(at_once) {}
  void reset(std::size_t shared_bytes, int threads);
  /// Lands a copy that is under way; whether there was one.
  bool land_one(std::mt19937_64& random);
  /// What is under way still, in words; empty is well.
  std::string unfinished() const;

  // Signals, for the thread that runs.
  void open(std::size_t at, unsigned arrivals);
  void arrive(std::size_t at, std::uint32_t bytes);
  /// Whether the phase of the parity has ended; the thread sees then what came with it.
  bool is_over(std::size_t at, unsigned parity);
  void copy(std::size_t to, const void* from, std::size_t bytes, std::size_t signal);

  /// 16 bytes of shared memory were written by the thread that runs.
  void written(std::size_t at);
  void publish();
  /// Threads [first, last) have passed a barrier.
  void passed(int first, int last);

  // Products, with the arguments of all lanes of a warpgroup of which `first` is the first thread.
  void begin(int first);
  void multiply(int first, void* const* arguments);
  void commit(int first);
  void end(int first, std::size_t most_under_way);

 private:
  struct Signal {
    unsigned arrivals, pending;
    std::int64_t bytes = 0;
    std::uint64_t phase = 0;  // that runs
    int opened_by;
    unsigned opened_at;  // barriers of the block before
    bool published = false;
  };
  /// What a copy wrote last, complete with a phase of its signal.
  struct Region {
    std::size_t from, to, signal;
    std::uint64_t phase;
    bool landed;
  };
  struct Copy {
    Region* region;
    const void* from;
  };
  struct Sums {
    std::vector<float*> c;
    int columns = 0, under_way = 0;
    std::vector<float> values;  // [64][columns]
  };
  struct Product {
    std::shared_ptr<Sums> sums;
    std::vector<const std::uint32_t*> a;  // of each lane, with a of registers
    std::vector<std::uint32_t> a_was;
    std::uint64_t a_tile, b_tile;
    bool add;
    std::vector<std::size_t> chunks;  // of 16 bytes that it reads
  };
  struct Warpgroup {
    bool begun = false;
    std::vector<Product> open;
    std::deque<std::vector<Product>> groups;
  };

  Signal& signal(std::size_t at);
  void end_phase_if_complete(Signal& signal);
  void land(const Copy& copy);
  /// Fails when a product under way reads the bytes.
  void check_unread(std::size_t from, std::size_t to);
  void check_readable(int first, const std::vector<std::size_t>& chunks);
  std::shared_ptr<Sums> sums_of(int first, const std::vector<GroupProduct>& lanes);
  void compute(const Product& product);
  void finish(const Product& product);
  /// The chunk with numbers 8 · chunk and following of row (or, by_column, column) `line`.
  std::size_t chunk_of(std::uint64_t tile, int line, int chunk, bool by_column);

  Block& block_;
  bool at_once_;
  std::map<std::size_t, Signal> signals_;
  std::vector<std::unique_ptr<Region>> regions_;
  std::vector<Copy> copies_;
  /// Of each chunk the thread + 1 that wrote it; negative once it is published, 0 behind a barrier.
  std::vector<int> unpublished_;
  bool any_published_ = false;                                // without a barrier since
  std::vector<std::map<std::size_t, std::uint64_t>> waited_;  // of each thread: phases of signals that ended
  std::vector<Warpgroup> warpgroups_;
};

}  // namespace attnscope::emulator
