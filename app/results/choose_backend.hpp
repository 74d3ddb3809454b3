// app/results: selects the backend.
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

/// The option --backend; Auto is CUDA if it works, else the CPU.
enum class BackendPreference : std::uint8_t { Auto, Cpu, Cuda };
/// "auto", "cpu", "cuda"; empty for anything else.
std::optional<BackendPreference> backend_preference_named(std::string_view);

/// One segment of the switch. Several threads may call its backend.
struct BackendChoice {
  std::string name;                  // "CPU", "CUDA"
  std::shared_ptr<Backend> backend;  // null: this machine or build does not have it
  std::string why_not;               // the reason, as a sentence
  /// A second backend on the same machine, for what is looked at while the first computes; null: the CPU is
  /// used.
  std::shared_ptr<Backend> beside = {};
  /// Makes the matrix products of models; empty: the CPU computes them.
  MakeRowOperators rows = {};
};

/// The CPU, which always exists and replaces missing ones, then CUDA. Without `with_cuda` no graphics card is
/// touched. All compute with the pool.
std::vector<BackendChoice> list_backends(bool with_cuda = true, const SharedPool& pool = {});

/// The preferred choice. Throws Error with the reason if it does not work here.
const BackendChoice& chosen_backend(const std::vector<BackendChoice>&, BackendPreference);

}  // namespace attnscope
