#include "core/stage.hpp"

namespace attnscope {

namespace {
constexpr std::string_view scores_shape = "[batch][heads][queries][keys]";
}

// With given Q, K and V the stages up to Fuse and Output do not exist, so each of them reads Field::Given.
// Every stage stores its tensor in the Document's precision.
constexpr std::array<StageInfo, stage_count> stage_table{{
    {Stage::Embed, "Embedding", "E", "E = vector of each token", "[batch][tokens][d_model]",
     Fields{Field::Tokens, Field::Given, Field::Vectors, Field::Embedding, Field::Width, Field::Precision},
     Stages{}},
    {Stage::Position, "Position", "X", "X = E + P", "[batch][tokens][d_model]",
     Fields{Field::Given, Field::Embedding, Field::Positions, Field::Precision}, Stages{Stage::Embed}},
    {Stage::Memory, "Memory", "N", "N = E + P of the second sequence", "[batch][keys][d_model]",
     Fields{Field::Memory, Field::Given, Field::Vectors, Field::Embedding, Field::Width, Field::Positions,
            Field::Precision},
     Stages{}},
    {Stage::Fuse, "Fused QKV", "F", "F = X·[W_Q W_K W_V] + b",
     "[batch][tokens][(heads + kv heads)·d_k + kv heads·d_v]",
     Fields{Field::Given, Field::Vectors, Field::Memory, Field::Fused, Field::QueryWeights, Field::KeyWeights,
            Field::ValueWeights, Field::Precision},
     Stages{Stage::Position}},
    {Stage::Query, "Queries", "Q", "Q = X·W_Q + b_Q", "[batch][heads][queries][d_k]",
     Fields{Field::Given, Field::Tokens, Field::Heads, Field::Width, Field::QueryWeights, Field::Precision},
     Stages{Stage::Position, Stage::Fuse}},
    {Stage::Key, "Keys", "K", "K = X·W_K + b_K", "[batch][kv heads][keys][d_k]",
     Fields{Field::Given, Field::Heads, Field::Width, Field::KeyWeights, Field::ExtraKeys, Field::Precision},
     Stages{Stage::Position, Stage::Memory, Stage::Fuse}},
    {Stage::Value, "Values", "V", "V = X·W_V + b_V", "[batch][kv heads][keys][d_v]",
     Fields{Field::Given, Field::Vectors, Field::Heads, Field::Width, Field::ValueWeights, Field::ExtraKeys,
            Field::Precision},
     Stages{Stage::Position, Stage::Memory, Stage::Fuse}},
    {Stage::RotateQuery, "Rotated queries", "Q′", "Q′ = R(p)·Q", "[batch][heads][queries][d_k]",
     Fields{Field::Given, Field::Tokens, Field::Positions, Field::Precision}, Stages{Stage::Query}},
    {Stage::RotateKey, "Rotated keys", "K′", "K′ = R(p)·K", "[batch][kv heads][keys][d_k]",
     Fields{Field::Given, Field::Positions, Field::ExtraKeys, Field::Precision}, Stages{Stage::Key}},
    {Stage::Bucket, "Buckets", "h", "h = argmax [x·R, −x·R]", "[batch][heads][rounds][queries + keys]",
     Fields{Field::Masking, Field::ExtraKeys}, Stages{Stage::RotateQuery, Stage::RotateKey}},
    {Stage::Score, "Scores", "S", "S = Q·Kᵀ", scores_shape, Fields{Field::Precision},
     Stages{Stage::RotateQuery, Stage::RotateKey}},
    {Stage::Scale, "Scaled logits", "S′", "S′ = S / √d_k", scores_shape,
     Fields{Field::Scaling, Field::Precision}, Stages{Stage::Score, Stage::Query}},
    {Stage::Cap, "Capped logits", "G", "G = c·tanh(S′ / c)", scores_shape,
     Fields{Field::SoftCap, Field::Precision}, Stages{Stage::Scale}},
    {Stage::Bias, "Position bias", "B", "B = b(head, j − p)", "[1][heads][queries][keys]",
     Fields{Field::Tokens, Field::Memory, Field::Given, Field::Vectors, Field::Heads, Field::Positions,
            Field::ExtraKeys, Field::Precision},
     Stages{}},
    {Stage::Mask, "Masked logits", "M", "M = G + B + mask", scores_shape,
     Fields{Field::Tokens, Field::Memory, Field::Given, Field::Vectors, Field::Masking, Field::ExtraKeys,
            Field::Precision},
     Stages{Stage::Cap, Stage::Bias, Stage::Bucket}},
    {Stage::Softmax, "Weights", "A", "A = softmax(M / τ)", scores_shape,
     Fields{Field::Softmax, Field::Precision}, Stages{Stage::Mask, Stage::Bucket}},
    {Stage::Linear, "Linear weights", "L", "L = φ(Q)·φ(K)ᵀ / Σ", scores_shape,
     Fields{Field::Linear, Field::Precision},
     Stages{Stage::Query, Stage::Key, Stage::RotateQuery, Stage::RotateKey, Stage::Mask}},
    {Stage::Surgery, "After intervention", "A′", "A′ = A, or the pattern put in its place", scores_shape,
     Fields{Field::Linear, Field::Surgery, Field::Precision},
     Stages{Stage::Bucket, Stage::Mask, Stage::Softmax, Stage::Linear}},
    {Stage::Drop, "Dropped", "D", "D = A′ ∘ keep / (1 − r)", scores_shape,
     Fields{Field::Dropout, Field::Precision}, Stages{Stage::Surgery}},
    {Stage::Mix, "Head outputs", "Z", "Z = A·V", "[batch][heads][queries][d_v]", Fields{Field::Precision},
     Stages{Stage::Value, Stage::Drop}},
    {Stage::Concat, "Concat", "C", "C = [Z₁ … Z_h]", "[batch][queries][heads·d_v]", Fields{},
     Stages{Stage::Mix}},
    {Stage::Output, "Output", "Y", "Y = C·W_O + b_O", "[batch][queries][d_model]",
     Fields{Field::Given, Field::OutputWeights, Field::Precision}, Stages{Stage::Concat}},
}};

namespace {
/// Row i describes stage i, and every stage comes after those it reads.
constexpr bool in_order() {
  Stages before;
  for (std::size_t i = 0; i < stage_count; ++i) {
    if (index_of(stage_table[i].stage) != i) return false;
    if (!before.contains(stage_table[i].inputs)) return false;
    before.insert(stage_table[i].stage);
  }
  return true;
}
static_assert(in_order());
}  // namespace

}  // namespace attnscope
