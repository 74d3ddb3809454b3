// tests/oracle: multi-head latent attention (DeepSeek-AI 2024, section 2.1, equations 9 to 18), naively in
// double: the inputs of keys and values. It shares nothing with core/latent.
#pragma once

#include "oracle/oracle.hpp"

namespace oracle {

/// Rows of `width` numbers whose first `count` are divided by the root of their mean square plus ε, and
/// multiplied with the weight; empty weight: 1.
Numbers normed_columns(Numbers rows, std::size_t width, std::size_t count, const Numbers& weight,
                       double epsilon);

/// Columns [first, first + count) of rows of `width` numbers.
Numbers columns(const Numbers& rows, std::size_t width, std::size_t first, std::size_t count);

struct LatentKeys {
  std::size_t batch = 1, tokens = 1, content = 1, shared = 0, kv_heads = 1, own = 1;
};
/// For each head the numbers of the latent from `content` on, the same for all heads, then the first
/// `content` ones times W_K. latent [batch][tokens][content + shared], w [content][kv heads * own], b or
/// empty; the result is [batch][kv heads][tokens][shared + own], the shared part first.
Numbers latent_keys(const Numbers& latent, const Numbers& w, const Numbers& b, const LatentKeys&);

}  // namespace oracle
