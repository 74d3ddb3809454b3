// The tests of ONNX's Attention and RotaryEmbedding operators, if they are beside the checkout, through the
// code of the window: a Document from a file and the Pipeline. The tests of the command line are in
// tests/app.
#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/attention/positions.hpp"
#include "core/compare.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/import/attention_tensors.hpp"
#include "support/onnx_cases.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::onnx_vectors_test {
namespace {

using compare::difference;
using compare::in_double;
using nlohmann::json;
using test::TemporaryDirectory;

Document document_of(const OnnxCase& one, const std::filesystem::path& file) {
  const json& attributes = one.attributes;
  const HeadLayout layout{attributes.value("q_num_heads", 0), attributes.value("kv_num_heads", 0)};
  Document document = document_from_tensors(SafetensorsFile(file), layout);
  document.layer().masking.causal = attributes.value("is_causal", 0) != 0;
  document.layer().masking.window = {attributes.value("left_window_size", -1),
                                     attributes.value("right_window_size", -1)};
  document.layer().soft_cap = attributes.value("softcap", 0.0f);
  if (attributes.contains("scale"))
    document.layer().scaling = {Scaling::Kind::Factor, attributes.at("scale").get<float>()};
  return document;
}

/// [batch][n][heads * d] as [batch][heads][n][d]; four dimensions stay.
Tensor in_heads(const Tensor& tensor, std::int64_t heads) {
  const Shape& shape = tensor.shape();
  if (shape.rank() == 4) return tensor;
  const std::int64_t d = shape[2] / heads;
  Tensor split(Shape{shape[0], heads, shape[1], d});
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < heads; ++h) split.matrix(b, h) = tensor.matrix(b).middleCols(h * d, d);
  return split;
}

}  // namespace

TEST_CASE("ONNX's attention tests pass through the pipeline", "[onnx]") {
  const std::vector<OnnxCase> cases = onnx_cases("onnx_attention");
  if (cases.empty()) SKIP("no folder shared/vectors/onnx_attention");
  const TemporaryDirectory directory;
  for (const OnnxCase& one : cases) {
    INFO("case " << one.name);
    const ResultPtr result =
        Pipeline(make_cpu_backend(2)).run(document_of(one, one.inputs(directory.path())));
    const Trace& trace = result->layer().trace;
    constexpr std::array modes{Stage::Scale, Stage::Cap, Stage::Mask, Stage::Softmax};
    const auto mode = static_cast<std::size_t>(one.attributes.value("qk_matmul_output_mode", 0));
    for (const auto& [name, expected] : one.outputs()) {
      INFO("output " << name);
      const Stage stage = name == "Y"             ? expected.shape().rank() == 3 ? Stage::Concat : Stage::Mix
                          : name == "present_key" ? Stage::Key
                          : name == "present_value" ? Stage::Value
                                                    : modes[mode];
      CHECK(trace[stage]->shape() == expected.shape());
      CHECK(difference(*trace[stage], in_double(expected), one.tolerance()) == "");
    }
  }
  CHECK(cases.size() == 65);
}

TEST_CASE("ONNX's rotary tests pass through the rotary stage", "[onnx]") {
  const std::vector<OnnxCase> cases = onnx_cases("onnx_rotary");
  if (cases.empty()) SKIP("no folder shared/vectors/onnx_rotary");
  ThreadPool pool(1);
  for (const OnnxCase& one : cases) {
    INFO("case " << one.name);
    const int heads = one.attributes.value("num_heads", 0);
    const Tensor input = in_heads(one.input("input"), heads);
    const Shape& shape = input.shape();
    const bool cached = one.has_input("position_ids");
    const auto table = [&](const std::string& name) {
      const Tensor cache = one.input(name);
      if (!cached) return cache;
      const Tensor ids = one.input("position_ids");
      Tensor rows(Shape{shape[0], shape[2], cache.shape()[1]});
      for (std::int64_t i = 0; i < ids.size(); ++i)
        std::copy_n(cache.data() + static_cast<std::int64_t>(ids.data()[i]) * cache.shape()[1],
                    cache.shape()[1], rows.data() + i * cache.shape()[1]);
      return rows;
    };
    const Rotation<float> rotation{table("cos_cache"), table("sin_cache"),
                                   one.attributes.value("interleaved", 0) != 0};
    const Tensor expected = in_heads(one.outputs().at("output"), heads);
    CHECK(difference(rotate(Work{pool, {}}, input, rotation), in_double(expected), 2e-6) == "");
  }
  CHECK(cases.size() == 6);
}

}  // namespace attnscope::onnx_vectors_test
