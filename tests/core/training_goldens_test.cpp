// Loss, gradients and three steps of AdamW against PyTorch in float64: goldens/make_training_goldens.py.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/files/formats/safetensors.hpp"
#include "core/training/files/recipe_json.hpp"
#include "core/training/kernels/kernels.hpp"
#include "core/training/learner.hpp"

namespace attnscope::training::goldens_test {
namespace {

namespace fs = std::filesystem;

TensorOf<double> read(const SafetensorsFile& file, const std::string& name) {
  const TensorEntry* const entry = file.find(name);
  if (entry == nullptr) FAIL(name << " is not in " << file.path());
  return to_tensor<double>(*entry, file.path());
}

/// The sequences of a file, one after the other.
class FileMaker final : public Maker {
 public:
  FileMaker(const SafetensorsFile& file, const NetworkSpec& spec) {
    input_ = read(file, spec.reads_patches() ? "given.patches" : "given.tokens");
    for (std::size_t r = 0; r < spec.read_outs.size(); ++r)
      targets_.push_back(read(file, "given.targets." + std::to_string(r)));
  }
  void make(Dice&, Example& example) const override {
    const std::int64_t i = next_++ % input_.shape()[0];
    const auto copy = [i](const TensorOf<double>& from, auto to) {
      for (std::size_t at = 0; at < to.size(); ++at)
        to[at] = static_cast<std::remove_reference_t<decltype(to[0])>>(
            from.data()[i * std::ssize(to) + static_cast<std::int64_t>(at)]);
    };
    if (example.patches.empty())
      copy(input_, example.tokens);
    else
      copy(input_, example.patches);
    for (std::size_t r = 0; r < targets_.size(); ++r) copy(targets_[r], example.targets[r]);
  }
  std::vector<std::string> tokens() const override { return {}; }

 private:
  mutable std::int64_t next_ = 0;
  TensorOf<double> input_;
  std::vector<TensorOf<double>> targets_;
};

double largest_difference(const TensorOf<double>& expected, const double* found) {
  double largest = 0;
  for (std::int64_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, std::abs(expected.data()[i] - found[i]));
  return largest;
}

}  // namespace

TEST_CASE("loss, gradients and steps are PyTorch's", "[training]") {
  int files = 0;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(ATTNSCOPE_TESTS) / "goldens/training")) {
    if (entry.path().extension() != ".safetensors") continue;
    ++files;
    INFO(entry.path());
    const SafetensorsFile file(entry.path());
    const Recipe recipe = recipe_from_json(file.metadata().at("recipe"), "recipe");
    Learner<double> learner(recipe, kernels<double>(), 1);
    const std::vector<Parameter>& parameters = learner.network().layout.parameters;
    for (const Parameter& parameter : parameters) {
      const TensorOf<double> weights = read(file, "weights." + parameter.name);
      REQUIRE(weights.size() == parameter.size());
      std::copy_n(weights.data(), weights.size(), learner.weights().data() + parameter.at);
    }
    Batch batch(recipe.network, recipe.batch, learner.sequences_of_chunk());
    const FileMaker maker(file, recipe.network);
    for (int i = 0; i < recipe.batch; ++i) batch.make(maker, 0, DataStream::Training, 0, i);
    batch.gather();
    const Operation operation{recipe.network.scaled, recipe.network.causal, {}};

    const StepResult result = learner.differentiate(batch, operation);
    CHECK(std::abs(result.loss - read(file, "loss").data()[0]) < 1e-12);
    for (const Parameter& parameter : parameters) {
      INFO(parameter.name);
      CHECK(largest_difference(read(file, "gradient." + parameter.name),
                               learner.gradient().data() + parameter.at) < 1e-10);
    }
    for (int step = 0; step < 3; ++step) learner.step(batch, operation, recipe.optimiser.rate);
    for (const Parameter& parameter : parameters) {
      INFO(parameter.name);
      CHECK(largest_difference(read(file, "after." + parameter.name),
                               learner.weights().data() + parameter.at) < 1e-10);
    }
  }
  CHECK(files >= 6);
}

}  // namespace attnscope::training::goldens_test
