// core/files/archives: writes a zip archive of a few small files, which are stored as they are.
#pragma once

#include <span>
#include <string>

namespace attnscope {

struct ZipFile {
  std::string name;  // ASCII, with "/" between folders
  std::string bytes;
};

/// The archive's bytes: the same for the same files, as every entry has the same date (1980-01-01). Throws
/// Error for more than 65,534 files, a name of more than 65,535 bytes, and 4 GiB or more.
std::string zip_archive(std::span<const ZipFile>);

}  // namespace attnscope
