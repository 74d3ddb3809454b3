// check(): the sizes of valid Documents, and one sentence for each kind of invalid one.
#include <functional>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/document/mask.hpp"
#include "core/samples.hpp"

namespace attnscope::document_test {
namespace {

Document sample() {
  samples::Random random(1);
  return samples::text_document(random, {6, 4}, 8, 64);
}

Document sample_given() {
  samples::Random random(2);
  return samples::given_document(random.tensor({1, 4, 3, 2}), random.tensor({1, 2, 5, 2}),
                                 random.tensor({1, 2, 5, 7}));
}

std::string refusal(const Document& document) {
  try {
    check(document);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TensorPtr zeros(Shape shape) { return std::make_shared<const Tensor>(shape); }

}  // namespace

TEST_CASE("check() gives the sizes of a Document that fits") {
  CHECK(check(sample()) == Dimensions{2, 8, 8, 6, 6, 64, 8, 8});
  CHECK(check(sample_given()) == Dimensions{1, 4, 2, 3, 5, 28, 2, 7});
  Document padded = sample();
  padded.input.padded_length = 9;
  CHECK(check(padded).keys == 9);
  CHECK(sequence_length(padded, 1) == 4);
  CHECK(sequence_length(sample_given(), 0) == 3);
  CHECK(key_length(sample_given(), 0) == 5);
}

TEST_CASE("sentences are shared until one of the Documents changes them") {
  samples::Random random(1);
  const Document document = samples::text_document(random, {4, 6}, 2, 16);
  Document copy = document;
  CHECK(copy.input.sequences.identity() == document.input.sequences.identity());
  copy.input.sequences.change()[1].tokens[2] = "other";
  CHECK(copy.input.sequences.identity() != document.input.sequences.identity());
  CHECK(document.input.sequences[1].tokens[2] != "other");
  CHECK(copy != document);
  copy.input.sequences.change()[1].tokens[2] = document.input.sequences[1].tokens[2];
  CHECK(copy == document);  // by value
  CHECK(Sequences() == Sequences(std::vector<Sequence>{}));
  CHECK(Sequences().change().empty());
}

TEST_CASE("check() says in one sentence what does not fit and what would") {
  struct Case {
    std::function<void(Document&)> change;
    std::string sentence;
  };
  const float nan_ = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Case> cases{
      {[](Document& d) { d.layer().heads = 7; },
       "d_model 64 cannot be split over 7 heads: 64 / 7 is not a whole number; 8 heads would fit."},
      {[](Document& d) { d.layer().heads = 100; },
       "d_model 64 cannot be split over 100 heads: 64 / 100 is not a whole number; 64 heads would fit."},
      {[](Document& d) { d.layer().heads = 0; }, "The number of heads is 0; it must be at least 1."},
      {[](Document& d) { d.layer().d_model = 0; }, "d_model is 0; it must be from 1 to 8192."},
      {[](Document& d) { d.layer().d_model = 1 << 30; }, "d_model is 1073741824; it must be from 1 to 8192."},
      {[](Document& d) { d.input.sequences.change().clear(); },
       "There is no text: at least one sentence is needed."},
      {[](Document& d) { d.input.sequences = {Sequence{}}; },
       "The text has no tokens; type at least one word."},
      {[](Document& d) { d.input.sequences.change()[1] = {}; },
       "Sentence 2 of the text has no tokens; type at least one word."},
      {[](Document& d) { d.input.sequences.change()[1].tokens[2] = ""; },
       "Token 3 of sentence 2 is empty; every token needs at least one character."},
      {[](Document& d) { d.input.padded_length = 5; },
       "padded_length is 5; the longest sentence has 6 tokens, so it must be at least that, or 0 for no more "
       "padding than needed."},
      {[](Document& d) { d.layer().weights[Parameter::WQuery] = nullptr; },
       "W_Q is missing; it must be [d_model, heads · d_k] = [64, 64]."},
      {[](Document& d) {
         d.layer().weights[Parameter::WOutput] = zeros({64, 32});
       },
       "W_O has shape [64, 32]; it must be [heads · d_v, d_model] = [64, 64]."},
      {[](Document& d) { d.layer().weights[Parameter::BValue] = zeros({3}); },
       "b_V has shape [3]; it must be [kv heads · d_v] = [64]."},
      {[](Document& d) { d.layer().weights.noise = -1; },
       "The noise is -1; it must be a finite number of at least 0."},
      {[=](Document& d) {
         d.layer().scaling = {Scaling::Kind::Factor, nan_};
       },
       "The scale factor is nan; it must be a finite number."},
      {[](Document& d) { d.layer().soft_cap = -1; },
       "The soft-cap is -1; it must be a finite number above 0, or 0 for none."},
      {[](Document& d) { d.layer().dropout.rate = 1; },
       "The dropout rate is 1; it must be at least 0 and below 1."},
      {[](Document& d) { d.layer().kv_heads = 3; },
       "8 heads cannot share 3 heads of keys and values: 8 / 3 is not a whole number of at least 1."},
      {[](Document& d) { d.layer().d_k = -1; },
       "d_k is -1; it must be from 1 to 8192, or 0 for d_model / heads."},
      {[](Document& d) { d.layer().d_k = 12; },
       "W_Q has shape [64, 64]; it must be [d_model, heads · d_k] = [64, 96]."},
      {[](Document& d) {
         d.layer().d_model = 4096;
         d.layer().d_k = 2049;
       },
       "d_k is 2049; it must be from 1 to 2048, or 0 for d_model / heads."},
      {[](Document& d) { d.layer().d_v = -1; }, "d_v is -1; it must be from 1 to 8192, or 0 for d_k."},
      {[](Document& d) { d.input.cached = 6; },
       "6 tokens cached of 6; at least one token must be left to compute, and the number cannot be "
       "negative."},
      {[](Document& d) { d.input.memory = {samples::sentence(3)}; },
       "The second text has 1 sentence, the first 2; every sentence needs one to look at."},
      {[](Document& d) {
         d.input.memory = {samples::sentence(3), {}};
       },
       "Sentence 2 of the second text has no tokens; type at least one word."},
      {[](Document& d) { d.layer().masking.window.left = -2; },
       "The window's left side is -2; it must be from -1 to 1073741824."},
      {[](Document& d) { d.layer().masking.sparsity.stride = 0; },
       "The stride of the mask is 0; it must be from 1 to 16777216."},
      {[](Document& d) { d.layer().masking.sparsity.lsh_buckets = 3; },
       "The number of LSH buckets is 3; it must be even."},
      {[](Document& d) {
         d.layer().masking.sparsity = {.kind = Sparsity::Kind::Windows, .side = 2, .shift = 2};
       },
       "The shift of the windows is 2; it must be less than their side, 2."},
      {[](Document& d) {
         d.layer().positions = Positions::RelativeWindows;
         d.layer().masking.sparsity.side = 257;
       },
       "The side of a window with relative positions is 257; it must be from 1 to 256."},
      {[](Document& d) {
         d.layer().positions = Positions::Disentangled;
         d.layer().weights[Parameter::RelativeVectors] = std::make_shared<const Tensor>(Shape{3, 4});
       },
       "The relative position vectors has shape [3, 4]; it must be [2 · span, d_model] = [16, 64]."},
      {[](Document& d) { d.layer().masking.heads = {8}; }, "The mask names head 8; there are heads 0 to 7."},
      {[](Document& d) { d.layer().position_settings.rope_base = 1; },
       "The rotary base is 1; it must be a finite number above 1."},
      {[](Document& d) { d.layer().weights[Parameter::SinkLogits] = zeros({2}); },
       "The sink logits has shape [2]; it must be [heads] = [8]."},
      {[](Document& d) { d.layer().block.epsilon = 0; },
       "The epsilon of the block's norms is 0; it must be a finite number above 0."},
      {[](Document& d) { d.layer().block.d_inner = -1; },
       "The width of the MLP is -1; it must be from 0 to 65536."},
      {[](Document& d) { d.layer().block.kind = Arrangement::PreNorm; },
       "W_up is missing; it must be [d_model, d_inner] = [64, 256]."},
      {[](Document& d) {
         d.layer().block.kind = Arrangement::PostNorm;
         d.layer().block.mlp = false;
         d.layer().weights[Parameter::OutputNorm] = zeros({8});
       },
       "The norm after attention has shape [8]; it must be [d_model] = [64]."},
      {[](Document& d) { d.layer().qk_norm.epsilon = 0; },
       "The epsilon of the QK-norm is 0; it must be a finite number above 0."},
      {[](Document& d) {
         d.layer().qk_norm.kind = QkNorm::Kind::RootMeanSquare;
         d.layer().weights[Parameter::KeyNorm] = zeros({64});
       },
       "The norm of the keys has shape [64]; it must be [d_k] = [8]."},
      {[](Document& d) { d.layer().position_settings.rope_factor = 0.5f; },
       "The factor of the RoPE scaling is 0.5; it must be a finite number of at least 1."},
      {[](Document& d) { d.layer().position_settings.rope_trained = 0; },
       "The trained length of the rotary positions is 0; it must be from 1 to 16777216."},
      {[](Document& d) { d.layer().position_settings.rope_low_turns = 0; },
       "A bound of the RoPE scaling is 0 turns; it must be a finite number above 0."},
      {[](Document& d) {
         d.layer().position_settings.rope_scaling = RopeScaling::Llama3;
         d.layer().position_settings.rope_low_turns = 4;
       },
       "The bounds of Llama 3's RoPE scaling are 4 and 4 turns; the second must be larger."},
      {[](Document& d) {
         d.layer().position_settings.rope_scaling = RopeScaling::Yarn;
         d.layer().position_settings.rope_fast_turns = 0.5f;
       },
       "The bounds of YaRN are 1 and 0.5 turns; the second must be larger."},
      {[](Document& d) {
         d.layer().positions = Positions::RopeHalf;
         d.layer().position_settings.rope_dims = 10;
       },
       "10 dimensions cannot be rotated: queries and keys have d_k = 8."},
      {[](Document& d) { d.layer().weights[Parameter::BiasK] = zeros({64}); },
       "A learned key needs a learned value and the other way round: one of them is missing."},
      {[](Document& d) {
         d.loss = {Loss::Kind::MeanSquared, zeros({2, 6, 63})};
       },
       "The target has shape [2, 6, 63]; it must be [batch, queries, d_model] = [2, 6, 64]."},
      {[](Document& d) { d.layer().temperature = 0; },
       "The temperature is 0; it must be a finite number above 0."},
      {[=](Document& d) { d.layer().temperature = nan_; },
       "The temperature is nan; it must be a finite number above 0."},
      {[](Document& d) {
         d.layer().masking.additive = zeros({2, 3, 6, 6});
       },
       "The added mask has shape [2, 3, 6, 6]; it must be [1 or 2, 1 or 8, 6, 6]: batch, heads, queries, "
       "keys."},
      {[](Document& d) { d.input.sequences = {samples::sentence(10'000)}; },
       "10,000 queries x 10,000 keys in 8 heads are 800,000,000 scores, more than the 33,554,432 that can be "
       "kept at once; 2,048 tokens would fit."},
      {[](Document& d) {
         d.layer().weights.recipe = Recipe::HandBuilt;
         d.layer().d_model = 15;
         d.layer().heads = 1;
       },
       "d_model is 15; hand-built heads need an even number of at least 16, half for the token and half for "
       "its "
       "position."},
  };
  for (const Case& one : cases) {
    Document document = sample();
    one.change(document);
    CHECK(refusal(document) == one.sentence);
  }
  CHECK(refusal(sample()) == "accepted");
}

TEST_CASE("check() names the given tensor that does not fit") {
  struct Case {
    std::function<void(Given&)> change;
    std::string sentence;
  };
  const std::vector<Case> cases{
      {[](Given& g) { g.value = nullptr; }, "Q, K and V must be given together: V is missing."},
      {[](Given& g) {
         g.key = zeros({5, 2});
       },
       "K has 2 dimensions ([5, 2]); it must have 4: [batch, heads, keys, d_k]."},
      {[](Given& g) {
         g.value = zeros({1, 2, 5, 0});
       },
       "V has shape [1, 2, 5, 0] and so no values; every size must be at least 1."},
      {[](Given& g) {
         g.query = zeros({1, 3, 3, 2});
       },
       "Q [1, 3, 3, 2], K [1, 2, 5, 2] and V [1, 2, 5, 7] do not fit together: the heads of Q must be a "
       "multiple "
       "of the heads of K and V."},
      {[](Given& g) {
         g.query = zeros({1, 4, 3, 6});
       },
       "Q [1, 4, 3, 6], K [1, 2, 5, 2] and V [1, 2, 5, 7] do not fit together: the last size of Q and K, "
       "d_k, "
       "must be the same."},
      {[](Given& g) {
         g.query = zeros({2, 4, 3, 2});
       },
       "Q [2, 4, 3, 2], K [1, 2, 5, 2] and V [1, 2, 5, 7] do not fit together: their first size, the batch, "
       "must "
       "be the same."},
      {[](Given& g) {
         g.value = zeros({1, 2, 6, 7});
       },
       "Q [1, 4, 3, 2], K [1, 2, 5, 2] and V [1, 2, 6, 7] do not fit together: K and V must have the same "
       "number "
       "of keys."},
  };
  for (const Case& one : cases) {
    Document document = sample_given();
    one.change(document.input.change<Given>());
    CHECK(refusal(document) == one.sentence);
  }
}

TEST_CASE("A shape whose product cannot be counted is refused") {
  const std::int64_t large = std::int64_t{1} << 40;
  CHECK_THROWS_AS((Shape{large, large}), Error);
  CHECK_THROWS_AS((Shape{1, 1, 1, 1, 1, 1}), Error);
  CHECK_THROWS_AS((Shape{2, -1}), Error);
  CHECK(Shape{large, large, 0}.count() == 0);
  CHECK(Shape{}.count() == 1);
  CHECK(to_string(Shape{2, 8, 6, 6}) == "[2, 8, 6, 6]");
  CHECK_THROWS_AS(Tensor(Shape{2, 2}, std::vector<float>(3)), Error);
}

TEST_CASE("The mask rule answers for a cell and for a row alike") {
  samples::Random random(3);
  Document document = sample();
  document.layer().masking.causal = document.layer().masking.padding = true;
  auto additive = std::make_shared<Tensor>(Shape{1, 8, 6, 6});
  for (float& value : additive->values())
    value = random.coin() ? 0.5f : -std::numeric_limits<float>::infinity();
  document.layer().masking.additive = additive;
  const MaskRule rule(document);
  std::vector<std::uint8_t> seen(6);
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < 8; ++h) {
      for (std::int64_t i = 0; i < 6; ++i) {
        std::int64_t allowed = 0;
        rule.see(b, h, i, seen);
        for (std::int64_t j = 0; j < 6; ++j) {
          const bool expected = j <= i && j < (b == 0 ? 6 : 4) && additive->matrix(0, h)(i, j) > 0.0f;
          CHECK(rule.allows(b, h, i, j) == expected);
          CHECK(seen[static_cast<std::size_t>(j)] == (expected ? 1 : 0));
          if (expected) ++allowed;
        }
        CHECK(rule.allowed_keys(b, h, i) == allowed);
      }
    }
  }
}

}  // namespace attnscope::document_test
