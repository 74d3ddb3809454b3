// core/models/opened: how a folder of sentence-transformers makes one vector of a text: modules.json and the
// files that it leads to.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// Which row of the last hidden state stands for a text, or what is made of all of them. Hidden tokens take
/// no part. Source: Pooling of sentence-transformers 5 (Reimers & Gurevych 2019).
enum class SentencePooling : std::uint8_t {
  First,           // the first token's
  Max,             // the largest of each number
  Mean,            // Σ x / n
  MeanSqrtLength,  // Σ x / √n
  WeightedMean,    // Σ (i + 1)·x_i / Σ (i + 1), i = 0, 1, … the place in the sequence
  Last,            // the last token's
};
inline constexpr std::size_t sentence_pooling_count = 6;
/// As sentence-transformers calls it: "cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean",
/// "lasttoken".
std::string_view name_of(SentencePooling);
std::optional<SentencePooling> sentence_pooling_from(std::string_view name);
/// All names: "cls, max, …".
std::string sentence_pooling_names();

struct SentenceModules {
  std::filesystem::path model;           // the folder of the transformer
  std::vector<SentencePooling> pooling;  // what each makes stands side by side
  bool normalised = false;               // to length 1, which changes no cosine
  int width = 0;                         // of a row that is pooled; 0 = not said
  int most_tokens = 0;                   // of a text; 0 = not said
};

/// Nothing where the folder has no modules.json. Throws Error with a sentence that names the file, the field
/// and what was found: a module that is not a transformer, its pooling and Normalize in this order (Dense and
/// all others, by name), a way of pooling that is not known, texts that are changed before they are read.
std::optional<SentenceModules> read_sentence_modules(const std::filesystem::path& folder);

}  // namespace attnscope
