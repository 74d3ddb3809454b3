#include "core/files/document/html_session.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/posix.hpp"
#include "core/files/packed/unpack.hpp"
#include "core/text/base64.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::size_t looked_at = 1024;  // bytes; the page names its maker within them
constexpr std::string_view maker = "<meta name=\"generator\" content=\"AttnScope";
constexpr std::string_view session_mark = " id=\"attnscope-session\"", size_mark = " data-bytes=\"";
constexpr std::string_view element_end = "</script>";
constexpr std::size_t zlib_header = 2, zlib_end = 4;  // bytes before and behind the deflated ones

std::string first_bytes(const std::filesystem::path& path, std::size_t most) {
  const Descriptor file = open_regular(path);
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size_of(file, path), most)), '\0');
  read_exactly(file, path, 0, bytes.data(), bytes.size());
  return bytes;
}

std::optional<std::size_t> number_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const char* const begin = text.data() + at + mark.size();
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(begin, text.data() + text.size(), number);
  if (problem != std::errc() || end == begin) return std::nullopt;
  return number;
}

std::string unpacked_session(std::string_view base64, std::size_t bytes, const Error& damaged) {
  const std::optional<std::string> packed = base64_bytes(base64);
  if (!packed || packed->size() < zlib_header + zlib_end || bytes > max_json_bytes) throw damaged;
  std::string json(bytes, '\0');
  const std::span deflated(packed->data() + zlib_header, packed->size() - zlib_header - zlib_end);
  if (!inflate(std::as_bytes(deflated), std::as_writable_bytes(std::span(json)))) throw damaged;
  return json;
}

}  // namespace

bool is_html_session(const std::filesystem::path& path) {
  try {
    return first_bytes(path, looked_at).find(maker) != std::string::npos;
  } catch (const Error&) {
    return false;
  }
}

std::string session_in_html(std::string_view html, const std::string& where) {
  const Error damaged(
      fmt::format("{} is a page of AttnScope whose session is damaged or was taken out.", in_quotes(where)));
  // The last mark counts: text before it may quote the mark.
  const std::size_t mark = html.rfind(session_mark);
  if (mark == std::string_view::npos) throw damaged;
  const std::size_t begin = html.find('>', mark), end = html.find(element_end, mark);
  if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin) throw damaged;
  const std::string_view attributes = html.substr(mark, begin - mark);
  const std::string_view content = html.substr(begin + 1, end - begin - 1);
  if (const std::optional<std::size_t> bytes = number_behind(attributes, size_mark))
    return unpacked_session(content, *bytes, damaged);
  return std::string(content);
}

std::string json_in_html(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string html_session_element(std::string_view json) {
  return fmt::format("<script type=\"application/json\"{}>{}{}", session_mark, json_in_html(json),
                     element_end);
}

std::string packed_session_element(std::string_view zlib, std::size_t bytes) {
  return fmt::format("<script type=\"text/plain\"{}{}{}\">{}{}", session_mark, size_mark, bytes,
                     base64_text(zlib), element_end);
}

}  // namespace attnscope
