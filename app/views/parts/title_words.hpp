// app/views/parts: the title of the open document, as drawn.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "app/kit/ui/own_words.hpp"
#include "core/document/document.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// The title of a model's layer has its number in the window's language; any other title is a person's own
/// words.
inline std::string title_words(const Document& document) {
  const ModelContext& within = document.within.read();
  if (within && document.title == within.model->name + " · layer " + std::to_string(within.block))
    return own(within.model->name) + " · layer " + std::to_string(within.block);
  return own(document.title);
}

/// The same for a stored session, of which only the title is known: the program wrote " · layer 2" at its
/// end.
inline std::string kept_title_words(std::string_view title) {
  constexpr std::string_view before = " · layer ";
  const std::size_t at = title.rfind(before);
  if (at == std::string_view::npos) return own(title);
  int block = 0;
  const char* const end = title.data() + title.size();
  const auto read = std::from_chars(title.data() + at + before.size(), end, block);
  if (read.ec != std::errc() || read.ptr != end) return own(title);
  return own(title.substr(0, at)) + " · layer " + std::to_string(block);
}

}  // namespace attnscope
