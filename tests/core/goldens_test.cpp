// Against PyTorch's results: the committed goldens (see goldens/make_goldens.py).
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/attention/mix.hpp"
#include "core/attention/projections.hpp"
#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"
#include "core/attention/softmax.hpp"
#include "core/base/dense.hpp"
#include "core/compare.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/samples.hpp"

namespace attnscope::goldens_test {
namespace {

using compare::difference;
using compare::in_double;
using nlohmann::json;
constexpr float infinity = std::numeric_limits<float>::infinity();

template <class T>
TensorOf<T> load(const SafetensorsFile& file, const std::string& name) {
  INFO("tensor " << name);
  const TensorEntry* entry = file.find(name);
  REQUIRE(entry != nullptr);
  return to_tensor<T>(*entry, file.path());
}

template <class T>
TensorOf<T> transposed(const TensorOf<T>& matrix) {
  TensorOf<T> turned(Shape{matrix.shape()[1], matrix.shape()[0]});
  turned.matrix() = matrix.matrix().transpose();
  return turned;
}

template <class T>
struct QueryKeyValue {
  TensorOf<T> q, k, v;
};

/// The names of the tensors in a file of torch.nn.MultiheadAttention, and whether its matrices are y = x·Wᵀ.
struct Names {
  std::string x, key, value, matrix;
  bool transposed;
};

template <class T>
std::optional<TensorOf<T>> bias_of(const SafetensorsFile& file, const std::string& which) {
  if (file.find("b_" + which) == nullptr) return std::nullopt;
  return load<T>(file, "b_" + which);
}

template <class T>
TensorOf<T> matrix_of(const SafetensorsFile& file, const Names& names, const std::string& which) {
  const auto stored = load<T>(file, names.matrix + which);
  return names.transposed ? transposed(stored) : stored;
}

template <class T>
QueryKeyValue<T> projected(const Work& work, const SafetensorsFile& file, const Names& names,
                           std::int64_t heads) {
  const auto one = [&](const std::string& input, const std::string& which) {
    const auto bias = bias_of<T>(file, which);
    return project(work, load<T>(file, input), matrix_of<T>(file, names, which), bias ? &*bias : nullptr,
                   heads);
  };
  return {one(names.x, "q"), one(names.key, "k"), one(names.value, "v")};
}

/// A Document whose mask rule is that of the golden; its tensors are only there for their sizes.
struct Masks {
  bool causal = false;
  std::vector<std::int64_t> lengths;  // the padding of sentences, when not empty
  TensorPtr additive;
};

template <class T>
MaskRule rule_for(const Masks& masks, const QueryKeyValue<T>& from) {
  Document document;
  if (masks.lengths.empty()) {
    document = samples::given_document(std::make_shared<const Tensor>(from.q.shape()),
                                       std::make_shared<const Tensor>(from.k.shape()),
                                       std::make_shared<const Tensor>(from.v.shape()));
  } else {
    samples::Random random(1);
    const int heads = static_cast<int>(from.q.shape()[1]);
    document = samples::text_document(random, masks.lengths, heads, heads);
    document.input.padded_length = static_cast<int>(from.k.shape()[2]);
  }
  document.layer().masking.causal = masks.causal;
  document.layer().masking.padding = !masks.lengths.empty();
  document.layer().masking.additive = masks.additive;
  return MaskRule(document);
}

template <class T>
TensorOf<T> weights_of(const Work& work, const QueryKeyValue<T>& from, const Masks& masks,
                       std::optional<double> factor) {
  const double by = factor ? *factor : scale_factor({}, from.q.shape()[3]);
  TensorPtrOf<T> additive;
  if (masks.additive) {
    additive = std::make_shared<const TensorOf<T>>(
        masks.additive->shape(),
        std::vector<T>(masks.additive->values().begin(), masks.additive->values().end()));
  }
  const TensorOf<T> scaled = scale(work, score(work, from.q, from.k), by);
  const TensorOf<T> masked =
      mask(work, scaled, static_cast<const TensorOf<T>*>(nullptr), additive, rule_for(masks, from));
  return softmax(work, SoftmaxKind::Stable, masked, T{1});
}

template <class T>
void check_multi_head(const SafetensorsFile& file, const Names& names, const std::string& weights_name,
                      std::int64_t heads, const Masks& masks, double tolerance) {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const QueryKeyValue<T> from = projected<T>(work, file, names, heads);
  const TensorOf<T> weights = weights_of(work, from, masks, std::nullopt);
  CHECK(difference(weights, in_double(load<double>(file, weights_name)), tolerance) == "");
  const auto bias = bias_of<T>(file, "o");
  const TensorOf<T> y = dense(work, concat(work, mix(work, weights, from.v)), matrix_of<T>(file, names, "o"),
                              bias ? &*bias : nullptr);
  CHECK(difference(y, in_double(load<double>(file, "out")), tolerance) == "");
}

template <class T>
void check_dot_product(const SafetensorsFile& file, const Masks& masks, std::optional<double> factor,
                       double tolerance) {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const QueryKeyValue<T> from{load<T>(file, "q"), load<T>(file, "k"), load<T>(file, "v")};
  const TensorOf<T> mixed = mix(work, weights_of(work, from, masks, factor), from.v);
  CHECK(difference(mixed, in_double(load<double>(file, "out")), tolerance) == "");
}

/// In double both sides round some dozen products of size one. In float the same a few hundred million times
/// coarser.
constexpr double double_tolerance = 1e-13;
constexpr double float_tolerance = 5e-6;
/// AttnScope keeps an additive mask in float; shared vectors hold one in double: 2^-24 of its values is lost.
constexpr double float_mask_tolerance = 1e-6;

json read_index(const std::filesystem::path& folder) {
  std::ifstream stream(folder / "index.json");
  return json::parse(stream);
}

}  // namespace

namespace {

/// The layer of a golden of make_position_goldens.py or make_latent_goldens.py; without an output matrix it
/// is the identity.
Document layer_of(const SafetensorsFile& file) {
  const auto tensor = [&](const std::string& name) {
    return std::make_shared<const Tensor>(load<float>(file, name));
  };
  Document document;
  document.input.change<Vectors>().query = tensor("x");
  LayerSpec& layer = document.layer();
  layer.heads = static_cast<int>(load<float>(file, "weights").shape()[1]);
  layer.d_model = static_cast<int>(load<float>(file, "x").shape()[2]);
  Weights& weights = layer.weights;
  weights.recipe = Recipe::Given;
  for (const auto& [which, name] : {std::pair{Projection::Query, "q"}, std::pair{Projection::Key, "k"},
                                    std::pair{Projection::Value, "v"}, std::pair{Projection::Output, "o"}}) {
    if (file.find(std::string("w_") + name) == nullptr) continue;
    weights[matrix_of(which)] = tensor(std::string("w_") + name);
    if (file.find(std::string("b_") + name) != nullptr)
      weights[bias_of(which)] = tensor(std::string("b_") + name);
  }
  if (!weights[Parameter::WOutput]) {
    Tensor same(Shape{layer.d_model, layer.d_model});
    same.matrix().setIdentity();
    weights[Parameter::WOutput] = std::make_shared<const Tensor>(std::move(same));
  }
  return document;
}

template <class T>
void check_layer(const SafetensorsFile& file, const Document& document, double tolerance) {
  ThreadPool pool(1);
  const TraceOf<T> trace = run_stages(Work{pool, {}}, document, sources_of<T>(document));
  CHECK(difference(*trace[Stage::Softmax], in_double(load<double>(file, "weights")), tolerance) == "");
  CHECK(difference(*trace[Stage::Output], in_double(load<double>(file, "out")), tolerance) == "");
}

}  // namespace

TEST_CASE("Relative positions of DeBERTa and Swin are those of transformers") {
  const std::filesystem::path folder = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens" / "positions";
  for (const std::string name : {"deberta", "deberta_c2p", "deberta_p2c", "swin", "swin_shifted"}) {
    INFO("case " << name);
    const SafetensorsFile file(folder / (name + ".safetensors"));
    Document document = layer_of(file);
    LayerSpec& layer = document.layer();
    if (name.starts_with("swin")) {
      layer.positions = Positions::RelativeWindows;
      layer.masking.sparsity = {.kind = Sparsity::Kind::Windows, .grid = 6, .side = 3};
      layer.masking.sparsity.shift = name == "swin" ? 0 : 1;
      layer.weights[Parameter::WindowBias] = std::make_shared<const Tensor>(load<float>(file, "window_bias"));
    } else {
      layer.positions = Positions::Disentangled;
      layer.position_settings.span = 3;
      layer.position_settings.content_to_position = name != "deberta_p2c";
      layer.position_settings.position_to_content = name != "deberta_c2p";
      layer.weights[Parameter::RelativeVectors] =
          std::make_shared<const Tensor>(load<float>(file, "relative_vectors"));
    }
    check_layer<double>(file, document, 1e-6);  // transformers' softmax is in float32 here
    check_layer<float>(file, document, 2e-5);
  }
}

TEST_CASE("Latent attention of DeepSeek-V2 is that of transformers") {
  const std::filesystem::path folder = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens" / "latent";
  for (const std::string name : {"deepseek", "deepseek_lite"}) {
    INFO("case " << name);
    const SafetensorsFile file(folder / (name + ".safetensors"));
    Document document = layer_of(file);
    LayerSpec& layer = document.layer();
    for (const auto& [which, tensor] :
         {std::pair{Parameter::WLatent, "w_latent"}, std::pair{Parameter::LatentNorm, "latent_norm"},
          std::pair{Parameter::WQueryLatent, "w_query_latent"},
          std::pair{Parameter::QueryLatentNorm, "query_latent_norm"}})
      if (file.find(tensor) != nullptr)
        layer.weights[which] = std::make_shared<const Tensor>(load<float>(file, tensor));
    layer.d_k = 8;
    layer.d_v = 3;
    layer.latent = {.width = 6, .shared = 4, .query_width = name == "deepseek" ? 5 : 0};
    layer.positions = Positions::RopeInterleaved;
    layer.masking.causal = true;
    check_layer<double>(file, document, 1e-6);  // norms, rotary positions and softmax are in float32 there
    check_layer<float>(file, document, 2e-5);
  }
}

TEST_CASE("Attention agrees with PyTorch's, committed goldens") {
  const std::filesystem::path folder = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens";
  const json index = read_index(folder);
  REQUIRE(index.at("cases").size() >= 17);
  const Names names{"x", "x", "x", "w_", false};
  const Names cross{"x", "memory", "memory", "w_", false};
  for (const auto& [name, settings] : index.at("cases").items()) {
    INFO("case " << name);
    const SafetensorsFile file(folder / (name + ".safetensors"));
    Masks masks;
    masks.causal = settings.at("causal").get<bool>();
    if (settings.at("kind") == "multi_head") {
      const auto heads = settings.at("heads").get<std::int64_t>();
      if (!settings.at("lengths").is_null())
        masks.lengths = settings.at("lengths").get<std::vector<std::int64_t>>();
      const Names& called = file.find("memory") == nullptr ? names : cross;
      check_multi_head<double>(file, called, "weights", heads, masks, double_tolerance);
      check_multi_head<float>(file, called, "weights", heads, masks, float_tolerance);
    } else {
      std::optional<double> factor;
      if (!settings.at("scale").is_null()) factor = settings.at("scale").get<double>();
      if (file.find("mask") != nullptr)
        masks.additive = std::make_shared<const Tensor>(load<float>(file, "mask"));
      check_dot_product<double>(file, masks, factor, double_tolerance);
      check_dot_product<float>(file, masks, factor, float_tolerance);
    }
  }
}

}  // namespace attnscope::goldens_test
