// core/files/archives: zip archives as numpy.savez writes them: entries that are stored or deflated, with
// ZIP64 sizes. The reader trusts nothing: every place and size is checked against the file and against each
// other before a byte of data is touched, and the data against its checksum.
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
  std::uint64_t begin = 0, packed_size = 0, size = 0;  // of the data in the file; size: when unpacked
};

/// The entries in the order of the central directory; their names differ and their bytes do not overlap.
/// Throws Error naming the file, what was found and what was expected.
std::vector<ZipEntry> read_zip(const MappedFile&);

/// Why an entry cannot be read, "is encrypted"; empty if it can.
std::string why_not_readable(const ZipEntry&);

/// Throws Error naming the file and the entry if the bytes of a stored entry do not have its checksum,
/// Cancelled after a stop.
void check_stored(const MappedFile&, const ZipEntry&, Reading* reading);
/// All bytes of a deflated entry. Throws as check_stored().
std::vector<std::byte> unpacked(const MappedFile&, const ZipEntry&);
/// The first bytes of a deflated entry, at most `most`; bytes that could not be unpacked are zeros. Throws
/// Error if the file has become shorter.
std::vector<std::byte> unpacked_start(const MappedFile&, const ZipEntry&, std::size_t most);

}  // namespace attnscope
