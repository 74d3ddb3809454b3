// core/tokenizers/read: parses the stages of tokenizer.json. Only .cpp files of this room include it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/tokenizers/read/json_node.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope::tokenizers {

// Each throws Error naming a field that does not fit; a missing stage gives an empty one.
Normalizer read_normalizer(const JsonNode& node);
PreTokenizer read_pre_tokenizer(const JsonNode& node);
PostProcessor read_post_processor(const JsonNode& node);
Decoder read_decoder(const JsonNode& node);
std::vector<AddedToken> read_added_tokens(const JsonNode& node);
std::unique_ptr<const Model> read_model(const JsonNode& node, const std::vector<AddedToken>& added);
/// "BPE", …; guessed for files from before 2020, which do not name the type.
std::string model_type_of(const JsonNode& model);

/// Reads {"String": …} or {"Regex": …}.
Pattern read_pattern(const JsonNode& node);
/// Text that a step inserts: at most a thousand bytes.
std::string read_inserted(const JsonNode& node);
/// Reads {"a": 0, "b": 1}.
std::vector<IdOf> read_vocabulary(const JsonNode& node);
/// Reads "prepend_scheme", or "add_prefix_space" of older files.
Metaspace::Prepend read_prepend_scheme(const JsonNode& metaspace);
inline constexpr std::uint64_t largest_id = 1u << 30;

}  // namespace attnscope::tokenizers
