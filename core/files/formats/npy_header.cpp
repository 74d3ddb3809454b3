#include "core/files/formats/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// The type codes of a descr, without the byte order.
constexpr std::pair<std::string_view, DType> npy_types[] = {
    {"b1", DType::Bool}, {"i1", DType::I8},  {"i2", DType::I16}, {"i4", DType::I32}, {"i8", DType::I64},
    {"u1", DType::U8},   {"u2", DType::U16}, {"u4", DType::U32}, {"u8", DType::U64}, {"f2", DType::F16},
    {"f4", DType::F32},  {"f8", DType::F64}, {"V2", DType::BF16}};

/// numpy's name for a type letter of a descr.
std::string_view kind_of(char letter) {
  switch (letter) {
    case 'O': return " (objects)";
    case 'c': return " (complex numbers)";
    case 'S':
    case 'a': return " (byte strings)";
    case 'U': return " (strings)";
    case 'V': return " (raw bytes)";
    case 'M': return " (dates)";
    case 'm': return " (durations)";
    case 'f': return " (a float of another size)";
    default: return "";
  }
}

/// Parses the dictionary from left to right; `at_` is the index of the next character.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      entry();
      if (take(',')) continue;
      if (!take('}')) fail("',' or '}'");
      break;
    }
    end();
    if (!dtype_) missing("descr");
    if (!fortran_order_) missing("fortran_order");
    if (!shape_) missing("shape");
    return {*dtype_, order_, *fortran_order_, *shape_};
  }

 private:
  void entry() {
    const std::string_view key = string("one of the keys 'descr', 'fortran_order' and 'shape'");
    expect(':');
    if (key == "descr") {
      set(key, dtype_, descr());
    } else if (key == "fortran_order") {
      set(key, fortran_order_, boolean());
    } else if (key == "shape") {
      set(key, shape_, shape());
    } else {
      throw Error(fmt::format("{}: its header has the key {}, expected 'descr', 'fortran_order' and 'shape'.",
                              where_, in_quotes(key, 40)));
    }
  }

  template <class Value>
  void set(std::string_view key, std::optional<Value>& place, const Value& value) {
    if (place) throw Error(fmt::format("{}: its header has the key '{}' twice.", where_, key));
    place = value;
  }

  /// The dtype; also sets the byte order.
  DType descr() {
    constexpr std::string_view expected = "expected bool, an integer or one of f2, f4, f8";
    skip_spaces();
    if (next() == '[' || next() == '(') {
      throw Error(fmt::format("{} has a structured dtype, {}.", where_, expected));
    }
    const std::string_view text = string("a string like '<f4'");
    const bool ordered = !text.empty() && std::string_view("<>|=").find(text[0]) != std::string_view::npos;
    const auto known = std::ranges::find(npy_types, ordered ? text.substr(1) : "",
                                         &std::pair<std::string_view, DType>::first);
    // NumPy has no bfloat16: it writes that of ml_dtypes (JAX) as two bytes with a byte order ("<V2").
    // Without an order the two bytes may be anything.
    if (known == std::end(npy_types) || text == "|V2" || text == "=V2") {
      const char letter = text.size() > 1 ? text[1] : ' ';
      throw Error(fmt::format("{} has dtype {}{}, {}{}.", where_, in_quotes(text, 40), kind_of(letter),
                              expected, letter == 'V' ? ", or <V2, as bfloat16 is written" : ""));
    }
    // '=' is the machine's own order; '|' means that the order does not matter.
    order_ = text[0] == '>' ? std::endian::big : text[0] == '<' ? std::endian::little : std::endian::native;
    return known->second;
  }

  Shape shape() {
    expect('(');
    std::vector<std::int64_t> sizes;
    while (!take(')')) {
      sizes.push_back(size());
      if (take(',')) continue;
      // "(3)" is a number in parentheses; a tuple of one has a comma.
      if (sizes.size() < 2) fail("','");
      if (!take(')')) fail("',' or ')'");
      break;
    }
    if (sizes.size() > static_cast<std::size_t>(Shape::max_rank)) {
      throw Error(
          fmt::format("{} has {} dimensions, expected at most {}.", where_, sizes.size(), Shape::max_rank));
    }
    std::int64_t bytes = 8;  // of the largest element
    const bool empty = std::ranges::find(sizes, 0) != sizes.end();
    for (const std::int64_t size : sizes) {
      if (!empty && __builtin_mul_overflow(bytes, size, &bytes)) {
        throw Error(
            fmt::format("{} has the shape [{}], which no file can hold.", where_, fmt::join(sizes, ", ")));
      }
    }
    return Shape(std::span<const std::int64_t>(sizes));
  }

  std::int64_t size() {
    skip_spaces();
    const std::size_t begin = at_;
    const bool negative = next() == '-';
    if (negative) ++at_;
    const std::size_t first_digit = at_;
    while (next() >= '0' && next() <= '9') ++at_;
    const std::string_view digits = text_.substr(first_digit, at_ - first_digit);
    if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) {
      at_ = begin;
      fail("a whole number");
    }
    std::int64_t value = 0;
    if (next() == 'L') ++at_;  // Python 2 writes 3L
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (negative || result.ec != std::errc()) {
      throw Error(fmt::format("{} has a dimension of {}{}, expected 0 to {}.", where_, negative ? "-" : "",
                              digits.substr(0, 40), std::numeric_limits<std::int64_t>::max()));
    }
    return value;
  }

  bool boolean() {
    skip_spaces();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("True or False");
  }

  /// The characters between single or double quotes. Escapes are refused: no key and no descr needs one.
  std::string_view string(std::string_view expected) {
    skip_spaces();
    const char quote = next();
    if (quote != '\'' && quote != '"') fail(expected);
    const std::size_t begin = ++at_;
    while (next() != quote) {
      if (next() < ' ' || next() > '~' || next() == '\\') fail("the end of a string");
      ++at_;
    }
    return text_.substr(begin, at_++ - begin);
  }

  /// Spaces, then at most one line end.
  void end() {
    while (next() == ' ') ++at_;
    if (next() == '\n') ++at_;
    if (at_ != text_.size()) fail("nothing more");
  }

  void expect(char character) {
    if (!take(character)) fail(fmt::format("'{}'", character));
  }

  bool take(char character) {
    skip_spaces();
    if (next() != character) return false;
    ++at_;
    return true;
  }

  void skip_spaces() {
    while (next() == ' ' || next() == '\t' || next() == '\n' || next() == '\r') ++at_;
  }

  /// 0 at the end.
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(fmt::format("{}: its header has {} at byte {}, expected {}.", where_,
                            at_ < text_.size() ? in_quotes(text_.substr(at_, 1)) : "its end", at_, expected));
  }

  [[noreturn]] void missing(std::string_view key) const {
    throw Error(fmt::format("{}: its header has no '{}', expected 'descr', 'fortran_order' and 'shape'.",
                            where_, key));
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::optional<DType> dtype_;
  std::endian order_ = std::endian::little;
  std::optional<bool> fortran_order_;
  std::optional<Shape> shape_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& where) {
  return HeaderParser(text, where).parse();
}

}  // namespace attnscope
