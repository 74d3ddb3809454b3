// tests/core: a block of a model as a Document and the run of the whole model, compared number by number.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/pipeline.hpp"
#include "core/models/opened/layer_changes.hpp"
#include "core/models/opened/layer_document.hpp"
#include "core/models/run_heads.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::layer_documents {

/// Committed models with the outputs of transformers.
inline const std::filesystem::path goldens = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models";

struct Machine {
  ThreadPool pool{2};
  Work work{pool, {}};
  Pipeline pipeline{make_cpu_backend(2)};
};

std::vector<AttentionOf> attentions_of(const ModelSpec&);

/// One attention of one block of a run.
struct Place {
  const Model& model;
  const ModelRun& run;
  AttentionOf of;
  std::size_t block;
};

/// Compares the layer's numbers with the run's, in CHECKs.
void compare_layer(const Place&, const Document&, Machine&);
/// Every attention of every block.
void compare_all(const Model&, const ModelRun&, Machine&);

/// The change that makes the block as `before` leaves it into `layer`; nothing if it cannot be one.
std::optional<ModelChanges> like_of(const BlockTensors&, const ModelChanges& before, const LayerSpec& layer,
                                    const RunSizes& = {9, 9});

/// A model of a family with an input; there is one for each arrangement.
struct Opened {
  test::TemporaryDirectory directory;
  ModelPtr model;
  ModelInput input;

  explicit Opened(const std::string& family);
};
inline const std::vector<std::string> arrangements{"gpt2",  "llama",    "qwen3", "gemma2",
                                                   "bloom", "gpt_neox", "bert",  "t5"};

}  // namespace attnscope::layer_documents
