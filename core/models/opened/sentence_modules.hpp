// core/models/opened: how a sentence-transformers folder makes one vector of a text: modules.json and the
// files that it names.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// How the last hidden state becomes one vector of a text. Hidden tokens are left out. Source: Pooling of
/// sentence-transformers 5 (Reimers & Gurevych 2019).
enum class SentencePooling : std::uint8_t {
  First,           // the first token's
  Max,             // the maximum of each dimension
  Mean,            // Σ x / n
  MeanSqrtLength,  // Σ x / √n
  WeightedMean,    // Σ (i + 1)·x_i / Σ (i + 1), i = 0, 1, … in the sequence
  Last,            // the last token's
};
inline constexpr std::size_t sentence_pooling_count = 6;
/// The name in sentence-transformers: "cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean",
/// "lasttoken".
std::string_view name_of(SentencePooling);
std::optional<SentencePooling> sentence_pooling_from(std::string_view name);
/// All names: "cls, max, …".
std::string sentence_pooling_names();

struct SentenceModules {
  std::filesystem::path model;           // the folder of the transformer
  std::vector<SentencePooling> pooling;  // their results are concatenated
  bool normalised = false;               // to length 1, which does not change cosines
  int width = 0;                         // of a pooled row; 0 = not given
  int most_tokens = 0;                   // of a text; 0 = not given
};

/// Nothing if the folder has no modules.json. Throws Error naming the file, the field and what was found: for
/// modules other than a transformer, its pooling and Normalize in this order (Dense and all others, by name),
/// unknown kinds of pooling, and texts that are changed before tokenisation.
std::optional<SentenceModules> read_sentence_modules(const std::filesystem::path& folder);

}  // namespace attnscope
