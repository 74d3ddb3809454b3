#include "core/files/formats/safetensors_header.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr int max_skipped_depth = 64;  // nesting of values in unknown fields
constexpr std::size_t max_dimensions = 64;

/// Handles the parser's events one by one without building a tree, so a hostile header costs no more memory
/// than its bytes.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderReader(std::uint64_t data_size, const std::string& where) : data_size_(data_size), where_(where) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("a boolean"); }
  bool number_integer(number_integer_t number) override {
    return other(fmt::format("the number {}", number));
  }
  bool number_float(number_float_t, const string_t& text) override { return other("the number " + text); }
  bool binary(binary_t&) override { return other("binary data"); }

  bool number_unsigned(number_unsigned_t number) override {
    if (skipped_ > 0) return true;
    if (place_ == Place::Shape) {
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        fail(fmt::format("has a dimension of {}, more than there can be", number));
      }
      if (entry_.shape.size() == max_dimensions) {
        fail(fmt::format("has more than {} dimensions", max_dimensions));
      }
      entry_.shape.push_back(static_cast<std::int64_t>(number));
      return true;
    }
    if (place_ == Place::Offsets) {
      if (offsets_ == 2) fail("has more than two data_offsets, expected [begin, end]");
      (offsets_++ == 0 ? entry_.begin : entry_.end) = number;
      return true;
    }
    return other(fmt::format("the number {}", number));
  }

  bool string(string_t& text) override {
    if (skipped_ > 0) return true;
    if (place_ == Place::Metadata) {
      header_.metadata.emplace(key_, text);
      return true;
    }
    if (place_ != Place::Tensor || key_ != "dtype") return other("the string " + in_quotes(text));
    const std::optional<DType> dtype = dtype_from(text);
    if (!dtype) {
      fail(fmt::format("has dtype {}, expected one like F32, F16, BF16 or BOOL", in_quotes(text, 40)));
    }
    entry_.dtype = *dtype;
    return true;
  }

  bool start_object(std::size_t) override {
    if (skipped_ > 0) return skip();
    switch (place_) {
      case Place::Start: place_ = Place::Header; return true;
      case Place::Header:
        place_ = key_ == "__metadata__" ? Place::Metadata : Place::Tensor;
        entry_ = {};
        entry_.name = key_;
        fields_.clear();
        offsets_ = 0;
        return true;
      case Place::Tensor:
        if (!known_field()) return skip();
        [[fallthrough]];
      default: return other("an object");
    }
  }

  bool end_object() override {
    if (skipped_ > 0) {
      --skipped_;
    } else if (place_ == Place::Tensor) {
      finish_tensor();
      place_ = Place::Header;
    } else if (place_ == Place::Metadata) {
      fields_.clear();
      place_ = Place::Header;
    }
    return true;
  }

  bool key(string_t& name) override {
    if (skipped_ > 0) return true;
    key_ = name;
    std::set<std::string>& seen = place_ == Place::Header ? names_ : fields_;
    if (!seen.insert(name).second) {
      if (place_ == Place::Header) {
        throw Error(fmt::format("{} lists tensor {} twice.", where_, in_quotes(name)));
      }
      fail(fmt::format("has the key {} twice", in_quotes(name)));
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (skipped_ > 0) return skip();
    if (place_ == Place::Tensor && key_ == "shape") {
      place_ = Place::Shape;
    } else if (place_ == Place::Tensor && key_ == "data_offsets") {
      place_ = Place::Offsets;
    } else if (place_ == Place::Tensor && !known_field()) {
      return skip();
    } else {
      return other("an array");
    }
    return true;
  }

  bool end_array() override {
    if (skipped_ > 0) {
      --skipped_;
    } else {
      if (place_ == Place::Offsets && offsets_ != 2) {
        fail("has fewer than two data_offsets, expected [begin, end]");
      }
      place_ = Place::Tensor;
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw Error(fmt::format("{} is not a safetensors file: its header is not valid JSON at byte {}.", where_,
                            position));
  }

 private:
  /// What the next value belongs to.
  enum class Place { Start, Header, Tensor, Shape, Offsets, Metadata };

  bool known_field() const { return key_ == "dtype" || key_ == "shape" || key_ == "data_offsets"; }

  bool skip() {
    if (++skipped_ > max_skipped_depth) fail(fmt::format("nests deeper than {} levels", max_skipped_depth));
    return true;
  }

  /// Handles a value of an unexpected type: ignores it in an unknown field, else throws Error.
  bool other(const std::string& found) {
    if (skipped_ > 0) return true;
    switch (place_) {
      case Place::Start:
        throw Error(fmt::format("{} is not a safetensors file: its header is {}, expected a JSON object.",
                                where_, found));
      case Place::Tensor:
        if (!known_field()) return true;
        fail(fmt::format("has {} as its {}, expected {}", found, key_,
                         key_ == "dtype" ? "a string" : "an array"));
      case Place::Metadata: fail(fmt::format("has {} under {}, expected a string", found, in_quotes(key_)));
      case Place::Header: entry_.name = key_; fail(fmt::format("is {}, expected an object", found));
      default:
        fail(fmt::format("has {} in its {}, expected whole numbers from 0 on", found,
                         place_ == Place::Shape ? "shape" : "data_offsets"));
    }
  }

  void finish_tensor() {
    for (const char* field : {"dtype", "shape", "data_offsets"}) {
      if (!fields_.contains(field)) fail(fmt::format("has no {}", field));
    }
    if (entry_.end < entry_.begin || entry_.end > data_size_) {
      fail(fmt::format("has data_offsets [{}, {}], expected two ascending ones within {} bytes of data{}",
                       entry_.begin, entry_.end, data_size_,
                       entry_.end >= entry_.begin
                           ? ": the file is shorter than its header says, as one that was cut off"
                           : ""));
    }
    const std::uint64_t found = entry_.end - entry_.begin;
    std::uint64_t bits = bit_size(entry_.dtype);
    for (const std::int64_t size : entry_.shape) {
      if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(size), &bits)) {
        fail(fmt::format("has the shape {}, which no file can hold", shape_text()));
      }
    }
    if (bits % 8 != 0 || bits / 8 != found) {
      fail(fmt::format("has {} bytes of data, expected {} for {} of shape {}", found,
                       bits % 8 == 0 ? fmt::to_string(bits / 8) : "a whole number of them",
                       to_string(entry_.dtype), shape_text()));
    }
    header_.tensors.push_back(std::move(entry_));
  }

  std::string shape_text() const { return fmt::format("[{}]", fmt::join(entry_.shape, ", ")); }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: tensor {} {}.", where_, in_quotes(entry_.name), what));
  }

  std::uint64_t data_size_;
  const std::string& where_;
  SafetensorsHeader header_;
  Place place_ = Place::Start;
  HeaderEntry entry_;
  std::string key_;
  std::set<std::string> names_, fields_;
  int offsets_ = 0, skipped_ = 0;
};

/// Throws Error if the tensors do not tile the data section: the format allows neither holes nor overlaps.
void check_cover(std::vector<HeaderEntry>& tensors, std::uint64_t data_size, const std::string& where) {
  std::sort(tensors.begin(), tensors.end(), [](const HeaderEntry& a, const HeaderEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t reached = 0;
  for (const HeaderEntry& entry : tensors) {
    if (entry.begin != reached) {
      throw Error(fmt::format("{}: the data of tensor {} begins at byte {}, expected {}.", where,
                              in_quotes(entry.name), entry.begin, reached));
    }
    reached = entry.end;
  }
  if (reached != data_size) {
    throw Error(
        fmt::format("{} holds {} bytes of data, expected {} for its tensors.", where, data_size, reached));
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_size,
                                           const std::string& where) {
  // The parser would skip a byte order mark silently; the format begins with a brace.
  if (json.starts_with("\xEF\xBB\xBF")) {
    throw Error(
        fmt::format("{} is not a safetensors file: its header begins with a byte order mark.", where));
  }
  HeaderReader reader(data_size, where);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  SafetensorsHeader header = reader.take();
  check_cover(header.tensors, data_size, where);
  return header;
}

}  // namespace attnscope
