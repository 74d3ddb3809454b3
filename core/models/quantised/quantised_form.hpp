// core/models/quantised: how a folder's weights are quantised, as its config.json says.
#pragma once

#include <cstdint>
#include <string>

namespace attnscope {

struct QuantisedForm {
  enum class Method : std::uint8_t { None, Fp8, CompressedTensors, Gptq, Awq, Bitsandbytes, Mxfp4, Mlx };
  Method method = Method::None;
  std::string name;                       // "gptq", for messages
  int bits = 0, group = 0;                // GPTQ, AWQ: of a code; columns that share a scale, 0 all
  int block_rows = 0, block_columns = 0;  // FP8: numbers that share a scale; 0 if the scales' shape says it
  bool zeros_less_one = false;            // GPTQ: zeros are stored less 1
};

}  // namespace attnscope
