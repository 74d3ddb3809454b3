// The shared vectors of PyTorch, if they are beside the checkout: nn.MultiheadAttention and
// scaled_dot_product_attention with every gradient, in float64, through the code that the window and the
// command line use.
#include <filesystem>
#include <fstream>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/attention/positions.hpp"
#include "core/attention/run_stage.hpp"
#include "core/compare.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/import/layer_tensors.hpp"
#include "core/samples.hpp"
#include "core/transformer/positions/alibi.hpp"
#include "core/transformer/positions/relative_buckets.hpp"

namespace attnscope::torch_vectors_test {
namespace {

using compare::difference;
using compare::in_double;
using nlohmann::json;

/// In double both sides round some dozen products of size one: far below the required 1e-10. In float 1e-5.
constexpr double double_tolerance = 1e-12;
constexpr double float_tolerance = 1e-5;

std::filesystem::path shared_vectors() {
  return std::filesystem::path(ATTNSCOPE_SHARED) / "vectors" / "torch_mha";
}

json read_index() {
  std::ifstream stream(shared_vectors() / "index.json");
  return json::parse(stream);
}

template <class T>
TensorOf<T> load(const SafetensorsFile& file, const std::string& name) {
  INFO("tensor " << name);
  const TensorEntry* entry = file.find(name);
  REQUIRE(entry != nullptr);
  return to_tensor<T>(*entry, file.path());
}

/// The kinds of rotary positions in rope.safetensors, as index.json describes them.
std::vector<std::pair<std::string, RopeSettings>> rope_kinds() {
  const auto kind = [](double base, RopeScaling scaling, double factor, std::int64_t trained) {
    RopeSettings how;
    how.base = base;
    how.rotated = 16;
    how.scaling = scaling;
    how.factor = factor;
    how.trained_positions = trained;
    return how;
  };
  return {
      {"default", kind(1e4, RopeScaling::None, 1, 0)},  {"theta1e6", kind(1e6, RopeScaling::None, 1, 0)},
      {"linear", kind(1e4, RopeScaling::Linear, 4, 0)}, {"dynamic", kind(1e4, RopeScaling::Dynamic, 4, 32)},
      {"yarn", kind(1e4, RopeScaling::Yarn, 4, 16)},    {"llama3", kind(5e5, RopeScaling::Llama3, 8, 32)}};
}

template <class T>
void check_layer(const SafetensorsFile& file, const Document& document, double tolerance) {
  ThreadPool pool(2);
  const Work work{pool, {}};
  const Sources<T> sources = layer_sources<T>(file, document);
  const TraceOf<T> trace = run_stages(work, document, sources);
  CHECK(difference(*trace[Stage::Output], in_double(load<double>(file, "out")), tolerance) == "");
  CHECK(difference(*trace[Stage::Softmax], in_double(load<double>(file, "attn_weights")), tolerance) == "");
  std::size_t gradients = 0;
  for (const auto& [name, tensor] : named_gradients(file, backward(work, document, sources, trace))) {
    INFO("gradient " << name);
    CHECK(tensor->shape() == load<double>(file, name).shape());
    CHECK(difference(*tensor, in_double(load<double>(file, name)), tolerance) == "");
    ++gradients;
  }
  std::size_t expected = 0;  // every gradient of the file was compared
  for (const TensorEntry& entry : file.tensors())
    expected += entry.name.starts_with("d_") || entry.name.starts_with("dW") || entry.name.starts_with("db");
  CHECK(gradients == expected);
}

/// attn_mask of scaled_dot_product_attention, true = attend, as numbers to add.
TensorPtrOf<double> additive_of(const SafetensorsFile& file, const Shape& q, const Shape& k) {
  const TensorEntry* entry = file.find("attn_mask");
  if (entry == nullptr) return nullptr;
  const TensorOf<double> mask = to_tensor<double>(*entry, file.path());
  auto added = std::make_shared<TensorOf<double>>(Shape{q[0], q[1], q[2], k[2]});
  const std::int64_t cells = q[2] * k[2];
  for (std::int64_t block = 0; block < q[0] * q[1]; ++block) {
    std::int64_t from = 0;
    if (mask.shape().rank() == 3) from = block % q[1] % mask.shape()[0];
    if (mask.shape().rank() == 4)
      from = (block / q[1] % mask.shape()[0]) * mask.shape()[1] + block % q[1] % mask.shape()[1];
    for (std::int64_t i = 0; i < cells; ++i) {
      const double value = mask.data()[from * cells + i];
      const double hidden = value == 0 ? -std::numeric_limits<double>::infinity() : 0;
      added->data()[block * cells + i] = entry->dtype == DType::Bool ? hidden : value;
    }
  }
  return added;
}

TensorPtr narrowed(const TensorPtrOf<double>& tensor) {
  if (!tensor) return nullptr;
  return std::make_shared<const Tensor>(tensor->shape(),
                                        std::vector<float>(tensor->values().begin(), tensor->values().end()));
}

TensorPtrOf<double> shared(TensorOf<double> tensor) {
  return std::make_shared<const TensorOf<double>>(std::move(tensor));
}

/// The gradient of Y arrives per head; C is the heads side by side.
TensorOf<double> concatenated(const TensorOf<double>& heads) {
  const Shape& s = heads.shape();
  TensorOf<double> joined(Shape{s[0], s[2], s[1] * s[3]});
  for (std::int64_t b = 0; b < s[0]; ++b)
    for (std::int64_t h = 0; h < s[1]; ++h) joined.matrix(b).middleCols(h * s[3], s[3]) = heads.matrix(b, h);
  return joined;
}

}  // namespace

TEST_CASE("Multi-head attention and its gradients agree with PyTorch's, shared vectors", "[torch]") {
  if (!std::filesystem::exists(shared_vectors())) SKIP("no folder " << shared_vectors().string());
  const json index = read_index();
  int cases = 0;
  for (const auto& [name, settings] : index.items()) {
    if (!name.starts_with("mha_")) continue;
    INFO("case " << name);
    const SafetensorsFile file(shared_vectors() / (name + ".safetensors"));
    // The causal files have their mask as a tensor; their key "causal" only describes it.
    const Document document = document_from_layer(
        file, {settings.at("heads").get<int>(), false, settings.at("add_zero_attn").get<bool>()});
    check_layer<double>(file, document, double_tolerance);
    check_layer<float>(file, document, float_tolerance);
    if (settings.at("causal").get<bool>()) {
      const Document causal = document_from_layer(file, {settings.at("heads").get<int>(), true, false});
      check_layer<double>(file, causal, double_tolerance);
    }
    ++cases;
  }
  CHECK(cases == 13);
}

TEST_CASE("Scaled dot-product attention and its gradients agree with PyTorch's, shared vectors", "[torch]") {
  if (!std::filesystem::exists(shared_vectors())) SKIP("no folder " << shared_vectors().string());
  const json index = read_index();
  int cases = 0;
  for (const auto& [name, settings] : index.items()) {
    if (!name.starts_with("sdpa_")) continue;
    INFO("case " << name);
    const SafetensorsFile file(shared_vectors() / (name + ".safetensors"));
    Sources<double> sources;
    sources.query = shared(load<double>(file, "q"));
    sources.key = shared(load<double>(file, "k"));
    sources.value = shared(load<double>(file, "v"));
    sources.additive = additive_of(file, sources.query->shape(), sources.key->shape());
    sources.loss = shared(concatenated(load<double>(file, "grad_out")));
    Document document =
        samples::given_document(narrowed(sources.query), narrowed(sources.key), narrowed(sources.value));
    document.layer().masking.causal = settings.at("args").value("is_causal", false);
    document.layer().masking.additive = narrowed(sources.additive);
    document.loss = {Loss::Kind::Sum, narrowed(sources.loss)};
    double tolerance = double_tolerance;
    if (settings.at("args").contains("scale")) {
      document.layer().scaling = {Scaling::Kind::Factor, settings.at("args").at("scale").get<float>()};
      tolerance = 1e-8;  // a Document keeps its factor in float
    }
    ThreadPool pool(2);
    const Work work{pool, {}};
    const TraceOf<double> trace = run_stages(work, document, sources);
    const GradientsOf<double> gradients = backward(work, document, sources, trace);
    CHECK(difference(*trace[Stage::Mix], in_double(load<double>(file, "out")), tolerance) == "");
    CHECK(difference(*gradients.query, in_double(load<double>(file, "dq")), tolerance) == "");
    CHECK(difference(*gradients.key, in_double(load<double>(file, "dk")), tolerance) == "");
    CHECK(difference(*gradients.value, in_double(load<double>(file, "dv")), tolerance) == "");
    const ResultPtr result = Pipeline(make_cpu_backend(2)).run(document);
    CHECK(difference(*result->layer().trace[Stage::Mix], in_double(load<double>(file, "out")),
                     float_tolerance) == "");
    CHECK(difference(*result->layer().gradients->query, in_double(load<double>(file, "dq")),
                     float_tolerance) == "");
    CHECK(difference(*result->layer().gradients->key, in_double(load<double>(file, "dk")), float_tolerance) ==
          "");
    CHECK(difference(*result->layer().gradients->value, in_double(load<double>(file, "dv")),
                     float_tolerance) == "");
    ++cases;
  }
  CHECK(cases == 10);
}

TEST_CASE("Positions agree with the models' own code, shared vectors", "[torch]") {
  if (!std::filesystem::exists(shared_vectors())) SKIP("no folder " << shared_vectors().string());
  const SafetensorsFile t5(shared_vectors() / "t5_buckets.safetensors");
  const TensorOf<double> distances = load<double>(t5, "relative_position");
  for (const bool two_sided : {true, false}) {
    for (const auto& [buckets, distance] : {std::pair{32, 128}, std::pair{8, 16}}) {
      const TensorOf<double> expected = load<double>(
          t5, fmt::format("bucket.{}.{}.{}", two_sided ? "bidirectional" : "causal", buckets, distance));
      for (std::size_t i = 0; i < expected.values().size(); ++i) {
        const auto found =
            relative_bucket(static_cast<std::int64_t>(distances.values()[i]), buckets, distance, two_sided);
        if (static_cast<double>(found) != expected.values()[i]) FAIL("distance " << distances.values()[i]);
      }
    }
  }
  const SafetensorsFile alibi(shared_vectors() / "alibi.safetensors");
  for (const TensorEntry& entry : alibi.tensors()) {
    if (!entry.name.starts_with("slopes.")) continue;
    INFO(entry.name);
    const std::vector<double> slopes = alibi_slopes(entry.shape[0]);
    CHECK(difference(std::span<const double>(slopes), in_double(to_tensor<double>(entry, alibi.path())),
                     1e-7) == "");
  }
  const SafetensorsFile rope(shared_vectors() / "rope.safetensors");
  ThreadPool pool(1);
  for (const auto& [kind, how] : rope_kinds()) {
    INFO("rotary positions, " << kind);
    const std::int64_t first = 0;
    for (const std::string which : {"q", "k"}) {
      const TensorOf<double> x = load<double>(rope, which);
      const Rotation<double> rotation =
          rotation_at<double>({&first, 1}, x.shape()[2], how, Positions::RopeHalf, x.shape()[2]);
      const TensorOf<double> turned = rotate(Work{pool, {}}, x, rotation);
      // The model computes angles of up to 39 radians in float.
      CHECK(difference(turned, in_double(load<double>(rope, std::string(kind) + "." + which + "_rot")),
                       1e-5) == "");
    }
  }
}

}  // namespace attnscope::torch_vectors_test
