// tests: the process's side of a stream: what app/python/attnscope/_stream.py writes, in C++.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/tensor.hpp"
#include "core/watch/watch_format.hpp"

namespace attnscope::test {

/// A blob of a record.
struct WatchBlob {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

inline WatchBlob watch_blob(const Tensor& tensor) {
  WatchBlob blob{"F32", {}, {}};
  for (int axis = 0; axis < tensor.shape().rank(); ++axis) blob.shape.push_back(tensor.shape()[axis]);
  const auto bytes = std::as_bytes(tensor.values());
  blob.bytes.assign(bytes.begin(), bytes.end());
  return blob;
}

/// This process's start time, as the header has it.
inline std::uint64_t own_start_time() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  const std::vector<std::string> rest{std::istream_iterator<std::string>(fields), {}};
  return std::stoull(rest.at(22 - 3));
}

/// A whole record: header, JSON, blobs.
struct WatchRecordBytes {
  std::uint32_t kind = watch_format::Call;
  nlohmann::json fields;
  std::vector<std::pair<std::string, WatchBlob>> blobs = {};

  std::vector<std::byte> made(std::uint64_t number) const {
    nlohmann::json all = fields;
    const auto up = [](std::size_t n) { return (n + 63) / 64 * 64; };
    // Offsets are written once the JSON's length is known: it gets room for them.
    for (const auto& [name, blob] : blobs)
      all[name] = {{"dtype", blob.dtype}, {"shape", blob.shape}, {"offset", std::uint64_t{9'999'999'999}}};
    std::size_t at = up(64 + all.dump().size());
    std::vector<std::byte> bytes(at);
    for (const auto& [name, blob] : blobs) {
      all[name]["offset"] = at;
      at += up(blob.bytes.size());
      bytes.resize(at);
      std::copy(blob.bytes.begin(), blob.bytes.end(),
                bytes.begin() + static_cast<std::ptrdiff_t>(all[name]["offset"].get<std::size_t>()));
    }
    const std::string json = all.dump();
    std::memcpy(bytes.data() + 64, json.data(), json.size());
    const auto put = [&](std::size_t where, auto value) {
      std::memcpy(bytes.data() + where, &value, sizeof value);
    };
    put(watch_format::RecordMagic, watch_format::record_magic);
    put(watch_format::RecordKind, kind);
    put(watch_format::RecordBytes, static_cast<std::uint64_t>(bytes.size()));
    put(watch_format::RecordNumber, number);
    put(watch_format::RecordJsonBytes, static_cast<std::uint32_t>(json.size()));
    return bytes;
  }
};

/// Writes into a mapped file without waiting; used by one thread.
class WatchWriter {
 public:
  explicit WatchWriter(const std::filesystem::path& path,
                       std::uint64_t capacity = watch_format::least_capacity,
                       const nlohmann::json& facts = {{"module", "TestModel"}})
      : path_(path), capacity_(capacity), size_(watch_format::header_bytes + capacity) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(size_)) != 0) throw std::runtime_error("no stream");
    void* const map = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (map == MAP_FAILED) throw std::runtime_error("no map");
    map_ = static_cast<std::byte*>(map);
    std::memcpy(map_, watch_format::magic.data(), watch_format::magic.size());
    const std::string text = facts.is_null() ? "" : facts.dump();
    std::memcpy(map_ + watch_format::Facts, text.data(), text.size());
    set(watch_format::Version, watch_format::version);
    set(watch_format::Capacity, capacity);
    set(watch_format::Pid, static_cast<std::uint64_t>(::getpid()));
    set(watch_format::StartTime, own_start_time());
    set(watch_format::FactsBytes, text.size());
  }
  ~WatchWriter() { ::munmap(map_, size_); }
  WatchWriter(const WatchWriter&) = delete;
  WatchWriter& operator=(const WatchWriter&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void set(std::uint64_t field, std::uint64_t value) { at(field).store(value, std::memory_order_release); }
  std::uint64_t get(std::uint64_t field) const { return at(field).load(std::memory_order_acquire); }
  std::byte* ring() { return map_ + watch_format::header_bytes; }
  void close() { set(watch_format::Closed, 1); }

  void write(const WatchRecordBytes& record) { write(record.made(records_)); }
  /// The bytes of a record as they are. `between`: called while it is half written.
  void write(std::span<const std::byte> bytes, const std::function<void()>& between = {}) {
    if (bytes.size() > capacity_) {
      set(watch_format::TooLarge, get(watch_format::TooLarge) + 1);
      return;
    }
    const std::uint64_t left = capacity_ - written_ % capacity_;
    if (bytes.size() > left) fill(left);
    set(watch_format::Reserved, written_ + bytes.size());
    std::byte* const to = ring() + written_ % capacity_;
    const std::size_t half = bytes.size() / 2;
    copy(bytes.first(half), to);
    if (between) between();
    copy(bytes.subspan(half), to + half);
    written_ += bytes.size();
    set(watch_format::Written, written_);
    set(watch_format::Records, ++records_);
  }
  std::uint64_t records() const { return records_; }
  std::uint64_t written() const { return written_; }
  /// Skips record numbers, which then count as dropped.
  void skip_numbers(std::uint64_t count) { records_ += count; }

 private:
  std::atomic_ref<std::uint64_t> at(std::uint64_t field) const {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(map_ + field));
  }
  static void copy(std::span<const std::byte> from, std::byte* to) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }
  void fill(std::uint64_t bytes) {
    set(watch_format::Reserved, written_ + bytes);
    std::vector<std::byte> head(64);
    const auto put = [&](std::size_t where, auto value) {
      std::memcpy(head.data() + where, &value, sizeof value);
    };
    put(watch_format::RecordMagic, watch_format::record_magic);
    put(watch_format::RecordKind, static_cast<std::uint32_t>(watch_format::Filler));
    put(watch_format::RecordBytes, bytes);
    put(watch_format::RecordNumber, records_);
    copy(head, ring() + written_ % capacity_);
    written_ += bytes;
    set(watch_format::Written, written_);
  }

  std::filesystem::path path_;
  std::uint64_t capacity_, size_, written_ = 0, records_ = 0;
  std::byte* map_ = nullptr;
};

}  // namespace attnscope::test
