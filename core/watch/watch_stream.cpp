#include "core/watch/watch_stream.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/watch/watch_format.hpp"
#include "core/watch/watch_header.hpp"

namespace attnscope {

namespace format = watch_format;

/// The header is mapped, since both sides write to it. Records are read through the descriptor instead: if
/// the file is truncated meanwhile, that gives an Error, not a signal.
class WatchStream::Map {
 public:
  explicit Map(const std::filesystem::path& path)
      : path_(path), name_(in_quotes(path.native())), file_(open_watch_file(path, O_RDWR)) {
    void* const mapped =
        ::mmap(nullptr, format::header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
    if (mapped == MAP_FAILED) throw system_error("map", path);
    header_ = static_cast<std::byte*>(mapped);
    try {
      begin();
    } catch (...) {
      ::munmap(header_, format::header_bytes);
      throw;
    }
  }
  ~Map() {
    if (is_long_enough()) stop_looking();
    ::munmap(header_, format::header_bytes);
  }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const WatchHeader& header() const { return read_; }
  const StreamCounts& counts() const { return counts_; }
  bool is_closed() const { return is_long_enough() && load(format::Closed) != 0; }

  void look(std::uint64_t wanted) {
    check_length();
    if (std::exchange(is_late_, false)) raise_whole();
    store(format::WindowWanted, wanted);
    store(format::WindowLooked, now());
    store(format::WindowPid, static_cast<std::uint64_t>(::getpid()));
  }
  void stop_looking() {
    if (load(format::WindowPid) != static_cast<std::uint64_t>(::getpid())) return;
    store(format::WindowPid, 0);
    store(format::WindowLooked, 0);
  }
  void ask_for_whole() {
    constexpr std::uint64_t answer_time = 500'000'000;  // calls already in flight are not whole yet
    check_length();
    if (now() - asked_ >= answer_time) raise_whole();
  }

  std::vector<WatchRecord> poll(std::uint64_t most_bytes);
  std::function<void()> copied;

 private:
  std::atomic_ref<std::uint64_t> field(format::Field at) const {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(header_ + at));
  }
  std::uint64_t load(format::Field at) const { return field(at).load(std::memory_order_acquire); }
  void store(format::Field at, std::uint64_t value) { field(at).store(value, std::memory_order_release); }
  static std::uint64_t now() {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(  // CLOCK_MONOTONIC, as Python's monotonic_ns()
            std::chrono::steady_clock::now().time_since_epoch())
            .count());
  }

  void begin();
  bool is_long_enough() const {
    try {
      return size_of(file_, path_) >= format::header_bytes + capacity();
    } catch (const Error&) {
      return false;
    }
  }
  void check_length() const {
    if (is_long_enough()) return;
    throw Error(fmt::format("{} has become shorter than the {} bytes that its header says.", name_,
                            format::header_bytes + capacity()));
  }
  std::uint64_t capacity() const { return read_.capacity; }

  /// Whether the process has begun to overwrite the data at the cursor. Must be called after reading it.
  bool is_overwritten() const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return load(format::Reserved) - cursor_ > capacity();
  }
  void raise_whole() {
    asked_ = now();
    store(format::WindowWhole, load(format::WindowWhole) + 1);
  }
  void lose();
  void go_behind(std::uint64_t written);
  [[noreturn]] void refuse(std::string_view field, const std::string& what);
  struct Head {
    std::uint32_t magic = 0, kind = 0;
    std::uint64_t bytes = 0, number = 0;
  };
  Head read_head();
  void check_head(const Head&, std::uint64_t written);
  std::uint64_t lost_before(std::uint64_t number);
  std::optional<WatchRecord> read_next(std::uint64_t written);

  std::filesystem::path path_;
  std::string name_;
  Descriptor file_;
  std::byte* header_ = nullptr;
  WatchHeader read_;
  StreamCounts counts_;
  std::uint64_t cursor_ = 0;               // in bytes of the stream: the next record
  std::optional<std::uint64_t> expected_;  // the number of the next record, if one was read before
  std::optional<std::uint64_t> filler_;    // the number of the filler before the next record
  std::uint64_t asked_ = 0;                // when WindowWhole was last raised
  bool is_late_ = false;
  std::vector<std::byte> record_;
  std::string refusal_;  // the error about data behind the records that were returned first
};

void WatchStream::Map::begin() {
  std::array<std::byte, format::header_bytes> copy{};
  read_exactly(file_, path_, 0, copy.data(), copy.size());
  read_ = read_watch_header(copy, path_.native());
  check_length();
  counts_.capacity = capacity();
  const std::uint64_t written = load(format::Written), reserved = load(format::Reserved);  // in this order
  if (written > reserved || reserved % format::alignment != 0 || written % format::alignment != 0)
    throw Error(
        fmt::format("{}: \"written\" of the header is {}, expected a multiple of 64 up to \"reserved\", "
                    "{}.",
                    name_, written, reserved));
  if (reserved <= capacity()) {
    expected_ = 0;  // nothing was overwritten yet
  } else {
    cursor_ = written;
    is_late_ = true;
  }
}

/// Skips the waiting data, which is overwritten or unusable.
void WatchStream::Map::go_behind(std::uint64_t written) {
  cursor_ = written;
  filler_.reset();
  raise_whole();
}

void WatchStream::Map::lose() {
  go_behind(load(format::Written));
  if (load(format::Closed) == 0 || !expected_) return;  // otherwise the next record's number tells how many
  const std::uint64_t records = load(format::Records);
  if (records > *expected_) counts_.dropped += records - *expected_;
  expected_ = records;
}

void WatchStream::Map::refuse(std::string_view field, const std::string& what) {
  const std::string number = expected_ ? fmt::format("record {}", *expected_) : "a record";
  throw Error(fmt::format("{}: {}: {} {}.", name_, number, field, what));
}

WatchStream::Map::Head WatchStream::Map::read_head() {
  std::array<std::byte, format::record_header_bytes> bytes{};
  read_exactly(file_, path_, format::header_bytes + cursor_ % capacity(), bytes.data(), bytes.size());
  Head head;
  std::memcpy(&head.magic, bytes.data() + format::RecordMagic, sizeof head.magic);
  std::memcpy(&head.kind, bytes.data() + format::RecordKind, sizeof head.kind);
  std::memcpy(&head.bytes, bytes.data() + format::RecordBytes, sizeof head.bytes);
  std::memcpy(&head.number, bytes.data() + format::RecordNumber, sizeof head.number);
  return head;
}

void WatchStream::Map::check_head(const Head& head, std::uint64_t written) {
  if (head.magic != format::record_magic)
    refuse("its magic number", fmt::format("is {:#x}, expected {:#x}", head.magic, format::record_magic));
  if (head.kind > format::EndOfPass) refuse("its kind", fmt::format("is {}, expected 0, 1 or 2", head.kind));
  const std::uint64_t left = std::min(capacity() - cursor_ % capacity(), written - cursor_);
  if (head.bytes < format::record_header_bytes || head.bytes % format::alignment != 0 || head.bytes > left)
    refuse("its length", fmt::format("is {}, expected a multiple of 64 from 64 to {}", head.bytes, left));
}

/// The number of records lost between the previous one and this one.
std::uint64_t WatchStream::Map::lost_before(std::uint64_t number) {
  const std::optional<std::uint64_t> expected = std::exchange(expected_, number + 1);
  const std::optional<std::uint64_t> filler = std::exchange(filler_, std::nullopt);
  if (!expected || number == *expected) return 0;
  if (number < *expected) {
    expected_ = expected;
    refuse("its number", fmt::format("is {}, expected {} or more", number, *expected));
  }
  const bool filler_counts = filler && *filler == *expected;  // fillers are numbered, too
  return number - *expected - (filler_counts ? 1 : 0);
}

/// Reads the next record. Nothing for a filler, and if the record was overwritten; then everything up to the
/// end is skipped.
std::optional<WatchRecord> WatchStream::Map::read_next(std::uint64_t written) {
  const Head head = read_head();
  if (is_overwritten()) return lose(), std::nullopt;
  check_head(head, written);
  if (head.kind == format::Filler) {
    filler_ = head.number;
    cursor_ += head.bytes;
    return std::nullopt;
  }
  record_.resize(static_cast<std::size_t>(head.bytes));
  read_exactly(file_, path_, format::header_bytes + cursor_ % capacity(), record_.data(), record_.size());
  if (copied) copied();
  if (is_overwritten()) return lose(), std::nullopt;
  WatchRecord record = read_watch_record(record_, path_.native());
  record.lost_before = lost_before(record.number);
  cursor_ += head.bytes;
  counts_.dropped += record.lost_before;
  ++counts_.records;
  counts_.bytes += head.bytes;
  return record;
}

std::vector<WatchRecord> WatchStream::Map::poll(std::uint64_t most_bytes) {
  if (!refusal_.empty()) throw Error(std::exchange(refusal_, {}));
  check_length();
  counts_.too_large = load(format::TooLarge);
  const std::uint64_t written = load(format::Written);
  if (written < cursor_ || written % format::alignment != 0) {
    cursor_ = written - written % format::alignment;
    throw Error(
        fmt::format("{}: \"written\" of the header is {}, expected a multiple of 64 that never "
                    "becomes less.",
                    name_, written));
  }
  counts_.waiting = std::min(written - cursor_, capacity());
  std::vector<WatchRecord> records;
  const std::uint64_t first = cursor_;
  try {
    if (is_overwritten()) lose();
    while (cursor_ < written && (records.empty() || cursor_ - first < most_bytes))
      if (std::optional<WatchRecord> record = read_next(written)) records.push_back(std::move(*record));
  } catch (const Error& error) {
    go_behind(written);
    if (records.empty()) throw;
    refusal_ = error.what();
  }
  if (record_.capacity() > (std::size_t{16} << 20)) std::vector<std::byte>().swap(record_);
  return records;
}

WatchStream::WatchStream(const std::filesystem::path& path) : map_(std::make_unique<Map>(path)) {}
WatchStream::~WatchStream() = default;
WatchStream::WatchStream(WatchStream&&) noexcept = default;
WatchStream& WatchStream::operator=(WatchStream&&) noexcept = default;

const std::filesystem::path& WatchStream::path() const { return map_->path(); }
const StreamFacts& WatchStream::facts() const { return map_->header().facts; }
const StreamProcess& WatchStream::process() const { return map_->header().process; }
bool WatchStream::is_closed() const { return map_->is_closed(); }
void WatchStream::look(std::uint64_t wanted) { map_->look(wanted); }
void WatchStream::stop_looking() { map_->stop_looking(); }
void WatchStream::ask_for_whole() { map_->ask_for_whole(); }
std::vector<WatchRecord> WatchStream::poll(std::uint64_t most_bytes) { return map_->poll(most_bytes); }
const StreamCounts& WatchStream::counts() const { return map_->counts(); }
void WatchStream::when_copied(std::function<void()> fn) { map_->copied = std::move(fn); }

bool is_watch_stream(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  std::array<char, format::magic.size()> begin{};
  if (!file || ::pread(file.number(), begin.data(), begin.size(), 0) != std::ssize(begin)) return false;
  return std::string_view(begin.data(), begin.size()) == format::magic;
}

void refuse_watch_stream(const std::filesystem::path& path) {
  if (!is_watch_stream(path)) return;
  throw Error(
      in_quotes(path.native()) +
      " is what a watched process sends, not a file to keep: \"attnscope watch\" shows it, and writes its "
      "weights with -o.");
}

}  // namespace attnscope
