#include "gpu/emulated_block.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <stdexcept>

#include <fmt/format.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace attnscope::emulator {

namespace {

constexpr std::size_t stack_bytes = 96 * 1024, guard_bytes = 4096;
constexpr unsigned char poison = 0xff;  // a NaN, as float and as bfloat16

}  // namespace

#if defined(__x86_64__)
// What a call must keep goes to the stack that is left; swapcontext() would ask the kernel twice each time.
extern "C" void attnscope_switch_stack(void** from, void* to);
asm(R"(
.text
.type attnscope_switch_stack, @function
attnscope_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size attnscope_switch_stack, .-attnscope_switch_stack
)");
#endif

struct Block::Fiber {
  enum class State { Ready, AtBarrier, AtMeeting, AtSignal, Done } state = State::Done;
  int thread = 0;
  std::unique_ptr<unsigned char[]> stack{new unsigned char[stack_bytes]};
  void* top = nullptr;
  std::deque<std::vector<Copy>> groups;  // the last is not closed yet
#if !defined(__x86_64__)
  ucontext_t context{}, back{};
#endif
};

namespace {
thread_local Block* running = nullptr;
}  // namespace

Block::Block(Schedule schedule, std::uint64_t seed)
    : schedule_(schedule), random_(seed), groups_(*this, schedule == Schedule::Adversarial) {}
Block::~Block() = default;

void Block::enter() {
  Block& block = *running;
  Fiber& own = *block.current_;
  (*block.body_)(own.thread);
  own.state = Fiber::State::Done;
  ++block.done_;
  block.park();
  std::abort();  // a thread that is done is never resumed
}

void Block::resume(Fiber& fiber) {
  current_ = &fiber;
#if defined(__x86_64__)
  attnscope_switch_stack(&scheduler_, fiber.top);
#else
  swapcontext(&fiber.back, &fiber.context);
#endif
  current_ = nullptr;
  if (!failure_.empty()) throw std::runtime_error(failure_);
}

void Block::park() {
  Fiber& own = *current_;
#if defined(__x86_64__)
  attnscope_switch_stack(&own.top, scheduler_);
#else
  swapcontext(&own.context, &own.back);
#endif
}

void Block::fail(const std::string& what) {
  failure_ = fmt::format("thread {}: {}", current_->thread, what);
  park();
  std::abort();  // resume() has thrown
}

void Block::run(int threads, std::size_t shared_bytes, const std::function<void(int)>& body) {
  memory_.assign(shared_bytes + guard_bytes + 128, poison);
  shared_ = memory_.data() + (128 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 128) % 128;
  shared_bytes_ = shared_bytes;
  threads_ = threads, at_barrier_ = done_ = 0;
  body_ = &body;
  barriers_ = 0;
  failure_.clear();
  groups_.reset(shared_bytes, threads);
  warpgroups_.assign(static_cast<std::size_t>(threads / Groups::lanes), {});
  warps_.assign(static_cast<std::size_t>(threads / 32), {});
  while (fibers_.size() < static_cast<std::size_t>(threads)) fibers_.push_back(std::make_unique<Fiber>());
  for (int t = 0; t < threads; ++t) {
    Fiber& fiber = *fibers_[static_cast<std::size_t>(t)];
    fiber.state = Fiber::State::Ready;
    fiber.thread = t;
    fiber.groups.assign(1, {});
#if defined(__x86_64__)
    // As if it had been left just before its first instruction, at the alignment that a called function sees.
    auto end = reinterpret_cast<std::uintptr_t>(fiber.stack.get() + stack_bytes) / 16 * 16;
    auto* top = reinterpret_cast<void**>(end) - 2;
    *top = reinterpret_cast<void*>(&Block::enter);
    fiber.top = top - 6;
#else
    getcontext(&fiber.context);
    fiber.context.uc_stack = {fiber.stack.get(), 0, stack_bytes};
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, &Block::enter, 0);
#endif
  }
  Block* const outer = running;
  running = this;
  const struct Leave {
    Block* outer;
    ~Leave() { running = outer; }
  } leave{outer};
  while (done_ < threads) {
    if (!(schedule_ == Schedule::Lazy ? run_round() : run_warps_alone()) && !groups_.land_one(random_))
      throw std::runtime_error(
          fmt::format("{} of {} threads wait for others that never come", threads - done_, threads));
  }
  for (int t = 0; t < threads; ++t)
    for (const auto& group : fibers_[static_cast<std::size_t>(t)]->groups)
      if (!group.empty()) throw std::runtime_error(fmt::format("thread {} ended with copies under way", t));
  if (const std::string what = groups_.unfinished(); !what.empty()) throw std::runtime_error(what);
  for (std::size_t i = 0; i < guard_bytes; ++i)
    if (shared_[shared_bytes_ + i] != poison)
      throw std::runtime_error("shared memory was written beyond its end");
}

bool Block::run_round() {
  std::vector<int> order(static_cast<std::size_t>(threads_));
  for (int t = 0; t < threads_; ++t) order[static_cast<std::size_t>(t)] = t;
  std::shuffle(order.begin(), order.end(), random_);
  bool any = false;
  for (int turns = 0; turns < 16; ++turns)
    for (const int t : order)
      if (Fiber& fiber = *fibers_[static_cast<std::size_t>(t)]; fiber.state == Fiber::State::Ready) {
        any = true;
        resume(fiber);
      }
  return any;
}

bool Block::run_warps_alone() {
  std::vector<int> order(warps_.size());
  for (std::size_t w = 0; w < order.size(); ++w) order[w] = static_cast<int>(w);
  std::shuffle(order.begin(), order.end(), random_);
  bool any = false;
  for (const int w : order) {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (int t = w * 32; t < w * 32 + 32; ++t)
        if (Fiber& fiber = *fibers_[static_cast<std::size_t>(t)]; fiber.state == Fiber::State::Ready) {
          any = goes_on = true;
          resume(fiber);
        }
    }
  }
  return any;
}

void* Block::shared(std::size_t offset, std::size_t bytes, std::size_t alignment) {
  if (offset % alignment != 0)
    fail(fmt::format("shared memory at {} is not aligned to {}", offset, alignment));
  if (offset + bytes > shared_bytes_)
    fail(fmt::format("shared memory at {} of {} bytes", offset + bytes, shared_bytes_));
  return shared_ + offset;
}

void Block::sync() {
  Fiber& own = *current_;
  if (++at_barrier_ < threads_) {
    own.state = Fiber::State::AtBarrier;
    return park();
  }
  at_barrier_ = 0;
  ++barriers_;
  groups_.passed(0, threads_);
  for (int t = 0; t < threads_; ++t)
    if (Fiber& fiber = *fibers_[static_cast<std::size_t>(t)]; fiber.state == Fiber::State::AtBarrier)
      fiber.state = Fiber::State::Ready;
  // The thread that comes last need not go on first.
  park();
}

template <class M, class Which>
bool Block::is_last(M& meeting, Which instruction, void* arguments, int lane, const char* at) {
  if (meeting.arrived > 0 && meeting.instruction != instruction)
    fail(std::string("the lanes of the ") + at + " meet at different instructions");
  meeting.instruction = instruction;
  meeting.arguments[lane] = arguments;
  if (++meeting.arrived == static_cast<int>(std::size(meeting.arguments))) {
    meeting.arrived = 0;
    return true;
  }
  current_->state = Fiber::State::AtMeeting;
  park();
  return false;
}

void Block::go_on(int first, int lanes) {
  for (int t = first; t < first + lanes; ++t)
    if (Fiber& fiber = *fibers_[static_cast<std::size_t>(t)]; fiber.state == Fiber::State::AtMeeting)
      fiber.state = Fiber::State::Ready;
}

void Block::meet(Instruction instruction, void* arguments, void (*perform)(Block&, void* const* lanes)) {
  const int thread = current_->thread, first = thread / 32 * 32;
  Warp& warp = warps_[static_cast<std::size_t>(thread / 32)];
  if (!is_last(warp, instruction, arguments, thread - first, "warp")) return;
  perform(*this, warp.arguments);
  go_on(first, 32);
}

void Block::meet_group(GroupInstruction instruction, void* arguments,
                       void (*perform)(Block&, int first, void* const* lanes)) {
  const int thread = current_->thread, first = thread / Groups::lanes * Groups::lanes;
  if (first + Groups::lanes > threads_) fail("there is no whole warpgroup");
  Warpgroup& group = warpgroups_[static_cast<std::size_t>(thread / Groups::lanes)];
  if (!is_last(group, instruction, arguments, thread - first, "warpgroup")) return;
  perform(*this, first, group.arguments);
  go_on(first, Groups::lanes);
}

void Block::wait_for(std::size_t signal, unsigned parity) {
  while (!groups_.is_over(signal, parity)) {
    current_->state = Fiber::State::AtSignal;
    park();
  }
}

void Block::wake() {
  for (int t = 0; t < threads_; ++t)
    if (Fiber& fiber = *fibers_[static_cast<std::size_t>(t)]; fiber.state == Fiber::State::AtSignal)
      fiber.state = Fiber::State::Ready;
}

int Block::current_thread() const { return current_->thread; }

void Block::land(const Copy& copy) {
  void* to = shared(copy.to, 16, 16);
  if (copy.real)
    std::memcpy(to, copy.from, 16);
  else
    std::memset(to, 0, 16);
  groups_.written(copy.to);
}

void Block::copy16(std::size_t to, const void* from, bool real) {
  if (reinterpret_cast<std::uintptr_t>(from) % 16 != 0)
    fail("a copy of 16 bytes from an address not aligned to 16");
  const Copy copy{to, from, real};
  if (schedule_ == Schedule::Adversarial)
    land(copy);
  else
    current_->groups.back().push_back(copy);
}

void Block::commit() { current_->groups.emplace_back(); }

void Block::wait(std::size_t most_under_way) {
  auto& groups = current_->groups;
  while (groups.size() - 1 > most_under_way) {
    for (const Copy& copy : groups.front()) land(copy);
    groups.pop_front();
  }
}

}  // namespace attnscope::emulator
