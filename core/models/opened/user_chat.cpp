#include "core/models/opened/user_chat.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope {
namespace {

/// Finds the user's words in the rendered chat: `marked` is the same chat with `mark` in their place.
void find_said(UserChat& chat, std::string_view said, std::string_view marked, std::string_view mark) {
  const std::size_t at = marked.find(mark);
  if (at == marked.npos || !chat.text.starts_with(marked.substr(0, at))) return;
  const std::string_view rest = std::string_view(chat.text).substr(at);
  const std::string_view stripped = tokenizers::python_stripped(said);
  const auto first = static_cast<std::size_t>(stripped.data() - said.data());
  if (rest.starts_with(said)) {
    chat.at = at;
    chat.size = said.size();
  } else if (rest.starts_with(stripped)) {
    chat.at = at;
    chat.size = stripped.size();
    chat.skipped = first;
  }
}

}  // namespace

std::optional<tokenizers::Range> UserChat::in_said(const tokenizers::Range& range) const {
  if (range.begin >= range.end || range.begin < at || range.end > at + size) return std::nullopt;
  return tokenizers::Range{range.begin - at + skipped, range.end - at + skipped};
}

UserChat user_chat(const tokenizers::ChatFormat& format, const std::string& said, const std::string& day) {
  const auto today = day_from(day);
  if (!today)
    throw Error(fmt::format("The day of the chat is {}; a day like \"2026-11-27\" was expected.",
                            in_quotes(day, 20)));
  const auto rendered = [&](std::string words) {
    tokenizers::ChatRequest request{.messages = {}, .today = *today};
    request.messages.push_back({"user", std::move(words)});
    return tokenizers::render_chat(format, format.of(""), request).text;
  };
  UserChat chat;
  chat.text = rendered(said);
  constexpr const char* mark = "\ue000";  // private use: occurs in no template
  find_said(chat, said, rendered(mark), mark);
  return chat;
}

}  // namespace attnscope
