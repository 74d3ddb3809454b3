#include "core/layer_documents.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/run_stage.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/small_models.hpp"
#include "core/transformers_goldens.hpp"

namespace attnscope::layer_documents {

std::vector<AttentionOf> attentions_of(const ModelSpec& spec) {
  std::vector<AttentionOf> all;
  if (spec.encoder) all.push_back(AttentionOf::Encoder);
  if (spec.decoder) all.push_back(AttentionOf::Decoder);
  if (spec.decoder && spec.decoder->cross) all.push_back(AttentionOf::Cross);
  return all;
}

namespace {

/// The worst difference as a share of the largest expected number.
class Difference {
 public:
  void add(double found, double expected) {
    worst_ = std::max(worst_, std::abs(found - expected));
    if (std::isnan(found)) worst_ = INFINITY;
    largest_ = std::max(largest_, std::abs(expected));
  }
  double absolute() const { return worst_; }
  double relative() const { return worst_ / std::max(largest_, 1e-30); }

 private:
  double worst_ = 0, largest_ = 0;
};

void compare_rows(const Tensor& found, const float* expected, std::string_view what) {
  Difference difference;
  for (std::int64_t i = 0; i < found.size(); ++i)
    difference.add(static_cast<double>(found.data()[i]), static_cast<double>(expected[i]));
  CAPTURE(what);
  CHECK(difference.relative() < 1e-4);
}

void compare_heads(const Tensor& found, const HeadRows& expected, std::string_view what) {
  const Shape& shape = found.shape();
  Difference difference;
  for (std::int64_t h = 0; h < shape[1]; ++h)
    for (std::int64_t i = 0; i < shape[2]; ++i)
      for (std::int64_t k = 0; k < shape[3]; ++k)
        difference.add(static_cast<double>(found.matrix(0, h)(i, k)),
                       static_cast<double>(expected.row(h, i)[k]));
  CAPTURE(what);
  CHECK(difference.relative() < 1e-4);
}

}  // namespace

void compare_layer(const Place& at, const Document& document, Machine& machine) {
  CAPTURE(static_cast<int>(at.of), at.block);
  const ResultPtr result = machine.pipeline.run(document);
  const Trace& trace = result->layer().trace;
  const BlockProblem made = problem_of(at.model, at.run, at.of, at.block);
  compare_heads(*trace[Stage::RotateQuery], made.problem.query, "queries");
  compare_heads(*trace[Stage::RotateKey], made.problem.key, "keys");
  compare_heads(*trace[Stage::Value], made.problem.value, "values");
  Difference weights;
  for (std::int64_t h = 0; h < made.problem.heads; ++h) {
    const bool changed = pattern_change(at.run.changes, at.of, at.block, h) != nullptr;
    const auto found = trace[changed ? Stage::Intervention : own_weights_stage(document)]->matrix(0, h);
    const Tensor expected = head_weights(at.model, at.run, at.of, at.block, h, machine.work);
    REQUIRE((expected.shape() == Shape{found.rows(), found.cols()}));
    weights.add(static_cast<double>((found - std::as_const(expected).matrix()).cwiseAbs().maxCoeff()), 0);
  }
  CHECK(weights.absolute() < (at.model.spec.family == "T5" ? 1e-5 : 5e-6));
  const Tensor outputs = head_outputs(at.model, at.run, at.of, at.block, {}, machine.work);
  compare_rows(*trace[Stage::Mix], outputs.data(), "outputs");
  const StackRun& stack = stack_of(at.model, at.run, at.of).run;
  // A layer by itself has no mixture of experts: it ends behind attention.
  if (stack_of(at.model, at.run, at.of).spec.is_mixture(at.block)) return;
  const bool ends_between = at.of == AttentionOf::Decoder && at.model.spec.decoder->cross;
  if (!ends_between)
    return compare_rows(*trace[Stage::BlockOutput], stack.hidden[at.block + 1].row(0), "stream");
  const BlockTensors cross = block_tensors(at.model, AttentionOf::Cross, static_cast<int>(at.block));
  const Document next = layer_document(at.model, at.run, cross, {}, {});
  compare_rows(*trace[Stage::BlockOutput], next.input.vectors().query->data(), "stream between");
}

void compare_all(const Model& model, const ModelRun& run, Machine& machine) {
  for (const AttentionOf of : attentions_of(model.spec))
    for (std::size_t block = 0; block < model.spec.stack(of).blocks.size(); ++block) {
      const BlockTensors tensors = block_tensors(model, of, static_cast<int>(block));
      CHECK(left_out(tensors, run.changes).empty());
      compare_layer({model, run, of, block}, layer_document(model, run, tensors, {}, {}), machine);
    }
}

Opened::Opened(const std::string& family) {
  if (family == "gpt2")
    small_models::write_gpt(directory / family, small_models::gpt_weights());
  else if (family != "bert" && family != "t5")
    small_models::write_other(directory / family, family);
  if (family == "bert" || family == "t5") {
    const std::filesystem::path folder = goldens / (family == "bert" ? "bert_masked" : "t5_gated");
    model = open_model(folder);
    const SafetensorsFile file(folder / "goldens.safetensors");
    input = transformers_goldens::input_of(transformers_goldens::Golden(file, "batch."), 0);
    input.mask.clear();
    return;
  }
  model = open_model(directory / family);
  input.ids = small_models::some_ids(9, small_models::other_tokens);
}

std::optional<ModelChanges> like_of(const BlockTensors& tensors, const ModelChanges& before,
                                    const LayerSpec& layer, const RunSizes& sizes) {
  LayerSpec shown = tensors.layer;
  impose(tensors, before, sizes, shown);
  return changes_like(tensors, before, shown, layer);
}

}  // namespace attnscope::layer_documents
