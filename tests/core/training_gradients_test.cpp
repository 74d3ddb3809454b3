// The gradient of a network against finite differences of its loss in float64, for every setting of the spec
// and every array of weights.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/random.hpp"
#include "core/training/kernels/kernels.hpp"
#include "core/training/learner.hpp"
#include "core/training/network/layout.hpp"
#include "core/weights/initialise.hpp"

namespace attnscope::training::gradients_test {
namespace {

/// Random tokens, and answers that have nothing to do with them; a third of the rows is not asked.
class RandomMaker final : public Maker {
 public:
  explicit RandomMaker(const NetworkSpec& spec) : spec_(spec) {}
  void make(Dice& dice, Example& example) const override {
    for (std::int32_t& token : example.tokens) token = dice.below(spec_.vocabulary);
    for (float& x : example.patches) x = static_cast<float>(dice.normal());
    for (std::size_t r = 0; r < spec_.read_outs.size(); ++r)
      for (std::int32_t& target : example.targets[r])
        if (!dice.coin(0.33)) target = dice.below(spec_.read_outs[r].classes);
  }
  std::vector<std::string> tokens() const override { return {}; }

 private:
  NetworkSpec spec_;
};

NetworkSpec small() {
  NetworkSpec spec;
  spec.layers = 2;
  spec.width = 12;
  spec.heads = 3;
  spec.inner = 10;
  spec.vocabulary = 7;
  spec.length = 19;  // more than one block of queries
  spec.causal = true;
  spec.read_outs = {{7}};
  return spec;
}

struct Setting {
  std::string name;
  NetworkSpec spec;
  std::vector<std::uint8_t> muted;
};

std::vector<Setting> every_setting() {
  std::vector<Setting> settings;
  const auto add = [&](std::string name, auto change) {
    Setting setting{std::move(name), small(), {}};
    change(setting);
    settings.push_back(std::move(setting));
  };
  add("as it is", [](Setting&) {});
  for (const auto& [name, positions] :
       {std::pair("rotary", Positions::RopeHalf), std::pair("ALiBi", Positions::Alibi),
        std::pair("sinusoidal", Positions::Sinusoidal), std::pair("no positions", Positions::None)})
    add(name, [&](Setting& of) { of.spec.positions = positions; });
  add("post-norm", [](Setting& of) { of.spec.arrangement = Arrangement::PostNorm; });
  add("no norms", [](Setting& of) { of.spec.norm = NormKind::None; });
  add("both ways", [](Setting& of) { of.spec.causal = false; });
  add("unscaled", [](Setting& of) { of.spec.scaled = false; });
  add("norms of heads", [](Setting& of) { of.spec.head_norms = true; });
  add("norms of heads, rotary, both ways", [](Setting& of) {
    of.spec.head_norms = true;
    of.spec.positions = Positions::RopeHalf;
    of.spec.causal = false;
  });
  add("rotary, not in every second layer", [](Setting& of) {
    of.spec.positions = Positions::RopeHalf;
    of.spec.no_rope_layer_interval = 2;
  });
  add("norms of heads, rotary, not in every second of three layers, both ways", [](Setting& of) {
    of.spec.layers = 3;
    of.spec.head_norms = true;
    of.spec.positions = Positions::RopeHalf;
    of.spec.no_rope_layer_interval = 2;
    of.spec.causal = false;
  });
  add("no MLP", [](Setting& of) { of.spec.inner = 0; });
  add("no MLP, post-norm", [](Setting& of) {
    of.spec.inner = 0;
    of.spec.arrangement = Arrangement::PostNorm;
  });
  add("wide heads", [](Setting& of) { of.spec.head_width = 18; });
  add("tied", [](Setting& of) { of.spec.read_outs = {{7, true, false}}; });
  add("tied with a bias", [](Setting& of) { of.spec.read_outs = {{7, true, true}}; });
  add("two read-outs", [](Setting& of) { of.spec.read_outs = {{5}, {7, false, false}}; });
  add("patches", [](Setting& of) {
    of.spec.vocabulary = 0;
    of.spec.patch = 6;
    of.spec.causal = false;
  });
  add("muted heads", [](Setting& of) { of.muted = {0, 1, 0, 1, 0, 0}; });
  return settings;
}

Operation operation_of(const Setting& setting) {
  return {setting.spec.scaled, setting.spec.causal, setting.muted};
}

}  // namespace

TEST_CASE("gradients of a network are the slopes of its loss", "[training]") {
  for (const Setting& setting : every_setting()) {
    INFO(setting.name);
    Recipe recipe;
    recipe.network = setting.spec;
    recipe.batch = 3;
    recipe.seed = 11;
    Learner<double> learner(recipe, baseline_kernels<double>(), 1);
    Batch batch(setting.spec, recipe.batch, learner.sequences_of_chunk());
    for (int i = 0; i < recipe.batch; ++i)
      batch.make(RandomMaker(setting.spec), 5, DataStream::Training, static_cast<std::uint64_t>(i), i);
    batch.gather();
    const Operation operation = operation_of(setting);
    Buffer<double>& weights = learner.weights();
    const auto noise = [](std::uint64_t stream, std::int64_t i) {
      return random_normal(9, stream, static_cast<std::uint64_t>(i));
    };
    // No array at its beginning: norms of 1 and biases of 0 would hide mistakes.
    for (const Parameter& parameter : learner.network().layout.parameters)
      for (std::int64_t i = parameter.at; i < parameter.at + parameter.size(); ++i)
        weights[i] += 0.2 * noise(1, i);

    learner.differentiate(batch, operation);
    const std::vector<double> gradient(learner.gradient().data(),
                                       learner.gradient().data() + learner.gradient().size());
    constexpr double step = 1e-5;
    for (const Parameter& parameter : learner.network().layout.parameters) {
      double slope = 0;
      const auto move = [&](double by) {
        for (std::int64_t i = parameter.at; i < parameter.at + parameter.size(); ++i)
          weights[i] += by * noise(2, i);
      };
      for (std::int64_t i = parameter.at; i < parameter.at + parameter.size(); ++i)
        slope += gradient[static_cast<std::size_t>(i)] * noise(2, i);
      move(step);
      const double above = learner.differentiate(batch, operation).loss;
      move(-2 * step);
      const double below = learner.differentiate(batch, operation).loss;
      move(step);
      const double measured = (above - below) / (2 * step);
      INFO(parameter.name << ": " << slope << " against " << measured);
      CHECK(std::abs(slope - measured) < 1e-7 + 1e-6 * std::abs(measured));
    }
  }
}

TEST_CASE("every weight of a network gets a gradient, and only those", "[training]") {
  Recipe recipe;
  recipe.network = small();
  recipe.batch = 4;
  Learner<double> learner(recipe, baseline_kernels<double>(), 1);
  Batch batch(recipe.network, recipe.batch, learner.sequences_of_chunk());
  for (int i = 0; i < recipe.batch; ++i)
    batch.make(RandomMaker(recipe.network), 5, DataStream::Training, static_cast<std::uint64_t>(i), i);
  batch.gather();
  learner.differentiate(batch, {true, true, {}});
  const Layout& layout = learner.network().layout;
  std::vector<bool> known(static_cast<std::size_t>(layout.size));
  for (const Parameter& parameter : layout.parameters) {
    INFO(parameter.name);
    double squares = 0;
    for (std::int64_t i = parameter.at; i < parameter.at + parameter.size(); ++i) {
      known[static_cast<std::size_t>(i)] = true;
      squares += learner.gradient()[i] * learner.gradient()[i];
    }
    CHECK(squares > 0);
  }
  for (std::int64_t i = 0; i < layout.size; ++i)
    if (!known[static_cast<std::size_t>(i)]) REQUIRE(learner.gradient()[i] == 0);
}

TEST_CASE("a network none of whose layers rotate learns as one without positions, to the bit", "[training]") {
  const auto gradient_of = [](Positions positions, int interval) {
    Recipe recipe;
    recipe.network = small();
    recipe.network.positions = positions;
    recipe.network.no_rope_layer_interval = interval;
    recipe.batch = 3;
    Learner<double> learner(recipe, baseline_kernels<double>(), 1);
    Batch batch(recipe.network, recipe.batch, learner.sequences_of_chunk());
    for (int i = 0; i < recipe.batch; ++i)
      batch.make(RandomMaker(recipe.network), 5, DataStream::Training, static_cast<std::uint64_t>(i), i);
    batch.gather();
    learner.differentiate(batch, {true, true, {}});
    return std::vector<double>(learner.gradient().data(),
                               learner.gradient().data() + learner.gradient().size());
  };
  const std::vector<double> none = gradient_of(Positions::None, 0);
  const std::vector<double> every = gradient_of(Positions::RopeHalf, 0);
  const std::vector<double> first = gradient_of(Positions::RopeHalf, 2);
  CHECK(gradient_of(Positions::RopeHalf, 1) == none);
  CHECK(every != none);
  CHECK(first != none);
  CHECK(first != every);
}

TEST_CASE("what joins the stream of a deep network begins smaller, and Q, K and V are drawn apart",
          "[training]") {
  NetworkSpec spec = small();
  spec.drawing.narrow = false;
  spec.layers = 8;
  const Layout layout = layout_of(spec);
  const auto weights_of = [&](bool shrinks) {
    spec.drawing.shrinks_depth = shrinks;
    std::vector<double> weights(static_cast<std::size_t>(layout.size));
    draw(spec, layout, 4, weights.data());
    return weights;
  };
  const std::vector<double> shrunk = weights_of(true), plain = weights_of(false);
  int joining = 0, maps = 0;
  for (const Parameter& parameter : layout.parameters) {
    INFO(parameter.name);
    const auto at = static_cast<std::size_t>(parameter.at);
    const bool joins = parameter.name.ends_with(".output.weight") || parameter.name.ends_with(".down.weight");
    joining += joins;
    for (std::size_t i = 0; i < static_cast<std::size_t>(parameter.size()); ++i)
      CHECK(std::abs(shrunk[at + i] * (joins ? 4 : 1) - plain[at + i]) < 1e-12);  // 4 = √(2 · 8)
    if (!parameter.name.ends_with(".query_key_value.weight")) continue;
    ++maps;
    // Each third as the initialiser has a matrix of its size, in a stream of its own.
    for (int part = 0; part < 3; ++part) {
      const Tensor third = initialised(spec.drawing.initialiser, Shape{12, 12}, 4,
                                       parameter.name + " " + std::to_string(part));
      for (int row = 0; row < 12; ++row)
        for (int column = 0; column < 12; ++column)
          CHECK(plain[at + static_cast<std::size_t>(row * 36 + part * 12 + column)] ==
                static_cast<double>(third.matrix()(row, column)));
    }
  }
  CHECK(joining == 16);
  CHECK(maps == 8);
}

}  // namespace attnscope::training::gradients_test
