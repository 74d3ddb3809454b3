// core/files/archives: zip archives, of which only what numpy.savez writes is read: entries that are stored
// or deflated, with sizes of 64 bits. The reader trusts nothing: every place and size is checked against the
// file and against each other before a byte of data is touched, and the data against its checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/files/formats/mapped_file.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

struct ZipEntry {
  std::string name;                                    // as the archive spells it
  std::uint16_t method = 0, flags = 0;                 // 0 is stored, 8 deflated
  std::uint32_t checksum = 0;                          // CRC-32 of the unpacked bytes
  std::uint64_t begin = 0, packed_size = 0, size = 0;  // of the data in the file; size is that when unpacked
};

/// In the order of the central directory; no two have one name or share a byte. Throws Error naming the file,
/// what was found and what was expected.
std::vector<ZipEntry> read_zip(const MappedFile&);

/// Why the bytes of an entry cannot be had, "is encrypted"; empty when they can.
std::string why_not_readable(const ZipEntry&);

/// Throws Error naming the file and the entry unless the bytes of a stored entry have its checksum, Cancelled
/// after a stop.
void check_stored(const MappedFile&, const ZipEntry&, Reading* reading);
/// All bytes of a deflated entry. Throws as check_stored().
std::vector<std::byte> unpacked(const MappedFile&, const ZipEntry&);
/// Its first bytes, at most `most`; there may be zeros at the end in their place. Throws Error when the file
/// has become shorter.
std::vector<std::byte> unpacked_start(const MappedFile&, const ZipEntry&, std::size_t most);

}  // namespace attnscope
