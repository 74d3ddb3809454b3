// core/models: config.json, read with suspicion, as the ModelSpec of its family.
#pragma once

#include <string>
#include <string_view>

#include "core/models/config/families.hpp"
#include "core/models/config/heads.hpp"
#include "core/models/config/spec.hpp"

namespace attnscope {

struct ModelConfig {
  ModelSpec spec;
  const FamilyRow* family = nullptr;            // never null
  const HeadRow* head = nullptr;                // null: logits are those of a decoder, or none
  bool attention_bias = true, mlp_bias = true;  // what BiasRule asks for
  bool gguf = false;                            // tensors have GGUF's names
  bool input_output = false;                    // matrices lie as [d_in][d_out]
  bool within = false;                          // a model of pictures and text, of which this is the decoder
};

/// The config of both versions of transformers: "rope_parameters" or "rope_theta" and "rope_scaling"; of a
/// model of pictures and text its decoder, "text_config". Missing keys take their family's defaults. Throws
/// Error with a sentence that names `where`, the key, what was found and what was expected: unknown families,
/// activations and kinds of rotary scaling, sizes that do not fit, quantised weights, and keys that would
/// change what is computed and are not read (config_refused.cpp).
ModelConfig read_config(std::string_view json, const std::string& where);

}  // namespace attnscope
