#include "core/models/config/heads.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace attnscope {

using nlohmann::json;

const HeadRow* find_head(const Family& family, std::string_view architecture) {
  const auto at = std::ranges::find_if(
      family.heads, [&](const HeadRow& row) { return architecture.ends_with(row.ending); });
  return at == family.heads.end() ? nullptr : &*at;
}

std::vector<std::string> classes_of(const HeadRow& row, const ConfigObject& config) {
  if (!row.classes.empty()) return {row.classes.begin(), row.classes.end()};
  constexpr std::size_t most_classes = 4'000'000;  // as many as there may be tokens
  const json* found = config.find("id2label");
  std::vector<std::string> classes;
  if (found == nullptr || !found->is_structured()) return classes;
  for (const auto& [key, label] : found->items()) {
    std::size_t number = most_classes;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc() || end != key.data() + key.size() || number >= most_classes) continue;
    if (number >= classes.size()) classes.resize(number + 1);
    if (label.is_string())
      classes[number] = label.get<std::string>();
    else if (!label.is_null() && !label.is_structured())
      classes[number] = label.dump();
  }
  return classes;
}

}  // namespace attnscope
