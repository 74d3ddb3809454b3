// A step of training allocates nothing: every allocation of this program goes through here and is counted
// while a step runs. The sanitizers bring allocators of their own.
#include <atomic>
#include <cstdlib>
#include <new>

#include <catch2/catch_test_macros.hpp>

#include "core/training/trainer.hpp"

namespace {
std::atomic<bool> counts{false};
std::atomic<long> allocations{0};
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (counts.load(std::memory_order_relaxed)) ++allocations;
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace attnscope::training::allocation_test {

TEST_CASE("a step allocates nothing", "[training]") {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  {  // the counter counts
    counts = true;
    int* volatile number = new int(1);
    delete number;
    counts = false;
    CHECK(allocations.exchange(0) >= 1);
  }
#endif
  for (const TaskRow& task : tasks()) {
    if (task.prepare != nullptr) continue;  // a text of one's own needs a file
    INFO(task.key);
    Recipe recipe = task.recipe;
    recipe.measured_sequences = 4;
    recipe.steps = 8;
    Trainer trainer(recipe, 2);
    trainer.train(6);  // rooms of the grammar grow to the longest row
    counts = true;
    trainer.train(2);
    counts = false;
    CHECK(allocations.exchange(0) == 0);
  }
}

}  // namespace attnscope::training::allocation_test
