#include "core/stage.hpp"

namespace attnscope {

// With given Q, K and V the stages Embed, Position and Output do not exist, so each of them reads
// Field::Given. Scale reads Width and Heads because d_k follows from them.
constexpr std::array<StageInfo, stage_count> stage_table{{
    {Stage::Embed, "Embedding", "E", "E = vector of each token", "[batch][tokens][d_model]",
     Fields{Field::Tokens, Field::Given, Field::Embedding, Field::Width}, Stages{}},
    {Stage::Position, "Position", "X", "X = E + P", "[batch][tokens][d_model]",
     Fields{Field::Given, Field::Embedding, Field::Positions}, Stages{Stage::Embed}},
    {Stage::Query, "Queries", "Q", "Q = X·W_Q + b_Q", "[batch][heads][queries][d_k]",
     Fields{Field::Given, Field::Heads, Field::QueryWeights}, Stages{Stage::Position}},
    {Stage::Key, "Keys", "K", "K = X·W_K + b_K", "[batch][kv heads][keys][d_k]",
     Fields{Field::Given, Field::Heads, Field::KeyWeights}, Stages{Stage::Position}},
    {Stage::Value, "Values", "V", "V = X·W_V + b_V", "[batch][kv heads][keys][d_v]",
     Fields{Field::Given, Field::Heads, Field::ValueWeights}, Stages{Stage::Position}},
    {Stage::Score, "Scores", "S", "S = Q·Kᵀ", "[batch][heads][queries][keys]", Fields{},
     Stages{Stage::Query, Stage::Key}},
    {Stage::Scale, "Scaled", "Z", "Z = S / √d_k", "[batch][heads][queries][keys]",
     Fields{Field::Given, Field::Width, Field::Heads, Field::Scaling}, Stages{Stage::Score}},
    {Stage::Cap, "Capped", "G", "G = c·tanh(Z / c)", "[batch][heads][queries][keys]", Fields{Field::SoftCap},
     Stages{Stage::Scale}},
    {Stage::Mask, "Masked", "M", "M = G + mask", "[batch][heads][queries][keys]",
     Fields{Field::Tokens, Field::Given, Field::Masking}, Stages{Stage::Cap}},
    {Stage::Softmax, "Weights", "A", "A = softmax(M / τ)", "[batch][heads][queries][keys]",
     Fields{Field::Temperature}, Stages{Stage::Mask}},
    {Stage::Mix, "Mix", "H", "H = A·V", "[batch][heads][queries][d_v]", Fields{},
     Stages{Stage::Value, Stage::Softmax}},
    {Stage::Concat, "Concat", "C", "C = [H₁ … H_h]", "[batch][queries][heads·d_v]", Fields{},
     Stages{Stage::Mix}},
    {Stage::Output, "Output", "Y", "Y = C·W_O + b_O", "[batch][queries][d_model]",
     Fields{Field::Given, Field::Width, Field::OutputWeights}, Stages{Stage::Concat}},
}};

namespace {
/// Row i describes stage i, and every stage comes after those it reads.
constexpr bool in_order() {
  for (std::size_t i = 0; i < stage_count; ++i) {
    if (stage_table[i].stage != static_cast<Stage>(i)) return false;
    if ((stage_table[i].inputs.bits >> i) != 0) return false;
  }
  return true;
}
static_assert(in_order());
}  // namespace

}  // namespace attnscope
