// tests: a thread block of a graphics card on the CPU. Every CUDA thread is a fiber; shared memory is
// poisoned with NaN; warp instructions follow the fragment layouts of the PTX ISA. Two schedules, both
// needed: with Lazy, copies to shared memory land at the last moment and threads take turns at random; with
// Adversarial they land at once and one warp runs alone until nothing but the block's barrier stops it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gpu/emulated_groups.hpp"

namespace attnscope::emulator {

enum class Schedule { Lazy, Adversarial };

/// Throws std::runtime_error on what would hang or be undefined on a card: threads that miss a barrier, warps
/// whose lanes meet at different instructions, misaligned or out-of-range shared memory, copies under way at
/// the end. Matrices whose rows meet in a bank of shared memory are refused too: they would be slow.
class Block {
 public:
  Block(Schedule schedule, std::uint64_t seed);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Runs body(thread) for each of `threads`, a multiple of 32, with so much shared memory.
  void run(int threads, std::size_t shared_bytes, const std::function<void(int thread)>& body);

  // For the context, on a fiber:
  void* shared(std::size_t offset, std::size_t bytes, std::size_t alignment);
  void sync();
  /// Meets the other lanes of the warp at an instruction; the last one runs `perform(warp's arguments)`.
  enum class Instruction { Exchange, Load, LoadTransposed, Multiply, SyncWarp };
  void meet(Instruction instruction, void* arguments, void (*perform)(Block&, void* const* lanes));
  /// The same with the other lanes of the warpgroup; `perform` gets its first thread, too.
  enum class GroupInstruction { Sync, Registers, Begin, Product, Commit, End };
  void meet_group(GroupInstruction instruction, void* arguments,
                  void (*perform)(Block&, int first, void* const* lanes));
  /// Until the phase of the signal has ended.
  void wait_for(std::size_t signal, unsigned parity);
  Groups& groups() { return groups_; }
  int current_thread() const;
  /// That the whole block has passed.
  unsigned barriers() const { return barriers_; }
  /// Those who wait for signals look again.
  void wake();
  void copy16(std::size_t to, const void* from, bool real);
  void commit();
  void wait(std::size_t most_under_way);
  [[noreturn]] void fail(const std::string& what);

  /// What the first thread found when the block last asked whether its work is stale.
  bool is_stale = false;
  /// Called when a block has looked at the word that says so.
  std::function<void()> on_look;

 private:
  struct Fiber;
  struct Copy {
    std::size_t to;
    const void* from;
    bool real;
  };
  template <class Which, int Lanes>
  struct Meeting {
    int arrived = 0;
    Which instruction{};
    void* arguments[static_cast<std::size_t>(Lanes)]{};
  };
  using Warp = Meeting<Instruction, 32>;
  using Warpgroup = Meeting<GroupInstruction, Groups::lanes>;
  /// Whether the thread that runs is the last one that comes; the others wait until go_on().
  template <class M, class Which>
  bool is_last(M& meeting, Which instruction, void* arguments, int lane, const char* at);
  void go_on(int first, int lanes);
  void park();
  void resume(Fiber& fiber);
  void land(const Copy& copy);
  bool run_round();
  bool run_warps_alone();
  static void enter();

  Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Warp> warps_;
  std::vector<Warpgroup> warpgroups_;
  Groups groups_;
  std::vector<unsigned char> memory_;
  unsigned char* shared_ = nullptr;
  std::size_t shared_bytes_ = 0;
  int threads_ = 0, at_barrier_ = 0, done_ = 0;
  unsigned barriers_ = 0;
  Fiber* current_ = nullptr;
  void* scheduler_ = nullptr;  // its stack, while a fiber runs
  const std::function<void(int)>* body_ = nullptr;
  std::string failure_;
};

}  // namespace attnscope::emulator
