// app/state/watch: a model on the disk beside a watched process: the offer to open it, and the result of the
// comparison.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace attnscope {

/// A model on the disk with the shapes of the watched one. Its weights may differ.
struct WatchOffer {
  std::filesystem::path path;  // the file or folder to open
  std::string name;            // printable
  std::string where;           // "Ollama"; empty: opened here before, or named by the process
  bool is_named = false;       // the process says that it loaded a model of this name, or of this path
  bool operator==(const WatchOffer&) const = default;
};

/// The difference of a layer between the opened and the watched model, for the same tokens.
struct JoinVerdict {
  /// OtherMask: the watched call masked keys that the model on the disk does not, such as padding.
  enum class Kind : std::uint8_t { Agrees, Differs, OtherMask };
  Kind kind = Kind::Differs;
  std::int64_t layer = 0, rows = 0, heads = 0;
  double largest = 0;  // |difference| of a weight
  double mean = 0;     // over rows: ½ Σ |difference|
};

}  // namespace attnscope
