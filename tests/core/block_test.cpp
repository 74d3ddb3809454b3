// The block around an attention layer: every family's block against the oracle, presets, the numbers that a
// recipe makes for it, and documents that cannot have a block.
#include "core/edits/block.hpp"

#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/against_oracle.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/engine/pipeline.hpp"
#include "core/family_blocks.hpp"
#include "core/files/document/open.hpp"
#include "core/samples.hpp"
#include "core/text/tokenize.hpp"
#include "core/weights/make_weights.hpp"
#include "oracle/blocks.hpp"

namespace attnscope::block_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using edit::BlockPreset;

Document text_of(Recipe recipe, int d_model = 16) {
  Document document;
  Sequence sequence;
  sequence.text = "The cat sat on the mat";
  sequence.tokens = tokenize(sequence.text);
  document.input.sequences = {sequence};
  document.layer().d_model = d_model;
  document.layer().heads = 2;
  document.layer().weights.recipe = recipe;
  return with_weights(std::move(document));
}

template <class T>
TraceOf<T> trace_of(const Document& document) {
  ThreadPool caller_only(1);
  return run_stages(Work{caller_only, {}}, document, sources_of<T>(document));
}

template <class T>
std::string against_the_oracle(const Document& document, double precision) {
  const TraceOf<T> trace = trace_of<T>(document);
  return against_oracle::difference(document, trace, against_oracle::expected(document, trace), precision);
}

}  // namespace

TEST_CASE("Every family's block agrees with the oracle") {
  for (std::uint64_t seed = 1; seed < 2000; seed += 100) {
    for (const auto& [family, document] : samples::family_blocks(seed)) {
      INFO(family << ", seed " << seed);
      CHECK(against_the_oracle<double>(document, 1e-12) == "");
      CHECK(against_the_oracle<float>(document, 4e-6) == "");
    }
  }
}

TEST_CASE("Without a block the norm before attention shares the token vectors, and the rest does not exist") {
  const Trace trace = trace_of<float>(text_of(Recipe::Random));
  CHECK(trace[Stage::AttentionNorm] == trace[Stage::Position]);
  for (const StageInfo& row : stage_table)
    if (is_after_attention(row.stage)) CHECK_FALSE(trace[row.stage]);
}

TEST_CASE("What a block leaves out shares the tensor of the stage before") {
  Document document = edit::block(text_of(Recipe::Random), BlockPreset::Gpt);
  const Trace pre = trace_of<float>(document);
  CHECK(pre[Stage::AttentionNorm] != pre[Stage::Position]);
  CHECK(pre[Stage::OutputNorm] == pre[Stage::Output]);
  CHECK(pre[Stage::StreamNorm] == pre[Stage::Residual]);
  CHECK(pre[Stage::BlockOutput] == pre[Stage::MlpResidual]);
  CHECK_FALSE(pre[Stage::Gate]);
  document = edit::block(std::move(document), BlockPreset::Bert);
  const Trace post = trace_of<float>(document);
  CHECK(post[Stage::AttentionNorm] == post[Stage::Position]);
  CHECK(post[Stage::MlpNorm] == post[Stage::StreamNorm]);
  CHECK(post[Stage::StreamNorm] != post[Stage::Residual]);
  document.layer().block.mlp = document.layer().block.attention_residual = false;
  document.layer().block.norm = NormKind::None;
  const Trace bare = trace_of<float>(document);
  CHECK(bare[Stage::BlockOutput] == bare[Stage::Output]);
  CHECK_FALSE(bare[Stage::Up]);
}

TEST_CASE("Presets are what the families have, and are known again") {
  for (const BlockPreset preset :
       {BlockPreset::None, BlockPreset::Bert, BlockPreset::Gpt, BlockPreset::Llama}) {
    CHECK(edit::preset_of(edit::block_of(preset, 64), 64) == preset);
    const Document document = edit::block(text_of(Recipe::Random), preset);
    CHECK_NOTHROW(check(document));
    CHECK(against_the_oracle<double>(document, 1e-12) == "");
  }
  BlockSettings own = edit::block_of(BlockPreset::Llama, 64);
  CHECK(own.d_inner == 170);
  own.mlp_residual = false;
  CHECK_FALSE(edit::preset_of(own, 64));
}

TEST_CASE("Recipes make the numbers of a block from the seed") {
  for (const Recipe recipe : {Recipe::Random, Recipe::HandBuilt}) {
    const Document plain = text_of(recipe);
    const Document blocked = edit::block(plain, BlockPreset::Llama);
    const Weights& w = blocked.layer().weights;
    CHECK(w[Parameter::WQuery] == plain.layer().weights[Parameter::WQuery]);
    for (const Parameter which : {Parameter::WUp, Parameter::WGate}) {
      REQUIRE(w[which]);
      CHECK(w[which]->shape() == Shape{16, 42});
    }
    CHECK(*w[Parameter::WUp] != *w[Parameter::WGate]);
    CHECK(w[Parameter::WDown]->shape() == Shape{42, 16});
    for (const float one : w[Parameter::MlpNorm]->values()) CHECK(one == 1);
    CHECK_FALSE(w[Parameter::MlpNormBias]);
    CHECK_FALSE(w[Parameter::BUp]);
    CHECK(with_weights(blocked) == blocked);
    CHECK(edit::block(blocked, BlockPreset::None) == plain);
  }
  Document biased = text_of(Recipe::Random);
  biased.layer().weights.biases = true;
  biased = edit::block(std::move(biased), BlockPreset::Bert);
  REQUIRE(biased.layer().weights[Parameter::BUp]);
  CHECK(biased.layer().weights[Parameter::BUp]->size() == 64);
}

TEST_CASE("Given weights keep their numbers and get those that a block lacks") {
  samples::Random random(3);
  Document document = samples::text_document(random, {4}, 2, 8);
  document.layer().weights[Parameter::WUp] = random.tensor({8, 32});
  const TensorPtr up = document.layer().weights[Parameter::WUp];
  document = edit::block(std::move(document), BlockPreset::Gpt);
  CHECK(document.layer().weights[Parameter::WUp] == up);
  CHECK(document.layer().weights[Parameter::WDown]->shape() == Shape{32, 8});
  BlockSettings block = document.layer().block;
  block.norm = NormKind::RmsNormOnePlus;
  const Document shifted = edit::block(document, block);
  for (const float w : shifted.layer().weights[Parameter::AttentionNorm]->values()) CHECK(w == 0);
  const Document back = edit::block(shifted, document.layer().block);
  CHECK(*back.layer().weights[Parameter::AttentionNorm] ==
        *document.layer().weights[Parameter::AttentionNorm]);
  document.layer().weights[Parameter::WDown].reset();
  CHECK_THROWS_MATCHES(check(document), Error, MessageMatches(ContainsSubstring("W_down is missing")));
}

TEST_CASE("A document file keeps its block") {
  BlockSettings block = edit::block_of(BlockPreset::Llama, 16);
  block.kind = Arrangement::Sandwich;
  block.norm = NormKind::RmsNormOnePlus;
  block.attention_residual = false;
  block.activation = Activation::QuickGelu;
  const Document document = edit::block(text_of(Recipe::Random), block);
  const Document back = document_from_json(to_json(document), "test");
  CHECK(back.layer().block == block);
  CHECK(*back.layer().weights[Parameter::WGate] == *document.layer().weights[Parameter::WGate]);
  CHECK(to_json(text_of(Recipe::Random)).find("\"block\"") == std::string::npos);
}

TEST_CASE("Given Q, K and V stand in no block") {
  samples::Random random(5);
  Document document = samples::given_document(random.tensor({1, 2, 3, 4}), random.tensor({1, 2, 3, 4}),
                                              random.tensor({1, 2, 3, 4}));
  document.layer().block.kind = Arrangement::PreNorm;
  CHECK_THROWS_MATCHES(check(document), Error, MessageMatches(ContainsSubstring("no token vectors")));
}

TEST_CASE("A change of the MLP leaves attention as it was") {
  Pipeline pipeline(make_cpu_backend(1));
  const Document was = edit::block(text_of(Recipe::Random), BlockPreset::Gpt);
  const ResultPtr before = pipeline.run(was);
  Document now = was;
  now.layer().block.activation = Activation::Relu;
  const ResultPtr after = pipeline.run(now);
  const Trace &a = before->layer().trace, &b = after->layer().trace;
  for (const Stage same : {Stage::AttentionNorm, Stage::Softmax, Stage::Output, Stage::Residual})
    CHECK(a[same] == b[same]);
  for (const Stage other : {Stage::Activation, Stage::Down, Stage::BlockOutput}) CHECK(a[other] != b[other]);
}

TEST_CASE("A layer too long to keep its scores has its block all the same") {
  Document document;
  document.input.sequences = {samples::sentence(5800)};
  document.layer().d_model = 4;
  document.layer().heads = 1;
  document.layer().weights.recipe = Recipe::Random;
  document = edit::block(std::move(document), BlockPreset::Llama);
  Pipeline pipeline(make_cpu_backend(1));
  ResultPtr result = pipeline.run(document);
  REQUIRE(result->layer().is_long());
  CHECK_FALSE(result->layer().trace[Stage::BlockOutput]);  // not until every row was swept
  while (!result->layer().is_complete()) result = pipeline.refine({}, nullptr);
  const Trace& trace = result->layer().trace;
  REQUIRE(trace[Stage::BlockOutput]);
  const auto x = trace[Stage::Position]->matrix(0), y = trace[Stage::Output]->matrix(0);
  const auto found = trace[Stage::BlockOutput]->matrix(0);
  oracle::BlockProblem p;
  const Weights& w = document.layer().weights;
  p.around = oracle::Around::Before;
  p.norm = oracle::RowNorm::RootMeanSquare;
  p.epsilon = 1e-6;
  p.gated = true;
  p.f = oracle::silu;
  p.d_model = 4;
  p.d_inner = 10;
  p.up = compare::in_double(*w[Parameter::WUp]);
  p.gate = compare::in_double(*w[Parameter::WGate]);
  p.down = compare::in_double(*w[Parameter::WDown]);
  for (const Eigen::Index row : {0, 1, 3000, 5799}) {
    const Eigen::VectorXd xs = x.row(row).transpose().cast<double>(),
                          ys = y.row(row).transpose().cast<double>();
    const oracle::BlockAnswer a = oracle::around_attention(p, {xs.begin(), xs.end()}, {ys.begin(), ys.end()});
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(std::abs(static_cast<double>(found(row, static_cast<Eigen::Index>(i))) - a.output[i]) < 1e-5);
  }
}

}  // namespace attnscope::block_test
