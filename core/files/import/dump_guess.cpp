#include "core/files/import/dump_guess.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace attnscope {
namespace {

enum class Rope { None, Half, Interleaved };

/// Words in the names of models and of their parts: the first match decides.
struct NamedFamily {
  std::string_view word;
  bool causal;
  Rope rope;
};
constexpr std::array<NamedFamily, 32> named_families{
    {{"gptj", true, Rope::Interleaved}, {"neox", true, Rope::Half},     {"pythia", true, Rope::Half},
     {"llama", true, Rope::Half},       {"smollm", true, Rope::Half},   {"mistral", true, Rope::Half},
     {"mixtral", true, Rope::Half},     {"qwen", true, Rope::Half},     {"gemma", true, Rope::Half},
     {"phi", true, Rope::Half},         {"olmo", true, Rope::Half},     {"falcon", true, Rope::Half},
     {"deepseek", true, Rope::Half},    {"stablelm", true, Rope::Half}, {"gpt", true, Rope::None},
     {"opt", true, Rope::None},         {"bloom", true, Rope::None},    {"mpt", true, Rope::None},
     {"bert", false, Rope::None},       {"roberta", false, Rope::None}, {"distilbert", false, Rope::None},
     {"albert", false, Rope::None},     {"electra", false, Rope::None}, {"deberta", false, Rope::None},
     {"vit", false, Rope::None},        {"deit", false, Rope::None},    {"dino", false, Rope::None},
     {"siglip", false, Rope::None},     {"bart", true, Rope::None},     {"whisper", true, Rope::None},
     {"marian", true, Rope::None},      {"lm", true, Rope::None}}};

/// All words of the file's name and of the names of the layer's tensors.
std::vector<std::string> words_of(std::string_view file, const LayerNames& layer) {
  std::vector<std::string> words = words_of_name(file);
  for (const std::string* name : {&layer.query, &layer.key, &layer.weights})
    for (std::string& word : words_of_name(*name)) words.push_back(std::move(word));
  return words;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether the two words follow each other.
bool has(const std::vector<std::string>& words, std::string_view first, std::string_view second) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == first && words[i + 1] == second) return true;
  return false;
}

const NamedFamily* family_of(const std::vector<std::string>& words) {
  if (has(words, "gpt", "j")) return named_families.data();
  const auto found = std::find_if(named_families.begin(), named_families.end(),
                                  [&](const NamedFamily& f) { return has(words, f.word); });
  return found != named_families.end() ? &*found : nullptr;
}

}  // namespace

CausalGuess guess_causal(std::string_view file, const LayerNames& layer, std::int64_t queries,
                         std::int64_t keys) {
  const std::vector<std::string> words = words_of(file, layer);
  for (const std::string_view cross : {"cross", "crossattention", "xattn"})
    if (has(words, cross))
      return {false, fmt::format("\"{}\" in the names belongs to cross-attention.", cross)};
  if (has(words, "encoder", "attn"))
    return {false, "\"encoder_attn\" in the names belongs to cross-attention."};
  if (queries > keys) return {false, "There are more queries than keys, as in cross-attention."};
  if (has(words, "encoder")) return {false, "\"encoder\" in the names belongs to encoders."};
  if (has(words, "decoder")) return {true, "\"decoder\" in the names belongs to decoders."};
  if (const NamedFamily* family = family_of(words)) {
    if (family->causal) return {true, fmt::format("\"{}\" in the names belongs to decoders.", family->word)};
    return {false, fmt::format("\"{}\" in the names belongs to encoders.", family->word)};
  }
  if (has(words, "hook"))
    return {true, "\"hook\" in the names is TransformerLens', whose models are mostly decoders."};
  if (has(words, "transformer", "h")) return {true, "\"transformer.h\" in the names belongs to decoders."};
  if (has(words, "self", "attn")) return {true, "\"self_attn\" in the names mostly belongs to decoders."};
  return {false, "Nothing in the file says so."};
}

PositionsGuess guess_positions(std::string_view file, const LayerNames& layer, const DumpFacts& facts) {
  const std::vector<std::string> words = words_of(file, layer);
  const NamedFamily* family = family_of(words);
  const bool interleaved =
      facts.rope_interleaved.value_or(family != nullptr && family->rope == Rope::Interleaved);
  const Positions rotary = interleaved ? Positions::RopeInterleaved : Positions::RopeHalf;
  const bool hook = has(words, "hook");
  if (hook && has(words_of_name(layer.query), "rot")) return {};
  if (facts.has_rope())
    return {rotary, "The file has rotary settings and does not say that they were applied."};
  if (family != nullptr && family->rope == Rope::None)
    return {Positions::None,
            fmt::format("\"{}\" in the names belongs to models without rotary positions.", family->word)};
  if (hook && family != nullptr)
    return {rotary,
            fmt::format("\"hook_q\" comes before rotary positions, and \"{}\" has them.", family->word)};
  if (hook)
    return {Positions::None, "\"hook_q\" comes before rotary positions; GPT-2 and its like have none."};
  return {Positions::None, "Nothing in the file says so."};
}

}  // namespace attnscope
