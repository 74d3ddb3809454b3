// app/state: a head of a model, and the value that its pictures show.
#pragma once

#include <cstdint>

#include "core/document/model_changes.hpp"

namespace attnscope {

/// One head of a model.
struct ModelHead {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  std::int64_t head = 0;
  bool operator==(const ModelHead&) const = default;
};

/// α, or ‖α·v·W_O‖.
enum class CellValue : std::uint8_t { Weight, Contribution };

}  // namespace attnscope
