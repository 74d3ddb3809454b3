// Properties of multi-head latent attention: the shared part of keys, what is rotated and normed, the stages
// it replaces, and its edit. stages_test.cpp and gradients_test.cpp compare it with the float64 oracle and
// finite differences, goldens_test.cpp with transformers.
#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/analysis/cost.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/edited_documents.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/numbers.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/document/open.hpp"
#include "core/samples.hpp"

namespace attnscope::latent_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TraceOf<double> run(const Document& document) {
  ThreadPool caller_only(1);
  return run_stages(Work{caller_only, {}}, document, sources_of<double>(document));
}

/// Two heads of eight dimensions over five tokens, made from the seed.
Document made(const Latent& latent) {
  Document document;
  document.input.sequences = {samples::sentence(5)};
  document.layer().d_model = 16;
  return edit::latent(edit::recipe(edit::heads(document, 2), Recipe::Random), latent);
}

}  // namespace

TEST_CASE("All heads share a key, and what a latent holds besides it is normed") {
  const Document document = made({.width = 6, .shared = 2, .query_width = 3});
  const TraceOf<double> trace = run(document);
  REQUIRE(trace[Stage::Latent]);
  CHECK(trace[Stage::Latent]->shape() == Shape{1, 5, 8});
  CHECK(trace[Stage::QueryLatent]->shape() == Shape{1, 5, 3});
  const auto latent = trace[Stage::Latent]->matrix(0);
  for (std::int64_t h = 0; h < 2; ++h)
    CHECK(trace[Stage::Key]->matrix(0, h).leftCols(2) == latent.rightCols(2));
  for (std::int64_t token = 0; token < 5; ++token) {
    CHECK(std::abs(latent.row(token).head(6).squaredNorm() / 6 - 1) < 1e-4);
    CHECK(std::abs(trace[Stage::QueryLatent]->matrix(0).row(token).squaredNorm() / 3 - 1) < 1e-4);
  }
}

TEST_CASE("Rotary positions turn the shared key alone") {
  Document document = made({.width = 6, .shared = 4});
  for (const Positions kind : {Positions::RopeHalf, Positions::RopeInterleaved}) {
    document.layer().positions = kind;
    const TraceOf<double> trace = run(document);
    const auto key = trace[Stage::NormKey]->matrix(0, 1), turned = trace[Stage::RotateKey]->matrix(0, 1);
    CHECK(turned.rightCols(4) == key.rightCols(4));
    CHECK(turned.row(3).head(4) != key.row(3).head(4));
  }
  document = edit::latent(std::move(document), {.width = 6, .shared = 1});  // no pair is left to rotate
  const TraceOf<double> trace = run(document);
  CHECK(compare::difference(*trace[Stage::RotateKey], compare::in_double(*trace[Stage::Key]), 0) == "");
}

TEST_CASE("Without norms and a shared key, a latent is a factor of the matrices") {
  const Document latent = made({.width = 6, .query_width = 5, .normed = false});
  Document plain = latent;
  Weights& w = plain.layer().weights;
  const auto joined = [](const TensorPtr& down, const TensorPtr& up) {
    Tensor product(Shape{down->shape()[0], up->shape()[1]});
    product.matrix() = down->matrix() * up->matrix();
    return std::make_shared<const Tensor>(std::move(product));
  };
  w[Parameter::WQuery] = joined(w[Parameter::WQueryLatent], w[Parameter::WQuery]);
  w[Parameter::WKey] = joined(w[Parameter::WLatent], w[Parameter::WKey]);
  w[Parameter::WValue] = joined(w[Parameter::WLatent], w[Parameter::WValue]);
  w.recipe = Recipe::Given;
  plain.layer().latent = {};
  CHECK(compare::difference(*run(latent)[Stage::Output], compare::in_double(*run(plain)[Stage::Output]),
                            1e-6) == "");
}

TEST_CASE("The edit makes the matrices of latents, and takes them away") {
  const Document plain = made({});
  Document document = edit::latent(plain, {.width = 6, .shared = 2, .query_width = 3});
  const auto shape = [&](Parameter which) { return document.layer().weights[which]->shape(); };
  CHECK(shape(Parameter::WLatent) == Shape{16, 8});
  CHECK(shape(Parameter::WQueryLatent) == Shape{16, 3});
  CHECK(shape(Parameter::WQuery) == Shape{3, 16});
  CHECK(shape(Parameter::WKey) == Shape{6, 12});
  CHECK(shape(Parameter::WValue) == Shape{6, 16});
  CHECK(shape(Parameter::LatentNorm) == Shape{6});
  CHECK(test::same_picture(document_from_json(to_json(document), "a.json"), document));
  CHECK(test::same_picture(edit::latent(document, {}), plain));
  Document edited = edit::number(document, {Editable::LatentNorm, 0, 1}, 3);
  CHECK(test::same_picture(document_from_json(to_json(edited), "a.json"), edited));
  CHECK(*run(edited)[Stage::Latent] != *run(document)[Stage::Latent]);
  document = edit::latent(document, {.width = 6, .shared = 2, .query_width = 0, .normed = false});
  CHECK_FALSE(document.layer().weights[Parameter::LatentNorm]);
  CHECK_FALSE(document.layer().weights[Parameter::WQueryLatent]);
  document = edit::bias_k(std::move(document), true);
  CHECK(shape(Parameter::BiasK) == Shape{16});
  CHECK_NOTHROW(check(document));
}

TEST_CASE("Hand-built weights give way to random ones under a latent") {
  Document document = edit::recipe(made({}), Recipe::HandBuilt);
  document = edit::latent(std::move(document), {.width = 4});
  CHECK(document.layer().weights.recipe == Recipe::Random);
  CHECK_NOTHROW(check(document));
}

TEST_CASE("What a latent does not go with is said") {
  const auto says = [](const Document& document, const std::string& words) {
    CHECK_THROWS_MATCHES(check(document), Error, MessageMatches(ContainsSubstring(words)));
  };
  const Document good = made({.width = 6, .shared = 2});
  CHECK_NOTHROW(check(good));
  Document document = good;
  document.layer().latent.shared = 8;
  says(document, "The shared key is 8 wide; it must be less than d_k = 8.");
  document = good;
  document.layer().weights[Parameter::WLatent].reset();
  says(document, "W_DKV is missing");
  document = good;
  document.layer().weights[Parameter::LatentNorm] = std::make_shared<const Tensor>(Shape{2});
  says(document, "The norm of the latent has shape [2]");
  document = good;
  document.layer().weights.recipe = Recipe::HandBuilt;
  says(document, "Hand-built weights read the token vectors");
  document = good;
  document.layer().positions = Positions::Disentangled;
  says(document, "Disentangled positions go through W_Q and W_K");
  document = good;
  document.layer().positions = Positions::RopeHalf;
  document.layer().position_settings.rope_dims = 4;
  says(document, "4 dimensions cannot be rotated: the shared key");
}

TEST_CASE("DeepSeek-V2 has the cache and the parameters it is known for", "[cost]") {
  // DeepSeek-AI 2024, section 3.1.2: d 5120, 128 heads of 128 + 64 and 128, latents of 512 and 1536.
  LayerSize size{
      .queries = 1, .keys = 1, .d_model = 5120, .heads = 128, .kv_heads = 128, .d_k = 192, .d_v = 128};
  size.bytes_per_number = 2;
  const LayerCost plain = cost_of(size);
  CHECK(plain.cache == 2.0 * 128 * (192 + 128));
  size.latent = 512;
  size.shared_key = 64;
  size.query_latent = 1536;
  size.normed_latents = true;
  const LayerCost latent = cost_of(size);
  CHECK(latent.cache == 2.0 * 576);
  CHECK(latent.qkv_parameters == 5120.0 * (512 + 64 + 1536) + 1536.0 * 128 * 192 + 512.0 * 128 * (128 + 128));
  CHECK(latent.norm_parameters == 512 + 1536);
}

}  // namespace attnscope::latent_test
