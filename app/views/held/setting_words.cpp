// app/views/held: words for differences in the text and in the weights.
#include "app/views/held/setting_words.hpp"

#include <algorithm>
#include <array>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/views/controls/position_words.hpp"
#include "core/document/enum_names.hpp"

namespace attnscope {

std::string written(float value, int places) { return fixed(static_cast<double>(value), places); }

bool same_numbers(const TensorPtr& a, const TensorPtr& b) {
  constexpr std::int64_t quick = 1 << 20;
  if (a == b) return true;
  if (!a || !b || a->shape() != b->shape() || a->size() > quick) return false;
  return *a == *b;
}

namespace {

/// The first token that differs if both texts have the same length, else the length of the text, with its
/// unit in singular and plural.
std::string text_words(const std::vector<Sequence>& self, const std::vector<Sequence>& other,
                       std::string_view one, std::string_view several) {
  if (self.size() != other.size()) return counted(std::ssize(self), "text", "texts");
  for (std::size_t b = 0; b < self.size(); ++b) {
    const auto &mine = self[b].tokens, &theirs = other[b].tokens;
    if (mine.size() != theirs.size())
      return std::to_string(mine.size()) + std::string(mine.size() == 1 ? one : several);
    const auto differs = std::ranges::mismatch(mine, theirs, &Token::is_same).in1;
    if (differs != mine.end()) return "“" + own(differs->text) + "”";
  }
  return {};
}

std::string text_of(const Document& self, const Document& other) {
  return text_words(self.input.sequences, other.input.sequences, " token", " tokens");
}

std::string memory_of(const Document& self, const Document& other) {
  if (self.input.memory == other.input.memory) return {};
  if (self.input.memory.empty()) return "self-attention";
  return other.input.memory.empty()
             ? "cross-attention"
             : text_words(self.input.memory, other.input.memory, " key token", " key tokens");
}

std::string numbers_of(const Document& self, const Document& other) {
  const Given &mine = self.input.given(), &theirs = other.input.given();
  const Vectors &own = self.input.vectors(), &others = other.input.vectors();
  const bool alike = same_numbers(mine.query, theirs.query) && same_numbers(mine.key, theirs.key) &&
                     same_numbers(mine.value, theirs.value) && mine.holds == theirs.holds &&
                     same_numbers(mine.past_key, theirs.past_key) &&
                     same_numbers(mine.past_value, theirs.past_value) && mine.lengths == theirs.lengths &&
                     same_numbers(own.query, others.query) && same_numbers(own.key, others.key) &&
                     same_numbers(own.value, others.value);
  const bool weights = mine.holds == GivenTensors::Weights;
  if (alike && (!weights || same_numbers(self.layer().masking.additive, other.layer().masking.additive)))
    return {};
  if (mine.holds != GivenTensors::QueryKeyValue)
    return mine.holds == GivenTensors::QueryKey ? "given Q, K" : "given weights";
  return self.input.is_given() ? "given Q, K, V" : self.input.is_vectors() ? "given vectors" : "from text";
}

std::string edited_of(const Document& self, const Document& other) {
  if (same_numbers(self.input.from_text().edited, other.input.from_text().edited) &&
      same_numbers(self.input.from_text().edited_memory, other.input.from_text().edited_memory))
    return {};
  return self.input.from_text().edited || self.input.from_text().edited_memory ? "X edited" : "X as made";
}

std::string positions_of(const Document& self, const Document& other) {
  const LayerSpec& layer = self.layer();
  if (layer.positions != other.layer().positions) return std::string(enum_name(layer.positions).words);
  std::string words = words_of_position_settings(layer, other.layer());
  const std::optional<Parameter> table = table_of(layer.positions);
  if (!words.empty() || !table || same_numbers(layer.weights[*table], other.layer().weights[*table]))
    return words;
  return std::string(position_facts(layer.positions).table);
}

std::string heads_of(const Document& self, const Document& other) {
  if (query_heads(self) == query_heads(other)) return {};
  return counted(query_heads(self), "head", "heads");
}

std::string d_k_of(const Document& self, const Document& other) {
  const int mine = key_width(self);
  return mine == key_width(other) ? std::string() : "dₖ " + std::to_string(mine);
}

std::string kv_heads_of(const Document& self, const Document& other) {
  if (self.layer().kv_heads == other.layer().kv_heads) return {};
  return std::to_string(key_value_heads(self)) + " k/v heads";
}

std::string d_v_of(const Document& self, const Document& other) {
  return self.layer().d_v == other.layer().d_v ? std::string() : "d_v " + std::to_string(value_width(self));
}

std::string weights_of(const Document& self, const Document& other) {
  const Weights &mine = self.layer().weights, &theirs = other.layer().weights;
  if (mine.recipe != theirs.recipe) {
    if (mine.recipe == Recipe::Given) return mine.made_by == Recipe::Given ? "given W" : "W edited";
    return mine.recipe == Recipe::Random ? "random W" : "hand-built W";
  }
  if (mine.recipe != Recipe::Given) return {};  // the recipe decides the numbers and is compared below
  const bool alike = std::ranges::all_of(parameter_table, [&](const ParameterInfo& row) {
    const bool of_latents = row.kind == ParameterKind::Latent || row.kind == ParameterKind::LatentNorm;
    return (!row.projection && !of_latents) || same_numbers(mine[row.parameter], theirs[row.parameter]);
  });
  return alike ? std::string() : "W edited";
}

template <Projection which>
std::string block_of(const Document& self, const Document& other) {
  constexpr std::array<std::string_view, 4> names{"W_Q", "W_K", "W_V", "W_O"};
  const BlockRecipe &mine = self.layer().weights.of(which), &theirs = other.layer().weights.of(which);
  const std::string name = own(names[static_cast<std::size_t>(which)]);
  if (mine.gain != theirs.gain) return name + " × " + own_number(written(mine.gain));
  if (mine.drawn == theirs.drawn) return {};
  return mine.drawn ? name + " seed " + std::to_string(mine.drawn->seed) : name + " as the others";
}

std::string learned_key_of(const Document& self, const Document& other) {
  const Weights &mine = self.layer().weights, &theirs = other.layer().weights;
  if (same_numbers(mine[Parameter::BiasK], theirs[Parameter::BiasK]) &&
      same_numbers(mine[Parameter::BiasV], theirs[Parameter::BiasV]))
    return {};
  return mine[Parameter::BiasK] ? "learned key" : "no learned key";
}

std::string sinks_of(const Document& self, const Document& other) {
  const TensorPtr &mine = self.layer().weights[Parameter::SinkLogits],
                  &theirs = other.layer().weights[Parameter::SinkLogits];
  if (same_numbers(mine, theirs)) return {};
  return !mine ? "no sinks" : theirs ? "other sinks" : "learned sinks";
}

/// For norms that both have: their factors.
std::string norm_weights_of(const Document& self, const Document& other) {
  const LayerSpec &mine = self.layer(), &theirs = other.layer();
  if (mine.qk_norm.kind == QkNorm::Kind::None || theirs.qk_norm.kind == QkNorm::Kind::None) return {};
  const bool alike = std::ranges::all_of(parameter_table, [&](const ParameterInfo& row) {
    return row.kind != ParameterKind::Norm ||
           same_numbers(mine.weights[row.parameter], theirs.weights[row.parameter]);
  });
  return alike ? std::string() : "other γ";
}

/// Layers from files are distinguished by their names: the last part of the title.
std::string layer_of(const Document& self, const Document& other) {
  const bool from_files = !self.input.is_text() && (!other.input.is_text());
  if (!from_files || self.title == other.title) return {};
  const std::size_t mark = self.title.rfind(" · ");
  return own(mark == std::string::npos ? self.title
                                       : self.title.substr(mark + std::string_view(" · ").size()));
}

constexpr SettingWords texts[]{
    {"layer", layer_of}, {"text", text_of}, {"input", numbers_of}, {"second text", memory_of}};

constexpr SettingWords made[]{{"positions", positions_of},
                              {"weights", weights_of},
                              {"query block", block_of<Projection::Query>},
                              {"key block", block_of<Projection::Key>},
                              {"value block", block_of<Projection::Value>},
                              {"output block", block_of<Projection::Output>},
                              {"heads", heads_of},
                              {"width of a head", d_k_of},
                              {"key and value heads", kv_heads_of},
                              {"value width", d_v_of},
                              {"learned key", learned_key_of},
                              {"norm weights", norm_weights_of},
                              {"sinks", sinks_of},
                              {"token vectors", edited_of}};

}  // namespace

std::span<const SettingWords> text_settings() { return texts; }
std::span<const SettingWords> weight_settings() { return made; }

}  // namespace attnscope
