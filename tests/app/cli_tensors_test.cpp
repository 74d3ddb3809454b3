// The commands from tensors to tensors, run as programs: ONNX's operator tests and PyTorch's layers if they
// are beside the checkout, and the effect of each option.
#include <array>
#include <fstream>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "core/compare.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/samples.hpp"
#include "support/onnx_cases.hpp"
#include "support/program.hpp"

namespace attnscope::cli_tensors_test {

using attnscope::compare::difference;
using attnscope::compare::in_double;
using namespace attnscope::test::commands;
using nlohmann::json;

namespace {

/// The attributes of ONNX's Attention as options of `attend`.
std::string options_of(const json& attributes) {
  std::string options;
  const auto add = [&](const std::string& option, const auto& value) {
    options += fmt::format(" {}={}", option, value);
  };
  if (attributes.value("is_causal", 0) != 0) options += " --causal";
  if (attributes.contains("q_num_heads")) add("--heads", attributes.at("q_num_heads").get<int>());
  if (attributes.contains("kv_num_heads")) add("--kv-heads", attributes.at("kv_num_heads").get<int>());
  if (attributes.contains("scale")) add("--scale", attributes.at("scale").get<double>());
  if (attributes.contains("softcap")) add("--softcap", attributes.at("softcap").get<double>());
  if (attributes.contains("left_window_size") || attributes.contains("right_window_size"))
    add("--window", fmt::format("{},{}", attributes.value("left_window_size", -1),
                                attributes.value("right_window_size", -1)));
  constexpr std::array modes{"scores", "capped", "masked", "weights"};
  add("--emit", modes[attributes.value("qk_matmul_output_mode", std::size_t{0})]);
  return options;
}

TensorOf<double> tensor_of(const SafetensorsFile& file, const std::string& name) {
  INFO("tensor " << name);
  const TensorEntry* entry = file.find(name);
  REQUIRE(entry != nullptr);
  return to_tensor<double>(*entry, file.path());
}

/// Varied Q, K and V, in T and written as `dtype`.
template <class T>
void write_inputs(const std::filesystem::path& path, DType dtype, const std::array<Shape, 3>& shapes) {
  samples::Random random(3);
  std::vector<TensorOf<T>> tensors;
  for (const Shape& shape : shapes) {
    tensors.emplace_back(shape);
    for (T& value : tensors.back().values()) value = static_cast<T>(random.normal());
  }
  const std::array named{NamedTensor{"Q", &tensors[0], dtype}, NamedTensor{"K", &tensors[1], dtype},
                         NamedTensor{"V", &tensors[2], dtype}};
  write_safetensors(path, named);
}

const std::array<Shape, 3> plain_shapes{Shape{2, 2, 4, 8}, Shape{2, 2, 6, 8}, Shape{2, 2, 6, 3}};

}  // namespace

TEST_CASE("ONNX's attention tests pass through the command line", "[cli][onnx]") {
  const std::vector<OnnxCase> cases = onnx_cases("onnx_attention");
  if (cases.empty()) SKIP("no folder shared/vectors/onnx_attention");
  const TemporaryDirectory directory;
  for (const OnnxCase& one : cases) {
    INFO("case " << one.name);
    const std::filesystem::path input = one.inputs(directory.path());
    const Outcome outcome = run(directory, "attend " + input.filename().native() + " -o out.safetensors" +
                                               options_of(one.attributes));
    REQUIRE(outcome.err == "");
    REQUIRE(outcome.exit_code == 0);
    const SafetensorsFile found(directory / "out.safetensors"), expected(one.file);
    constexpr std::array modes{"scores", "capped", "masked", "weights"};
    const std::string mode = modes[one.attributes.value("qk_matmul_output_mode", std::size_t{0})];
    for (const TensorEntry& entry : expected.tensors()) {
      if (!entry.name.starts_with("out.")) continue;
      const std::string name = entry.name == "out.qk_matmul_output" ? mode : entry.name.substr(4);
      INFO("output " << name);
      const TensorOf<double> values = tensor_of(found, name);
      CHECK(found.find(name)->dtype == entry.dtype);
      CHECK(found.find(name)->shape == entry.shape);
      CHECK(difference(values, in_double(to_tensor<double>(entry, one.file)), one.tolerance()) == "");
    }
  }
}

TEST_CASE("ONNX's rotary tests pass through the command line", "[cli][onnx]") {
  const std::vector<OnnxCase> cases = onnx_cases("onnx_rotary");
  if (cases.empty()) SKIP("no folder shared/vectors/onnx_rotary");
  const TemporaryDirectory directory;
  for (const OnnxCase& one : cases) {
    INFO("case " << one.name);
    std::string options;
    if (one.attributes.value("interleaved", 0) != 0) options += " --interleaved";
    if (one.attributes.contains("num_heads"))
      options += fmt::format(" --heads {}", one.attributes.at("num_heads").get<int>());
    if (const int dims = one.attributes.value("rotary_embedding_dim", 0); dims > 0)
      options += fmt::format(" --dims {}", dims);
    const std::filesystem::path input = one.inputs(directory.path());
    const Outcome outcome =
        run(directory, "rotate " + input.filename().native() + " -o out.safetensors" + options);
    REQUIRE(outcome.err == "");
    const TensorOf<double> found = tensor_of(SafetensorsFile(directory / "out.safetensors"), "output");
    const Tensor expected = one.outputs().at("output");
    CHECK(found.shape() == expected.shape());
    CHECK(difference(found, in_double(expected), 2e-6) == "");
  }
  CHECK(cases.size() == 6);
}

TEST_CASE("PyTorch's layers and gradients pass through the command line", "[cli][torch]") {
  const std::filesystem::path folder = std::filesystem::path(ATTNSCOPE_SHARED) / "vectors" / "torch_mha";
  if (!std::filesystem::exists(folder)) SKIP("no folder " << folder.string());
  std::ifstream stream(folder / "index.json");
  const json index = json::parse(stream);
  const TemporaryDirectory directory;
  for (const auto& [name, settings] : index.items()) {
    if (!name.starts_with("mha_")) continue;
    INFO("case " << name);
    const std::filesystem::path path = folder / (name + ".safetensors");
    std::string options = fmt::format(" --heads {}", settings.at("heads").get<int>());
    if (settings.at("causal").get<bool>()) options += " --causal";
    if (settings.at("add_zero_attn").get<bool>()) options += " --add-zero-attn";
    const Outcome outcome = run(directory, "layer '" + path.native() + "' -o out.safetensors" + options);
    REQUIRE(outcome.err == "");
    const SafetensorsFile found(directory / "out.safetensors"), expected(path);
    for (const TensorEntry& entry : expected.tensors()) {
      const bool result = entry.name.starts_with("d") || entry.name == "out" || entry.name == "attn_weights";
      if (!result) continue;
      INFO("tensor " << entry.name);
      const TensorOf<double> values = tensor_of(found, entry.name);
      CHECK(found.find(entry.name)->dtype == DType::F64);
      CHECK(values.shape() == to_tensor<double>(entry, path).shape());
      CHECK(difference(values, in_double(to_tensor<double>(entry, path)), 1e-10) == "");
    }
  }
}

TEST_CASE("attend writes what was asked for, in the type that came in", "[cli]") {
  const TemporaryDirectory directory;
  const std::filesystem::path in = directory / "in.safetensors", out = directory / "out.safetensors";
  write_inputs<double>(in, DType::F64, plain_shapes);
  REQUIRE(run(directory,
              "attend in.safetensors -o exact.safetensors --scale 0.05 --softcap 0.7 "
              "--emit scores,capped,masked,weights,lse,entropy,received")
              .exit_code == 0);
  const SafetensorsFile exact(directory / "exact.safetensors");
  CHECK(exact.tensors().size() == 8);
  const TensorOf<double> weights = tensor_of(exact, "weights"), received = tensor_of(exact, "received");
  const TensorOf<double> scores = tensor_of(exact, "scores"), capped = tensor_of(exact, "capped");
  for (std::size_t i = 0; i < scores.values().size();
       ++i)  // computed in float64, with the numbers of the command line unrounded
    CHECK(std::abs(capped.values()[i] - 0.7 * std::tanh(scores.values()[i] / 0.7)) < 1e-15);
  CHECK(received.shape() == Shape{2, 2, 6});
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t h = 0; h < 2; ++h) {
      CHECK((weights.matrix(b, h).rowwise().sum().array() - 1).abs().maxCoeff() < 1e-14);
      CHECK((weights.matrix(b, h).colwise().sum() - received.matrix(b).row(h)).norm() < 1e-14);
    }
  struct Kind {
    DType dtype;
    double tolerance;
  };
  for (const auto& [dtype, tolerance] : {Kind{DType::F32, 1e-6}, {DType::F16, 2e-3}, {DType::BF16, 2e-2}}) {
    write_inputs<double>(in, dtype, plain_shapes);
    REQUIRE(run(directory, "attend in.safetensors -o out.safetensors --scale 0.05 --softcap 0.7").exit_code ==
            0);
    const SafetensorsFile file(out);
    CHECK(file.tensors().size() == 4);  // Y, weights, lse, entropy
    for (const std::string name : {"Y", "weights", "lse", "entropy"}) {
      CHECK(file.find(name)->dtype == dtype);
      CHECK(difference(tensor_of(file, name), in_double(tensor_of(exact, name)), tolerance) == "");
    }
  }
  REQUIRE(run(directory, "attend in.safetensors -o out.safetensors --emit lse").exit_code == 0);
  CHECK(SafetensorsFile(out).tensors().size() == 2);
}

TEST_CASE("attend stores with fewer bits when told to", "[cli]") {
  const TemporaryDirectory directory;
  write_inputs<float>(directory / "in.safetensors", DType::F32, plain_shapes);
  const auto weights = [&](const std::string& precision) {
    REQUIRE(run(directory, "attend in.safetensors -o out.safetensors --precision " + precision).exit_code ==
            0);
    return tensor_of(SafetensorsFile(directory / "out.safetensors"), "weights");
  };
  const std::vector<double> full = in_double(weights("fp32"));
  CHECK(difference(weights("bf16"), full, 2e-2) == "");
  CHECK(difference(weights("bf16"), full, 1e-5) != "");
  CHECK(difference(weights("fp16"), full, 3e-3) == "");
  CHECK(difference(weights("fp16"), full, 1e-6) != "");
}

TEST_CASE("Options that do not fit are bad usage, tensors that do not fit bad input", "[cli]") {
  const TemporaryDirectory directory;
  check_refusal(directory, "attend a -o b --window 3", 2, "--window");
  check_refusal(directory, "attend a -o b --window=-2,0", 2, "-1 for no end");
  check_refusal(directory, "attend a -o b --emit weights,weights", 2, "each once");
  check_refusal(directory, "attend a -o b --emit loss", 2, "scores,capped");
  check_refusal(directory, "attend a -o b --precision fp8", 2, "fp32, bf16 or fp16");
  check_refusal(directory, "attend a -o b --heads 0", 2, "from 1 to");
  check_refusal(directory, "layer a -o b", 2, "--heads");
  check_refusal(directory, "rotate a -o b --dims 1", 2, "from 2 to");

  write_inputs<float>(directory / "flat.safetensors", DType::F32,
                      {Shape{2, 4, 16}, Shape{2, 6, 16}, Shape{2, 6, 6}});
  check_refusal(directory, "attend flat.safetensors -o out.safetensors", 1, "--heads N");
  check_refusal(directory, "attend flat.safetensors -o out.safetensors --heads 3", 1,
                "cannot be cut into 3 heads");
  CHECK(run(directory, "attend flat.safetensors -o out.safetensors --heads 2").exit_code == 0);
  CHECK(SafetensorsFile(directory / "out.safetensors").find("Y")->shape ==
        std::vector<std::int64_t>{2, 4, 6});
  check_refusal(directory, "layer flat.safetensors -o out.safetensors --heads 2", 1,
                "tensor \"query\" is missing");
  check_refusal(directory, "rotate flat.safetensors -o out.safetensors", 1, "tensor \"input\" is missing");
  CHECK_THAT(run(directory, "attend --help").out,
             ContainsSubstring("--emit") && ContainsSubstring("--window"));
}

}  // namespace attnscope::cli_tensors_test
