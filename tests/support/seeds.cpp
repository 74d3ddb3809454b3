#include "support/seeds.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

namespace attnscope::seeds {

std::uint64_t of_run() {
  const char* chosen = std::getenv("ATTNSCOPE_SEED");
  return chosen == nullptr ? 1 : std::strtoull(chosen, nullptr, 10);
}

std::uint64_t of_case(std::string_view suite, std::uint64_t index) {
  std::uint64_t seed = of_run() * 1000003 + index;
  for (const char letter : suite) seed = seed * 31 + static_cast<unsigned char>(letter);
  return seed;
}

namespace {
/// Prints the run's seed to stderr: stdout may be a reporter's file.
class SeedPrinter : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override {
    std::fprintf(stderr, "ATTNSCOPE_SEED=%llu\n", static_cast<unsigned long long>(of_run()));
  }
};
CATCH_REGISTER_LISTENER(SeedPrinter)
}  // namespace

}  // namespace attnscope::seeds
