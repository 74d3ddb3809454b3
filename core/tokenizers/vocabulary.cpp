#include "core/tokenizers/vocabulary.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::tokenizers {

Vocabulary::Vocabulary(std::vector<IdOf> tokens) : tokens_(std::move(tokens)) {
  // places_ has an entry for every id up to the largest: gaps are fine, a few tokens with huge ids are not.
  const std::size_t most = 4 * tokens_.size() + 65'536;
  ids_.reserve(tokens_.size());
  for (std::size_t place = 0; place < tokens_.size(); ++place) {
    const auto& [token, id] = tokens_[place];
    if (id < 0 || static_cast<std::size_t>(id) >= most) {
      throw Error(fmt::format("The token {} has the id {}, which is out of range for {} tokens.",
                              in_quotes(token, 40), id, tokens_.size()));
    }
    const auto at = static_cast<std::size_t>(id);
    if (at >= places_.size()) places_.resize(at + 1, -1);
    if (places_[at] >= 0) {
      throw Error(fmt::format("The tokens {} and {} have the same id {}.",
                              in_quotes(tokens_[static_cast<std::size_t>(places_[at])].token, 40),
                              in_quotes(token, 40), id));
    }
    places_[at] = static_cast<std::int32_t>(place);
    ids_[token] = id;
  }
}

}  // namespace attnscope::tokenizers
