// core/files: how settings with a few named values are called in documents. The place of a name is its
// enumerator.
#pragma once

#include <array>
#include <string_view>

namespace attnscope::names {

using Name = std::string_view;
inline constexpr std::array<Name, 3> holds{"query-key-value", "query-key", "weights"};
inline constexpr std::array<Name, 2> embedding{"gaussian", "hand-built"};
inline constexpr std::array<Name, 3> recipe{"random", "hand-built", "given"};
inline constexpr std::array<Name, 5> initialiser{"xavier", "normal", "identity", "orthogonal", "linear"};
inline constexpr std::array<Name, 4> projection{"query", "key", "value", "output"};
inline constexpr std::array<Name, 7> positions{"none",  "sinusoidal", "learned",         "buckets",
                                               "alibi", "rope-half",  "rope-interleaved"};
inline constexpr std::array<Name, 4> sparsity{"none", "strided", "blocks", "lsh"};
inline constexpr std::array<Name, 3> hidden{"-inf", "-1e9", "added -1e9"};
inline constexpr std::array<Name, 5> mistake{"none", "diagonal", "after-softmax", "transposed", "wrong-axis"};
inline constexpr std::array<Name, 7> surgery{"none",     "mute",        "uniform", "previous-token",
                                             "identity", "first-token", "frozen"};
inline constexpr std::array<Name, 2> softmax{"stable", "naive"};
inline constexpr std::array<Name, 3> empty_row{"zeros", "nan", "uniform"};
inline constexpr std::array<Name, 3> precision{"fp32", "bf16", "fp16"};
inline constexpr std::array<Name, 3> loss{"off", "sum", "mse"};

}  // namespace attnscope::names
