// core/files/formats: the metadata of a GGUF file: typed values under keys. Values stay undecoded in the
// header's bytes until they are asked for, so that a vocabulary costs no more memory than its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attnscope {

/// In the order of the format's type numbers.
enum class GgufType : std::uint8_t {
  UInt8,
  Int8,
  UInt16,
  Int16,
  UInt32,
  Int32,
  Float32,
  Bool,
  String,
  Array,
  UInt64,
  Int64,
  Float64,
};
inline constexpr std::uint32_t gguf_type_count = 13;
/// "uint32", "string", "array".
std::string_view to_string(GgufType);
/// Bytes of one value; 0 for strings and arrays, which store their own length.
std::size_t gguf_size_of(GgufType);

/// `bytes` are the elements as in the file: numbers packed, strings with their lengths.
struct GgufArray {
  GgufType type = GgufType::UInt8;
  std::uint64_t count = 0;
  std::string_view bytes;
};

/// The alternatives are in the order of GgufType. Strings may hold any bytes: the format wants UTF-8, but
/// some vocabularies contain parts of characters.
using GgufValue =
    std::variant<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, float,
                 bool, std::string_view, GgufArray, std::uint64_t, std::int64_t, double>;
/// The elements one by one, nested arrays as arrays.
std::vector<GgufValue> elements_of(const GgufArray&);

/// Where a key and its value begin in the header's bytes.
struct GgufEntry {
  std::size_t key = 0, key_size = 0, value = 0;
  GgufType type = GgufType::UInt8;
};

/// Copies share the bytes; every string_view given out lives as long as any copy.
class GgufMetadata {
 public:
  GgufMetadata() = default;
  /// `entries` refer to `header`, whose values are known to be well-formed. `where` names the file in
  /// messages. Throws Error if a key occurs twice.
  GgufMetadata(std::string header, std::vector<GgufEntry> entries, std::string where);

  /// In the order of the file.
  std::size_t size() const { return entries_.size(); }
  std::string_view key(std::size_t index) const;
  GgufValue value(std::size_t index) const;

  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Nothing if there is no such key. Throws Error naming the key, its type and what was expected if it has
  /// another type.
  std::optional<std::int64_t> integer(std::string_view key) const;  // any integer type
  std::optional<double> real(std::string_view key) const;           // float32 or float64
  std::optional<double> number(std::string_view key) const;         // any integer or float type
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> string(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
  std::optional<std::vector<double>> reals(std::string_view key) const;
  std::optional<std::vector<bool>> booleans(std::string_view key) const;
  std::optional<std::vector<std::string_view>> strings(std::string_view key) const;
  /// The value that an accessor found for the key. Throws Error naming the key if there is none.
  template <class T>
  T need(std::optional<T> found, std::string_view key) const {
    if (!found) missing(key);
    return *std::move(found);
  }

 private:
  const GgufEntry* find(std::string_view key) const;
  [[noreturn]] void missing(std::string_view key) const;
  /// `decode` turns a GgufValue into an optional T, empty if it has another type.
  template <class Decode>
  auto one(std::string_view key, std::string_view expected, Decode decode) const
      -> decltype(decode(GgufValue()));
  template <class T, class Decode>
  std::optional<std::vector<T>> all(std::string_view key, std::string_view expected, Decode decode) const;

  std::shared_ptr<const std::string> header_ = std::make_shared<const std::string>();
  std::vector<GgufEntry> entries_;
  std::vector<std::size_t> sorted_;  // indices of entries_ in the order of their keys
  std::string where_;
};

}  // namespace attnscope
