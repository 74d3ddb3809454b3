// tests/core: outputs of transformers for a model, in a file of goldens, and their comparison with a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/files/formats/safetensors.hpp"
#include "core/models/run_model.hpp"

namespace attnscope::transformers_goldens {

/// The tensors of one golden file below a prefix: "single.", "batch.", …
class Golden {
 public:
  Golden(const SafetensorsFile& file, std::string part) : file_(file), part_(std::move(part)) {}
  bool has(const std::string& name) const { return file_.find(part_ + name) != nullptr; }
  Tensor read(const std::string& name) const;
  /// Row b of whole numbers; empty where there is none.
  std::vector<std::int64_t> wholes(const std::string& name, std::int64_t b) const;

 private:
  const SafetensorsFile& file_;
  std::string part_;
};

/// Sequence b of the part's inputs.
ModelInput input_of(const Golden&, std::int64_t b);

/// Sequence b of a part.
struct Comparison {
  const Model& model;
  const ModelRun& run;
  const Golden& golden;
  std::int64_t b;
  const Work& work;
};

/// Attention weights within a tolerance; everything else within 1e-4 of the largest number of its kind. A
/// query that sees no key has the same weight at every key in transformers and none here: its rows are not
/// compared.
class Checks {
 public:
  Checks(const Comparison& of, double weights_tolerance) : of_(of), weights_tolerance_(weights_tolerance) {}
  /// Compares all that the golden has: attentions and hidden states of every block, logits, the pooler's
  /// output.
  void all();

 private:
  void attentions(AttentionOf, const std::string& name);
  void hidden(const StackRun&, const std::string& name);
  void rows(const KeptRows& found, const std::string& name) const;
  void pooled() const;
  void span() const;  // where an answer begins and ends

  Comparison of_;
  double weights_tolerance_;
  std::vector<std::uint8_t> skipped_rows_;  // of the input, where a query sees nothing
};

}  // namespace attnscope::transformers_goldens
