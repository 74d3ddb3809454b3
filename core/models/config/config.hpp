// core/models/config: config.json, checked, as the ModelSpec of its family.
#pragma once

#include <string>
#include <string_view>

#include "core/models/config/heads.hpp"
#include "core/models/quantised/quantised_form.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

struct ModelConfig {
  ModelSpec spec;
  const Family* family = nullptr;               // never null
  const HeadRow* head = nullptr;                // null: next-token logits of a decoder, or none
  bool attention_bias = true, mlp_bias = true;  // for BiasRule::Attention and Mlp
  bool gguf = false;                            // tensors have GGUF's names
  bool input_output = false;                    // matrices lie as [d_in][d_out]
  int groups = 0;                               // of blocks that share their weights; 0: none do
  bool within = false;                          // the decoder of a vision-language model
  QuantisedForm quantised;
};

/// Reads configs of transformers 4 and 5: "rope_parameters", or "rope_theta" and "rope_scaling"; of a
/// vision-language model the decoder's, "text_config". Missing keys take their family's defaults. Throws
/// Error naming `where`, the key, what was found and what was expected: for unknown families, activations and
/// kinds of rotary scaling, sizes that do not fit, quantised weights, and keys that would change the result
/// and are not read (config_refused.cpp).
ModelConfig read_config(std::string_view json, const std::string& where);

}  // namespace attnscope
