#include "core/files/import/dump_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace attnscope {
namespace {

/// A word of a name in lower case, and its place.
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

/// The words for query, key and value, each in three spellings.
constexpr std::array<std::array<std::string_view, 3>, 3> role_words{
    {{"q", "query", "queries"}, {"k", "key", "keys"}, {"v", "value", "values"}}};
constexpr std::array<std::string_view, 11> weight_words{
    "attn",     "att",  "attention", "attentions",  "weights",      "pattern",
    "patterns", "prob", "probs",     "probability", "probabilities"};
constexpr std::array<std::string_view, 6> parameter_words{"weight", "bias", "proj", "norm", "ln", "embed"};

bool is_parameter(const std::vector<Word>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const Word& word) { return is_one_of(word.text, parameter_words); });
}

/// 0, 1 or 2 if the word means query, key or value.
std::optional<std::size_t> role_of(const Word& word) {
  for (std::size_t role = 0; role < role_words.size(); ++role)
    if (is_one_of(word.text, role_words[role])) return role;
  return std::nullopt;
}

/// The name without `word` and one of the separators beside it.
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

/// Compares names; runs of digits compare as numbers.
bool layer_comes_before(const LayerNames& a, const LayerNames& b) {
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

/// The tensors q, k and v whose names are equal except for that word.
struct Group {
  LayerNames names;
  std::string before, after;        // the parts of the name before and behind the word
  std::array<std::string, 3> seen;  // the words as spelt; empty if that tensor is missing

  const std::string& tensor(std::size_t role) const {
    return role == 0 ? names.query : role == 1 ? names.key : names.value;
  }
  std::string& tensor(std::size_t role) {
    return role == 0 ? names.query : role == 1 ? names.key : names.value;
  }
};

/// The word for `role` in the spelling of another role's word.
std::string spelt_like(std::size_t role, const std::string& other) {
  std::string lower = other;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::size_t spelling = 0;
  for (const auto& words : role_words)
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == lower) spelling = i;
  std::string word(role_words[role][spelling]);
  const auto upper = [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); };
  if (other != lower) word[0] = upper(word[0]);
  if (other.size() > 1 && other[1] == upper(other[1]))
    std::transform(word.begin(), word.end(), word.begin(), upper);
  return word;
}

/// The name that the tensor of `role` would have, inferred from the tensors present.
std::string expected_name(const Group& group, std::size_t role) {
  for (const std::string& other : group.seen)
    if (!other.empty()) return group.before + spelt_like(role, other) + group.after;
  return {};
}

using Groups = std::map<std::string, Group>;  // by what the names have in common

Groups groups_of(std::span<const NamedRank> tensors, bool any_rank) {
  Groups groups;
  for (const NamedRank& tensor : tensors) {
    const std::vector<Word> words = words_of(tensor.name);
    if (words.empty() || is_parameter(words) || are_weights(tensor, words, any_rank)) continue;
    const auto word =
        std::find_if(words.rbegin(), words.rend(), [](const Word& w) { return role_of(w).has_value(); });
    if (word == words.rend() || tensor.rank < 2 || tensor.rank > 4) continue;
    const std::string before = tensor.name.substr(0, word->begin), after = tensor.name.substr(word->end);
    Group& group = groups[before + '\0' + after];
    group.before = before;
    group.after = after;
    group.names.name = without(tensor.name, *word);
    group.tensor(*role_of(*word)) = tensor.name;
    group.seen[*role_of(*word)] = tensor.name.substr(word->begin, word->end - word->begin);
  }
  return groups;
}

/// "h.hook_" for "h.hook_rot_": the group of the unrotated queries and keys of the same layer.
std::optional<std::string> before_rotation(const Group& group) {
  const std::vector<Word> words = words_of(group.before);
  if (words.empty() || words.back().text != "rot") return std::nullopt;
  std::size_t end = words.back().end;
  if (end < group.before.size()) ++end;  // the separator behind it
  return group.before.substr(0, words.back().begin) + group.before.substr(end) + '\0' + group.after;
}

/// Replaces queries and keys by the rotated ones; the values, which are not rotated, stay.
void prefer_rotated(Groups& groups) {
  std::vector<std::string> taken;
  for (auto& [shared, rotated] : groups) {
    const std::optional<std::string> partner = before_rotation(rotated);
    if (!partner || rotated.names.query.empty() || rotated.names.key.empty()) continue;
    const auto plain = groups.find(*partner);
    if (plain == groups.end()) continue;
    plain->second.names.query = rotated.names.query;
    plain->second.names.key = rotated.names.key;
    taken.push_back(shared);
  }
  for (const std::string& shared : taken) groups.erase(shared);
}

using Ending = std::array<std::string_view, 3>;  // "" in front of a shorter one
constexpr std::array<Ending, 6> matrix_endings{{{"", "w", "o"},
                                                {"o", "proj", "weight"},
                                                {"out", "proj", "weight"},
                                                {"c", "proj", "weight"},
                                                {"", "wo", "weight"},
                                                {"", "out", "kernel"}}};
constexpr std::array<Ending, 6> bias_endings{{{"", "b", "o"},
                                              {"o", "proj", "bias"},
                                              {"out", "proj", "bias"},
                                              {"c", "proj", "bias"},
                                              {"", "wo", "bias"},
                                              {"", "out", "bias"}}};

/// How many words at the end of a name form one of the endings; 0 if none matches.
std::size_t ending_of(const std::vector<Word>& words, const std::array<Ending, 6>& endings) {
  for (const Ending& ending : endings) {
    const std::size_t first = ending[0].empty() ? 1 : 0, length = ending.size() - first;
    if (words.size() < length) continue;
    bool fits = true;
    for (std::size_t i = 0; i < length; ++i)
      fits = fits && words[words.size() - length + i].text == ending[first + i];
    if (fits) return length;
  }
  return 0;
}

/// The tensors that have one of the endings, by the words before it.
class Outputs {
 public:
  Outputs(std::span<const NamedRank> tensors, const std::array<Ending, 6>& endings, int least_rank,
          int most_rank) {
    for (const NamedRank& tensor : tensors) {
      if (tensor.rank < least_rank || tensor.rank > most_rank) continue;
      const std::vector<Word> words = words_of(tensor.name);
      const std::size_t ending = ending_of(words, endings);
      if (ending > 0) names_.emplace(key_of(words, words.size() - ending), tensor.name);
    }
  }

  /// The tensor whose words before the ending match the longest prefix of the query's name that contains all
  /// its numbers; empty if there is none.
  std::string of(const std::string& query) const {
    if (names_.empty()) return {};
    const std::vector<Word> words = words_of(query);
    for (std::size_t shared = words.size();; --shared) {
      if (shared < words.size() && is_digit(words[shared].text.front())) return {};
      const auto found = names_.find(key_of(words, shared));
      if (found != names_.end()) return found->second;
      if (shared == 0) return {};
    }
  }

 private:
  static std::string key_of(const std::vector<Word>& words, std::size_t count) {
    std::string key;
    for (std::size_t i = 0; i < count; ++i) (key += words[i].text) += ' ';
    return key;
  }

  std::unordered_map<std::string, std::string> names_;
};

}  // namespace

std::vector<LayerNames> find_layers(std::span<const NamedRank> tensors, bool any_rank) {
  std::vector<LayerNames> layers;
  for (const NamedRank& tensor : tensors) {
    const std::vector<Word> words = words_of(tensor.name);
    if (!words.empty() && !is_parameter(words) && are_weights(tensor, words, any_rank))
      layers.push_back({tensor.name, {}, {}, {}, tensor.name});
  }
  Groups groups = groups_of(tensors, any_rank);
  prefer_rotated(groups);
  const Outputs matrices(tensors, matrix_endings, 2, 3), biases(tensors, bias_endings, 1, 1);
  for (auto& [shared, group] : groups) {
    LayerNames& names = group.names;
    if (names.query.empty() || names.key.empty()) continue;
    if (!names.value.empty()) {
      names.output = matrices.of(names.value);
      if (!names.output.empty()) names.output_bias = biases.of(names.value);
    }
    layers.push_back(std::move(names));
  }
  std::sort(layers.begin(), layers.end(), layer_comes_before);
  return layers;
}

std::vector<IncompleteLayer> find_incomplete(std::span<const NamedRank> tensors) {
  std::vector<IncompleteLayer> layers;
  for (const auto& [shared, group] : groups_of(tensors, false)) {
    const LayerNames& names = group.names;
    if (!names.query.empty() && !names.key.empty()) continue;
    const std::size_t missing = names.query.empty() ? 0 : 1;
    const std::string& there = !names.query.empty() ? names.query
                               : !names.key.empty() ? names.key
                                                    : names.value;
    layers.push_back({names.name, there, expected_name(group, missing)});
  }
  return layers;
}

std::string expected_value(const LayerNames& layer) {
  const std::array<NamedRank, 2> tensors{{{layer.query, 4}, {layer.key, 4}}};
  const Groups groups = groups_of(tensors, false);
  return groups.empty() ? std::string() : expected_name(groups.begin()->second, 2);
}

bool is_output_first(std::string_view output_name) {
  const std::vector<std::string> words = words_of_name(output_name);
  if (words.empty() || words.back() != "weight") return false;
  return words.size() < 3 || words[words.size() - 3] != "c";  // GPT-2's c_proj is a Conv1D
}

std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> texts;
  for (Word& word : words_of(name)) texts.push_back(std::move(word.text));
  return texts;
}

}  // namespace attnscope
