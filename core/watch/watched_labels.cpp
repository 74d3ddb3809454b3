#include "core/watch/watched_labels.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/text/shown_labels.hpp"
#include "core/watch/watched_text.hpp"

namespace attnscope {
namespace {

std::string position_label(const std::vector<std::string>& tokens,
                           const std::vector<std::vector<std::int64_t>>& ids, std::int64_t position) {
  const auto at = static_cast<std::size_t>(position);
  if (at < tokens.size() && !tokens[at].empty()) return tokens[at];
  if (!ids.empty() && at < ids[0].size() && ids[0][at] >= 0) return fmt::to_string(ids[0][at]);
  return fmt::to_string(position);
}

}  // namespace

std::vector<std::string> readable_tokens(const std::vector<std::string>& tokens) {
  std::vector<std::string> said, all(tokens.size());
  for (const std::string& token : tokens)
    if (!token.empty()) said.push_back(token);
  const std::vector<std::string> shown = shown_labels(said);
  for (std::size_t i = 0, next = 0; i < tokens.size(); ++i)
    if (!tokens[i].empty()) all[i] = shown[next++];
  return all;
}

const WatchedLayer* WatchedSnapshot::find(std::int64_t index) const { return share(index).get(); }

WatchedLayerPtr WatchedSnapshot::share(std::int64_t index) const {
  const auto found = std::ranges::find_if(layers, [&](const auto& layer) { return layer->index == index; });
  return found == layers.end() ? nullptr : *found;
}

std::string WatchedSnapshot::label(std::int64_t position) const {
  return position_label(tokens, ids, position);
}
std::string WatchedSnapshot::memory_label(std::int64_t position) const {
  return position_label(memory_tokens, memory_ids, position);
}

}  // namespace attnscope
