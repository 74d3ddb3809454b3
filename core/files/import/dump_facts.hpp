// core/files/import: what a dump says of its tensors besides their names and numbers: the metadata of a
// safetensors file, or attnscope.json beside .npy files. Knows nothing of tensors.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/document/settings.hpp"

namespace attnscope {

/// What is not said is empty. Tokens are as shown_labels() makes them, with "labels": "as they are" as
/// spelled_labels() does.
struct DumpFacts {
  std::optional<bool> tokens_first;                    // "layout": "tokens first" or "heads first"
  std::vector<std::vector<std::string>> tokens;        // one list for every sequence, or one for each
  std::vector<std::vector<std::string>> query_tokens;  // where queries and keys are other tokens
  std::string text;                                    // instead of tokens, or what they were cut from
  std::vector<std::string> axes;  // of weights: batch, heads, queries, keys, those that their shape has
  std::optional<bool> causal, positions_applied;
  std::optional<float> rope_base;
  std::optional<int> rope_dims;
  std::optional<bool> rope_interleaved;
  std::optional<Scaling> scaling;    // "scale": a number, "1/sqrt(d_k)" or "off"
  std::optional<bool> output_first;  // "W_O_layout": "output first" or "input first"

  bool has_rope() const { return rope_base || rope_dims || rope_interleaved; }
};

using Metadata = std::map<std::string, std::string>;

/// `place`: how messages name the metadata, "the metadata of "x.safetensors"". Keys that are none of ours are
/// other programs' and are left alone. Throws Error naming place and key, what was found and what was
/// expected.
DumpFacts facts_from(const Metadata&, const std::string& place);

/// attnscope.json in the folder, its values as text; empty where there is no such file. Throws Error for one
/// that is no object, and for keys that facts_from() does not know.
inline constexpr const char* sidecar_name = "attnscope.json";
Metadata read_sidecar(const std::filesystem::path& folder);

}  // namespace attnscope
