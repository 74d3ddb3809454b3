// tests: calls whose numbers are all equal, so that a mixture of two calls is noticed.
#pragma once

#include <optional>

#include "core/watch/watch_record.hpp"
#include "support/watch_writer.hpp"

namespace attnscope::test {

/// A call with this many queries, keys and values, all of its numbers `number`.
inline WatchRecordBytes call_of(float number, std::int64_t queries = 1) {
  Tensor q(Shape{1, 1, queries, 4});
  for (float& value : q.values()) value = number;
  const test::WatchBlob blob = watch_blob(q);
  return {watch_format::Call,
          {{"pass", 0}, {"layer", 0}, {"kind", "self"}, {"scale", 0.5}, {"causal", true}},
          {{"q", blob}, {"k", blob}, {"v", blob}}};
}

/// The one number of a call's queries, keys and values; empty if they are not all equal.
inline std::optional<float> number_of(const WatchRecord& record) {
  const auto& call = std::get<WatchedCall>(record.what);
  const float first = call.query->data()[0];
  for (const TensorPtr& tensor : {call.query, call.key, call.value})
    for (const float value : tensor->values())
      if (value != first) return std::nullopt;
  return first;
}

}  // namespace attnscope::test
