// core/engine: a Document's attention as a problem of the streaming engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/document/document.hpp"
#include "core/document/trace.hpp"
#include "core/streaming/problem.hpp"

namespace attnscope {

/// A problem with the data that it points to. Moving keeps the problem valid; copying is disabled.
struct StreamedDocument {
  AttentionProblem problem;  // invalid unless `why_not` is empty
  std::string why_not;       // one sentence; empty if the problem is the Document's attention

  StreamedDocument() = default;
  StreamedDocument(StreamedDocument&&) = default;
  StreamedDocument& operator=(StreamedDocument&&) = default;
  explicit operator bool() const { return why_not.empty(); }

  TensorPtr query, key, value, added;  // shared with the Trace and the Document
  std::vector<std::uint8_t> allowed;
  std::vector<float> additive, distance_bias, sinks;
};

/// Sequence `batch` of a Document, from the stages RotateQuery, RotateKey and Value of `trace` (and Bucket
/// for LSH patterns); other stages are not read. Sparse patterns, masks with a mistake and keys that belong
/// to no token become a boolean mask of queries x keys, so a sequence with too many scores to keep is
/// refused. Not streamed, with the reason in `why_not`: linear attention, the naive softmax, dropout,
/// interventions, storage other than float32, a finite number for hidden keys, the mistake of masking after
/// the softmax, and rows without a key that are not to be zeros.
StreamedDocument make_problem(const Document&, const Trace& trace, std::int64_t batch);

}  // namespace attnscope
