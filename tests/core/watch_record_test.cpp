// Data of a watched process is not trusted: bad headers, records and numbers are refused by name.
#include <map>
#include <random>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/document/open.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/watch/watch_stream.hpp"
#include "support/seeds.hpp"
#include "support/temporary_directory.hpp"
#include "support/uniform_calls.hpp"
#include "support/watched_model.hpp"

namespace attnscope::watch_record_test {

using attnscope::test::call_of;
using attnscope::test::is_sentence;
using attnscope::test::message_of;
using attnscope::test::ModelLayer;
using attnscope::test::number_of;
using attnscope::test::TemporaryDirectory;
using attnscope::test::WatchedModel;
using attnscope::test::WatchRecordBytes;
using attnscope::test::WatchWriter;
using Catch::Matchers::ContainsSubstring;
namespace format = watch_format;

namespace {

void check_message(const std::string& message, const std::string& what) {
  INFO(message);
  CHECK(is_sentence(message));
  CHECK_THAT(message, ContainsSubstring("a.attnwatch") && ContainsSubstring(what));
}

/// The error of reading a call's bytes after `harm` has changed something in them.
std::string refusal_of(const std::function<void(WatchRecordBytes&)>& harm,
                       const std::function<void(std::vector<std::byte>&)>& harm_bytes = {}) {
  WatchRecordBytes record = call_of(1, 2);
  if (harm) harm(record);
  std::vector<std::byte> bytes = record.made(7);
  if (harm_bytes) harm_bytes(bytes);
  return message_of<Error>([&] { read_watch_record(bytes, "a.attnwatch"); });
}

}  // namespace

TEST_CASE("headers that are wrong are refused by field", "[watch]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.attnwatch";
  const auto refusal = [&](std::uint64_t field, std::uint64_t value) {
    std::filesystem::remove(path);
    WatchWriter writer(path);
    writer.set(field, value);
    return message_of<Error>([&] { WatchStream stream(path); });
  };
  CHECK(refusal(format::Closed, 0).empty());
  check_message(refusal(format::Magic, 1), "ATTNWTCH");
  check_message(refusal(format::Version, 2), "version");
  for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{64}, (std::uint64_t{1} << 20) + 1,
                                       std::uint64_t{1} << 41, ~std::uint64_t{0}})
    check_message(refusal(format::Capacity, capacity), "capacity");
  check_message(refusal(format::Capacity, std::uint64_t{1} << 21), "shorter");
  check_message(refusal(format::Pid, 0), "process");
  check_message(refusal(format::Pid, std::uint64_t{1} << 31), "process");
  check_message(refusal(format::FactsBytes, 3073), "facts");
  check_message(refusal(format::FactsBytes, 5), "facts");
  check_message(refusal(format::Written, 64), "written");
  check_message(refusal(format::Reserved, 63), "written");
  const auto facts = [&](const nlohmann::json& said) {
    std::filesystem::remove(path);
    WatchWriter writer(path, format::least_capacity, said);
    return message_of<Error>([&] { WatchStream stream(path); });
  };
  CHECK(facts(nullptr).empty());
  check_message(facts({1, 2}), "no JSON object");
  check_message(facts({{"module", 3}}), "module");
  check_message(facts({{"layers", -1}}), "layers");
  check_message(facts({{"layers", "many"}}), "layers");
  check_message(facts({{"names", 3}}), "names");
  check_message(facts({{"names", {3}}}), "name");
}

TEST_CASE("files that are no streams are refused", "[watch]") {
  const TemporaryDirectory directory;
  const auto refusal = [&](const std::filesystem::path& path) {
    return message_of<Error>([&] { WatchStream stream(path); });
  };
  CHECK_THAT(refusal(directory / "none.attnwatch"), ContainsSubstring("No such file"));
  check_message(refusal(directory.write("a.attnwatch", "short")), "4096");
  WatchWriter writer(directory / "b.attnwatch");
  std::filesystem::create_symlink(writer.path(), directory / "link-a.attnwatch");
  check_message(refusal(directory / "link-a.attnwatch"), "link");
  REQUIRE(::mkfifo((directory / "pipe-a.attnwatch").c_str(), 0600) == 0);
  check_message(refusal(directory / "pipe-a.attnwatch"), "regular");
  CHECK(is_watch_stream(writer.path()));
  CHECK_FALSE(is_watch_stream(directory / "a.attnwatch"));
  CHECK_FALSE(is_watch_stream(directory / "none.attnwatch"));
  CHECK_FALSE(is_watch_stream(directory.path()));
  CHECK_THAT(message_of<Error>([&] { open_document(writer.path()); }), ContainsSubstring("attnscope watch"));
  CHECK_THAT(message_of<Error>([&] { open_model(writer.path()); }), ContainsSubstring("attnscope watch"));
}

TEST_CASE("a file that is cut short meanwhile is an error, not the end", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch");
  WatchStream stream(writer.path());
  writer.write(call_of(1));
  std::filesystem::resize_file(writer.path(), 8192);
  check_message(message_of<Error>([&] { stream.poll(); }), "shorter");
  check_message(message_of<Error>([&] { stream.look(); }), "shorter");
  std::filesystem::resize_file(writer.path(), format::header_bytes + format::least_capacity);
}

TEST_CASE("records that are wrong are refused by number and field", "[watch]") {
  CHECK(refusal_of({}).empty());
  const auto field = [](const std::string& name, const nlohmann::json& value) {
    return refusal_of([&](WatchRecordBytes& r) { r.fields[name] = value; });
  };
  const auto blob = [](const std::string& name, const std::function<void(test::WatchBlob&)>& harm) {
    return refusal_of([&](WatchRecordBytes& r) {
      auto found = std::ranges::find(r.blobs, name, &std::pair<std::string, test::WatchBlob>::first);
      if (found == r.blobs.end()) found = r.blobs.insert(r.blobs.end(), {name, r.blobs[0].second});
      harm(found->second);
    });
  };
  for (const auto& [name, values] :
       std::map<std::string, std::vector<nlohmann::json>>{{"pass", {-1, 0.5, "x", nullptr}},
                                                          {"layer", {-1, 1 << 21}},
                                                          {"kind", {"other", 3, nullptr}},
                                                          {"keys_from", {-1, std::uint64_t{1} << 62, true}},
                                                          {"queries_from", {-1, 1, "x"}},
                                                          {"scale", {"x", 1e31}},
                                                          {"causal", {1, "yes"}},
                                                          {"window", {-1, "x"}},
                                                          {"softcap", {-1, 1e-31}},
                                                          {"sequences", {-1, "x"}},
                                                          {"sequence", {-1, "x"}},
                                                          {"name", {3}},
                                                          {"ms", {-1}}})
    for (const nlohmann::json& value : values) {
      INFO(name << " = " << value.dump());
      check_message(field(name, value), "record 7");
      check_message(field(name, value), name);
    }
  for (const std::string name : {"q", "k", "v"}) {
    check_message(blob(name, [](auto& b) { b.dtype = "F64"; }), "\"" + name + "\" has dtype");
    check_message(blob(name, [](auto& b) { b.dtype = "I64"; }), "\"" + name + "\"");
    check_message(blob(name, [](auto& b) { b.shape = {2, 4}; }), "\"" + name + "\" has shape");
    check_message(blob(name, [](auto& b) { b.shape = {1, 1, 0, 4}; }), "\"" + name + "\" has shape");
    check_message(blob(name, [](auto& b) { b.shape = {1, 1, 2, 1 << 20}; }), "\"" + name + "\" has shape");
    check_message(blob(name, [](auto& b) { b.shape = {-1, 1, 2, 4}; }), "\"" + name + "\" has a size");
    check_message(blob(name, [](auto& b) { b.shape = {1, 1, 1, 1, 2, 4}; }), "\"" + name + "\" has a shape");
  }
  check_message(blob("k", [](auto& b) { b.shape = {1, 2, 1, 4}; }), "\"k\" has shape");
  check_message(blob("v", [](auto& b) { b.shape = {1, 1, 1, 4}; }), "\"v\" has shape");
  check_message(blob("mask", [](auto& b) { b.shape = {1, 1, 2, 4}; }), "\"mask\" has shape");
  check_message(blob("bias",
                     [](auto& b) {
                       b.dtype = "I64";
                       b.shape = {1, 1, 2, 2};
                     }),
                "\"bias\" has dtype");
  check_message(blob("output", [](auto&) {}), "\"output\" has shape");
  check_message(blob("sinks", [](auto&) {}), "\"sinks\" has shape");
  for (const nlohmann::json& wrong :
       {nlohmann::json(3), nlohmann::json({{"dtype", "F32"}}),
        nlohmann::json({{"dtype", "F32"}, {"shape", {1, 1, 1, 4}}, {"offset", 65}}),
        nlohmann::json({{"dtype", "F32"}, {"shape", {1, 1, 1, 4}}, {"offset", 0}}),
        nlohmann::json({{"dtype", "F32"}, {"shape", {1, 1, 1, 4}}, {"offset", 1 << 20}}),
        nlohmann::json({{"dtype", "F32"}, {"shape", {1, 1, 1, 4}}, {"offset", -64}})})
    check_message(refusal_of([&](WatchRecordBytes& r) {
                    r.blobs.erase(r.blobs.begin());
                    r.fields["q"] = wrong;
                  }),
                  "\"q\"");
  check_message(refusal_of([](WatchRecordBytes& r) { r.blobs.pop_back(); }), "\"v\" is missing");
}

TEST_CASE("bytes round the JSON of a record are checked", "[watch]") {
  const auto number = [](std::size_t at, auto value) {
    return refusal_of(
        {}, [&](std::vector<std::byte>& bytes) { std::memcpy(bytes.data() + at, &value, sizeof value); });
  };
  check_message(number(format::RecordMagic, std::uint32_t{1}), "magic");
  check_message(number(format::RecordKind, std::uint32_t{3}), "kind");
  check_message(number(format::RecordBytes, std::uint64_t{64}), "length");
  check_message(number(format::RecordJsonBytes, std::uint32_t{1} << 30), "length of its JSON");
  check_message(number(format::RecordJsonBytes, std::uint32_t{3}), "record 7");
  check_message(refusal_of({}, [](auto& bytes) { bytes.resize(32); }), "length");
  check_message(refusal_of({}, [](auto& bytes) { bytes[70] = std::byte{0xFF}; }), "record 7");
}

TEST_CASE("a record that is wrong in the ring is left, and what follows is read", "[watch]") {
  const TemporaryDirectory directory;
  WatchWriter writer(directory / "a.attnwatch");
  WatchStream stream(writer.path());
  writer.write(call_of(1));
  const std::uint64_t second = writer.written();
  writer.write(call_of(2));
  writer.write(call_of(3));
  std::byte* const record = writer.ring() + second;
  const auto put = [&](std::size_t at, auto value) { std::memcpy(record + at, &value, sizeof value); };
  SECTION("magic") { put(format::RecordMagic, std::uint32_t{7}); }
  SECTION("kind") { put(format::RecordKind, std::uint32_t{9}); }
  SECTION("no length") { put(format::RecordBytes, std::uint64_t{0}); }
  SECTION("odd length") { put(format::RecordBytes, std::uint64_t{100}); }
  SECTION("too long") { put(format::RecordBytes, std::uint64_t{1} << 30); }
  SECTION("number") { put(format::RecordNumber, std::uint64_t{0}); }
  SECTION("JSON") { put(64, 'x'); }
  CHECK(stream.poll().size() == 1);  // the valid records are returned first
  check_message(message_of<Error>([&] { stream.poll(); }), "record ");
  CHECK(writer.get(format::WindowWhole) == 1);
  CHECK(stream.poll().empty());
  writer.write(call_of(4));
  const std::vector<WatchRecord> records = stream.poll();
  REQUIRE(records.size() == 1);
  CHECK(number_of(records[0]) == 4.0f);
  CHECK(records[0].lost_before == 2);
}

TEST_CASE("whatever bytes a ring holds, reading ends with records or a sentence", "[watch]") {
  const TemporaryDirectory directory;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::mt19937_64 random(seeds::of_case("watch bytes", i));
    const std::filesystem::path path = directory / fmt::format("{}.attnwatch", i);
    WatchWriter writer(path);
    const WatchedModel model(i, 1, 6, {ModelLayer{}, ModelLayer{.mask = ModelLayer::Mask::Boolean}});
    for (const auto& record : model.records({0, 0, 6})) writer.write(record);
    for (int flips = 0; flips < 4; ++flips) {
      const std::uint64_t at = random() % (i % 3 == 0 ? format::header_bytes : writer.written());
      std::byte* const byte = writer.ring() + at - (i % 3 == 0 ? format::header_bytes : 0);
      *byte ^= static_cast<std::byte>(1u << (random() % 8));
    }
    const std::string message = message_of<Error>([&] {
      WatchStream stream(path);
      for (int poll = 0; poll < 3; ++poll) {
        stream.look();
        stream.poll();
      }
    });
    INFO("case " << i << ": " << message);
    CHECK((message.empty() || is_sentence(message)));
    std::filesystem::remove(path);
  }
}

}  // namespace attnscope::watch_record_test
