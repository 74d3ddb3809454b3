// core/document: names of the values of enumerations: in document files and on the command line, on a
// control, and in a list of differences. One list for each enumeration, in the order of its enumerators;
// those of Positions stand in core/transformer/positions.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/document/document.hpp"

namespace attnscope {

struct EnumName {
  std::string_view key;         // in files and on the command line
  std::string_view label = {};  // on a control; empty if the control has its own words
  std::string_view words = {};  // in a list of differences between two Documents
};

/// EnumNames<E>::list holds a row for each enumerator up to EnumNames<E>::last.
template <class E>
struct EnumNames;
#define ATTNSCOPE_ENUM_NAMES(E, last_one, ...)                           \
  template <>                                                            \
  struct EnumNames<E> {                                                  \
    static constexpr auto list = std::to_array<EnumName>(__VA_ARGS__);   \
    static_assert(list.size() == static_cast<std::size_t>(last_one) + 1, \
                  "a name for each enumerator of " #E);                  \
  }
ATTNSCOPE_ENUM_NAMES(GivenTensors, GivenTensors::Weights, {{"query-key-value"}, {"query-key"}, {"weights"}});
ATTNSCOPE_ENUM_NAMES(Embedding, Embedding::HandBuilt,
                     {{"gaussian", {}, "Gaussian X"}, {"hand-built", {}, "hand-built X"}});
ATTNSCOPE_ENUM_NAMES(Recipe, Recipe::Given, {{"random"}, {"hand-built"}, {"given"}});
ATTNSCOPE_ENUM_NAMES(Initialiser, Initialiser::Linear,
                     {{"xavier", {}, "Xavier"},
                      {"normal", {}, "normal"},
                      {"identity", {}, "identity"},
                      {"orthogonal", {}, "orthogonal"},
                      {"linear", {}, "nn.Linear"}});
ATTNSCOPE_ENUM_NAMES(Projection, Projection::Output, {{"query"}, {"key"}, {"value"}, {"output"}});
ATTNSCOPE_ENUM_NAMES(RopeScaling, RopeScaling::LongRope,
                     {{"none", "None", "RoPE not scaled"},
                      {"linear", "Linear", "linear RoPE"},
                      {"dynamic", "Dynamic NTK", "dynamic RoPE"},
                      {"yarn", "YaRN", "YaRN"},
                      {"llama3", "Llama 3", "Llama 3 RoPE"},
                      {"longrope", "LongRoPE", "LongRoPE"}});
ATTNSCOPE_ENUM_NAMES(QkNorm::Kind, QkNorm::Kind::AllHeads,
                     {{"none", "Off", "no QK-norm"},
                      {"rms", "RMS", "QK RMSNorm"},
                      {"layer", "LN", "QK LayerNorm"},
                      {"rms-all-heads", "RMS all", "QK RMSNorm over all heads"}});
ATTNSCOPE_ENUM_NAMES(Arrangement, Arrangement::After,
                     {{"none", "None", "no block"},
                      {"pre-norm", "Pre-norm", "pre-norm block"},
                      {"post-norm", "Post-norm", "post-norm block"},
                      {"sandwich", "Sandwich", "sandwich block"},
                      {"parallel", "Parallel", "parallel block"},
                      {"after", "After", "block with norms behind"}});
ATTNSCOPE_ENUM_NAMES(NormKind, NormKind::None,
                     {{"layer", "LN", "LayerNorm"},
                      {"rms", "RMS", "RMSNorm"},
                      {"rms-one-plus", "RMS 1+w", "RMSNorm (1 + w)"},
                      {"none", "Off", "no norm"}});
ATTNSCOPE_ENUM_NAMES(Activation, Activation::Tanh,
                     {{"identity", "None", "no activation"},
                      {"gelu", "GELU", "GELU"},
                      {"gelu-tanh", "GELU tanh", "GELU (tanh)"},
                      {"gelu-sigmoid", "GELU σ", "GELU (sigmoid)"},
                      {"relu", "ReLU", "ReLU"},
                      {"relu2", "ReLU²", "ReLU²"},
                      {"silu", "SiLU", "SiLU"},
                      {"tanh", "tanh", "tanh"}});
ATTNSCOPE_ENUM_NAMES(Sparsity::Kind, Sparsity::Kind::Windows,
                     {{"none"}, {"strided"}, {"blocks"}, {"lsh"}, {"windows"}});
ATTNSCOPE_ENUM_NAMES(Masking::Hidden, Masking::Hidden::LeastFinite,
                     {{"-inf", "−∞", "hidden −∞"},
                      {"-1e9", "−1e9", "hidden −1e9"},
                      {"added -1e9", "+ −1e9", "hidden + −1e9"},
                      {"finfo.min", "min", "hidden finfo.min"}});
ATTNSCOPE_ENUM_NAMES(MaskMistake, MaskMistake::WrongAxis,
                     {{"none", {}, "no mistake"},
                      {"diagonal", {}, "diagonal hidden"},
                      {"after-softmax", {}, "masked too late"},
                      {"transposed", {}, "mask transposed"},
                      {"wrong-axis", {}, "padding on rows"}});
ATTNSCOPE_ENUM_NAMES(Intervention::Kind, Intervention::Kind::Mean,
                     {{"none", {}, "own"},
                      {"mute", {}, "ablated"},
                      {"uniform", {}, "uniform"},
                      {"previous-token", {}, "previous token"},
                      {"identity", {}, "identity"},
                      {"first-token", {}, "first token"},
                      {"frozen", {}, "frozen"},
                      {"mean", {}, "mean"}});
ATTNSCOPE_ENUM_NAMES(SoftmaxKind, SoftmaxKind::Naive,
                     {{"stable", "Stable", "stable softmax"}, {"naive", "Naive", "naive softmax"}});
ATTNSCOPE_ENUM_NAMES(EmptyRow, EmptyRow::Uniform,
                     {{"zeros", "0", "no key: zeros"},
                      {"nan", "NaN", "no key: NaN"},
                      {"uniform", "1/n", "no key: uniform"}});
ATTNSCOPE_ENUM_NAMES(Precision, Precision::Float16,
                     {{"fp32", "fp32", "fp32"}, {"bf16", "bf16", "bf16"}, {"fp16", "fp16", "fp16"}});
ATTNSCOPE_ENUM_NAMES(Loss::Kind, Loss::Kind::MeanSquared,
                     {{"off", "Off", "no loss"}, {"sum", "Sum", "loss Σ"}, {"mse", "Mean sq.", "loss mse"}});
#undef ATTNSCOPE_ENUM_NAMES
template <>
struct EnumNames<Positions> {
  static constexpr auto list = [] {
    std::array<EnumName, position_schemes.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i)
      names[i] = {position_schemes[i].key, position_schemes[i].label, position_schemes[i].words};
    return names;
  }();
};

template <class E>
constexpr const EnumName& enum_name(E value) {
  return EnumNames<E>::list[static_cast<std::size_t>(value)];
}

/// One column of the list: enum_column<Precision>(&EnumName::label).
template <class E>
constexpr auto enum_column(std::string_view EnumName::*column) {
  std::array<std::string_view, EnumNames<E>::list.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = EnumNames<E>::list[i].*column;
  return all;
}

/// The enumerator with this key; nullopt if there is none.
template <class E>
std::optional<E> enum_from(std::string_view key) {
  const auto& list = EnumNames<E>::list;
  const auto found =
      std::find_if(list.begin(), list.end(), [key](const EnumName& name) { return name.key == key; });
  if (found == list.end()) return std::nullopt;
  return static_cast<E>(found - list.begin());
}

/// "fp32, bf16 or fp16"
template <class E>
std::string enum_choices() {
  std::string all;
  const auto& list = EnumNames<E>::list;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) all += i + 1 == list.size() ? " or " : ", ";
    all += list[i].key;
  }
  return all;
}

}  // namespace attnscope
