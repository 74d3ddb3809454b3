#include "core/tokenizers/sentence_piece.hpp"

#include <algorithm>
#include <functional>

#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {

std::vector<RankedMerge> merges_of_scores(const Vocabulary& vocabulary, std::span<const double> scores,
                                          const std::vector<bool>& merge) {
  const auto takes_part = [&](Id id) {
    return id != no_id && (merge.empty() || merge[static_cast<std::size_t>(id)]);
  };
  std::vector<double> levels(scores.begin(), scores.end());
  std::ranges::sort(levels, std::greater<>());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  std::vector<RankedMerge> merges;
  for (const auto& [token, given] : vocabulary.tokens()) {
    // If tokens are equal, only the one that id() gives takes part.
    const Id id = vocabulary.id(token);
    if (id != given || !takes_part(id)) continue;
    const auto level =
        std::ranges::lower_bound(levels, scores[static_cast<std::size_t>(id)], std::greater<>());
    const auto rank = static_cast<std::uint32_t>(level - levels.begin());
    const std::string_view text = token;
    for (std::size_t at = text.empty() ? 0 : character_size(text[0]); at < text.size();
         at += character_size(text[at])) {
      const Id left = vocabulary.id(text.substr(0, at));
      if (!takes_part(left)) continue;
      const Id right = vocabulary.id(text.substr(at));
      if (takes_part(right)) merges.push_back({left, right, id, rank});
    }
  }
  return merges;
}

}  // namespace attnscope::tokenizers
