// core/engine: the results of a Document, immutable and shared: workers publish them and views read them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/measures.hpp"
#include "core/attention/backward/gradients.hpp"
#include "core/document/document.hpp"
#include "core/document/trace.hpp"
#include "core/engine/survey.hpp"

namespace attnscope {

/// The time of a whole layer on a backend: milliseconds of every part when it was last computed, even if the
/// last run reused it.
struct WholeTimes {
  PerStage<double> stages;
  double measures = 0;  // of a long Document: its sweeps
  double gradients = 0;
  double total() const;
};

/// The result of one attention layer. It contains the Document it was computed from, so labels and numbers
/// always agree.
struct LayerResult {
  std::uint64_t ticket = 0;  // of the run, see Result
  std::uint64_t refinement = 0;
  Document document;  // whose `looked_at` is this layer
  Dimensions dimensions;
  Trace trace;        // of a long Document: no planes, and later stages only once it is complete
  Measures measures;  // empty for a long Document
  /// overview_of() the weights of weights_stage(), for small pictures; null if the weights are in main
  /// memory.
  TensorPtr overview;
  /// [batch], the surveys of a long Document (see is_long()); empty for others.
  std::vector<SurveyPtr> surveys;
  GradientsPtr gradients;                     // null unless the Document has a loss
  std::vector<HeadGradients> head_gradients;  // [heads], empty without gradients
  PerStage<double> milliseconds;              // per stage; 0 if the stage was reused
  WholeTimes whole;
  PerStage<std::uint64_t> made_in;  // run of the Pipeline that computed each tensor: tells tensors
                                    // apart where an address may have been used before
  Stages computed;                  // the stages whose tensor differs from that of the previous run

  bool is_long() const { return !surveys.empty(); }
  bool is_complete() const { return surveys.empty() || surveys.back()->is_complete(); }
};
using LayerResultPtr = std::shared_ptr<const LayerResult>;

/// The result of one run: a LayerResult for each block, and data of the whole run.
struct Result {
  std::uint64_t ticket = 0;
  std::uint64_t refinement = 0;  // long Documents: index within its ticket, from coarse to fine
  Document document;
  std::vector<LayerResultPtr> layers;  // by block; empty after an error
  double total_milliseconds = 0;       // stages and measures
  std::string backend;
  std::string backend_note;  // why it is not the backend that was chosen, see LiveEngine, or not all of it is
                             // that one's work; empty when it is
  std::string error;         // one sentence; if not empty, there are no layers

  /// The result of the block on screen; there must be no error.
  const LayerResult& layer() const { return *layers.at(document.looked_at); }
  /// Whether this is the last result of its ticket.
  bool is_complete() const { return layers.empty() || layer().is_complete(); }
};
using ResultPtr = std::shared_ptr<const Result>;

}  // namespace attnscope
