// Random numbers, the weights that recipes make from them, and edits of weights.
#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/base/random.hpp"
#include "core/edits/edits.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope::weights_test {

using Catch::Approx;

namespace {

Document sentence(Recipe recipe) { return edit::recipe(edit::texts({}, {"The cat sat on the mat"}), recipe); }

/// Pointers to the four matrices, to see which of them were made again.
std::array<const Tensor*, 4> blocks(const Document& document) {
  const Weights& w = document.layer().weights;
  return {w[Parameter::WQuery].get(), w[Parameter::WKey].get(), w[Parameter::WValue].get(),
          w[Parameter::WOutput].get()};
}

}  // namespace

TEST_CASE("random bits are those of the published finaliser and the stream of FNV-1a") {
  // From an independent implementation with integers of any length.
  CHECK(random_bits(7, 1, 0) == 0x864743f6e603c91eULL);
  CHECK(stream_of("") == 0xcbf29ce484222325ULL);
  CHECK(stream_of("foobar") == 0x85944171f73967e8ULL);  // published test vector
}

TEST_CASE("random normals are quantiles of the normal distribution") {
  // From Python's statistics.NormalDist().inv_cdf at the same uniform numbers. 1e-14: two roundings of a
  // logarithm.
  CHECK(random_normal(7, 1, 0) == Approx(0.06151364234731218).epsilon(1e-14));
  CHECK(random_normal(7, 1, 1) == Approx(-2.9003305856156936).epsilon(1e-14));
  CHECK(random_normal(7, 1, 2) == Approx(-2.3079800834800817).epsilon(1e-14));

  constexpr std::uint64_t n = 1'000'000;
  double sum = 0, squares = 0, cubes = 0, fourths = 0, largest = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double x = random_normal(3, 5, i);
    sum += x, squares += x * x, cubes += x * x * x, fourths += x * x * x * x;
    largest = std::max(largest, std::abs(x));
  }
  // Five standard errors of each mean: sqrt(1, 2, 15, 96) / 1000.
  CHECK(std::abs(sum / n) < 0.005);
  CHECK(std::abs(squares / n - 1) < 0.0071);
  CHECK(std::abs(cubes / n) < 0.0195);
  CHECK(std::abs(fourths / n - 3) < 0.049);
  CHECK(largest > 4.2);  // a million draws reach the far tails
  CHECK(largest < 6.5);
}

TEST_CASE("a number depends on its seed, stream and index, not on the order of asking") {
  std::vector<float> all(100), few(10);
  fill_normal(all, 7, 42, 0.5);
  fill_normal(few, 7, 42, 0.5);
  CHECK(std::equal(few.begin(), few.end(), all.begin()));
  CHECK(all[63] == static_cast<float>(0.5 * random_normal(7, 42, 63)));
  CHECK(random_normal(8, 42, 63) != random_normal(7, 42, 63));
  CHECK(random_normal(7, 43, 63) != random_normal(7, 42, 63));
}

TEST_CASE("random blocks have the variance of Glorot and Bengio and streams of their own") {
  const Document document = sentence(Recipe::Random);
  CHECK(document.embedding == Embedding::Gaussian);
  CHECK(document.layer().weights.head_names.empty());
  const Weights& w = document.layer().weights;
  for (const Tensor* block : blocks(document)) {
    REQUIRE(block != nullptr);
    CHECK(block->shape() == Shape{64, 64});
    double squares = 0;
    for (const float x : block->values()) squares += static_cast<double>(x) * x;
    CHECK(squares / 4096 == Approx(1.0 / 64).epsilon(0.1));  // standard error 2.2 %
  }
  CHECK(*w[Parameter::WQuery] != *w[Parameter::WKey]);
  CHECK(*w[Parameter::WValue] != *w[Parameter::WOutput]);
  CHECK_FALSE(w[Parameter::BQuery]);

  const Document biased = edit::biases(document, true);
  CHECK(blocks(biased) == blocks(document));
  REQUIRE(biased.layer().weights[Parameter::BOutput]);
  CHECK(biased.layer().weights[Parameter::BOutput]->shape() == Shape{64});
  CHECK(*biased.layer().weights[Parameter::BQuery] != *biased.layer().weights[Parameter::BKey]);
  CHECK(edit::biases(biased, false) == document);
}

TEST_CASE("blocks that come out equal keep their identity") {
  for (const Recipe recipe : {Recipe::Random, Recipe::HandBuilt}) {
    const Document document = sentence(recipe);
    CHECK(blocks(with_weights(document)) == blocks(document));
    CHECK(blocks(edit::text(document, 0, "something else")) == blocks(document));
    const Document other = edit::seed(document, 8);
    CHECK(other.layer().weights[Parameter::WQuery] != document.layer().weights[Parameter::WQuery]);
    CHECK(*edit::seed(other, 7).layer().weights[Parameter::WQuery] ==
          *document.layer().weights[Parameter::WQuery]);
  }
  // Random blocks do not depend on the number of heads, nor on noise, which is for hand-built ones.
  const Document random = sentence(Recipe::Random);
  CHECK(blocks(edit::heads(random, 4)) == blocks(random));
  CHECK(blocks(edit::noise(random, 1)) == blocks(random));
  // Without noise, what values are carried and where they return to is the same for every seed.
  const Document built = sentence(Recipe::HandBuilt);
  const Document reseeded = edit::seed(built, 8);
  CHECK(reseeded.layer().weights[Parameter::WValue] == built.layer().weights[Parameter::WValue]);
  CHECK(reseeded.layer().weights[Parameter::WOutput] == built.layer().weights[Parameter::WOutput]);
}

TEST_CASE("a recipe that cannot be followed leaves the blocks as they are") {
  for (const Recipe recipe : {Recipe::Random, Recipe::HandBuilt}) {
    const Document document = sentence(recipe);
    for (const int heads : {0, -1, 7, 128}) {
      CHECK(blocks(edit::heads(document, heads)) == blocks(document));
      CHECK(edit::heads(document, heads).layer().heads == heads);
    }
    for (const int d_model : {0, -64, 1 << 20, std::numeric_limits<int>::max()}) {
      CHECK(blocks(edit::d_model(document, d_model)) == blocks(document));
    }
    CHECK(edit::heads(edit::heads(document, 7), 8) == document);
  }
  CHECK(blocks(edit::d_model(sentence(Recipe::HandBuilt), 8))[0]->shape() == Shape{64, 64});
  CHECK(blocks(edit::d_model(sentence(Recipe::Random), 8))[0]->shape() == Shape{8, 8});

  const Document given = edit::recipe(sentence(Recipe::HandBuilt), Recipe::Given);
  CHECK(given.embedding == Embedding::HandBuilt);
  CHECK(blocks(edit::seed(given, 99)) == blocks(given));
}

TEST_CASE("edits change what they are named after") {
  const Document document = sentence(Recipe::HandBuilt);
  CHECK(document.input.sequences.at(0).tokens.size() == 6);
  const Document two = edit::texts(document, {"One.", "Two words"});
  REQUIRE(two.input.sequences.size() == 2);
  CHECK(texts_of(two.input.sequences[0].tokens) == std::vector<std::string>{"One", "."});
  const Document changed = edit::text(two, 1, "a b c");
  CHECK(changed.input.sequences[0] == two.input.sequences[0]);
  CHECK(changed.input.sequences[1].text == "a b c");
  CHECK(changed.input.sequences[1].tokens.size() == 3);
  CHECK_THROWS(edit::text(document, 1, "there is no second sequence"));

  const Document random = edit::recipe(document, Recipe::Random);
  CHECK(random.embedding == Embedding::Gaussian);
  const Document back = edit::recipe(random, Recipe::HandBuilt);
  CHECK(back.embedding == Embedding::HandBuilt);
  CHECK(*back.layer().weights[Parameter::WKey] == *document.layer().weights[Parameter::WKey]);
  CHECK(edit::d_model(document, 128).layer().weights[Parameter::WQuery]->shape() == Shape{128, 128});
  CHECK(edit::heads(document, 4).layer().weights.head_names.size() == 4);
  CHECK(edit::noise(document, 0.5f).layer().weights.noise == 0.5f);
}

}  // namespace attnscope::weights_test
