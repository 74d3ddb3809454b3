#include "app/views/held/settings.hpp"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/views/held/setting_words.hpp"
#include "app/views/parts/unknown.hpp"
#include "core/document/setting_table.hpp"

namespace attnscope {
namespace {

std::string scale_of(const Document& self, const Document& other) {
  const LayerSpec& layer = self.layer();
  const std::string mine = scale_words(self);
  if (!knows_scores(self) && !knows_scores(other)) return {};
  if (mine != scale_words(other)) return mine;
  const bool factor = layer.scaling.kind == Scaling::Kind::Factor;
  return factor && layer.scaling.factor != other.layer().scaling.factor
             ? "× " + written(layer.scaling.factor, 6)
             : std::string();
}

std::string mask_of(const Document& self, const Document& other) {
  const Masking &mine = self.layer().masking, &theirs = other.layer().masking;
  return mine.causal == theirs.causal && mine.padding == theirs.padding ? std::string() : mask_words(self);
}

std::string window_of(const Document& self, const Document& other) {
  const Window& mine = self.layer().masking.window;
  if (mine == other.layer().masking.window) return {};
  const auto side = [](int n) { return n < 0 ? std::string("∞") : std::to_string(n); };
  return mine.open() ? "no window"
                     : "window " + own_number(side(mine.left)) + ", " + own_number(side(mine.right));
}

std::string pattern_of(const Document& self, const Document& other) {
  const Sparsity &mine = self.layer().masking.sparsity, &theirs = other.layer().masking.sparsity;
  const auto n = [](auto value) { return std::to_string(value); };
  if (mine.kind == Sparsity::Kind::None) return theirs.kind == mine.kind ? std::string() : "full";
  const bool kinds = mine.kind != theirs.kind;
  switch (mine.kind) {
    case Sparsity::Kind::Strided:
      return kinds || mine.stride != theirs.stride ? "stride " + n(mine.stride) : "";
    case Sparsity::Kind::BlocksGlobal:
      if (kinds || mine.block != theirs.block) return "blocks of " + n(mine.block);
      return mine.globals != theirs.globals ? n(mine.globals) + " global" : "";
    case Sparsity::Kind::Windows:
      if (kinds || mine.side != theirs.side) return "windows of " + n(mine.side) + "²";
      if (mine.grid != theirs.grid) return n(mine.grid) + " in a row";
      return mine.shift != theirs.shift ? "shifted by " + n(mine.shift) : "";
    default: break;
  }
  if (kinds || mine.lsh_buckets != theirs.lsh_buckets) return n(mine.lsh_buckets) + " LSH buckets";
  if (mine.lsh_rounds != theirs.lsh_rounds) return n(mine.lsh_rounds) + " LSH rounds";
  return mine.seed != theirs.seed ? "LSH seed " + n(mine.seed) : "";
}

std::string masked_heads_of(const Document& self, const Document& other) {
  const std::vector<int>& mine = self.layer().masking.heads;
  if (mine == other.layer().masking.heads) return {};
  if (mine.empty()) return "mask on all heads";
  return mine.size() == 1 ? "mask on head " + std::to_string(mine[0])
                          : "mask on " + std::to_string(mine.size()) + " heads";
}

std::string by_hand_of(const Document& self, const Document& other) {
  // For a document with only weights, the additive mask contains the weights themselves.
  const auto by_hand = [](const Document& document) {
    return knows_scores(document) ? document.layer().masking.additive : TensorPtr();
  };
  if (same_numbers(by_hand(self), by_hand(other))) return {};
  return by_hand(self) ? "painted mask" : "nothing painted";
}

std::string temperature_of(const Document& self, const Document& other) {
  if (self.layer().temperature == other.layer().temperature) return {};
  const bool close = temperature_words(self) == temperature_words(other);
  return close ? "τ " + written(self.layer().temperature, 6) : temperature_words(self);
}

std::string intervention_of(const Document& self, const Document& other) {
  const auto at = [](const Document& d, std::size_t h) {
    return h < d.layer().interventions.size() ? d.layer().interventions[h] : Intervention{};
  };
  const std::size_t heads = std::max(self.layer().interventions.size(), other.layer().interventions.size());
  std::size_t differing = 0, first = 0;
  for (std::size_t h = heads; h-- > 0;) {
    const Intervention mine = at(self, h), theirs = at(other, h);
    if (mine.kind == theirs.kind && same_numbers(mine.frozen, theirs.frozen)) continue;
    ++differing;
    first = h;
  }
  if (differing == 0) return {};
  if (!has_intervention(self)) return "no intervention";
  if (differing > 1 && has_intervention(self) != has_intervention(other))
    return std::to_string(differing) + " heads replaced";
  return "head " + std::to_string(first) + " " + inner(enum_name(at(self, first).kind).words);
}

std::string dropout_of(const Document& self, const Document& other) {
  const Dropout &mine = self.layer().dropout, &theirs = other.layer().dropout;
  if (mine.rate != theirs.rate)
    return mine.rate == 0 ? "no dropout" : "dropout " + fixed(100 * static_cast<double>(mine.rate), 1) + " %";
  return mine.rate > 0 && mine.seed != theirs.seed ? "dropout seed " + std::to_string(mine.seed) : "";
}

std::string loss_of(const Document& self, const Document& other) {
  if (self.loss.kind == other.loss.kind && same_numbers(self.loss.given, other.loss.given)) return {};
  return std::string(enum_name(self.loss.kind).words);
}

constexpr SettingWords attention[]{{"scale", scale_of},
                                   {"mask", mask_of},
                                   {"temperature", temperature_of},
                                   {"intervention", intervention_of},
                                   {"window", window_of},
                                   {"pattern", pattern_of},
                                   {"heads masked", masked_heads_of},
                                   {"painted cells", by_hand_of},
                                   {"dropout", dropout_of},
                                   {"loss", loss_of}};

/// The settings changed most often come first; unlisted ones come last.
constexpr std::string_view order[]{"layer",
                                   "text",
                                   "input",
                                   "second text",
                                   "scale",
                                   "mask",
                                   "temperature",
                                   "attention",
                                   "softmax",
                                   "rows without a key",
                                   "intervention",
                                   "soft-cap",
                                   "window",
                                   "pattern",
                                   "heads masked",
                                   "painted cells",
                                   "hidden score",
                                   "mistake",
                                   "dropout",
                                   "precision",
                                   "loss",
                                   "positions",
                                   "weights",
                                   "seed",
                                   "noise",
                                   "initialiser",
                                   "biases",
                                   "query block",
                                   "key block",
                                   "value block",
                                   "output block",
                                   "heads",
                                   "width",
                                   "width of a head",
                                   "key and value heads",
                                   "value width",
                                   "learned key",
                                   "zero key",
                                   "cache",
                                   "padded length",
                                   "token vectors",
                                   "embedding",
                                   "embedding gain",
                                   "projection"};

std::string value_words(const DifferenceWords& words_of, float value) {
  return fmt::format(fmt::runtime(words_of.value), written(value));
}
template <class T>
requires std::is_integral_v<T> std::string value_words(const DifferenceWords& words_of, T value) {
  return fmt::format(fmt::runtime(words_of.value), value);
}
std::string value_words(const DifferenceWords& words_of, bool) { return std::string(words_of.value); }
template <class E>
requires std::is_enum_v<E> std::string value_words(const DifferenceWords&, E value) {
  return std::string(enum_name(value).words);
}

/// Adds the settings of the table that have a title there.
void add_told(const Document& a, const Document& b, std::vector<SettingDifference>& all) {
  for_each_setting([&](const auto& row) {
    const auto &mine = row.of(a), &theirs = row.of(b);
    using T = std::remove_cvref_t<decltype(mine)>;
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      const DifferenceWords& words_of = row.difference;
      if (words_of.title.empty() || mine == theirs) return;
      const auto words = [&](const T& value) {
        return value == T{} && !words_of.none.empty() ? std::string(words_of.none)
                                                      : value_words(words_of, value);
      };
      all.push_back({words_of.title, words(mine), words(theirs)});
    }
  });
}

}  // namespace

std::string scale_words(const Document& document) {
  if (!knows_scores(document)) return std::string(not_in_file);
  switch (document.layer().scaling.kind) {
    case Scaling::Kind::InverseSqrtDk:
      return "÷ √" + std::to_string(scale_width(document, key_width(document)));
    case Scaling::Kind::Off: return "÷ 1";
    case Scaling::Kind::Factor: break;
  }
  return "× " + own_number(written(document.layer().scaling.factor));
}

std::string mask_words(const Document& document) {
  const Masking& mask = document.layer().masking;
  if (mask.causal) return mask.padding ? "causal + padding" : "causal";
  return mask.padding ? "padding" : "no mask";
}

std::string temperature_words(const Document& document) {
  return "τ " + own_number(written(document.layer().temperature));
}

std::vector<SettingDifference> differing_settings(const Document& a, const Document& b) {
  std::vector<SettingDifference> all;
  for (const std::span<const SettingWords> room :
       {text_settings(), std::span<const SettingWords>(attention), weight_settings()}) {
    for (const SettingWords& setting : room) {
      SettingDifference difference{setting.name, setting.words(a, b), setting.words(b, a)};
      if (!difference.a.empty() || !difference.b.empty()) all.push_back(std::move(difference));
    }
  }
  add_told(a, b, all);
  for (SettingDifference& difference : all) {
    if (difference.a != difference.b) continue;  // the same kind with other numbers
    difference.a += "  (now)";
    difference.b += "  (held)";
  }
  std::ranges::stable_sort(all, {}, [](const SettingDifference& each) {
    return std::ranges::find(order, each.name) - std::begin(order);
  });
  return all;
}

std::string why_no_cells(const Dimensions& a, const Dimensions& b) {
  // Three sentences, each translated separately.
  const auto sentence = [](const std::string& of_a, const std::string& of_b, std::string_view so,
                           std::string_view remedy) {
    return "What is shown has " + inner(of_a) + ", what is held has " + inner(of_b) + ".  " +
           std::string(so) + "  " + std::string(remedy) +
           "  Ctrl+Z takes the change back, \\ holds what is shown.";
  };
  if (a.queries != b.queries || a.keys != b.keys) {
    const bool square = a.queries == a.keys && b.queries == b.keys;
    const auto of = [&](const Dimensions& d) {
      return square ? counted(d.queries, "token", "tokens")
                    : inner(counted(d.queries, "query", "queries")) + " by " +
                          inner(counted(d.keys, "key", "keys"));
    };
    return sentence(of(a), of(b), "Their cells do not correspond.", "Use as many tokens as in what is held.");
  }
  if (a.heads != b.heads)
    return sentence(counted(a.heads, "head", "heads"), counted(b.heads, "head", "heads"),
                    "Their heads do not correspond.", "Use as many heads as in what is held.");
  if (a.batch != b.batch)
    return sentence(counted(a.batch, "text", "texts"), counted(b.batch, "text", "texts"),
                    "Their texts do not correspond.", "Use as many texts as in what is held.");
  return {};
}

}  // namespace attnscope
