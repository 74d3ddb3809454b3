// A watched process's stream as the window reads it: whole records or none, whatever the process does
// meanwhile.
#include "core/watch/watch_stream.hpp"

#include <atomic>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "support/temporary_directory.hpp"
#include "support/uniform_calls.hpp"
#include "support/wait.hpp"

namespace attnscope::watch_stream_test {

using attnscope::test::call_of;
using attnscope::test::number_of;
using attnscope::test::TemporaryDirectory;
using attnscope::test::WatchWriter;
namespace format = watch_format;

TEST_CASE("a stream says what is watched, and the window that it looks", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch", format::least_capacity,
                     {{"module", "LlamaForCausalLM"},
                      {"dtype", "bfloat16"},
                      {"layers", 30},
                      {"heads", 9},
                      {"kv_heads", 3},
                      {"names", {"model.layers.0.self_attn"}},
                      {"later", true}});
  {
    WatchStream stream(writer.path());
    CHECK(stream.facts().module == "LlamaForCausalLM");
    CHECK(stream.facts().dtype == "bfloat16");
    CHECK(stream.facts().layers == 30);
    CHECK(stream.facts().kv_heads == 3);
    CHECK(stream.facts().torch.empty());
    CHECK(stream.facts().names == std::vector<std::string>{"model.layers.0.self_attn"});
    CHECK(stream.process().pid == static_cast<std::uint64_t>(::getpid()));
    CHECK(stream.process().is_alive());
    CHECK(stream.counts().capacity == format::least_capacity);
    CHECK(writer.get(format::WindowPid) == 0);
    stream.look(WantsQueryKeyValue | WantsOutput);
    CHECK(writer.get(format::WindowPid) == static_cast<std::uint64_t>(::getpid()));
    CHECK(writer.get(format::WindowWanted) == 5);
    const std::uint64_t looked = writer.get(format::WindowLooked);
    CHECK(looked > 0);
    stream.look();
    CHECK(writer.get(format::WindowLooked) >= looked);
    CHECK(writer.get(format::WindowWhole) == 0);
    CHECK_FALSE(stream.is_closed());
    writer.close();
    CHECK(stream.is_closed());
  }
  CHECK(writer.get(format::WindowPid) == 0);
  CHECK(writer.get(format::WindowLooked) == 0);
}

TEST_CASE("a process is alive as long as it is the same one", "[watch]") {
  const std::uint64_t own = static_cast<std::uint64_t>(::getpid());
  CHECK(StreamProcess{own, test::own_start_time()}.is_alive());
  CHECK_FALSE(StreamProcess{own, test::own_start_time() + 1}.is_alive());
  CHECK_FALSE(StreamProcess{0, 0}.is_alive());
  CHECK_FALSE(StreamProcess{std::uint64_t{1} << 40, 0}.is_alive());
}

TEST_CASE("records come out as they were written, round the end of the ring", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch");
  WatchStream stream(writer.path());
  std::uint64_t read = 0;
  for (int i = 0; i < 400; ++i) {
    for (int k = 0; k < 3; ++k) writer.write(call_of(static_cast<float>(3 * i + k), 300 + i % 7));
    for (const WatchRecord& record : stream.poll()) {
      CHECK(record.number == read);
      CHECK(record.lost_before == 0);
      CHECK(number_of(record) == static_cast<float>(read));
      ++read;
    }
  }
  CHECK(writer.written() > 5 * format::least_capacity);
  CHECK(read == 1200);
  CHECK(stream.counts().records == 1200);
  CHECK(stream.counts().dropped == 0);
  CHECK(writer.get(format::WindowWhole) == 0);
  CHECK(stream.poll().empty());
}

TEST_CASE("fillers may count as records, or not", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch");
  WatchStream stream(writer.path());
  std::uint64_t fillers = 0;
  for (int i = 0; i < 300; ++i) {
    const std::vector<std::byte> bytes = call_of(1, 700).made(writer.records());
    const std::uint64_t left = format::least_capacity - writer.written() % format::least_capacity;
    if (bytes.size() > left) {  // the writer puts a filler with this number
      writer.write(bytes);
      writer.skip_numbers(1);
      ++fillers;
      std::uint64_t number = writer.records() - 1;
      std::memcpy(writer.ring() + format::RecordNumber, &number, sizeof number);
    } else {
      writer.write(bytes);
    }
    stream.poll();
  }
  CHECK(fillers > 3);
  CHECK(stream.counts().records == 300);
  CHECK(stream.counts().dropped == 0);
}

TEST_CASE("what is overwritten is counted, never shown, and asked for", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch");
  WatchStream stream(writer.path());
  stream.look();
  writer.write(call_of(0, 100));
  REQUIRE(stream.poll().size() == 1);
  for (int i = 1; i <= 500; ++i) writer.write(call_of(static_cast<float>(i), 100));
  CHECK(stream.poll().empty());  // the rest may be overwritten next
  CHECK(writer.get(format::WindowWhole) == 1);
  writer.write(call_of(501, 100));
  const std::vector<WatchRecord> records = stream.poll();
  REQUIRE(records.size() == 1);
  CHECK(number_of(records[0]) == 501.0f);
  CHECK(records[0].lost_before == 500);
  CHECK(stream.counts().dropped == 500);
  SECTION("also when the stream ends behind it") {
    for (int i = 502; i <= 1000; ++i) writer.write(call_of(static_cast<float>(i), 100));
    writer.close();
    CHECK(stream.poll().empty());
    CHECK(stream.counts().dropped == 999);
  }
}

TEST_CASE("a record that is overwritten while it is copied is void", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch");
  WatchStream stream(writer.path());
  writer.write(call_of(1, 100));
  bool first = true;
  stream.when_copied([&] {
    if (!std::exchange(first, false)) return;
    for (int i = 0; i < 300; ++i) writer.write(call_of(2, 100));
  });
  CHECK(stream.poll().empty());
  CHECK(stream.counts().records == 0);
  writer.write(call_of(3, 100));
  const std::vector<WatchRecord> records = stream.poll();
  REQUIRE(records.size() == 1);
  CHECK(number_of(records[0]) == 3.0f);
  CHECK(stream.counts().dropped == 301);
}

TEST_CASE("a window that comes late begins with what comes next, and asks for it whole", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch");
  for (int i = 0; i < 3; ++i) writer.write(call_of(1, 100));
  SECTION("but reads what was never overwritten") {
    WatchStream stream(writer.path());
    CHECK(stream.poll().size() == 3);
  }
  SECTION("else it begins anew") {
    for (int i = 0; i < 400; ++i) writer.write(call_of(1, 100));
    WatchStream stream(writer.path());
    CHECK(stream.poll().empty());
    stream.look();
    CHECK(writer.get(format::WindowWhole) == 1);
    writer.write(call_of(2, 100));
    CHECK(stream.poll().size() == 1);
    CHECK(stream.counts().dropped == 0);
  }
}

TEST_CASE("whole calls are asked for once in half a second", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch");
  WatchStream stream(writer.path());
  for (int i = 0; i < 20; ++i) stream.ask_for_whole();
  CHECK(writer.get(format::WindowWhole) == 1);
}

TEST_CASE("a process that never waits is never half shown", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch");
  WatchStream stream(writer.path());
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> polls{0};
  // The writer overruns the ring some times, then keeps the reader's pace: so on any machine, with sanitizers
  // or without, some records are lost and some are read.
  std::thread process([&] {
    constexpr std::uint64_t period = 2000, fast = 1500, slow = 8;
    std::vector<std::vector<std::byte>> calls;
    for (int i = 0; i < 16; ++i) calls.push_back(call_of(static_cast<float>(i), 500 + 40 * i).made(0));
    for (std::uint64_t number = 0; !stop; ++number) {
      std::vector<std::byte>& bytes = calls[number % calls.size()];
      std::memcpy(bytes.data() + format::RecordNumber, &number, sizeof number);
      writer.write(bytes);
      if (number % period < fast || number % slow != 0) continue;
      const std::uint64_t before = polls;
      while (!stop && polls < before + 2) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  std::uint64_t read = 0, last = 0, lost = 0;
  bool right = true;
  const bool enough = test::wait_until(
      [&] {
        for (const WatchRecord& record : stream.poll()) {
          right = right && number_of(record) == static_cast<float>(record.number % 16) &&
                  (read == 0 || record.number == last + 1 + record.lost_before);
          last = record.number;
          lost += record.lost_before;
          ++read;
        }
        ++polls;
        return read >= 3000 && lost >= 1000;
      },
      std::chrono::milliseconds(1));
  stop = true;
  process.join();
  CHECK(enough);
  CHECK(right);
  CHECK(stream.counts().dropped == lost);
  CHECK(writer.get(format::WindowWhole) > 0);
}

}  // namespace attnscope::watch_stream_test
