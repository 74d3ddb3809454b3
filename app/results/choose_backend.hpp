// app/results: which machine computes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/blocks/row_operators.hpp"
#include "core/engine/backend.hpp"

namespace attnscope {

/// What the command line asks for; Auto is CUDA where it works, else the CPU.
enum class BackendPreference : std::uint8_t { Auto, Cpu, Cuda };
/// "auto", "cpu", "cuda"; empty for anything else.
std::optional<BackendPreference> backend_preference_named(std::string_view);

/// One segment of the switch. Its backend may be called by several threads.
struct BackendChoice {
  std::string name;                  // "CPU", "CUDA"
  std::shared_ptr<Backend> backend;  // null: this machine or build does not have it,
  std::string why_not;               // and why, as a sentence
  /// Another on the same machine, for what is looked at while the first computes; null: the CPU does that.
  std::shared_ptr<Backend> beside = {};
  /// What runs models with it; empty: the CPU does.
  MakeRowOperators rows = {};
};

/// The CPU, which is always there and stands in for the others, then CUDA. Nothing is asked of a graphics
/// card without `with_cuda`. All compute with the pool.
std::vector<BackendChoice> list_backends(bool with_cuda = true, const SharedPool& pool = {});

/// The one that is preferred. Throws Error with the reason when it is not there.
const BackendChoice& chosen_backend(const std::vector<BackendChoice>&, BackendPreference);

}  // namespace attnscope
