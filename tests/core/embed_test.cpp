// Token vectors and positions.
#include "core/attention/embed.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/attention/positions.hpp"
#include "core/base/random.hpp"
#include "core/edits/edits.hpp"
#include "core/text/function_words.hpp"
#include "core/transformer/positions/sinusoidal.hpp"
#include "core/weights/hand_built.hpp"

namespace attnscope::embed_test {

using Catch::Approx;

namespace {

Document two_sentences(Recipe recipe) {
  return edit::recipe(edit::texts({}, {"the cat and the dog", "a cat"}), recipe);
}

std::vector<float> vector_of(std::string_view token, std::uint64_t seed, std::size_t d_model) {
  std::vector<float> vector(d_model);
  hand_built_token(token, seed, vector);
  return vector;
}

}  // namespace

TEST_CASE("equal tokens have equal vectors, distinct ones distinct vectors, padding its own") {
  for (const Recipe recipe : {Recipe::Random, Recipe::HandBuilt}) {
    const Document document = two_sentences(recipe);
    const Tensor x = embed<float>(document);
    REQUIRE(x.shape() == Shape{2, 5, 64});
    CHECK(x.matrix(0).row(0) == x.matrix(0).row(3));  // the, the
    CHECK(x.matrix(0).row(1) == x.matrix(1).row(1));  // cat, in either sentence
    CHECK(x.matrix(0).row(1) != x.matrix(0).row(4));  // cat, dog
    CHECK(x.matrix(1).row(2) == x.matrix(1).row(4));  // padding
    CHECK(x.matrix(1).row(2) != x.matrix(1).row(0));
    CHECK(embed<float>(document) == x);
    CHECK(embed<float>(edit::seed(document, 8)) != x);

    Document longer = document;
    longer.input.padded_length = 7;
    const Tensor padded = embed<float>(longer);
    REQUIRE(padded.shape() == Shape{2, 7, 64});
    CHECK(padded.matrix(0).topRows(5) == x.matrix(0));
    CHECK(padded.matrix(0).row(6) == x.matrix(1).row(2));
  }
}

TEST_CASE("Gaussian vectors are the stream of the token's bytes") {
  const Tensor x = embed<float>(two_sentences(Recipe::Random));
  for (std::uint64_t d = 0; d < 64; ++d) {
    const auto column = static_cast<Eigen::Index>(d);
    CHECK(x.matrix(0)(1, column) == static_cast<float>(random_normal(7, stream_of("cat"), d)));
    CHECK(x.matrix(1)(2, column) == static_cast<float>(random_normal(7, stream_of("[pad]"), d)));
  }
}

TEST_CASE("token vectors in double are the same floats") {
  for (const Recipe recipe : {Recipe::Random, Recipe::HandBuilt}) {
    const Document document = two_sentences(recipe);
    const Tensor single = embed<float>(document);
    const TensorOf<double> wide = embed<double>(document);
    CHECK(std::ranges::equal(single.values(), wide.values()));
  }
}

TEST_CASE("positions are the sines and cosines of Vaswani et al.") {
  for (const Recipe recipe : {Recipe::Random, Recipe::HandBuilt}) {
    Document document = two_sentences(recipe);
    const TensorOf<double> before = embed<double>(document), after = add_positions(document, before);
    const int first = recipe == Recipe::HandBuilt ? 32 : 0, d = 64 - first;
    for (int t = 0; t < 5; ++t) {
      for (int i = 0; i < d / 2; ++i) {
        const double angle = t / std::pow(10000.0, 2.0 * i / d);
        const auto added = [&](int b, int dim) {
          return after.matrix(b)(t, first + dim) - before.matrix(b)(t, first + dim);
        };
        for (const int b : {0, 1}) {
          CHECK(added(b, 2 * i) == Approx(std::sin(angle)).margin(1e-15 * 4));  // one sum near 4, rounded
          CHECK(added(b, 2 * i + 1) == Approx(std::cos(angle)).margin(1e-15 * 4));
        }
      }
    }
    if (first > 0) CHECK(after.matrix(0).leftCols(first) == before.matrix(0).leftCols(first));
    document.layer().positions = Positions::None;
    CHECK(add_positions(document, before) == before);
  }
}

TEST_CASE("positions work at odd widths, where the last sine has no cosine") {
  Document document = edit::heads(edit::d_model(two_sentences(Recipe::Random), 7), 1);
  const TensorOf<double> x = embed<double>(document), y = add_positions(document, x);
  CHECK(y.matrix(0)(3, 6) - x.matrix(0)(3, 6) ==
        Approx(std::sin(3 * position_frequency(3, 7))).margin(4e-15));
}

TEST_CASE("a hand-built vector says constant, class and code, and leaves room for the position") {
  for (const std::size_t width : {16u, 18u, 64u, 512u}) {
    const HandBuiltLayout layout(static_cast<int>(width));
    const std::vector<float> cat = vector_of("cat", 7, width), on = vector_of("on", 7, width);
    CHECK(cat[0] == 1);
    CHECK(on[0] == 1);
    CHECK(cat[1] == 1);
    CHECK(on[1] == -1);
    for (int d = layout.token; d < layout.width; ++d) CHECK(cat[static_cast<std::size_t>(d)] == 0);
    for (int begin = 0; begin < layout.shared; begin += 8) {
      const int end = std::min(begin + 8, layout.shared);
      double squares = 0;
      for (int n = begin; n < end; ++n) squares += std::pow(cat[static_cast<std::size_t>(2 + n)], 2);
      CHECK(squares == Approx(end - begin).epsilon(1e-6));  // eight floats
    }
    // Capitals change only the token's own part of its vector.
    const std::vector<float> lower = vector_of("the", 7, width), upper = vector_of("The", 7, width);
    const auto own = static_cast<std::ptrdiff_t>(2 + layout.shared);
    CHECK(std::equal(lower.begin(), lower.begin() + own, upper.begin()));
    CHECK(lower != upper);
    CHECK(vector_of("cat", 8, width) != cat);
  }
}

TEST_CASE("function words are the closed classes of English and punctuation") {
  for (const char* token : {"the", "The", "OF", "she", "because", "don't", "it's", "can\u2019t", "won't", ",",
                            ".", "\u2014", "\u3002", "[pad]", "\u00ab"}) {
    CAPTURE(token);
    CHECK(is_function_word(token));
  }
  for (const char* token :
       {"cat", "Mat", "bank", "river", "sat", "42", "cat's", "won", "\u732b", "\u00e9t\u00e9", "+", ""}) {
    CAPTURE(token);
    CHECK_FALSE(is_function_word(token));
  }
  CHECK(folded("STRASSE") == folded("stra\u00dfe"));
}

}  // namespace attnscope::embed_test
