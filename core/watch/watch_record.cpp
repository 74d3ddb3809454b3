#include "core/watch/watch_record.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/element_type.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/text/utf8.hpp"
#include "core/watch/watch_format.hpp"

namespace attnscope {
namespace {

namespace format = watch_format;
using nlohmann::json;

constexpr std::int64_t most_size = std::int64_t{1} << 30;  // of a dimension, and of all counts
constexpr double most_factor = 1e30;                       // the limit of the streaming engine
using Sizes = std::vector<std::int64_t>;
using Ids = TensorOf<std::int64_t>;

struct BlobType {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr BlobType blob_types[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"BOOL", 1}};

std::optional<ElementType> float_type(std::string_view name) {
  if (name == "F32") return ElementType::Float32;
  if (name == "F16") return ElementType::Float16;
  if (name == "BF16") return ElementType::BFloat16;
  return std::nullopt;
}

/// Reads the fields of one record by name.
class RecordReader {
 public:
  RecordReader(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {
    if (bytes.size() < format::record_header_bytes)
      refuse("its length", fmt::format("is {}, expected 64 at least", bytes.size()));
    number_ = header<std::uint64_t>(format::RecordNumber);
    if (const auto magic = header<std::uint32_t>(format::RecordMagic); magic != format::record_magic)
      refuse("its magic number", fmt::format("is {:#x}, expected {:#x}", magic, format::record_magic));
    kind_ = header<std::uint32_t>(format::RecordKind);
    if (kind_ != format::Call && kind_ != format::EndOfPass)
      refuse("its kind", fmt::format("is {}, expected 1 or 2", kind_));
    if (const auto length = header<std::uint64_t>(format::RecordBytes); length != bytes.size())
      refuse("its length", fmt::format("is {}, expected {}", length, bytes.size()));
    json_bytes_ = header<std::uint32_t>(format::RecordJsonBytes);
    if (json_bytes_ > bytes.size() - format::record_header_bytes || json_bytes_ > format::most_json_bytes)
      refuse("the length of its JSON", fmt::format("is {}, expected at most {}", json_bytes_,
                                                   bytes.size() - format::record_header_bytes));
    fields_ = parse_strict_json(
        {reinterpret_cast<const char*>(bytes.data()) + format::record_header_bytes, json_bytes_},
        fmt::format("{}, record {}", file, number_));
    if (!fields_.is_object()) refuse("its JSON", "is no object");
  }

  std::uint64_t number() const { return number_; }
  std::uint32_t kind() const { return kind_; }
  std::uint64_t size() const { return bytes_.size(); }

  [[noreturn]] void refuse(std::string_view field, const std::string& what) const {
    throw Error(fmt::format("{}: record {}: {} {}.", in_quotes(file_), number_, field, what));
  }

  /// Null if the field is missing or JSON null.
  const json* find(const char* name) const {
    const auto found = fields_.find(name);
    return found == fields_.end() || found->is_null() ? nullptr : &*found;
  }
  std::int64_t whole(const char* name, std::optional<std::int64_t> fallback,
                     std::int64_t most = most_size) const {
    const json* const found = find(name);
    if (found == nullptr && fallback) return *fallback;
    if (found == nullptr || !found->is_number_integer() || *found < 0 || *found > most)
      refuse_value(name, found, fmt::format("a whole number from 0 to {}", most));
    return found->get<std::int64_t>();
  }
  double number(const char* name, std::optional<double> fallback, double least, double most) const {
    const json* const found = find(name);
    if (found == nullptr && fallback) return *fallback;
    if (found == nullptr || !found->is_number() || !(*found >= least && *found <= most))
      refuse_value(name, found, fmt::format("a number from {} to {}", least, most));
    return found->get<double>();
  }
  bool boolean(const char* name, bool fallback) const {
    const json* const found = find(name);
    if (found == nullptr) return fallback;
    if (!found->is_boolean()) refuse_value(name, found, "true or false");
    return found->get<bool>();
  }
  std::string text(const char* name) const {
    const json* const found = find(name);
    if (found == nullptr) return {};
    if (!found->is_string()) refuse_value(name, found, "a text");
    return found->get<std::string>();
  }
  std::vector<std::string> texts(const char* name) const {
    const json* const found = find(name);
    std::vector<std::string> all;
    if (found == nullptr) return all;
    if (!found->is_array()) refuse_value(name, found, "a list of texts");
    for (const json& entry : *found) {
      if (!entry.is_string()) refuse_value(name, &entry, "texts alone");
      all.push_back(entry.get<std::string>());
    }
    return all;
  }

  struct Blob {
    std::string type;
    Sizes shape;
    std::span<const std::byte> bytes;
  };
  /// Nothing if it is missing. Its numbers are checked to lie within the record.
  std::optional<Blob> blob(const char* name) const;
  /// A blob of floats, or of booleans: true becomes 0, false -inf.
  TensorPtr floats(const char* name, const Blob&, bool booleans = false) const;

  [[noreturn]] void refuse_value(const char* name, const json* found, const std::string& expected) const {
    refuse(in_quotes(name),
           found == nullptr
               ? "is missing, expected " + expected
               : fmt::format("is {}, expected {}",
                             in_quotes(found->dump(-1, ' ', false, json::error_handler_t::replace), 60),
                             expected));
  }
  [[noreturn]] void refuse_shape(const char* name, const Sizes& found, const std::string& expected) const {
    refuse(in_quotes(name), fmt::format("has shape [{}], expected {}", fmt::join(found, ", "), expected));
  }

 private:
  template <class T>
  T header(format::RecordField at) const {
    T value{};
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  std::uint64_t number_ = 0;
  std::uint32_t kind_ = 0, json_bytes_ = 0;
  json fields_;
};

std::optional<RecordReader::Blob> RecordReader::blob(const char* name) const {
  const json* const found = find(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_object() || !found->contains("dtype") || !found->contains("shape") ||
      !found->contains("offset"))
    refuse_value(name, found, "an object with dtype, shape and offset");
  const json &type = (*found)["dtype"], &shape = (*found)["shape"], &offset = (*found)["offset"];
  Blob blob;
  if (type.is_string()) blob.type = type.get<std::string>();
  const auto* const known = std::ranges::find(blob_types, std::string_view(blob.type), &BlobType::name);
  if (known == std::end(blob_types))
    refuse(in_quotes(name),
           fmt::format("has dtype {}, expected F32, F16, BF16, I64 or BOOL",
                       in_quotes(type.dump(-1, ' ', false, json::error_handler_t::replace), 60)));
  if (!shape.is_array() || shape.size() > Shape::max_rank)
    refuse(in_quotes(name), fmt::format("has a shape that is no list of up to {} sizes", Shape::max_rank));
  std::uint64_t needed = known->bytes;
  for (const json& size : shape) {
    if (!size.is_number_integer() || size < 0 || size > most_size)
      refuse(in_quotes(name), fmt::format("has a size that is no whole number from 0 to {}", most_size));
    blob.shape.push_back(size.get<std::int64_t>());
    if (__builtin_mul_overflow(needed, size.get<std::uint64_t>(), &needed) || needed > bytes_.size())
      refuse_shape(name, blob.shape, fmt::format("no more than its record of {} bytes", bytes_.size()));
  }
  const std::uint64_t least = format::record_header_bytes + json_bytes_;
  if (!offset.is_number_unsigned() || offset < least || offset > bytes_.size() ||
      offset.get<std::uint64_t>() % format::alignment != 0 ||
      needed > bytes_.size() - offset.get<std::uint64_t>())
    refuse(in_quotes(name),
           fmt::format("has {} bytes from {} on, expected a place from {} to {} that is a "
                       "multiple of 64",
                       needed, in_quotes(offset.dump(-1, ' ', false, json::error_handler_t::replace), 60),
                       least, bytes_.size()));
  blob.bytes =
      bytes_.subspan(static_cast<std::size_t>(offset.get<std::uint64_t>()), static_cast<std::size_t>(needed));
  return blob;
}

TensorPtr RecordReader::floats(const char* name, const Blob& blob, bool booleans) const {
  auto tensor = std::make_shared<Tensor>(Shape(blob.shape));
  if (const auto type = float_type(blob.type)) {
    widen(*type, blob.bytes, tensor->values());
  } else if (booleans && blob.type == "BOOL") {
    constexpr float hidden = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < blob.bytes.size(); ++i)
      tensor->data()[i] = blob.bytes[i] == std::byte{0} ? hidden : 0;
  } else {
    refuse(in_quotes(name), fmt::format("has dtype {}, expected F32, F16{}", in_quotes(blob.type),
                                        booleans ? ", BF16 or BOOL" : " or BF16"));
  }
  return tensor;
}

/// A tensor of rank 4 with sizes of at least 1, except the axis `may_be_empty`.
TensorPtr vectors_of(const RecordReader& record, const char* name, const char* axes,
                     bool may_be_empty = false) {
  const auto blob = record.blob(name);
  if (!blob) record.refuse_value(name, nullptr, axes);
  bool fits = blob->shape.size() == 4;
  for (std::size_t axis = 0; fits && axis < 4; ++axis)
    fits = blob->shape[axis] >= (axis == 2 && may_be_empty ? 0 : 1);
  if (!fits) record.refuse_shape(name, blob->shape, axes);
  return record.floats(name, *blob);
}

/// Null, or the numbers to add to the scores.
TensorPtr added_of(const RecordReader& record, const char* name, const WatchedCall& call) {
  const auto blob = record.blob(name);
  if (!blob) return nullptr;
  const auto fits = [&](std::size_t axis, std::int64_t size) {
    return blob->shape[axis] == size || (axis < 2 && blob->shape[axis] == 1);
  };
  if (blob->shape.size() != 4 || !fits(0, call.batch()) || !fits(1, call.heads()) ||
      !fits(2, call.queries()) || !fits(3, call.keys()))
    record.refuse_shape(name, blob->shape,
                        fmt::format("[1 or {}, 1 or {}, {}, {}] of batch, heads, queries and keys",
                                    call.batch(), call.heads(), call.queries(), call.keys()));
  return record.floats(name, *blob, true);
}

void read_vectors(const RecordReader& record, WatchedCall& call) {
  call.query = vectors_of(record, "q", "[batch, heads, queries, d_k]");
  call.keys_from = record.whole("keys_from", 0);
  call.key = vectors_of(record, "k", "[batch, kv heads, keys, d_k]", call.keys_from > 0);
  call.value = vectors_of(record, "v", "[batch, kv heads, keys, d_v]", call.keys_from > 0);
  const Shape &q = call.query->shape(), &k = call.key->shape(), &v = call.value->shape();
  const auto sizes = [](const Shape& s) { return Sizes{s[0], s[1], s[2], s[3]}; };
  if (k[0] != q[0] || k[3] != q[3] || k[1] > q[1] || q[1] % k[1] != 0)
    record.refuse_shape("k", sizes(k),
                        fmt::format("[{}, a part of {} heads, keys, {}] as q has them", q[0], q[1], q[3]));
  if (v[0] != k[0] || v[1] != k[1] || v[2] != k[2])
    record.refuse_shape("v", sizes(v), fmt::format("[{}, {}, {}, d_v] as k has them", k[0], k[1], k[2]));
  call.queries_from = record.whole("queries_from", 0);
  if (call.kind == WatchKind::Self && call.causal && call.queries_from + q[2] > call.keys())
    record.refuse("\"queries_from\"",
                  fmt::format("is {}, expected at most {}: {} queries stand among {} keys", call.queries_from,
                              call.keys() - q[2], q[2], call.keys()));
}

WatchKind kind_of(const RecordReader& record) {
  const std::string kind = record.text("kind");
  for (const WatchKind known : {WatchKind::Self, WatchKind::Cross, WatchKind::Encoder})
    if (kind == to_string(known)) return known;
  record.refuse("\"kind\"", fmt::format("is {}, expected self, cross or encoder", in_quotes(kind, 60)));
}

WatchedCall read_call(const RecordReader& record) {
  constexpr std::int64_t most_layers = 1 << 20;
  WatchedCall call;
  call.pass = record.whole("pass", std::nullopt, std::numeric_limits<std::int64_t>::max());
  call.layer = record.whole("layer", std::nullopt, most_layers);
  call.name = record.text("name");
  call.kind = kind_of(record);
  call.causal = record.boolean("causal", false);
  read_vectors(record, call);
  call.scale = record.number("scale", 1 / std::sqrt(static_cast<double>(call.query->shape()[3])),
                             -most_factor, most_factor);
  call.window = std::min(most_size, record.whole("window", 0, std::numeric_limits<std::int64_t>::max()));
  call.soft_cap = record.number("softcap", 0, 0, most_factor);
  if (call.soft_cap > 0 && call.soft_cap < 1 / most_factor)
    record.refuse("\"softcap\"", fmt::format("is {}, expected 0 or 1e-30 to 1e30", call.soft_cap));
  call.mask = added_of(record, "mask", call);
  call.bias = added_of(record, "bias", call);
  call.sequences = record.whole("sequences", 0);
  call.sequence = record.whole("sequence", 0);
  if (call.sequences > 0 && (call.batch() != 1 || call.sequence >= call.sequences))
    record.refuse("\"sequence\"", fmt::format("is {} of {} with {} sent, expected one of them alone",
                                              call.sequence, call.sequences, call.batch()));
  call.ms = record.number("ms", 0, 0, most_factor);
  call.bytes = record.size();
  const Shape &q = call.query->shape(), &v = call.value->shape();
  if (const auto output = record.blob("output")) {
    if (output->shape != Sizes{q[0], q[2], q[1], v[3]})
      record.refuse_shape(
          "output", output->shape,
          fmt::format("[{}, {}, {}, {}] of batch, queries, heads and d_v", q[0], q[2], q[1], v[3]));
    call.output = record.floats("output", *output);
  }
  if (const auto sinks = record.blob("sinks")) {
    if (sinks->shape != Sizes{q[1]})
      record.refuse_shape("sinks", sinks->shape, fmt::format("[{}] of heads", q[1]));
    call.sinks = record.floats("sinks", *sinks);
    for (const float sink : call.sinks->values())
      if (!std::isfinite(sink)) record.refuse("\"sinks\"", "has a number that is not finite");
  }
  return call;
}

std::shared_ptr<const Ids> ids_of(const RecordReader& record, const char* name) {
  const auto blob = record.blob(name);
  if (!blob) return nullptr;
  if (blob->type != "I64")
    record.refuse(in_quotes(name), fmt::format("has dtype {}, expected I64", in_quotes(blob->type)));
  if (blob->shape.size() != 2 || blob->shape[0] < 1)
    record.refuse_shape(name, blob->shape, "[batch, tokens]");
  auto ids = std::make_shared<Ids>(Shape(blob->shape));
  if (!blob->bytes.empty()) std::memcpy(ids->data(), blob->bytes.data(), blob->bytes.size());
  return ids;
}

PassEnd read_end(const RecordReader& record) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  PassEnd end;
  end.pass = record.whole("pass", std::nullopt, most);
  end.ms = record.number("ms", 0, 0, most_factor);
  end.ids = ids_of(record, "ids");
  end.memory_ids = ids_of(record, "memory_ids");
  end.tokens = record.texts("tokens");
  end.memory_tokens = record.texts("memory_tokens");
  if (record.find("next_id") != nullptr) end.next_id = record.whole("next_id", std::nullopt, most);
  end.bytes = record.size();
  return end;
}

}  // namespace

std::string_view to_string(WatchKind kind) {
  switch (kind) {
    case WatchKind::Self: return "self";
    case WatchKind::Cross: return "cross";
    case WatchKind::Encoder: return "encoder";
  }
  return "";
}

WatchRecord read_watch_record(std::span<const std::byte> bytes, const std::string& file) {
  const RecordReader record(bytes, file);
  WatchRecord read;
  read.number = record.number();
  if (record.kind() == format::Call)
    read.what = read_call(record);
  else
    read.what = read_end(record);
  return read;
}

}  // namespace attnscope
