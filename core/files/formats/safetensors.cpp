#include "core/files/formats/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <set>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/read_values.hpp"
#include "core/files/formats/safetensors_header.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::size_t prefix = 8;                        // bytes before the header: its length
constexpr std::uint64_t max_header_bytes = 100'000'000;  // the reference reader's limit

/// Throws Error for names that no reader would accept.
void check_names(std::span<const NamedTensor> tensors, const std::map<std::string, std::string>& metadata,
                 const std::string& where) {
  std::set<std::string_view> names{"__metadata__"};
  for (const NamedTensor& tensor : tensors) {
    if (!is_valid_utf8(tensor.name) || !names.insert(tensor.name).second) {
      throw Error(
          fmt::format("Cannot write {}: the tensor name {} cannot be used.", where, in_quotes(tensor.name)));
    }
    const bool whole = std::holds_alternative<const TensorOf<std::int64_t>*>(tensor.tensor);
    if (whole ? tensor.dtype != DType::I64 : !is_real(tensor.dtype)) {
      throw Error(fmt::format("Cannot write {}: tensor {} has dtype {}, expected {}.", where,
                              in_quotes(tensor.name), to_string(tensor.dtype),
                              whole ? "I64" : "F16, BF16, F32 or F64"));
    }
  }
  for (const auto& [key, value] : metadata) {
    if (!is_valid_utf8(key) || !is_valid_utf8(value)) {
      throw Error(fmt::format("Cannot write {}: the metadata {} is not valid UTF-8.", where, in_quotes(key)));
    }
  }
}

std::vector<std::int64_t> sizes_of(const NamedTensor& named) {
  const Shape& shape =
      std::visit([](const auto* tensor) -> const Shape& { return tensor->shape(); }, named.tensor);
  std::vector<std::int64_t> sizes;
  for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  return sizes;
}

/// The tensor's own bytes if they already have the type, else its values converted into `converted`.
std::string_view stored_bytes(const NamedTensor& named, std::deque<std::string>& converted) {
  return std::visit(
      [&]<class T>(const TensorOf<T>* tensor) -> std::string_view {
        const std::string_view own{reinterpret_cast<const char*>(tensor->data()),
                                   tensor->values().size_bytes()};
        if constexpr (std::is_same_v<T, std::int64_t>) {
          return own;
        } else {
          if (named.dtype == (std::is_same_v<T, float> ? DType::F32 : DType::F64)) return own;
          return converted.emplace_back(encode(named.dtype, tensor->values()));
        }
      },
      named.tensor);
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : file_(std::make_shared<const MappedFile>(path)) {
  const std::string where = in_quotes(path.native());
  const std::uint64_t size = file_->size();
  if (size < prefix) {
    throw Error(fmt::format("{} is not a safetensors file: it has {} bytes, expected at least {}.", where,
                            size, prefix));
  }
  std::uint64_t header_size = 0;
  file_->read(0, &header_size, prefix);
  if (header_size > max_header_bytes || header_size > size - prefix) {
    throw Error(fmt::format(
        "{} is not a safetensors file: its first bytes announce a header of {} bytes, expected at "
        "most {}.",
        where, header_size, std::min(max_header_bytes, size - prefix)));
  }
  std::string json(static_cast<std::size_t>(header_size), '\0');
  file_->read(prefix, json.data(), json.size());
  const std::uint64_t data_size = size - prefix - header_size;
  SafetensorsHeader header = parse_safetensors_header(json, data_size, where);
  metadata_ = std::move(header.metadata);
  const std::span<const std::byte> data = file_->bytes().subspan(prefix + json.size());
  tensors_.reserve(header.tensors.size());
  for (HeaderEntry& entry : header.tensors) {
    tensors_.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                        data.subspan(static_cast<std::size_t>(entry.begin),
                                     static_cast<std::size_t>(entry.end - entry.begin)),
                        file_.get(), prefix + json.size() + entry.begin});
  }
  list_places();
}

SafetensorsFile::SafetensorsFile(std::shared_ptr<const MappedFile> file, std::vector<TensorEntry> tensors)
    : file_(std::move(file)), tensors_(std::move(tensors)) {
  list_places();
}

void SafetensorsFile::list_places() {
  places_.reserve(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i) places_.emplace(tensors_[i].name, i);
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
  file_->check_length();
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &tensors_[found->second];
}

namespace {

void check_convertible(const TensorEntry& entry, const std::filesystem::path& path) {
  if (entry.shape.size() > static_cast<std::size_t>(Shape::max_rank)) {
    throw Error(fmt::format("{}: tensor {} has {} dimensions, expected at most {}.", in_quotes(path.native()),
                            in_quotes(entry.name), entry.shape.size(), Shape::max_rank));
  }
  if (!is_convertible(entry.dtype)) {
    throw Error(
        fmt::format("{}: tensor {} has dtype {}, expected BOOL, an integer or one of F16, BF16, F32, F64.",
                    in_quotes(path.native()), in_quotes(entry.name), to_string(entry.dtype)));
  }
}

}  // namespace

StoredTensor SafetensorsFile::stored(const TensorEntry& entry) const {
  check_convertible(entry, path());
  const std::optional<ElementType> type = element_type_of(entry.dtype);
  if (!type || entry.packed)
    return StoredTensor(std::make_shared<const Tensor>(to_tensor<float>(entry, path())));
  file_->check_length();
  return {*type, Shape(std::span(entry.shape)), entry.bytes, file_};
}

template <class T>
TensorOf<T> to_tensor(const TensorEntry& entry, const std::filesystem::path& path, Reading* reading) {
  check_convertible(entry, path);
  if (entry.packed) {
    if constexpr (std::is_same_v<T, float>)
      return entry.packed->floats(reading);
    else
      return entry.packed->doubles(reading);
  }
  TensorOf<T> tensor{Shape(std::span(entry.shape))};
  read_values(FilePart(*entry.file), entry.begin, entry.dtype, std::endian::little, tensor.values(), reading);
  return tensor;
}

template TensorOf<float> to_tensor<float>(const TensorEntry&, const std::filesystem::path&, Reading*);
template TensorOf<double> to_tensor<double>(const TensorEntry&, const std::filesystem::path&, Reading*);

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string where = in_quotes(path.native());
  check_names(tensors, metadata, where);
  // The widest types first, as the reference writer orders them, so that every tensor is aligned in the map.
  std::vector<const NamedTensor*> ordered;
  for (const NamedTensor& tensor : tensors) ordered.push_back(&tensor);
  std::ranges::stable_sort(ordered, std::greater(),
                           [](const NamedTensor* tensor) { return bit_size(tensor->dtype); });

  std::string header = "{";
  if (!metadata.empty()) header += "\"__metadata__\":" + nlohmann::json(metadata).dump();
  std::vector<std::string_view> pieces(2);  // length and header, filled in below
  std::deque<std::string> converted;
  std::uint64_t offset = 0;
  for (const NamedTensor* tensor : ordered) {
    pieces.push_back(stored_bytes(*tensor, converted));
    const std::uint64_t end = offset + pieces.back().size();
    header += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          header.size() == 1 ? "" : ",", nlohmann::json(tensor->name).dump(),
                          to_string(tensor->dtype), fmt::join(sizes_of(*tensor), ","), offset, end);
    offset = end;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');  // so that the data begins aligned
  const std::uint64_t length = header.size();
  if (length > max_header_bytes) {
    throw Error(fmt::format("Cannot write {}: its header has {} bytes, expected at most {}.", where, length,
                            max_header_bytes));
  }
  pieces[0] = {reinterpret_cast<const char*>(&length), sizeof length};
  pieces[1] = header;
  write_atomically(path, pieces);
}

}  // namespace attnscope
