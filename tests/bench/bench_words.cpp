#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "core/text/whole_text.hpp"
#include "tests/bench/bench.hpp"

namespace attnscope {

namespace {

constexpr std::string_view path_names[] = {"streaming", "staged", "first-look", "tile"};
constexpr std::string_view mask_names[] = {"none", "boolean", "boolean-causal", "added", "added-causal"};
constexpr std::string_view part_names[] = {"output", "entropy", "picture", "received"};

template <class Enum, std::size_t Count>
bool find_name(const std::string_view (&names)[Count], std::string_view name, Enum& value) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return false;
  value = static_cast<Enum>(found - std::begin(names));
  return true;
}

/// Calls `take` with each word between commas; false as soon as one is refused.
bool for_each_word(std::string_view text, const std::function<bool(std::string_view)>& take) {
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (!take(text.substr(0, end))) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string_view name_of(BenchPath path) { return path_names[static_cast<std::size_t>(path)]; }
std::string_view name_of(BenchMask mask) { return mask_names[static_cast<std::size_t>(mask)]; }
std::string_view name_of(BenchPart part) { return part_names[static_cast<std::size_t>(part)]; }

bool read_bench_path(std::string_view text, BenchPath& path) { return find_name(path_names, text, path); }

bool read_bench_mask(std::string_view text, BenchMask& mask) { return find_name(mask_names, text, mask); }

bool read_bench_parts(std::string_view text, std::set<BenchPart>& emit) {
  emit.clear();
  return for_each_word(text, [&](std::string_view word) {
    BenchPart part{};
    return find_name(part_names, word, part) && emit.insert(part).second;
  });
}

bool read_bench_lengths(std::string_view text, std::vector<std::int64_t>& lengths) {
  constexpr std::int64_t longest = 1 << 20;
  lengths.clear();
  return for_each_word(text, [&](std::string_view word) {
    const std::optional<std::int64_t> n = whole_text_as<std::int64_t>(word);
    if (!n || *n < 1 || *n > longest) return false;
    lengths.push_back(*n);
    return true;
  });
}

}  // namespace attnscope
