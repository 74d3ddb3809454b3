#include "app/pages/lessons/step/side_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/held/setting_words.hpp"
#include "app/views/held/settings.hpp"
#include "core/document/enum_names.hpp"
#include "core/document/known.hpp"
#include "core/edits/switches.hpp"

namespace attnscope {
namespace {

std::string division_of_side(const Document& self, const Document& other) {
  if (edit::is_divided(self) == edit::is_divided(other)) return {};
  if (!edit::is_divided(self)) return "not divided";
  const std::int64_t d_k = scale_width(self, key_width(self));
  const double root = std::sqrt(static_cast<double>(d_k));
  return "divided by √" + std::to_string(d_k) + " = " +
         (root == std::round(root) ? fixed(root, 0) : fixed(root, 2));
}

/// The name of numbers that are added to scores: −∞ masks; 1 and 0 mask nothing.
std::string added_mask_name(const Tensor& added) {
  const auto all = [&](auto&& is) { return std::ranges::all_of(added.values(), is); };
  if (all([](float x) { return x == 0 || x == 1; })) return "mask added as 1 and 0";
  return all([](float x) { return std::isfinite(x); }) ? "numbers added" : "a mask of its own";
}

std::string mask_of_side(const Document& self, const Document& other) {
  const Masking &mine = self.layer().masking, &theirs = other.layer().masking;
  const auto added = [](const Document& document) {  // a Document of weights alone keeps them there
    return knows_scores(document) ? document.layer().masking.additive : TensorPtr();
  };
  const bool alike = mine.causal == theirs.causal && mine.padding == theirs.padding &&
                     mine.mistake == theirs.mistake && same_numbers(added(self), added(other));
  if (alike) return mine.hidden == theirs.hidden ? std::string() : std::string(enum_name(mine.hidden).words);
  if (mine.mistake != MaskMistake::None) return std::string(enum_name(mine.mistake).words);
  if (added(self)) return added_mask_name(*added(self));
  if (mine.causal) return mine.padding ? "causal and padding mask" : "causal mask";
  return mine.padding ? "padding mask" : "no mask";
}

std::string window_of_side(const Document& self, const Document& other) {
  const Masking& mine = self.layer().masking;
  if (mine.window == other.layer().masking.window) return {};
  const bool back = mine.causal || mine.window.right == 0;
  if (mine.window.open() || (back && mine.window.left < 0)) return back ? "all earlier keys" : "all keys";
  if (back && mine.window.left == 0) return "the last key";
  if (back) return "the last " + std::to_string(mine.window.left + 1) + " keys";
  const auto side = [](int n) { return n < 0 ? std::string("∞") : std::to_string(n); };
  return "window " + own(side(mine.window.left)) + ", " + own(side(mine.window.right));
}

std::string temperature_of_side(const Document& self, const Document& other) {
  if (self.layer().temperature == other.layer().temperature) return {};
  return "τ = " + fixed(static_cast<double>(self.layer().temperature), 2);
}

std::string linear_of_side(const Document& self, const Document& other) {
  if (self.layer().linear == other.layer().linear) return {};
  return self.layer().linear ? "linear attention" : "softmax attention";
}

/// The intervention on the pattern of the first head in which the sides differ.
std::string pattern_of_side(const Document& self, const Document& other) {
  const auto at = [](const Document& d, std::size_t h) {
    return h < d.layer().interventions.size() ? d.layer().interventions[h] : Intervention{};
  };
  const std::size_t heads = std::max(self.layer().interventions.size(), other.layer().interventions.size());
  for (std::size_t h = 0; h < heads; ++h) {
    const Intervention mine = at(self, h), theirs = at(other, h);
    if (mine.kind == theirs.kind) continue;
    std::string name(enum_name(mine.kind).words);
    if (mine.kind == Intervention::Kind::None) name = "as it is";
    if (mine.kind == Intervention::Kind::Mute) name = "muted";
    if (mine.kind == Intervention::Kind::Frozen) name = "given pattern";
    return heads == 1 ? name : "head " + std::to_string(h) + ": " + inner(name);
  }
  return {};
}

std::string block_of_side(const Document& self, const Document& other) {
  const BlockSettings &block = self.layer().block, &there = other.layer().block;
  if (block.kind != there.kind) return std::string(enum_name(block.kind).words);
  if (block.norm != there.norm && has_block(block)) return std::string(enum_name(block.norm).words);
  const bool adds = block.attention_residual && block.mlp_residual;
  if (adds != (there.attention_residual && there.mlp_residual))
    return adds ? "with residual additions" : "without residual additions";
  if (block.mlp != there.mlp) return block.mlp ? "with MLP" : "without MLP";
  return {};
}

/// The whole text if it is short, else the words in which it differs.
std::string text_of_side(const Document& self, const Document& other) {
  const std::vector<Sequence>&mine = self.input.sequences, &theirs = other.input.sequences;
  if (mine.empty() || theirs.empty()) return {};
  if (mine.size() != theirs.size())
    return mine.size() == 1 ? "alone" : "in a batch of " + std::to_string(mine.size());
  const std::vector<Token>&here = mine.front().tokens, &there = theirs.front().tokens;
  const auto [first, first_there] = std::ranges::mismatch(here, there, &Token::is_same);
  if (first == here.end() && first_there == there.end()) return {};
  constexpr std::size_t short_text = 18;
  const std::string whole = joined(here);
  if (std::max(whole.size(), joined(there).size()) <= short_text) return "“" + own(whole) + "”";
  auto last = here.end(), last_there = there.end();
  while (last != first && last_there != first_there && (last - 1)->is_same(*(last_there - 1))) {
    --last;
    --last_there;
  }
  const std::string words = joined(std::vector<Token>(first, last)),
                    others = joined(std::vector<Token>(first_there, last_there));
  if (words.empty()) return "without “" + own(others) + "”";
  if (others.empty()) return "with “" + own(words) + "”";
  const bool begins = first == here.begin(), ends = last == here.end();
  if (begins) return ends ? "“" + own(words) + "”" : "“" + own(words) + "” …";
  return ends ? "… “" + own(words) + "”" : "… “" + own(words) + "” …";
}

std::string cache_of_side(const Document& self, const Document& other) {
  if (self.input.cached == other.input.cached) return {};
  return self.input.cached > 0 ? "with a cache" : "without a cache";
}

/// Any other setting that Compare names, except those that it names only "(now)" and "(held)".
std::string setting_of_side(const Document& self, const Document& other) {
  for (const SettingDifference& setting : differing_settings(self, other))
    if (!setting.a.ends_with("(now)")) return setting.a;
  return {};
}

/// In this order: what steps are mostly about comes first.
constexpr std::array side_settings{division_of_side, mask_of_side,    window_of_side, temperature_of_side,
                                   linear_of_side,   pattern_of_side, block_of_side,  text_of_side,
                                   cache_of_side,    setting_of_side};

/// If a step holds what it shows, B is the state before the user's change; else B is the state after the
/// step's own change. `as_begun`: nothing was changed yet.
std::string name_by_change(const LessonPage& page, bool is_b, bool as_begun) {
  const auto has_words = [](char c) {
    return std::string_view("{} \n\r\t").find(c) == std::string_view::npos;
  };
  const bool holds_what_it_shows = std::ranges::none_of(page.step.held, has_words);
  if (is_b == holds_what_it_shows) return "before the change";
  return as_begun && !is_b ? "now" : "after the change";
}

}  // namespace

std::string differing_name(const Document& self, const Document& other) {
  for (const auto name_of : side_settings) {
    std::string mine = name_of(self, other);
    if (!mine.empty() && mine != name_of(other, self)) return mine;
  }
  return {};
}

std::string lesson_side_name(const LessonPage& page, const Scene& side, bool is_b) {
  const Document& document = side.result.document;
  const auto at = static_cast<std::size_t>(page.state().step);
  const bool as_begun =
      is_b || (at < page.open.documents.size() && document == page.open.documents[at].shown);
  const std::string& said = is_b ? page.step.title_held : page.step.title_shown;
  if (!said.empty() && as_begun) return own(said);
  if (page.scene.held == nullptr) return is_b ? "held" : "";
  const Document& other = is_b ? page.scene.result.document : page.scene.held->result->layer().document;
  const std::string name = differing_name(document, other);
  return name.empty() ? name_by_change(page, is_b, as_begun) : name;
}

}  // namespace attnscope
