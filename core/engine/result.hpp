// core/engine: what was computed of a Document, immutable and shared: what views read and workers publish.
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

/// What a whole layer costs on a backend: milliseconds of every part when it was computed last, also where it
/// was kept in the last run.
struct WholeTimes {
  PerStage<double> stages;
  double measures = 0;  // of a long Document: its sweeps
  double gradients = 0;
  double total() const;
};

/// What one attention layer computed. It carries the Document it was computed from, so labels and numbers can
/// never disagree.
struct LayerResult {
  std::uint64_t ticket = 0;  // of the run, see Result
  std::uint64_t refinement = 0;
  Document document;  // that looks at this layer
  Dimensions dimensions;
  Trace trace;  // of a long Document: no stage that holds scores, and those after them once it is complete
  Measures measures;  // empty for a long Document
  /// overview_of() the weights of weights_stage(), for small pictures; null where those are at hand.
  TensorPtr overview;
  /// [batch], of a long Document (see is_long()): what is known of its weights; empty for others.
  std::vector<SurveyPtr> surveys;
  GradientsPtr gradients;                     // null unless the Document asks for a loss
  std::vector<HeadGradients> head_gradients;  // [heads], empty without gradients
  PerStage<double> milliseconds;              // per stage; 0 where the stage was kept
  WholeTimes whole;
  PerStage<std::uint64_t> made_in;  // run of the Pipeline that computed each tensor: tells tensors
                                    // apart where an address may have been used before
  Stages computed;                  // the stages whose tensor is another one than in the run before

  bool is_long() const { return !surveys.empty(); }
  bool is_complete() const { return surveys.empty() || surveys.back()->is_complete(); }
};
using LayerResultPtr = std::shared_ptr<const LayerResult>;

/// What one run computed: a LayerResult for each block, and what holds for all of them.
struct Result {
  std::uint64_t ticket = 0;
  std::uint64_t refinement = 0;  // of a long Document: counts the results of one ticket, from coarse to fine
  Document document;
  std::vector<LayerResultPtr> layers;  // by block; none when there is an error
  double total_milliseconds = 0;       // stages and measures
  std::string backend;
  std::string backend_note;  // why it is not the backend that was chosen, see LiveEngine, or not all of it is
                             // that one's work; empty when it is
  std::string error;         // one sentence; when it is not empty nothing was computed

  /// Of the block that the Document looks at; there must be no error.
  const LayerResult& layer() const { return *layers.at(document.looked_at); }
  /// Whether nothing more comes for its ticket.
  bool is_complete() const { return layers.empty() || layer().is_complete(); }
};
using ResultPtr = std::shared_ptr<const Result>;

}  // namespace attnscope
