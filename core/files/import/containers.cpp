#include "core/files/import/containers.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_looked_at = 4096;

/// The first bytes; empty if the file cannot be read.
std::string first_bytes(const std::filesystem::path& path) {
  try {
    const Descriptor file = open_regular(path);
    std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size_of(file, path), most_looked_at)),
                      '\0');
    read_exactly(file, path, 0, bytes.data(), bytes.size());
    return bytes;
  } catch (const Error&) {
    return {};
  }
}

/// Eight bytes of header length, then a JSON object. A length may begin with any byte: 640 begins like a
/// pickle.
bool is_safetensors(std::string_view bytes) {
  return bytes.size() > 8 && bytes.substr(4, 4) == std::string_view("\0\0\0\0", 4) && bytes[8] == '{';
}

/// The end of a sentence, "is …"; empty for all other files. `is_npz`: the name ends in .npz.
std::string_view what_it_is(std::string_view bytes, bool is_npz) {
  constexpr std::string_view zip("PK\x03\x04", 4), hdf5("\x89HDF\r\n\x1A\n", 8), gzip("\x1F\x8B", 2);
  if (is_safetensors(bytes)) return {};
  const bool is_pickle = bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
  if (is_pickle || (bytes.starts_with(zip) &&
                    (bytes.find("data.pkl") != bytes.npos || bytes.find("/.format_version") != bytes.npos)))
    return "is a pickle (torch.save, PyTorch), which may run any program: write its tensors with "
           "safetensors.torch.save_file";
  if (is_npz) return {};
  if (bytes.starts_with(zip) && bytes.find(".npy") != bytes.npos)
    return "is a zip archive of NumPy arrays (np.savez): give it a name that ends in .npz";
  if (bytes.starts_with(zip)) return "is a zip archive: unpack it first";
  if (bytes.starts_with(hdf5))
    return "is an HDF5 file (h5py, Keras): write its arrays with safetensors.numpy.save_file";
  if (bytes.starts_with(gzip)) return "is compressed (gzip): unpack it first";
  return {};
}

}  // namespace

void refuse_container(const std::filesystem::path& path) {
  const std::string bytes = first_bytes(path);
  if (const std::string_view what = what_it_is(bytes, lower_extension(path) == ".npz"); !what.empty())
    throw Error(fmt::format("{} {}.", in_quotes(path.native()), what));
}

}  // namespace attnscope
