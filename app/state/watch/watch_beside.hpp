// app/state/watch: a model on the disk beside a watched process: what is offered, and what comparing it gave.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace attnscope {

/// A model that has the shapes of the watched one. That says nothing of its weights.
struct WatchOffer {
  std::filesystem::path path;  // to be opened
  std::string name;            // printable
  std::string where;           // "Ollama"; empty: opened here before, or named by the process
  bool is_named = false;       // the process says that it loaded a model of this name, or of this path
  bool operator==(const WatchOffer&) const = default;
};

/// How far a layer of the opened model is from the watched one, for the same tokens.
struct JoinVerdict {
  /// Another mask: the call hid keys that the model on the disk looks at, such as padding.
  enum class Kind : std::uint8_t { Agrees, Differs, OtherMask };
  Kind kind = Kind::Differs;
  std::int64_t layer = 0, rows = 0, heads = 0;
  double largest = 0;  // |difference| of a weight
  double mean = 0;     // over rows: ½ Σ |difference|
};

}  // namespace attnscope
