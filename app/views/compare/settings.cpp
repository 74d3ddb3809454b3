#include "app/views/compare/settings.hpp"

#include <algorithm>
#include <array>

#include "app/number_format.hpp"
#include "app/views/compare/setting_words.hpp"
#include "app/views/unknown.hpp"

namespace attnscope {
namespace {

std::string scale_of(const Document& self, const Document& other) {
  const std::string mine = scale_words(self);
  if (!knows_scores(self) && !knows_scores(other)) return {};
  if (mine != scale_words(other)) return mine;
  const bool factor = self.scaling.kind == Scaling::Kind::Factor;
  return factor && self.scaling.factor != other.scaling.factor ? "× " + written(self.scaling.factor, 6)
                                                               : std::string();
}

std::string cap_of(const Document& self, const Document& other) {
  if (self.soft_cap == other.soft_cap) return {};
  return self.soft_cap > 0 ? "cap " + written(self.soft_cap) : "no cap";
}

std::string mask_of(const Document& self, const Document& other) {
  const Masking &mine = self.masking, &theirs = other.masking;
  return mine.causal == theirs.causal && mine.padding == theirs.padding ? std::string() : mask_words(self);
}

std::string window_of(const Document& self, const Document& other) {
  const Window& mine = self.masking.window;
  if (mine == other.masking.window) return {};
  const auto side = [](int n) { return n < 0 ? std::string("∞") : std::to_string(n); };
  return mine.open() ? "no window" : "window " + side(mine.left) + ", " + side(mine.right);
}

std::string pattern_of(const Document& self, const Document& other) {
  const Sparsity &mine = self.masking.sparsity, &theirs = other.masking.sparsity;
  const auto n = [](auto value) { return std::to_string(value); };
  if (mine.kind == Sparsity::Kind::None) return theirs.kind == mine.kind ? std::string() : "full";
  const bool kinds = mine.kind != theirs.kind;
  switch (mine.kind) {
    case Sparsity::Kind::Strided:
      return kinds || mine.stride != theirs.stride ? "stride " + n(mine.stride) : "";
    case Sparsity::Kind::BlocksGlobal:
      if (kinds || mine.block != theirs.block) return "blocks of " + n(mine.block);
      return mine.globals != theirs.globals ? n(mine.globals) + " global" : "";
    default: break;
  }
  if (kinds || mine.lsh_buckets != theirs.lsh_buckets) return n(mine.lsh_buckets) + " LSH buckets";
  if (mine.lsh_rounds != theirs.lsh_rounds) return n(mine.lsh_rounds) + " LSH rounds";
  return mine.seed != theirs.seed ? "LSH seed " + n(mine.seed) : "";
}

std::string masked_heads_of(const Document& self, const Document& other) {
  const std::vector<int>& mine = self.masking.heads;
  if (mine == other.masking.heads) return {};
  if (mine.empty()) return "mask on all heads";
  return mine.size() == 1 ? "mask on head " + std::to_string(mine[0])
                          : "mask on " + std::to_string(mine.size()) + " heads";
}

std::string by_hand_of(const Document& self, const Document& other) {
  // Of weights alone what is added is the weights themselves.
  const auto by_hand = [](const Document& document) {
    return knows_scores(document) ? document.masking.additive : TensorPtr();
  };
  if (same_numbers(by_hand(self), by_hand(other))) return {};
  return by_hand(self) ? "painted mask" : "nothing painted";
}

std::string hidden_of(const Document& self, const Document& other) {
  if (self.masking.hidden == other.masking.hidden) return {};
  constexpr std::array<std::string_view, 3> names{"hidden −∞", "hidden −1e9", "hidden + −1e9"};
  return std::string(names[static_cast<std::size_t>(self.masking.hidden)]);
}

std::string mistake_of(const Document& self, const Document& other) {
  constexpr std::array<std::string_view, 5> names{"no mistake", "diagonal hidden", "masked too late",
                                                  "mask transposed", "padding on rows"};
  const MaskMistake mine = self.masking.mistake;
  return mine == other.masking.mistake ? std::string() : std::string(names[static_cast<std::size_t>(mine)]);
}

std::string linear_of(const Document& self, const Document& other) {
  if (self.linear == other.linear) return {};
  return self.linear ? "linear" : "softmax";
}

std::string softmax_of(const Document& self, const Document& other) {
  if (self.softmax == other.softmax) return {};
  return self.softmax == SoftmaxKind::Naive ? "naive softmax" : "stable softmax";
}

std::string empty_row_of(const Document& self, const Document& other) {
  constexpr std::array<std::string_view, 3> names{"no key: zeros", "no key: NaN", "no key: uniform"};
  if (self.empty_row == other.empty_row) return {};
  return std::string(names[static_cast<std::size_t>(self.empty_row)]);
}

std::string temperature_of(const Document& self, const Document& other) {
  if (self.temperature == other.temperature) return {};
  const bool close = temperature_words(self) == temperature_words(other);
  return close ? "τ " + written(self.temperature, 6) : temperature_words(self);
}

std::string surgery_of(const Document& self, const Document& other) {
  constexpr std::array<std::string_view, 7> names{"own",      "ablated",     "uniform", "previous token",
                                                  "identity", "first token", "frozen"};
  const auto at = [](const Document& d, std::size_t h) {
    return h < d.surgery.size() ? d.surgery[h] : HeadSurgery{};
  };
  const std::size_t heads = std::max(self.surgery.size(), other.surgery.size());
  std::size_t differing = 0, first = 0;
  for (std::size_t h = heads; h-- > 0;) {
    const HeadSurgery mine = at(self, h), theirs = at(other, h);
    if (mine.kind == theirs.kind && same_numbers(mine.frozen, theirs.frozen)) continue;
    ++differing;
    first = h;
  }
  if (differing == 0) return {};
  if (!is_operated(self)) return "no intervention";
  if (differing > 1 && is_operated(self) != is_operated(other))
    return std::to_string(differing) + " heads replaced";
  return "head " + std::to_string(first) + " " +
         std::string(names[static_cast<std::size_t>(at(self, first).kind)]);
}

std::string dropout_of(const Document& self, const Document& other) {
  const Dropout &mine = self.dropout, &theirs = other.dropout;
  if (mine.rate != theirs.rate)
    return mine.rate == 0 ? "no dropout" : "dropout " + fixed(100 * static_cast<double>(mine.rate), 1) + " %";
  return mine.rate > 0 && mine.seed != theirs.seed ? "dropout seed " + std::to_string(mine.seed) : "";
}

std::string precision_of(const Document& self, const Document& other) {
  constexpr std::array<std::string_view, 3> names{"fp32", "bf16", "fp16"};
  if (self.precision == other.precision) return {};
  return std::string(names[static_cast<std::size_t>(self.precision)]);
}

std::string loss_of(const Document& self, const Document& other) {
  constexpr std::array<std::string_view, 3> names{"no loss", "loss Σ", "loss mse"};
  if (self.loss.kind == other.loss.kind && same_numbers(self.loss.given, other.loss.given)) return {};
  return std::string(names[static_cast<std::size_t>(self.loss.kind)]);
}

constexpr Setting attention[]{{"scale", scale_of},
                              {"mask", mask_of},
                              {"temperature", temperature_of},
                              {"attention", linear_of},
                              {"softmax", softmax_of},
                              {"rows without a key", empty_row_of},
                              {"intervention", surgery_of},
                              {"soft-cap", cap_of},
                              {"window", window_of},
                              {"pattern", pattern_of},
                              {"heads masked", masked_heads_of},
                              {"painted cells", by_hand_of},
                              {"hidden score", hidden_of},
                              {"mistake", mistake_of},
                              {"dropout", dropout_of},
                              {"precision", precision_of},
                              {"loss", loss_of}};

}  // namespace

std::string scale_words(const Document& document) {
  if (!knows_scores(document)) return std::string(not_in_file);
  switch (document.scaling.kind) {
    case Scaling::Kind::InverseSqrtDk: return "÷ √" + std::to_string(key_width(document));
    case Scaling::Kind::Off: return "÷ 1";
    case Scaling::Kind::Factor: break;
  }
  return "× " + written(document.scaling.factor);
}

std::string mask_words(const Document& document) {
  const Masking& mask = document.masking;
  if (mask.causal) return mask.padding ? "causal + padding" : "causal";
  return mask.padding ? "padding" : "no mask";
}

std::string temperature_words(const Document& document) { return "τ " + written(document.temperature); }

std::vector<SettingDifference> differing_settings(const Document& a, const Document& b) {
  std::vector<SettingDifference> all;
  for (const std::span<const Setting> room :
       {text_settings(), std::span<const Setting>(attention), weight_settings()}) {
    for (const Setting& setting : room) {
      SettingDifference difference{setting.name, setting.words(a, b), setting.words(b, a)};
      if (difference.a.empty() && difference.b.empty()) continue;
      if (difference.a == difference.b) {  // the same kind of thing with other numbers
        difference.a += " (now)";
        difference.b += " (held)";
      }
      all.push_back(std::move(difference));
    }
  }
  return all;
}

}  // namespace attnscope
