// core/files/import: the facts that a dump gives besides names and numbers: the metadata of a safetensors
// file, or attnscope.json beside .npy files. It does not read tensors.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/document/settings.hpp"

namespace attnscope {

/// Missing facts are empty. Tokens are as shown_labels() makes them, or with "labels": "as they are" as
/// spelled_labels() does.
struct DumpFacts {
  std::optional<bool> tokens_first;                    // "layout": "tokens first" or "heads first"
  std::vector<std::vector<std::string>> tokens;        // one list for each sequence, or one for all
  std::vector<std::vector<std::string>> query_tokens;  // if queries and keys are different tokens
  std::string text;                                    // instead of tokens, or their text
  std::vector<std::string> axes;  // axes of weights: batch, heads, queries, keys, without the missing ones
  std::optional<bool> causal, positions_applied;
  std::optional<float> rope_base;
  std::optional<int> rope_dims;
  std::optional<bool> rope_interleaved;
  std::optional<Scaling> scaling;    // "scale": a number, "1/sqrt(d_k)" or "off"
  std::optional<bool> output_first;  // "W_O_layout": "output first" or "input first"

  bool has_rope() const { return rope_base || rope_dims || rope_interleaved; }
};

using Metadata = std::map<std::string, std::string>;

/// `place` names the metadata in messages: "the metadata of "x.safetensors"". Unknown keys belong to other
/// programs and are ignored. Throws Error naming place and key, what was found and what was expected.
DumpFacts facts_from(const Metadata&, const std::string& place);

/// The values of attnscope.json in the folder as text; empty if there is no such file. Throws Error if it is
/// not an object, and for keys that facts_from() does not know.
inline constexpr const char* sidecar_name = "attnscope.json";
Metadata read_sidecar(const std::filesystem::path& folder);

}  // namespace attnscope
