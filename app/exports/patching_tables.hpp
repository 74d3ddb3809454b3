// app/exports: what patching heads from the clean text into the corrupted one brings back, as tables.
#pragma once

#include <stop_token>
#include <string>

#include "app/exports/split_tables.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

/// A line a head. The reading must have a patching; its numbers are of the model as it is.
std::string patched_heads_table(const ModelReading&, const ChangedModel&);
/// A line for each head and token. Throws Cancelled.
std::string patched_rows_table(const ModelReading&, const ChangedModel&, const std::stop_token&);

}  // namespace attnscope
