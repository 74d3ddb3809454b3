// Random weights: standard deviations, orthonormal frames against Gram–Schmidt, and the same bits in every
// version.
#include "core/weights/initialise.hpp"

#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/base/random.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/numbers.hpp"
#include "core/engine/pipeline.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope::initialise_test {

using Catch::Approx;

namespace {

Document sentence(Initialiser initialiser) {
  return edit::initialiser(edit::texts({}, {"The cat sat"}), initialiser);
}

double spread(const Tensor& block) {
  double squares = 0;
  for (const float x : block.values()) squares += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(squares / static_cast<double>(block.size()));
}

/// The columns of a Gaussian matrix made orthonormal one after the other, in double.
std::vector<std::vector<double>> gram_schmidt(std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                                              std::string_view stream) {
  std::vector<std::vector<double>> frame;
  for (std::int64_t c = 0; c < columns; ++c) {
    std::vector<double> v;
    for (std::int64_t r = 0; r < rows; ++r)
      v.push_back(random_normal(seed, stream_of(stream), static_cast<std::uint64_t>(r * columns + c)));
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& other : frame) {
        double dot = 0;
        for (std::size_t r = 0; r < v.size(); ++r) dot += v[r] * other[r];
        for (std::size_t r = 0; r < v.size(); ++r) v[r] -= dot * other[r];
      }
    }
    double norm = 0;
    for (const double x : v) norm += x * x;
    for (double& x : v) x /= std::sqrt(norm);
    frame.push_back(v);
  }
  return frame;
}

}  // namespace

TEST_CASE("the initialisers draw what they are named after", "[initialise]") {
  const Document xavier = sentence(Initialiser::Xavier);
  CHECK(xavier.layer().weights[Parameter::WQuery]->values()[9] ==
        static_cast<float>(0.125 * random_normal(7, stream_of("block W_Q"), 9)));  // √(2 / 128)
  const Document normal = sentence(Initialiser::Normal);
  CHECK(normal.layer().weights[Parameter::WOutput]->values()[9] ==
        static_cast<float>(0.02 * random_normal(7, stream_of("block W_O"), 9)));
  CHECK(spread(*normal.layer().weights[Parameter::WKey]) == Approx(0.02).epsilon(0.05));
  CHECK(*normal.layer().weights[Parameter::WKey] != *normal.layer().weights[Parameter::WValue]);
  const Document identity = edit::d_v(edit::kv_heads(sentence(Initialiser::Identity), 2), 20);
  for (const TensorPtr& block :
       {identity.layer().weights[Parameter::WQuery], identity.layer().weights[Parameter::WKey],
        identity.layer().weights[Parameter::WValue], identity.layer().weights[Parameter::WOutput]}) {
    const auto w = block->matrix();
    for (std::int64_t r = 0; r < w.rows(); ++r)
      for (std::int64_t c = 0; c < w.cols(); ++c) REQUIRE(w(r, c) == (r == c ? 1.0f : 0.0f));
  }
  CHECK(identity.layer().weights[Parameter::WOutput]->shape() == Shape{160, 64});
}

TEST_CASE("nn.Linear's initialiser is uniform, and its scores spread a third as much as Xavier's",
          "[initialise]") {
  const Document linear = edit::biases(sentence(Initialiser::Linear), true);
  const Weights& w = linear.layer().weights;
  const double bound = 1 / std::sqrt(64.0);  // 1/√fan_in, biases too
  for (const TensorPtr& block : {w[Parameter::WQuery], w[Parameter::WKey], w[Parameter::WValue],
                                 w[Parameter::WOutput], w[Parameter::BQuery], w[Parameter::BOutput]}) {
    double least = 1, most = -1;
    for (const float x : block->values()) {
      least = std::min(least, static_cast<double>(x));
      most = std::max(most, static_cast<double>(x));
    }
    CHECK(most <= bound);
    CHECK(least >= -bound);
    CHECK(most - least > 1.8 * bound);
  }
  CHECK(spread(*w[Parameter::WQuery]) == Approx(bound / std::sqrt(3.0)).epsilon(0.02));
  CHECK(*w[Parameter::WQuery] != *w[Parameter::WKey]);
  CHECK(*sentence(Initialiser::Linear).layer().weights[Parameter::WQuery] == *w[Parameter::WQuery]);

  // PyTorch: nn.Linear(256, 256).weight is U(±0.0625); for x ~ N(0, 1) scaled scores have σ = 1/3.
  Document document;
  document.layer().d_model = 256;
  document.layer().positions = Positions::None;
  document.layer().weights.initialiser = Initialiser::Linear;
  std::vector<std::string> tokens;
  for (int i = 0; i < 200; ++i) tokens.push_back("token" + std::to_string(i));
  document.input.sequences = {{"", label_tokens(tokens)}};
  const ResultPtr result = Pipeline(make_cpu_backend(1)).run(with_weights(document));
  CHECK(spread(*result->layer().trace[Stage::Scale]) == Approx(1.0 / 3).epsilon(0.03));
  for (std::int64_t h = 0; h < 8; ++h)
    CHECK(result->layer().measures.head(0, h).normalised == Approx(0.99).margin(0.01));
}

TEST_CASE("orthogonal blocks are the orthonormal frame of Gram and Schmidt", "[initialise]") {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {8, 8}, {40, 12}, {12, 40}, {64, 1}, {1, 64}}) {
    INFO(rows << " x " << columns);
    const Tensor block = initialised(Initialiser::Orthogonal, {rows, columns}, 3, "block W_Q");
    const bool tall = rows >= columns;
    const auto frame = gram_schmidt(std::max(rows, columns), std::min(rows, columns), 3, "block W_Q");
    for (std::size_t c = 0; c < frame.size(); ++c)
      for (std::size_t r = 0; r < frame[c].size(); ++r) {
        const auto a = static_cast<std::int64_t>(r), b = static_cast<std::int64_t>(c);
        const float found = tall ? block.matrix()(a, b) : block.matrix()(b, a);
        CHECK(found == Approx(frame[c][r]).margin(1e-6));
      }
    const Eigen::MatrixXd w = block.matrix().cast<double>();
    const Eigen::MatrixXd product =
        tall ? Eigen::MatrixXd(w.transpose() * w) : Eigen::MatrixXd(w * w.transpose());
    CHECK(product.isIdentity(1e-6));
    CHECK(block == initialised(Initialiser::Orthogonal, {rows, columns}, 3, "block W_Q"));
    CHECK((rows * columns == 1 ||
           block != initialised(Initialiser::Orthogonal, {rows, columns}, 4, "block W_Q")));
  }
}

TEST_CASE("one block can be drawn by itself, under every recipe", "[initialise]") {
  for (const Recipe recipe : {Recipe::Random, Recipe::HandBuilt}) {
    const Document document = edit::recipe(edit::texts({}, {"The cat sat"}), recipe);
    const Document drawn = edit::initialise(document, Editable::ValueWeights, Initialiser::Orthogonal, 11);
    CHECK(drawn.layer().weights.recipe == recipe);
    CHECK(*drawn.layer().weights[Parameter::WValue] ==
          initialised(Initialiser::Orthogonal, {64, 64}, 11, "block W_V"));
    CHECK(drawn.layer().weights[Parameter::WQuery] == document.layer().weights[Parameter::WQuery]);
    CHECK(*edit::d_v(drawn, 3).layer().weights[Parameter::WValue] ==
          initialised(Initialiser::Orthogonal, {64, 24}, 11, "block W_V"));
    CHECK(*edit::seed(drawn, 8).layer().weights[Parameter::WValue] ==
          *drawn.layer().weights[Parameter::WValue]);
    CHECK(edit::new_seed(drawn).layer().weights.of(Projection::Value).drawn->seed ==
          edit::new_seed(drawn).layer().weights.seed);
    CHECK_FALSE(edit::recipe(drawn, recipe).layer().weights.of(Projection::Value).drawn);

    const Document undrawn = edit::undrawn(drawn, Editable::ValueWeights);
    CHECK(*undrawn.layer().weights[Parameter::WValue] == *document.layer().weights[Parameter::WValue]);
    CHECK(undrawn.layer().weights.blocks == document.layer().weights.blocks);

    Document given = edit::number(drawn, {Editable::ValueWeights, 2, 3}, 5);  // and of edited ones
    given = edit::number(given, {Editable::KeyWeights, 2, 3}, 5);
    CHECK(*made_numbers(given, Editable::ValueWeights) == *drawn.layer().weights[Parameter::WValue]);
    const Document again = edit::initialise(given, Editable::ValueWeights, Initialiser::Identity, 0);
    CHECK(again.layer().weights[Parameter::WValue]->matrix().isIdentity(0));
    CHECK(again.layer().weights[Parameter::WKey] == given.layer().weights[Parameter::WKey]);
    CHECK(again.layer().weights.recipe == Recipe::Given);
  }
  Document loaded = edit::recipe(edit::recipe(edit::texts({}, {"a b"}), Recipe::Random), Recipe::Given);
  loaded = edit::gain(loaded, Editable::QueryWeights, 2);
  const Document drawn = edit::initialise(loaded, Editable::QueryWeights, Initialiser::Normal, 5);
  CHECK(spread(*drawn.layer().weights[Parameter::WQuery]) == Approx(0.04).epsilon(0.05));
  const Document edited = edit::number(drawn, {Editable::QueryWeights, 0, 0}, 3);
  CHECK(*edit::reset(edited, Editable::QueryWeights).layer().weights[Parameter::WQuery] ==
        *drawn.layer().weights[Parameter::WQuery]);
}

}  // namespace attnscope::initialise_test
