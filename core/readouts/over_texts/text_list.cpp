#include "core/readouts/over_texts/text_list.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/files/formats/limits.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::uint64_t most_list_bytes = 64 * 1'048'576;

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t\v\f\r") == line.npos; }

/// Removes the first line from `rest` and returns it without its end.
std::string_view take_text_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void check_text_line(std::string_view line, std::int64_t number, const std::string& where) {
  if (const std::size_t at = line.find('\0'); at != line.npos)
    throw Error(fmt::format("Line {} of {} is no text: its byte {} is 0.", number, where, at));
  if (const auto at = first_invalid_utf8(line))
    throw Error(fmt::format(
        "Line {} of {} is not valid UTF-8: its byte {} (0x{:02x}) does not belong to a character.", number,
        where, *at, static_cast<unsigned char>(line[*at])));
  if (line.size() > max_text_bytes)
    throw Error(fmt::format("Line {} of {} has {} bytes; a text has {} at most.", number, where, line.size(),
                            max_text_bytes));
}

}  // namespace

TextList read_text_list(const std::filesystem::path& path) {
  const std::string where = in_quotes(path.native());
  const std::string bytes = read_whole(path, most_list_bytes);
  std::string_view rest = bytes;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  TextList list;
  list.path = path;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_text_line(rest);
    check_text_line(line, number, where);
    if (is_blank_line(line))
      list.left_out.push_back(number);
    else
      list.texts.push_back({std::string(line), number});
  }
  if (list.texts.empty()) throw Error(fmt::format("{} holds no text, expected one in each line.", where));
  return list;
}

Error line_error(const TextList& list, const ListedText& text, const std::string& sentence) {
  return Error(fmt::format("Line {} of {}: {}", text.line, in_quotes(list.path.native()), sentence));
}

std::vector<ModelTokens> tokens_of_list(const OpenedModel& opened, const TextList& list,
                                        const std::optional<std::string>& decoder_text) {
  std::vector<ModelTokens> all;
  for (const ListedText& listed : list.texts) {
    ModelText text;
    text.text = listed.text;
    text.decoder_text = decoder_text;
    try {
      all.push_back(tokens_of(opened, text));
    } catch (const Error& error) {
      throw line_error(list, listed, error.what());
    }
  }
  return all;
}

}  // namespace attnscope
