#include "core/edits/within.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/edits/edits.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
Document what_is_said(const Document& document) {
  if (!document.within.read()) return document;
  static const Document nothing;
  Document said = nothing;
  said.precision = document.precision;
  said.loss = document.loss;
  said.within = document.within;
  return said;
}

std::size_t typed_texts(const Document& document) {
  const Within& within = document.within.read();
  if (!within) return document.input.is_text() ? document.input.sequences.size() : 0;
  if (!within.input.image.empty()) return 0;
  return within.input.pair || within.input.decoder_text ? 2 : 1;
}

const std::string& typed_text(const Document& document, std::size_t index) {
  const Within& within = document.within.read();
  if (!within) return document.input.sequences.at(index).text;
  if (index == 0) return within.input.text;
  return within.input.decoder_text ? *within.input.decoder_text : within.input.pair.value();
}

}  // namespace attnscope

namespace attnscope::edit {

Document typed_text(Document document, std::size_t index, std::string text) {
  if (!document.within.read()) return edit::text(std::move(document), index, std::move(text));
  if (const auto at = first_invalid_utf8(text))
    throw Error(fmt::format("The text is not valid UTF-8 at byte {}.", *at));
  ModelText& input = document.within.change().input;
  // What was appended goes on with the text that the decoder reads.
  if (index == 1 || !input.decoder_text) input.continued.clear();
  std::string& typed = index == 0           ? input.text
                       : input.decoder_text ? *input.decoder_text
                                            : input.pair.emplace();
  typed = std::move(text);
  return document;
}

}  // namespace attnscope::edit
