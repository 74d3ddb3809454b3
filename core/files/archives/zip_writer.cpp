#include "core/files/archives/zip_writer.hpp"

#include <cstdint>

#include "core/base/error.hpp"
#include "core/files/archives/checksum.hpp"

namespace attnscope {
namespace {

constexpr std::uint32_t written_local = 0x04034B50, written_entry = 0x02014B50, written_end = 0x06054B50;
constexpr std::uint16_t needed_version = 10;         // stored entries need no more
constexpr std::uint16_t earliest_date = 1 << 5 | 1;  // 1980-01-01, the earliest that there is
constexpr std::uint64_t most_written = 0xFFFF,
                        most_archive_bytes = 0xFFFF'FFFF;  // beyond them stand ZIP64's marks

void add_little(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 0xFF);
}

/// What the header before an entry and the central directory have in common.
std::string entry_facts(const ZipFile& file) {
  std::string facts;
  add_little(facts, needed_version, 2);
  add_little(facts, 0, 2);  // flags
  add_little(facts, 0, 2);  // method: stored
  add_little(facts, 0, 2);  // time
  add_little(facts, earliest_date, 2);
  add_little(facts, checksum(0, std::as_bytes(std::span(file.bytes))), 4);
  add_little(facts, file.bytes.size(), 4);  // packed
  add_little(facts, file.bytes.size(), 4);
  add_little(facts, file.name.size(), 2);
  add_little(facts, 0, 2);  // extra fields
  return facts;
}

}  // namespace

std::string zip_archive(std::span<const ZipFile> files) {
  std::uint64_t whole = 0;
  for (const ZipFile& file : files) {
    whole += 2 * (file.name.size() + 64) + file.bytes.size();
    if (file.name.size() > most_written) throw Error("A name in a zip archive has at most 65,535 bytes.");
  }
  if (files.size() >= most_written || whole >= most_archive_bytes)
    throw Error("A zip archive has at most 65,534 files, and less than 4 GiB.");
  std::string archive, directory;
  for (const ZipFile& file : files) {
    const std::string facts = entry_facts(file);
    add_little(directory, written_entry, 4);
    add_little(directory, needed_version, 2);  // made by
    directory += facts;
    add_little(directory, 0, 2);  // comment
    add_little(directory, 0, 2);  // disk
    add_little(directory, 0, 2);  // attributes
    add_little(directory, 0, 4);
    add_little(directory, archive.size(), 4);
    directory += file.name;
    add_little(archive, written_local, 4);
    archive += facts;
    archive += file.name;
    archive += file.bytes;
  }
  const std::uint64_t begin = archive.size();
  archive += directory;
  add_little(archive, written_end, 4);
  add_little(archive, 0, 4);  // disks
  add_little(archive, files.size(), 2);
  add_little(archive, files.size(), 2);
  add_little(archive, directory.size(), 4);
  add_little(archive, begin, 4);
  add_little(archive, 0, 2);  // comment
  return archive;
}

}  // namespace attnscope
