// core/transformer: how a block puts attention, MLP, norms and residual additions together: for layers,
// models and networks that are trained. For names see core/document/enum_names.hpp.
#pragma once

#include <cstdint>

namespace attnscope {

/// The arrangement of attention A and MLP M around the residual stream x; N, N′ are norms.
enum class Arrangement : std::uint8_t {
  None,      // the attention layer by itself; not of models and networks
  PreNorm,   // x += A(N x); x += M(N x): GPT-2, Llama (Xiong et al. 2020)
  PostNorm,  // x = N(x + A x); x = N(x + M x): Vaswani et al. 2017, BERT
  Sandwich,  // x += N′(A(N x)); x += N′(M(N x)): Gemma 2 (Ding et al. 2021)
  Parallel,  // x += A(N x) + M(N′ x): GPT-NeoX (Wang and Komatsuzaki 2021)
  After,     // x += N(A x); x += N′(M x): OLMo 2 (OLMo Team 2024)
};

/// Whether what attention and the MLP add passes a norm first.
inline bool norms_additions(Arrangement kind) {
  return kind == Arrangement::Sandwich || kind == Arrangement::After;
}

}  // namespace attnscope
