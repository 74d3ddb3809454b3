#include "core/files/dump_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>

namespace attnscope {
namespace {

/// A word of a name: where it stands, and itself in lower case.
struct Word {
  std::size_t begin = 0, end = 0;
  std::string text;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::vector<Word> words_of(std::string_view name) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < name.size();) {
    const auto kind = is_digit(name[i]) ? is_digit : is_letter;
    std::size_t end = i;
    while (end < name.size() && kind(name[end])) ++end;
    if (end == i) {
      ++i;
      continue;
    }
    Word word{i, end, std::string(name.substr(i, end - i))};
    for (char& c : word.text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    words.push_back(std::move(word));
    i = end;
  }
  return words;
}

template <std::size_t count>
bool is_one_of(std::string_view word, const std::array<std::string_view, count>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

constexpr std::array<std::string_view, 3> query_words{"q", "query", "queries"};
constexpr std::array<std::string_view, 3> key_words{"k", "key", "keys"};
constexpr std::array<std::string_view, 3> value_words{"v", "value", "values"};
constexpr std::array<std::string_view, 11> weight_words{
    "attn",     "att",  "attention", "attentions",  "weights",      "pattern",
    "patterns", "prob", "probs",     "probability", "probabilities"};
constexpr std::array<std::string_view, 6> parameter_words{"weight", "bias", "proj", "norm", "ln", "embed"};

bool is_parameter(const std::vector<Word>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const Word& word) { return is_one_of(word.text, parameter_words); });
}

/// 0, 1 or 2 for a query's, key's or value's word.
std::optional<std::size_t> role_of(const Word& word) {
  if (is_one_of(word.text, query_words)) return 0;
  if (is_one_of(word.text, key_words)) return 1;
  if (is_one_of(word.text, value_words)) return 2;
  return std::nullopt;
}

/// The name without that word and one of the separators beside it.
std::string without(std::string_view name, const Word& word) {
  std::string_view before = name.substr(0, word.begin), after = name.substr(word.end);
  const auto separates = [](char c) { return !is_digit(c) && !is_letter(c); };
  if (!before.empty() && separates(before.back())) {
    before.remove_suffix(1);
  } else if (!after.empty() && separates(after.front())) {
    after.remove_prefix(1);
  }
  return std::string(before) + std::string(after);
}

bool are_weights(const NamedRank& tensor, const std::vector<Word>& words, bool any_rank) {
  if (tensor.rank > 4 || tensor.rank < (any_rank ? 2 : 3)) return false;
  const auto last = std::find_if(words.rbegin(), words.rend(),
                                 [](const Word& word) { return !is_digit(word.text.front()); });
  return last != words.rend() && is_one_of(last->text, weight_words);
}

/// Digits count as the number they spell.
bool comes_before(const LayerNames& a, const LayerNames& b) {
  const std::string &p = a.name, &q = b.name;
  std::size_t i = 0, j = 0;
  const auto number_at = [](const std::string& text, std::size_t& at) {
    while (at < text.size() && text[at] == '0') ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return std::string_view(text).substr(begin, at - begin);
  };
  while (i < p.size() && j < q.size()) {
    if (is_digit(p[i]) && is_digit(q[j])) {
      const std::string_view left = number_at(p, i), right = number_at(q, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else if (p[i] != q[j]) {
      return p[i] < q[j];
    } else {
      ++i, ++j;
    }
  }
  if (p.size() - i != q.size() - j) return p.size() - i < q.size() - j;
  return p < q;
}

}  // namespace

std::vector<LayerNames> find_layers(std::span<const NamedRank> tensors, bool any_rank) {
  std::vector<LayerNames> layers;
  std::map<std::string, LayerNames> groups;  // by the name with its word for q, k or v taken out
  for (const NamedRank& tensor : tensors) {
    const std::vector<Word> words = words_of(tensor.name);
    if (words.empty() || is_parameter(words)) continue;
    if (are_weights(tensor, words, any_rank)) {
      layers.push_back({tensor.name, {}, {}, {}, tensor.name});
      continue;
    }
    const auto word =
        std::find_if(words.rbegin(), words.rend(), [](const Word& w) { return role_of(w).has_value(); });
    if (word == words.rend() || tensor.rank < 2 || tensor.rank > 4) continue;
    const std::string shared = tensor.name.substr(0, word->begin) + '\0' + tensor.name.substr(word->end);
    LayerNames& group = groups[shared];
    group.name = without(tensor.name, *word);
    std::array<std::string*, 3> parts{&group.query, &group.key, &group.value};
    *parts[*role_of(*word)] = tensor.name;
  }
  for (auto& [shared, group] : groups)
    if (!group.query.empty() && !group.key.empty() && !group.value.empty())
      layers.push_back(std::move(group));
  std::sort(layers.begin(), layers.end(), comes_before);
  return layers;
}

}  // namespace attnscope
