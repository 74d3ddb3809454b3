#include "core/files/archives/npz.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/archives/zip.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::string_view array_ending = ".npy";
/// How much of a deflated entry is unpacked to read its NPY header: a header has at most 65,547 bytes; NumPy
/// writes 128.
constexpr std::size_t unpacked_for_header = 70'000;

/// All unpacked bytes of an entry, or only the first of them; the entry has `size` in all.
class UnpackedBytes final : public ByteSource {
 public:
  UnpackedBytes(std::vector<std::byte> bytes, std::uint64_t size) : bytes_(std::move(bytes)), size_(size) {}
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, void* to, std::size_t size) const override {
    if (offset > bytes_.size() || bytes_.size() - offset < size)
      throw Error("An array has a header that is too long.");
    if (size > 0) std::memcpy(to, bytes_.data() + offset, size);
  }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t size_;
};

class NpzArray final : public PackedTensor {
 public:
  NpzArray(std::shared_ptr<const MappedFile> file, ZipEntry entry, std::string where)
      : file_(std::move(file)), entry_(std::move(entry)), where_(std::move(where)), header_(read_header()) {}

  const NpyHeader& header() const { return header_; }
  Tensor floats(Reading* reading) const override { return values<float>(reading); }
  TensorOf<double> doubles(Reading* reading) const override { return values<double>(reading); }

 private:
  bool is_stored() const { return entry_.method == 0; }
  FilePart part() const { return {*file_, entry_.begin, entry_.size}; }

  NpyHeader read_header() const {
    if (is_stored()) return npy_header(part(), where_);
    return npy_header(UnpackedBytes(unpacked_start(*file_, entry_, unpacked_for_header), entry_.size),
                      where_);
  }

  template <class T>
  TensorOf<T> values(Reading* reading) const {
    if (is_stored()) check_stored(*file_, entry_, reading);
    TensorOf<T> values =
        is_stored() ? read_npy<T>(part(), where_, reading)
                    : read_npy<T>(UnpackedBytes(unpacked(*file_, entry_), entry_.size), where_, reading);
    if (values.shape() != header_.shape) throw Error(fmt::format("{} changed while it was open.", where_));
    return values;
  }

  std::shared_ptr<const MappedFile> file_;
  ZipEntry entry_;
  std::string where_;
  NpyHeader header_;
};

/// The array as a tensor of the archive. Throws Error if it cannot be read.
TensorEntry array_of(const std::shared_ptr<const MappedFile>& file, const ZipEntry& entry) {
  const std::string name = entry.name.substr(0, entry.name.size() - array_ending.size());
  const std::string where = fmt::format("{}: {}", in_quotes(file->path().native()), in_quotes(name, 80));
  if (const std::string why = why_not_readable(entry); !why.empty())
    throw Error(fmt::format("{} {}.", where, why));
  auto array = std::make_shared<const NpzArray>(file, entry, where);
  const NpyHeader& header = array->header();
  TensorEntry tensor{.name = name, .dtype = header.dtype, .shape = {}, .bytes = {}, .file = file.get()};
  for (int axis = 0; axis < header.shape.rank(); ++axis) tensor.shape.push_back(header.shape[axis]);
  tensor.packed = std::move(array);
  return tensor;
}

/// `"NAME" WHAT` from the sentence `FILE: "NAME" WHAT.`.
std::string without_file(std::string_view sentence, const std::filesystem::path& path) {
  const std::string file = in_quotes(path.native()) + ": ";
  if (sentence.starts_with(file)) sentence.remove_prefix(file.size());
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return std::string(sentence);
}

}  // namespace

bool is_npz(const std::filesystem::path& path) { return lower_extension(path) == ".npz"; }

SafetensorsFile open_npz(const std::filesystem::path& path, std::vector<std::string>* left_out) {
  constexpr std::string_view begin = "PK";
  auto file = std::make_shared<const MappedFile>(path);
  std::string first(static_cast<std::size_t>(std::min<std::uint64_t>(file->size(), 8)), '\0');
  file->read(0, first.data(), first.size());
  if (!first.starts_with(begin))
    throw Error(fmt::format("{} is not an NPZ file: it begins with {}, expected {} (a zip archive).",
                            in_quotes(path.native()), in_quotes(first), in_quotes(begin)));
  std::vector<TensorEntry> tensors;
  std::string first_problem;
  for (const ZipEntry& entry : read_zip(*file)) {
    if (!std::string_view(entry.name).ends_with(array_ending)) continue;
    try {
      tensors.push_back(array_of(file, entry));
    } catch (const Error& error) {
      if (first_problem.empty()) first_problem = error.what();
      if (left_out != nullptr) left_out->push_back(without_file(error.what(), path));
    }
  }
  if (tensors.empty() && !first_problem.empty()) throw Error(first_problem);
  if (tensors.empty())
    throw Error(fmt::format("{} holds no array: none of its entries is named like one, \"….npy\".",
                            in_quotes(path.native())));
  return {std::move(file), std::move(tensors)};
}

SafetensorsFile open_tensors(const std::filesystem::path& path, std::vector<std::string>* left_out) {
  return is_npz(path) ? open_npz(path, left_out) : SafetensorsFile(path);
}

}  // namespace attnscope
