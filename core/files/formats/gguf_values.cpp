#include "core/files/formats/gguf_values.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

struct GgufTypeInfo {
  std::string_view name;
  std::size_t size;
};

constexpr std::array<GgufTypeInfo, gguf_type_count> gguf_types{{{"uint8", 1},
                                                                {"int8", 1},
                                                                {"uint16", 2},
                                                                {"int16", 2},
                                                                {"uint32", 4},
                                                                {"int32", 4},
                                                                {"float32", 4},
                                                                {"bool", 1},
                                                                {"string", 0},
                                                                {"array", 0},
                                                                {"uint64", 8},
                                                                {"int64", 8},
                                                                {"float64", 8}}};

/// Decodes values from the front of well-formed bytes.
class GgufDecoder {
 public:
  explicit GgufDecoder(std::string_view bytes) : rest_(bytes) {}

  GgufValue value(GgufType type) {
    switch (type) {
      case GgufType::UInt8: return number<std::uint8_t>();
      case GgufType::Int8: return number<std::int8_t>();
      case GgufType::UInt16: return number<std::uint16_t>();
      case GgufType::Int16: return number<std::int16_t>();
      case GgufType::UInt32: return number<std::uint32_t>();
      case GgufType::Int32: return number<std::int32_t>();
      case GgufType::Float32: return number<float>();
      case GgufType::Bool: return number<std::uint8_t>() != 0;
      case GgufType::String: return take(number<std::uint64_t>());
      case GgufType::Array: return array();
      case GgufType::UInt64: return number<std::uint64_t>();
      case GgufType::Int64: return number<std::int64_t>();
      case GgufType::Float64: return number<double>();
    }
    return {};
  }

 private:
  std::string_view take(std::uint64_t size) {
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  GgufArray array() {
    GgufArray found{static_cast<GgufType>(number<std::uint32_t>()), number<std::uint64_t>(), {}};
    const std::string_view from = rest_;
    if (const std::size_t size = gguf_size_of(found.type); size != 0)
      take(found.count * size);
    else
      for (std::uint64_t i = 0; i < found.count; ++i) value(found.type);
    found.bytes = from.substr(0, from.size() - rest_.size());
    return found;
  }

  std::string_view rest_;
};

std::optional<std::int64_t> as_integer(const GgufValue& value) {
  return std::visit(
      []<class T>([[maybe_unused]] T found) -> std::optional<std::int64_t> {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          if (std::in_range<std::int64_t>(found)) return static_cast<std::int64_t>(found);
        }
        return std::nullopt;
      },
      value);
}

std::optional<double> as_real(const GgufValue& value) {
  if (const auto* found = std::get_if<float>(&value)) return static_cast<double>(*found);
  if (const auto* found = std::get_if<double>(&value)) return *found;
  return std::nullopt;
}

template <class T>
std::optional<T> as(const GgufValue& value) {
  if (const auto* found = std::get_if<T>(&value)) return *found;
  return std::nullopt;
}

/// "a uint32", "an array of strings", "9223372036854775808".
std::string kind_of(const GgufValue& value) {
  if (const auto* array = std::get_if<GgufArray>(&value))
    return fmt::format("an array of {}s", to_string(array->type));
  if (const auto* number = std::get_if<std::uint64_t>(&value); number != nullptr && !as_integer(value))
    return std::to_string(*number);
  const std::string_view name = to_string(static_cast<GgufType>(value.index()));
  return fmt::format("{} {}", name.front() == 'i' ? "an" : "a", name);
}

}  // namespace

std::string_view to_string(GgufType type) { return gguf_types[static_cast<std::size_t>(type)].name; }

std::size_t gguf_size_of(GgufType type) { return gguf_types[static_cast<std::size_t>(type)].size; }

std::vector<GgufValue> elements_of(const GgufArray& array) {
  std::vector<GgufValue> elements;
  elements.reserve(static_cast<std::size_t>(array.count));
  GgufDecoder decoder(array.bytes);
  for (std::uint64_t i = 0; i < array.count; ++i) elements.push_back(decoder.value(array.type));
  return elements;
}

GgufMetadata::GgufMetadata(std::string header, std::vector<GgufEntry> entries, std::string where)
    : header_(std::make_shared<const std::string>(std::move(header))),
      entries_(std::move(entries)),
      sorted_(entries_.size()),
      where_(std::move(where)) {
  const auto by_key = [this](std::size_t index) { return key(index); };
  std::iota(sorted_.begin(), sorted_.end(), std::size_t{0});
  std::ranges::sort(sorted_, {}, by_key);
  const auto twice = std::ranges::adjacent_find(sorted_, {}, by_key);
  if (twice != sorted_.end())
    throw Error(fmt::format("{} lists the metadata {} twice.", where_, in_quotes(key(*twice))));
}

std::string_view GgufMetadata::key(std::size_t index) const {
  return std::string_view(*header_).substr(entries_[index].key, entries_[index].key_size);
}

GgufValue GgufMetadata::value(std::size_t index) const {
  const GgufEntry& entry = entries_[index];
  return GgufDecoder(std::string_view(*header_).substr(entry.value)).value(entry.type);
}

const GgufEntry* GgufMetadata::find(std::string_view wanted) const {
  const auto at = std::ranges::lower_bound(sorted_, wanted, {}, [this](std::size_t i) { return key(i); });
  return at != sorted_.end() && key(*at) == wanted ? &entries_[*at] : nullptr;
}

void GgufMetadata::missing(std::string_view wanted) const {
  throw Error(fmt::format("{} has no metadata {}.", where_, in_quotes(wanted)));
}

template <class Decode>
auto GgufMetadata::one(std::string_view wanted, std::string_view expected, Decode decode) const
    -> decltype(decode(GgufValue())) {
  const GgufEntry* const entry = find(wanted);
  if (entry == nullptr) return std::nullopt;
  const GgufValue found = value(static_cast<std::size_t>(entry - entries_.data()));
  if (auto decoded = decode(found)) return decoded;
  throw Error(fmt::format("{}: the metadata {} is {}, expected {}.", where_, in_quotes(wanted),
                          kind_of(found), expected));
}

template <class T, class Decode>
std::optional<std::vector<T>> GgufMetadata::all(std::string_view wanted, std::string_view expected,
                                                Decode decode) const {
  return one(wanted, expected, [&](const GgufValue& found) -> std::optional<std::vector<T>> {
    const auto* const array = std::get_if<GgufArray>(&found);
    if (array == nullptr) return std::nullopt;
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(array->count));
    GgufDecoder decoder(array->bytes);
    for (std::uint64_t i = 0; i < array->count; ++i) {
      const std::optional<T> element = decode(decoder.value(array->type));
      if (!element) return std::nullopt;
      values.push_back(*element);
    }
    return values;
  });
}

std::optional<std::int64_t> GgufMetadata::integer(std::string_view wanted) const {
  return one(wanted, "an integer", as_integer);
}
std::optional<double> GgufMetadata::number(std::string_view wanted) const {
  return one(wanted, "a number", [](const GgufValue& found) {
    const std::optional<std::int64_t> whole = as_integer(found);
    return whole ? static_cast<double>(*whole) : as_real(found);
  });
}
std::optional<double> GgufMetadata::real(std::string_view wanted) const {
  return one(wanted, "a float32 or float64", as_real);
}
std::optional<bool> GgufMetadata::boolean(std::string_view wanted) const {
  return one(wanted, "a bool", as<bool>);
}
std::optional<std::string_view> GgufMetadata::string(std::string_view wanted) const {
  return one(wanted, "a string", as<std::string_view>);
}
std::optional<std::vector<std::int64_t>> GgufMetadata::integers(std::string_view wanted) const {
  return all<std::int64_t>(wanted, "an array of integers", as_integer);
}
std::optional<std::vector<double>> GgufMetadata::reals(std::string_view wanted) const {
  return all<double>(wanted, "an array of float32s or float64s", as_real);
}
std::optional<std::vector<bool>> GgufMetadata::booleans(std::string_view wanted) const {
  return all<bool>(wanted, "an array of bools", as<bool>);
}
std::optional<std::vector<std::string_view>> GgufMetadata::strings(std::string_view wanted) const {
  return all<std::string_view>(wanted, "an array of strings", as<std::string_view>);
}

}  // namespace attnscope
