// Against what PyTorch computes: the committed goldens (see goldens/make_goldens.py) and, where they lie
// beside the checkout, the larger set of shared vectors, whose matrices are y = x·Wᵀ + b and whose masks are
// PyTorch's.
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/compare.hpp"
#include "core/files/safetensors.hpp"
#include "core/samples.hpp"
#include "core/stages/projections.hpp"
#include "core/stages/scores.hpp"
#include "core/stages/softmax.hpp"

namespace attnscope {
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

/// How the tensors of a file of torch.nn.MultiheadAttention are called, and whether its matrices are y =
/// x·Wᵀ.
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
  std::vector<std::int64_t> lengths;  // through the padding of sentences, when not empty
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
    for (const std::int64_t length : masks.lengths)
      document.input.sequences.push_back(samples::sentence(length));
    document.input.padded_length = static_cast<int>(from.k.shape()[2]);
  }
  document.masking = {.causal = masks.causal, .padding = !masks.lengths.empty(), .additive = masks.additive};
  return MaskRule(document);
}

template <class T>
TensorOf<T> weights_of(const Work& work, const QueryKeyValue<T>& from, const Masks& masks,
                       std::optional<double> factor) {
  const double by = factor ? *factor : scale_factor({}, from.q.shape()[3]);
  return softmax(work, mask(work, scale(work, score(work, from.q, from.k), by), rule_for(masks, from)), T{1});
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
  const TensorOf<T> y = output(work, concat(work, mix(work, weights, from.v)), matrix_of<T>(file, names, "o"),
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

/// Hidden keys of PyTorch's masks as an additive tensor [1 or batch][1 or heads][queries][keys]; null when
/// the file has none. `true_hides`: torch.nn.MultiheadAttention; the functional form means the opposite.
TensorPtr additive_of(const SafetensorsFile& file, bool true_hides, const Shape& scores) {
  if (file.find("attn_mask") == nullptr && file.find("key_padding_mask") == nullptr) return nullptr;
  auto additive = std::make_shared<Tensor>(scores);
  const std::int64_t batch = scores[0], heads = scores[1], queries = scores[2], keys = scores[3];
  if (const TensorEntry* entry = file.find("attn_mask")) {
    const Tensor mask = to_tensor<float>(*entry, file.path());
    const std::int64_t rank = mask.shape().rank();
    const std::int64_t mask_heads = rank >= 3 ? mask.shape()[static_cast<int>(rank - 3)] : 1;
    const std::int64_t mask_batch = rank >= 4 ? mask.shape()[0] : 1;
    for (std::int64_t i = 0; i < additive->size(); ++i) {
      const std::int64_t b = i / (heads * queries * keys) % mask_batch;
      const std::int64_t h = i / (queries * keys) % heads % mask_heads;
      const std::int64_t cell = (b * mask_heads + h) * queries * keys + i % (queries * keys);
      const float value = mask.values()[static_cast<std::size_t>(cell)];
      const bool hides = (value != 0.0f) == true_hides;
      additive->values()[static_cast<std::size_t>(i)] =
          entry->dtype != DType::Bool ? value : (hides ? -infinity : 0.0f);
    }
  }
  if (const TensorEntry* entry = file.find("key_padding_mask")) {
    const Tensor hidden = to_tensor<float>(*entry, file.path());  // [batch][keys], true hides
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t key = 0; key < keys; ++key)
          if (hidden.matrix()(b, key) != 0.0f) additive->matrix(b, h).col(key).setConstant(-infinity);
  }
  return additive;
}

std::filesystem::path shared_vectors() {
  return std::filesystem::path(ATTNSCOPE_SHARED) / "vectors" / "torch_mha";
}

}  // namespace

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

TEST_CASE("Multi-head attention agrees with PyTorch's, shared vectors") {
  if (!std::filesystem::exists(shared_vectors())) SKIP("no folder " << shared_vectors().string());
  const json index = read_index(shared_vectors());
  for (const std::string name :
       {"mha_plain", "mha_no_bias", "mha_one_head", "mha_twelve_heads", "mha_causal", "mha_key_padding",
        "mha_causal_key_padding", "mha_bool_mask", "mha_float_mask", "mha_cross", "mha_seq1"}) {
    INFO("case " << name);
    const SafetensorsFile file(shared_vectors() / (name + ".safetensors"));
    const bool is_cross = file.find("key") != nullptr;
    const Names names{"query", is_cross ? "key" : "query", is_cross ? "value" : "query", "W_", true};
    Masks masks;
    masks.additive = additive_of(file, true, load<double>(file, "attn_weights").shape());
    const double tolerance = name == "mha_float_mask" ? float_mask_tolerance : double_tolerance;
    const auto heads = index.at(name).at("heads").get<std::int64_t>();
    check_multi_head<double>(file, names, "attn_weights", heads, masks, tolerance);
    check_multi_head<float>(file, names, "attn_weights", heads, masks, float_tolerance);
  }
}

TEST_CASE("Scaled dot-product attention agrees with PyTorch's, shared vectors") {
  if (!std::filesystem::exists(shared_vectors())) SKIP("no folder " << shared_vectors().string());
  const json index = read_index(shared_vectors());
  for (const std::string name :
       {"sdpa_plain", "sdpa_causal", "sdpa_causal_L3_S7", "sdpa_bool_mask", "sdpa_float_mask",
        "sdpa_dead_row", "sdpa_gqa_4_2", "sdpa_mqa_4_1_causal", "sdpa_scale", "sdpa_scale_one"}) {
    INFO("case " << name);
    const SafetensorsFile file(shared_vectors() / (name + ".safetensors"));
    const json& args = index.at(name).at("args");
    const Shape q = load<double>(file, "q").shape(), k = load<double>(file, "k").shape();
    Masks masks;
    masks.causal = args.value("is_causal", false);
    masks.additive = additive_of(file, false, Shape{q[0], q[1], q[2], k[2]});
    std::optional<double> factor;
    if (args.contains("scale")) factor = args.at("scale").get<double>();
    const double tolerance = name == "sdpa_float_mask" ? float_mask_tolerance : double_tolerance;
    check_dot_product<double>(file, masks, factor, tolerance);
    check_dot_product<float>(file, masks, factor, float_tolerance);
  }
}

}  // namespace attnscope
