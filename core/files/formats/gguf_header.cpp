#include "core/files/formats/gguf_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::uint64_t max_gguf_header = 64 * 1'048'576;  // several times that of the largest vocabularies
constexpr std::uint64_t max_gguf_key = 65535;              // the specification's limit
constexpr int max_gguf_nesting = 8;
constexpr std::uint32_t max_gguf_rank = 4;

struct GgmlType {
  std::uint32_t number;
  std::string_view name;
  std::uint64_t elements, bytes;  // of a block
  std::optional<ElementType> type = std::nullopt;
};

constexpr GgmlType read_as(std::uint32_t number, std::string_view name, std::uint64_t elements,
                           std::uint64_t bytes, ElementType type) {
  return {number, name, elements, bytes, type};
}

constexpr std::array ggml_types{
    read_as(0, "F32", 1, 4, ElementType::Float32),
    read_as(1, "F16", 1, 2, ElementType::Float16),
    read_as(2, "Q4_0", 32, 18, ElementType::Q4_0),
    read_as(3, "Q4_1", 32, 20, ElementType::Q4_1),
    read_as(6, "Q5_0", 32, 22, ElementType::Q5_0),
    read_as(7, "Q5_1", 32, 24, ElementType::Q5_1),
    read_as(8, "Q8_0", 32, 34, ElementType::Q8_0),
    GgmlType{9, "Q8_1", 32, 36},
    read_as(10, "Q2_K", 256, 84, ElementType::Q2_K),
    read_as(11, "Q3_K", 256, 110, ElementType::Q3_K),
    read_as(12, "Q4_K", 256, 144, ElementType::Q4_K),
    read_as(13, "Q5_K", 256, 176, ElementType::Q5_K),
    read_as(14, "Q6_K", 256, 210, ElementType::Q6_K),
    GgmlType{15, "Q8_K", 256, 292},
    read_as(16, "IQ2_XXS", 256, 66, ElementType::IQ2_XXS),
    read_as(17, "IQ2_XS", 256, 74, ElementType::IQ2_XS),
    read_as(18, "IQ3_XXS", 256, 98, ElementType::IQ3_XXS),
    read_as(19, "IQ1_S", 256, 50, ElementType::IQ1_S),
    read_as(20, "IQ4_NL", 32, 18, ElementType::IQ4_NL),
    read_as(21, "IQ3_S", 256, 110, ElementType::IQ3_S),
    read_as(22, "IQ2_S", 256, 82, ElementType::IQ2_S),
    read_as(23, "IQ4_XS", 256, 136, ElementType::IQ4_XS),
    GgmlType{24, "I8", 1, 1},
    GgmlType{25, "I16", 1, 2},
    GgmlType{26, "I32", 1, 4},
    GgmlType{27, "I64", 1, 8},
    GgmlType{28, "F64", 1, 8},
    read_as(29, "IQ1_M", 256, 56, ElementType::IQ1_M),
    read_as(30, "BF16", 1, 2, ElementType::BFloat16),
    read_as(34, "TQ1_0", 256, 54, ElementType::TQ1_0),
    read_as(35, "TQ2_0", 256, 66, ElementType::TQ2_0),
    read_as(39, "MXFP4", 32, 17, ElementType::MXFP4),
    read_as(40, "NVFP4", 64, 36, ElementType::NVFP4),
    GgmlType{41, "Q1_0", 128, 18},
};

/// Null if the type is not known.
const GgmlType* find_ggml_type(std::uint32_t number) {
  const auto* const found = std::ranges::find(ggml_types, number, &GgmlType::number);
  return found == ggml_types.end() ? nullptr : found;
}

/// Reads the header from its first byte to its last.
class GgufReader {
 public:
  GgufReader(const MappedFile& file, const std::string& where) : file_(file), where_(where) {}

  GgufHeader read();

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {} {}.", where_, item_, what));
  }
  std::uint64_t left() const { return file_.size() - at_; }

  /// Makes sure that bytes_ holds the next `count` bytes.
  void need(std::uint64_t count);
  template <class T>
  T number() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  /// The next string, valid until the next read.
  std::string_view text(std::uint64_t limit);

  std::uint32_t version();
  GgufEntry entry(std::uint64_t index);
  GgufType value_type();
  void pass(GgufType type, int depth);
  void pass_array(int depth);
  GgufTensor tensor(std::uint64_t index);
  void measure(GgufTensor& tensor) const;
  std::uint32_t alignment_of(const GgufMetadata& metadata) const;
  void place(std::vector<GgufTensor>& tensors, std::uint32_t alignment) const;

  const MappedFile& file_;
  const std::string& where_;
  std::string bytes_;                // the start of the file, as far as it was needed
  std::size_t at_ = 0;               // never beyond the end of the file
  std::string item_ = "the header";  // what is being read, for messages
};

void GgufReader::need(std::uint64_t count) {
  if (count > left()) fail(fmt::format("needs {} bytes at byte {}, where {} are left", count, at_, left()));
  const std::uint64_t end = at_ + count;
  if (end > max_gguf_header)
    fail(fmt::format("makes the header longer than {} bytes, the most that is read", max_gguf_header));
  if (end <= bytes_.size()) return;
  // Doubles the size each time, so that reading the whole header takes time linear in its length.
  const std::uint64_t size = std::min(file_.size(), std::max<std::uint64_t>({end, 2 * bytes_.size(), 65536}));
  const std::size_t before = bytes_.size();
  bytes_.resize(static_cast<std::size_t>(size));
  file_.read(before, bytes_.data() + before, bytes_.size() - before);
}

std::string_view GgufReader::text(std::uint64_t limit) {
  const auto size = number<std::uint64_t>();
  if (size > limit) fail(fmt::format("has a name of {} bytes, expected at most {}", size, limit));
  need(size);
  at_ += static_cast<std::size_t>(size);
  return std::string_view(bytes_).substr(at_ - static_cast<std::size_t>(size),
                                         static_cast<std::size_t>(size));
}

std::uint32_t GgufReader::version() {
  constexpr std::string_view magic = "GGUF";
  constexpr std::size_t least = 24;
  if (file_.size() < least)
    throw Error(fmt::format("{} is not a GGUF file: it has {} bytes, expected at least {}.", where_,
                            file_.size(), least));
  need(least);
  if (!bytes_.starts_with(magic))
    throw Error(fmt::format("{} is not a GGUF file: it begins with {}, expected \"GGUF\".", where_,
                            in_quotes(std::string_view(bytes_).substr(0, magic.size()))));
  at_ = magic.size();
  const auto found = number<std::uint32_t>();
  if (found != 0 && (found & 0xffff) == 0)
    throw Error(fmt::format("{} is a big-endian GGUF file, expected a little-endian one.", where_));
  if (found != 2 && found != 3)
    throw Error(fmt::format("{} is a GGUF file of version {}, expected 2 or 3.", where_, found));
  return found;
}

GgufType GgufReader::value_type() {
  const auto type = number<std::uint32_t>();
  if (type >= gguf_type_count)
    fail(fmt::format("has a value of type {}, expected 0 to {}", type, gguf_type_count - 1));
  return static_cast<GgufType>(type);
}

GgufEntry GgufReader::entry(std::uint64_t index) {
  item_ = fmt::format("metadata number {}", index);
  const std::string_view key = text(max_gguf_key);
  if (!is_valid_utf8(key)) fail(fmt::format("has the key {}, which is not valid UTF-8", in_quotes(key)));
  item_ = "the metadata " + in_quotes(key);
  GgufEntry entry{at_ - key.size(), key.size(), 0, value_type()};
  entry.value = at_;
  pass(entry.type, 0);
  return entry;
}

/// Skips one value and checks that it is well-formed.
void GgufReader::pass(GgufType type, int depth) {
  if (type == GgufType::Array) return pass_array(depth + 1);
  if (type == GgufType::String) {
    const auto size = number<std::uint64_t>();
    need(size);
    at_ += static_cast<std::size_t>(size);
  } else if (type == GgufType::Bool) {
    const auto byte = number<std::uint8_t>();
    if (byte > 1) fail(fmt::format("has a bool of {}, expected 0 or 1", byte));
  } else {
    need(gguf_size_of(type));
    at_ += gguf_size_of(type);
  }
}

void GgufReader::pass_array(int depth) {
  if (depth > max_gguf_nesting) fail(fmt::format("nests arrays deeper than {} levels", max_gguf_nesting));
  const GgufType type = value_type();
  const auto count = number<std::uint64_t>();
  const std::size_t size = gguf_size_of(type);
  const std::size_t least = size != 0 ? size : type == GgufType::String ? 8 : 12;
  if (count > left() / least)
    fail(fmt::format("announces {} elements of type {}, where {} bytes are left", count, to_string(type),
                     left()));
  if (size != 0 && type != GgufType::Bool) {
    need(count * size);
    at_ += static_cast<std::size_t>(count) * size;
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) pass(type, depth);
}

GgufTensor GgufReader::tensor(std::uint64_t index) {
  item_ = fmt::format("tensor number {}", index);
  GgufTensor tensor;
  tensor.name = text(max_gguf_key);
  if (!is_valid_utf8(tensor.name))
    fail(fmt::format("has the name {}, which is not valid UTF-8", in_quotes(tensor.name)));
  item_ = "tensor " + in_quotes(tensor.name);
  const auto rank = number<std::uint32_t>();
  if (rank < 1 || rank > max_gguf_rank)
    fail(fmt::format("has {} dimensions, expected 1 to {}", rank, max_gguf_rank));
  for (std::uint32_t axis = 0; axis < rank; ++axis) {
    const auto size = number<std::uint64_t>();
    if (!std::in_range<std::int64_t>(size))
      fail(fmt::format("has a dimension of {}, more than there can be", size));
    tensor.shape.push_back(static_cast<std::int64_t>(size));
  }
  std::ranges::reverse(tensor.shape);
  tensor.type = number<std::uint32_t>();
  tensor.begin = number<std::uint64_t>();  // offset in the data; place() makes it one in the file
  measure(tensor);
  return tensor;
}

/// Sets the tensor's size in bytes.
void GgufReader::measure(GgufTensor& tensor) const {
  const std::string shape = fmt::format("[{}]", fmt::join(tensor.shape, ", "));
  std::int64_t count = std::ranges::find(tensor.shape, 0) != tensor.shape.end() ? 0 : 1;
  for (const std::int64_t size : tensor.shape)
    if (count != 0 && __builtin_mul_overflow(count, size, &count))
      fail(fmt::format("has the shape {}, more values than can be counted", shape));
  const GgmlType* const type = find_ggml_type(tensor.type);
  if (type == nullptr) return;
  if (static_cast<std::uint64_t>(tensor.shape.back()) % type->elements != 0)
    fail(fmt::format("has type {} and shape {}, expected a last dimension that is a multiple of {}",
                     type->name, shape, type->elements));
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(count) / type->elements, type->bytes, &tensor.bytes))
    fail(fmt::format("has type {} and shape {}, more bytes than can be counted", type->name, shape));
}

std::uint32_t GgufReader::alignment_of(const GgufMetadata& metadata) const {
  constexpr const char* key = "general.alignment";
  const std::int64_t found = metadata.integer(key).value_or(32);
  if (!std::in_range<std::uint32_t>(found) || !std::has_single_bit(static_cast<std::uint32_t>(found)))
    throw Error(
        fmt::format("{}: the metadata {} is {}, expected a power of two.", where_, in_quotes(key), found));
  return static_cast<std::uint32_t>(found);
}

/// Turns offsets in the data into offsets in the file. Throws Error if a tensor is misaligned, does not fit
/// into the file or overlaps another, and if two have one name.
void GgufReader::place(std::vector<GgufTensor>& tensors, std::uint32_t alignment) const {
  const auto refuse = [&](const GgufTensor& tensor, const std::string& what) {
    throw Error(fmt::format("{}: tensor {} {}.", where_, in_quotes(tensor.name), what));
  };
  // A file that ends before its data has no data.
  const std::uint64_t data = std::min((at_ + (alignment - 1)) / alignment * alignment, file_.size());
  const std::uint64_t size = file_.size() - data;
  for (GgufTensor& tensor : tensors) {
    if (tensor.begin % alignment != 0)
      refuse(tensor, fmt::format("begins at byte {} of the data, expected a multiple of {}", tensor.begin,
                                 alignment));
    if (tensor.begin > size || tensor.bytes > size - tensor.begin)
      refuse(tensor, fmt::format("has {} bytes from byte {} of the data on, which has {} bytes: the file is "
                                 "shorter than its header says, as one that was cut off",
                                 tensor.bytes, tensor.begin, size));
    tensor.begin += data;
  }
  std::vector<const GgufTensor*> sorted;
  for (const GgufTensor& tensor : tensors) sorted.push_back(&tensor);
  std::ranges::sort(sorted, {}, &GgufTensor::name);
  const auto twice = std::ranges::adjacent_find(sorted, {}, &GgufTensor::name);
  if (twice != sorted.end())
    throw Error(fmt::format("{} lists tensor {} twice.", where_, in_quotes((*twice)->name)));
  // Of tensors that begin at the same byte the empty ones come first.
  std::ranges::sort(sorted, {},
                    [](const GgufTensor* tensor) { return std::pair(tensor->begin, tensor->bytes); });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1]->begin + sorted[i - 1]->bytes > sorted[i]->begin)
      refuse(*sorted[i], fmt::format("begins inside of tensor {}", in_quotes(sorted[i - 1]->name)));
}

GgufHeader GgufReader::read() {
  GgufHeader header;
  header.version = version();
  const auto tensors = number<std::uint64_t>(), entries = number<std::uint64_t>();
  constexpr std::uint64_t least_entry = 13, least_tensor = 32;  // the fewest bytes that one of them takes
  if (entries > left() / least_entry)
    fail(fmt::format("announces {} metadata values, where {} bytes are left", entries, left()));
  if (tensors > left() / least_tensor)
    fail(fmt::format("announces {} tensors, where {} bytes are left", tensors, left()));
  std::vector<GgufEntry> found;
  for (std::uint64_t i = 0; i < entries; ++i) found.push_back(entry(i));
  const std::size_t end = at_;
  for (std::uint64_t i = 0; i < tensors; ++i) header.tensors.push_back(tensor(i));
  bytes_.resize(end);
  bytes_.shrink_to_fit();
  header.metadata = GgufMetadata(std::move(bytes_), std::move(found), where_);
  header.alignment = alignment_of(header.metadata);
  place(header.tensors, header.alignment);
  return header;
}

}  // namespace

std::string ggml_type_name(std::uint32_t type) {
  const GgmlType* const known = find_ggml_type(type);
  return known != nullptr ? std::string(known->name) : std::to_string(type);
}

std::optional<ElementType> element_type_of_ggml(std::uint32_t type) {
  const GgmlType* const known = find_ggml_type(type);
  return known != nullptr ? known->type : std::nullopt;
}

GgufHeader read_gguf_header(const MappedFile& file, const std::string& where) {
  return GgufReader(file, where).read();
}

}  // namespace attnscope
