#include "core/files/archives/zip.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/archives/checksum.hpp"
#include "core/files/packed/unpack.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::uint64_t most_directory_bytes = 64 << 20, most_entries = 100'000;
constexpr std::size_t end_size = 22, locator_size = 20, wide_end_size = 56, entry_size = 46, local_size = 30,
                      longest_comment = 65'535;
constexpr std::uint32_t end_mark = 0x06054B50, locator_mark = 0x07064B50, wide_end_mark = 0x06064B50,
                        entry_mark = 0x02014B50, local_mark = 0x04034B50;
constexpr std::uint32_t wide_size = 0xFFFF'FFFF;  // the size is in the ZIP64 field
constexpr std::uint16_t wide_field = 1, stored_method = 0, deflated_method = 8;
constexpr std::uint16_t is_encrypted = 1;

/// The little-endian number in `size` bytes from `at` on.
std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}
std::uint16_t short_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(little_endian(bytes, at, 2));
}
std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(little_endian(bytes, at, 4));
}

/// Where the central directory lies.
struct ZipDirectory {
  std::uint64_t begin = 0, size = 0, entries = 0;
  std::uint64_t end = 0;  // where entries must end: the first of the end records
};

class ZipReader {
 public:
  explicit ZipReader(const MappedFile& file) : file_(file) {}

  std::vector<ZipEntry> entries() {
    const ZipDirectory directory = find_directory();
    if (directory.entries > most_entries)
      fail(fmt::format("has {} entries, expected at most {}", directory.entries, most_entries));
    const std::string bytes = read(directory.begin, static_cast<std::size_t>(directory.size));
    std::vector<ZipEntry> entries;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;  // of each: local header to data end
    std::string_view rest = bytes;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
      std::uint64_t local = 0;
      ZipEntry entry = take_entry(rest, local);
      find_data(entry, local, directory.begin);
      spans.emplace_back(local, entry.begin + entry.packed_size);
      entries.push_back(std::move(entry));
    }
    if (!rest.empty())
      fail(fmt::format("has {} bytes behind the last of the {} entries of its directory, expected none",
                       rest.size(), directory.entries));
    check_apart(entries, std::move(spans));
    return entries;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{} is a damaged zip archive: it {}.", in_quotes(file_.path().native()), what));
  }
  [[noreturn]] void fail(const ZipEntry& entry, const std::string& what) const {
    fail(fmt::format("has an entry {}, which {}", in_quotes(entry.name, 80), what));
  }

  std::string read(std::uint64_t begin, std::size_t size) const {
    std::string bytes(size, '\0');
    file_.read(begin, bytes.data(), size);
    return bytes;
  }

  /// Finds the end record, whose comment reaches to the end of the file. If there is none, takes, as Python's
  /// zipfile does, the last end record that follows a directory; bytes behind it are ignored.
  ZipDirectory find_directory() const {
    const std::size_t size =
        static_cast<std::size_t>(std::min<std::uint64_t>(file_.size(), end_size + longest_comment));
    const std::uint64_t tail_begin = file_.size() - size;
    const std::string tail = read(tail_begin, size);
    std::optional<std::size_t> last;
    for (std::size_t at = size < end_size ? 0 : size - end_size + 1; at-- > 0;) {
      if (word_at(tail, at) != end_mark) continue;
      const bool is_end = at + end_size + short_at(tail, at + 20) == size;
      if (!is_end && (last || !follows_directory(std::string_view(tail).substr(at), tail_begin + at)))
        continue;
      last = at;
      if (is_end) break;
    }
    if (!last) fail("has no end record, as one that was cut off or has other bytes behind it");
    return directory_of(std::string_view(tail).substr(*last, end_size), tail_begin + *last);
  }

  /// Whether a directory, or the locator of a ZIP64 end record, ends where this record begins.
  bool follows_directory(std::string_view end, std::uint64_t at) const {
    if (std::uint64_t{word_at(end, 16)} + word_at(end, 12) == at) return true;
    return at >= locator_size + wide_end_size && word_at(read(at - locator_size, 4), 0) == locator_mark;
  }

  ZipDirectory directory_of(std::string_view end, std::uint64_t at) const {
    ZipDirectory directory{
        .begin = word_at(end, 16), .size = word_at(end, 12), .entries = short_at(end, 10), .end = at};
    std::uint64_t disks = short_at(end, 4) | short_at(end, 6), here = short_at(end, 8);
    if (at >= locator_size + wide_end_size) {
      const std::string locator = read(at - locator_size, locator_size);
      if (word_at(locator, 0) == locator_mark) {
        const std::uint64_t wide_at = little_endian(locator, 8, 8);
        if (wide_at > at - locator_size - wide_end_size)
          fail(fmt::format("says that its end record begins at byte {}, expected at most {}", wide_at,
                           at - locator_size - wide_end_size));
        const std::string wide = read(wide_at, wide_end_size);
        if (word_at(wide, 0) != wide_end_mark) fail("has no end record of 64 bits where it says");
        directory = {.begin = little_endian(wide, 48, 8),
                     .size = little_endian(wide, 40, 8),
                     .entries = little_endian(wide, 32, 8),
                     .end = wide_at};
        disks = word_at(wide, 16) | word_at(wide, 20);
        here = little_endian(wide, 24, 8);
      }
    }
    if (disks != 0 || here != directory.entries) fail("is one of several parts, expected a whole one");
    if (directory.size > most_directory_bytes)
      fail(fmt::format("has a directory of {} bytes, expected at most {}", directory.size,
                       most_directory_bytes));
    if (directory.size > directory.end || directory.begin != directory.end - directory.size)
      fail(fmt::format(
          "says that its directory of {} bytes begins at byte {}, expected one that ends at byte {}",
          directory.size, directory.begin, directory.end));
    return directory;
  }

  ZipEntry take_entry(std::string_view& rest, std::uint64_t& local) const {
    if (rest.size() < entry_size || word_at(rest, 0) != entry_mark)
      fail("has a directory that ends within an entry");
    const std::size_t name = short_at(rest, 28), extra = short_at(rest, 30), comment = short_at(rest, 32);
    if (rest.size() < entry_size + name + extra + comment) fail("has a directory that ends within an entry");
    ZipEntry entry{.name = std::string(rest.substr(entry_size, name)),
                   .method = short_at(rest, 10),
                   .flags = short_at(rest, 8),
                   .checksum = word_at(rest, 16),
                   .begin = 0,
                   .packed_size = word_at(rest, 20),
                   .size = word_at(rest, 24)};
    if (!is_valid_utf8(entry.name)) fail(entry, "is not valid UTF-8");
    local = word_at(rest, 42);
    widen(entry, local, rest.substr(entry_size + name, extra));
    rest.remove_prefix(entry_size + name + extra + comment);
    return entry;
  }

  /// Values that do not fit into 32 bits are in the ZIP64 field: of size, packed size and place only those,
  /// in this order.
  void widen(ZipEntry& entry, std::uint64_t& local, std::string_view extra) const {
    while (extra.size() >= 4) {
      const std::size_t length = short_at(extra, 2);
      if (length > extra.size() - 4) break;
      std::string_view field = extra.substr(4, length);
      if (short_at(extra, 0) == wide_field) {
        for (std::uint64_t* value : {&entry.size, &entry.packed_size, &local}) {
          if (*value != wide_size) continue;
          if (field.size() < 8) fail(entry, "has no size of 64 bits");
          *value = little_endian(field, 0, 8);
          field.remove_prefix(8);
        }
        return;
      }
      extra.remove_prefix(4 + length);
    }
  }

  /// Sets where the data begins. The local header has its own name and extra field, of other lengths; its
  /// sizes may be missing.
  void find_data(ZipEntry& entry, std::uint64_t local, std::uint64_t limit) const {
    if (local > limit || limit - local < local_size)
      fail(entry, fmt::format("begins at byte {}, expected one before {}", local, limit));
    const std::string header = read(local, local_size);
    if (word_at(header, 0) != local_mark) fail(entry, "has no header where the directory says");
    const std::size_t name = short_at(header, 26), extra = short_at(header, 28);
    if (limit - local - local_size < name + extra) fail(entry, "has a header that does not fit in");
    if (read(local + local_size, name) != entry.name || short_at(header, 8) != entry.method)
      fail(entry, "is another one in its own header");
    entry.begin = local + local_size + name + extra;
    if (entry.packed_size > limit - entry.begin)
      fail(entry, fmt::format("has {} bytes, expected at most {}", entry.packed_size, limit - entry.begin));
    if (entry.method == stored_method && entry.size != entry.packed_size)
      fail(entry, fmt::format("is stored in {} bytes, expected {}", entry.packed_size, entry.size));
  }

  void check_apart(const std::vector<ZipEntry>& entries,
                   std::vector<std::pair<std::uint64_t, std::uint64_t>> spans) const {
    std::set<std::string_view> names;
    for (const ZipEntry& entry : entries)
      if (!names.insert(entry.name).second) fail(entry, "is there twice");
    std::ranges::sort(spans);
    for (std::size_t i = 1; i < spans.size(); ++i)
      if (spans[i - 1].second > spans[i].first)
        fail(fmt::format("has two entries that share byte {}", spans[i].first));
  }

  const MappedFile& file_;
};

[[noreturn]] void refuse_checksum(const MappedFile& file, const ZipEntry& entry) {
  throw Error(
      fmt::format("{}: the bytes of {} do not have the checksum that the archive gives: it is damaged.",
                  in_quotes(file.path().native()), in_quotes(entry.name, 80)));
}

/// The bytes are copied, because they must not change while they are unpacked.
std::vector<std::byte> packed_bytes(const MappedFile& file, const ZipEntry& entry, std::size_t most) {
  std::vector<std::byte> bytes(std::min(static_cast<std::size_t>(entry.packed_size), most));
  file.read(entry.begin, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace

std::vector<ZipEntry> read_zip(const MappedFile& file) { return ZipReader(file).entries(); }

std::string why_not_readable(const ZipEntry& entry) {
  if (entry.flags & is_encrypted) return "is encrypted";
  if (entry.method == stored_method) return {};
  if (entry.method != deflated_method)
    return fmt::format("is packed by method {}, expected 0 (stored) or 8 (deflated)", entry.method);
  const std::uint64_t larger = std::max(entry.size, entry.packed_size);
  if (larger > most_inflated_bytes)
    return fmt::format("is deflated and has {} bytes, expected at most {}: numpy.savez stores it as it is",
                       larger, most_inflated_bytes);
  // One byte of deflated data expands to at most 1,032 bytes.
  if (entry.size / 1032 > entry.packed_size)
    return fmt::format("is {} bytes said to be {} when unpacked, which deflated bytes cannot be",
                       entry.packed_size, entry.size);
  return {};
}

void check_stored(const MappedFile& file, const ZipEntry& entry, Reading* reading) {
  constexpr std::size_t piece = 1 << 20;
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(piece, entry.size)));
  std::uint32_t found = 0;
  for (std::uint64_t done = 0; done < entry.size;) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(piece, entry.size - done));
    file.read(entry.begin + done, bytes.data(), size);
    found = checksum(found, std::span(bytes).first(size));
    done += size;
    advance(reading, 0);
  }
  if (found != entry.checksum) refuse_checksum(file, entry);
}

std::vector<std::byte> unpacked(const MappedFile& file, const ZipEntry& entry) {
  const std::vector<std::byte> packed = packed_bytes(file, entry, SIZE_MAX);
  std::vector<std::byte> bytes(static_cast<std::size_t>(entry.size));
  if (!inflate(packed, bytes) || checksum(0, bytes) != entry.checksum) refuse_checksum(file, entry);
  return bytes;
}

std::vector<std::byte> unpacked_start(const MappedFile& file, const ZipEntry& entry, std::size_t most) {
  // The most deflated bytes that can be needed: `most` bytes as stored blocks, and what comes before them.
  const std::vector<std::byte> packed = packed_bytes(file, entry, most + (std::size_t{1} << 16));
  std::vector<std::byte> bytes(std::min(static_cast<std::size_t>(entry.size), most));
  inflate(packed, bytes);
  return bytes;
}

}  // namespace attnscope
