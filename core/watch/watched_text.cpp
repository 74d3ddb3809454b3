#include "core/watch/watched_text.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/watch/watched_labels.hpp"

namespace attnscope {
namespace {

bool has_same_numbers(const TensorPtr& a, const TensorPtr& b) {
  if (a == b) return true;
  if (!a || !b || !(a->shape() == b->shape())) return false;
  return std::memcmp(a->data(), b->data(), static_cast<std::size_t>(a->size()) * sizeof(float)) == 0;
}

/// A new layer without rows.
WatchedLayer empty_layer(const WatchedCall& call) {
  WatchedLayer layer;
  layer.index = call.layer;
  layer.name = call.name;
  layer.kind = call.kind;
  layer.batch = call.batch();
  layer.sequences = call.sequences;
  layer.sequence = call.sequence;
  layer.heads = call.heads();
  layer.kv_heads = call.key->shape()[1];
  layer.d_k = call.query->shape()[3];
  layer.d_v = call.value->shape()[3];
  layer.scale = call.scale;
  layer.soft_cap = call.soft_cap;
  layer.window = call.window;
  layer.sinks = call.sinks;
  layer.query = GrowingRows(layer.batch * layer.heads, layer.d_k);
  layer.key = GrowingRows(layer.batch * layer.kv_heads, layer.d_k);
  layer.value = GrowingRows(layer.batch * layer.kv_heads, layer.d_v);
  return layer;
}

/// Whether the call continues the layer: same kind, sizes and settings.
bool is_of(const WatchedCall& call, const WatchedLayer& layer) {
  return call.kind == layer.kind && call.batch() == layer.batch && call.sequences == layer.sequences &&
         call.sequence == layer.sequence && call.heads() == layer.heads &&
         call.key->shape()[1] == layer.kv_heads && call.query->shape()[3] == layer.d_k &&
         call.value->shape()[3] == layer.d_v && call.scale == layer.scale &&
         call.soft_cap == layer.soft_cap && call.window == layer.window &&
         has_same_numbers(call.sinks, layer.sinks);
}

/// Whether `all` begins with the known keys or values, bit by bit.
bool begins_with(const Tensor& all, const GrowingRows& there) {
  const std::int64_t rows = all.shape()[2], width = all.shape()[3];
  if (rows < there.rows()) return false;
  const auto bytes = static_cast<std::size_t>(there.rows() * width) * sizeof(float);
  for (std::int64_t h = 0; h < there.heads(); ++h)
    if (std::memcmp(all.data() + h * rows * width, there.row(h, 0), bytes) != 0) return false;
  return true;
}

/// The last `count` rows of [batch][heads][rows][width].
Tensor last_rows(const Tensor& all, std::int64_t count) {
  const Shape& s = all.shape();
  Tensor last(Shape{s[0], s[1], count, s[3]});
  for (std::int64_t h = 0; h < s[0] * s[1]; ++h)
    std::copy_n(all.data() + ((h + 1) * s[2] - count) * s[3], count * s[3], last.data() + h * count * s[3]);
  return last;
}

/// Adds keys and values; false if the keys before them are not known.
bool add_keys(WatchedLayer& layer, const WatchedCall& call) {
  if (call.keys_from != 0 && call.keys_from != layer.keys()) return false;
  if (call.keys_from == layer.keys()) {
    layer.key.append(*call.key);
    layer.value.append(*call.value);
    return true;
  }
  if (begins_with(*call.key, layer.key) && begins_with(*call.value, layer.value)) {
    const std::int64_t added = call.keys() - layer.keys();
    layer.key.append(last_rows(*call.key, added));
    layer.value.append(last_rows(*call.value, added));
    return true;
  }
  layer = empty_layer(call);  // another text
  return add_keys(layer, call);
}

void add_rows(WatchedLayer& layer, const WatchedCall& call, std::int64_t first) {
  if (!layer.calls.empty() && layer.calls.back().first + layer.calls.back().count > first) {
    layer.calls.clear();  // these rows were sent again
    layer.query = GrowingRows(layer.query.heads(), layer.d_k);
  }
  layer.calls.push_back(
      {call.pass, first, call.queries(), layer.rows(), call.keys(), call.causal, call.mask, call.bias});
  layer.query.append(*call.query);
  layer.output = call.output;
}

std::uint64_t bytes_of(const TensorPtr& mask) {
  return static_cast<std::uint64_t>(mask->size()) * sizeof(float);
}

/// Layers often have the same mask: equal masks are kept once.
void share_masks(std::vector<WatchedCall>& calls) {
  TensorPtr WatchedCall::*const parts[] = {&WatchedCall::mask, &WatchedCall::bias};
  for (TensorPtr WatchedCall::*const part : parts) {
    TensorPtr last;
    for (WatchedCall& call : calls) {
      if (has_same_numbers(call.*part, last)) call.*part = last;
      if (call.*part) last = call.*part;
    }
  }
}

/// The first call with self-attention: the decoder's if there is one.
const WatchedCall* main_call(const std::vector<WatchedCall>& calls) {
  for (const WatchKind kind : {WatchKind::Self, WatchKind::Encoder, WatchKind::Cross}) {
    const auto found = std::ranges::find(calls, kind, &WatchedCall::kind);
    if (found != calls.end()) return &*found;
  }
  return nullptr;
}

/// Writes the ids from position `first` on; -1 before them if the process sent none.
void put_ids(const TensorOf<std::int64_t>& ids, std::int64_t first,
             std::vector<std::vector<std::int64_t>>& into) {
  const std::int64_t count = ids.shape()[1];
  into.resize(static_cast<std::size_t>(ids.shape()[0]));
  for (std::size_t b = 0; b < into.size(); ++b) {
    into[b].resize(static_cast<std::size_t>(first), -1);
    const std::int64_t* const from = ids.data() + static_cast<std::int64_t>(b) * count;
    into[b].insert(into[b].end(), from, from + count);
  }
}

void put_tokens(const std::vector<std::string>& tokens, std::int64_t first, std::vector<std::string>& into) {
  if (tokens.empty()) return;
  into.resize(static_cast<std::size_t>(first));
  into.insert(into.end(), tokens.begin(), tokens.end());
}

}  // namespace

bool WatchedText::take(std::vector<WatchRecord> records, double seconds) {
  bool changed = false;
  for (WatchRecord& record : records) {
    if (record.lost_before > 0) {
      calls_.clear();
      lost_ = true;
    }
    if (auto* const call = std::get_if<WatchedCall>(&record.what))
      add_call(std::move(*call));
    else
      changed = end_pass(std::get<PassEnd>(record.what), seconds) || changed;
  }
  if (changed) publish();
  return changed;
}

void WatchedText::add_call(WatchedCall call) {
  // A pass that failed has no end. An encoder may run before the pass that reads its output.
  std::erase_if(calls_, [&](const WatchedCall& c) {
    return c.pass != call.pass && (c.kind != WatchKind::Encoder || call.kind == WatchKind::Encoder);
  });
  std::uint64_t waiting = call.bytes;
  for (const WatchedCall& c : calls_) waiting += c.bytes;
  is_too_long_ = is_too_long_ || waiting > limit_;
  if (is_too_long_)
    calls_.clear();
  else
    calls_.push_back(std::move(call));
}

/// From now on passes of the text are counted but not kept; those already shown stay.
void WatchedText::stop_keeping(std::int64_t pass) {
  is_full_ = true;
  next_.note = fmt::format(
      "The text holds more than {} MiB of queries, keys and values: from pass {} on it is counted, "
      "not kept. A new text begins anew.",
      limit_ >> 20, pass);
}

void WatchedText::begin_text() {
  layers_.clear();
  is_full_ = needs_whole_ = false;
  next_.ids.clear();
  next_.memory_ids.clear();
  next_.tokens.clear();
  next_.memory_tokens.clear();
  next_.note.clear();
  next_.prompt = 0;
  ++next_.text;
}

/// The calls of the pass. If it has no encoder calls, it includes those of an encoder that ran before it.
std::vector<WatchedCall> WatchedText::take_calls(std::int64_t pass) {
  std::vector<WatchedCall> calls = std::exchange(calls_, {});
  const bool has_encoder = std::ranges::any_of(
      calls, [&](const WatchedCall& c) { return c.pass == pass && c.kind == WatchKind::Encoder; });
  std::erase_if(calls, [&](const WatchedCall& c) {
    return c.pass != pass && (has_encoder || c.kind != WatchKind::Encoder);
  });
  for (WatchedCall& call : calls) call.pass = pass;
  share_masks(calls);
  return calls;
}

bool WatchedText::begins_text(const std::vector<WatchedCall>& calls) const {
  const WatchedCall* const main = main_call(calls);
  return next_.text == 0 || main->kind == WatchKind::Cross || main->queries_from == 0;
}

/// Whether the text with these calls stays within the limit.
bool WatchedText::fits(const std::vector<WatchedCall>& calls) const {
  std::uint64_t needed = bytes();
  std::set<const Tensor*> masks;
  for (const WatchedCall& call : calls) {
    const auto found = layers_.find(call.layer);
    const WatchedLayer fresh = empty_layer(call);
    const bool goes_on = found != layers_.end() && is_of(call, found->second);
    const WatchedLayer& layer = goes_on ? found->second : fresh;
    needed += layer.query.bytes_with(layer.rows() + call.queries()) - (goes_on ? layer.query.bytes() : 0);
    needed += layer.key.bytes_with(call.keys()) - (goes_on ? layer.key.bytes() : 0);
    needed += layer.value.bytes_with(call.keys()) - (goes_on ? layer.value.bytes() : 0);
    for (const TensorPtr& mask : {call.mask, call.bias})
      if (mask && masks.insert(mask.get()).second) needed += bytes_of(mask);
  }
  return needed <= limit_;
}

/// Whether no call of the pass was lost. After a loss, a pass is known to be whole if it has its first layer,
/// or all layers of the last whole pass.
bool WatchedText::is_whole(const std::vector<WatchedCall>& calls) const {
  if (calls.front().layer == 0) return true;
  return !last_whole_.empty() && std::ranges::all_of(last_whole_, [&](std::int64_t layer) {
    return std::ranges::find(calls, layer, &WatchedCall::layer) != calls.end();
  });
}

/// False if the earlier keys of a layer are not known; the layer then waits for a call with all keys.
bool WatchedText::add_calls(std::vector<WatchedCall>& calls) {
  const std::int64_t first = main_call(calls)->queries_from;
  bool all = true;
  for (WatchedCall& call : calls) {
    auto found = layers_.find(call.layer);
    if (found == layers_.end() || !is_of(call, found->second))
      found = layers_.insert_or_assign(call.layer, empty_layer(call)).first;
    WatchedLayer& layer = found->second;
    if (!add_keys(layer, call)) {
      layer = empty_layer(call);
      all = false;
      continue;
    }
    add_rows(layer, call, call.kind == WatchKind::Cross ? first : call.queries_from);
    call.query = call.key = call.value = nullptr;
  }
  const auto has_no_rows = [](const auto& layer) { return layer.second.keys() == 0; };
  needs_whole_ = std::ranges::any_of(layers_, has_no_rows);
  return all && !needs_whole_;
}

/// Drops the rows of a pass that was not shown.
void WatchedText::drop_rows_of(std::int64_t pass) {
  for (auto& [index, layer] : layers_)
    while (!layer.calls.empty() && layer.calls.back().pass == pass) {
      layer.query.drop_last(layer.calls.back().count);
      layer.calls.pop_back();
    }
}

void WatchedText::add_ids(const PassEnd& end, std::int64_t first, std::int64_t rows) {
  if (end.ids && end.ids->shape()[1] == rows) put_ids(*end.ids, first, next_.ids);
  if (std::ssize(end.tokens) == rows) put_tokens(end.tokens, first, next_.tokens);
  if (end.memory_ids) put_ids(*end.memory_ids, 0, next_.memory_ids);
  if (!end.memory_tokens.empty()) next_.memory_tokens = end.memory_tokens;
}

void WatchedText::list_pass(const PassEnd& end, const std::vector<WatchedCall>& calls, double seconds) {
  const WatchedCall& main = *main_call(calls);
  WatchedPass pass;
  pass.number = end.pass;
  pass.rows = main.queries();
  pass.keys = main.keys();
  pass.first = main.queries_from;
  pass.ms = end.ms;
  pass.bytes = end.bytes;
  for (const WatchedCall& call : calls) pass.bytes += call.bytes;
  pass.next_id = end.next_id;
  pass.text = next_.text;
  pass.seconds = seconds;
  if (next_.passes.size() == kept_passes) next_.passes.erase(next_.passes.begin());
  next_.passes.push_back(pass);
}

bool WatchedText::end_pass(const PassEnd& end, double seconds) {
  std::vector<WatchedCall> calls = take_calls(end.pass);
  if (std::exchange(is_too_long_, false)) {  // a single pass: a long prompt
    begin_text();
    stop_keeping(end.pass);
    ++next_.passes_seen;
    return true;
  }
  const bool lost = std::exchange(lost_, false);
  if (calls.empty()) return false;
  const bool whole = !lost || is_whole(calls);
  const std::int64_t first = main_call(calls)->queries_from, rows = main_call(calls)->queries();
  if (whole && begins_text(calls)) {
    begin_text();
    if (first == 0) next_.prompt = rows;
  }
  ++next_.passes_seen;
  if (whole) list_pass(end, calls, seconds);
  if (!is_full_ && !fits(calls)) stop_keeping(end.pass);
  if (is_full_) return true;
  if (!add_calls(calls) || !whole) {
    drop_rows_of(end.pass);
    next_.note = fmt::format("Pass {} is not shown: calls of it, or before it, were dropped.", end.pass);
    return true;
  }
  next_.note.clear();
  last_whole_.clear();
  for (const WatchedCall& call : calls) last_whole_.push_back(call.layer);
  add_ids(end, first, rows);
  return true;
}

std::uint64_t WatchedText::bytes() const {
  std::uint64_t sum = 0;
  std::set<const Tensor*> masks;
  for (const auto& [index, layer] : layers_) {
    sum += layer.query.bytes() + layer.key.bytes() + layer.value.bytes();
    for (const WatchedRows& call : layer.calls)
      for (const TensorPtr& mask : {call.mask, call.bias})
        if (mask && masks.insert(mask.get()).second) sum += bytes_of(mask);
  }
  return sum;
}

void WatchedText::publish() {
  ++next_.change;
  next_.bytes = bytes();
  auto shown = std::make_shared<WatchedSnapshot>(next_);
  shown->tokens = readable_tokens(next_.tokens);
  shown->memory_tokens = readable_tokens(next_.memory_tokens);
  if (next_.note.empty())
    for (const auto& [index, layer] : layers_)
      shown->layers.push_back(std::make_shared<const WatchedLayer>(layer));
  else if (snapshot_->text == next_.text)
    shown->layers = snapshot_->layers;  // layers that were whole stay
  const auto rank = [](const WatchedLayerPtr& layer) {
    return layer->kind == WatchKind::Self ? 0 : layer->kind == WatchKind::Encoder ? 1 : 2;
  };
  const auto main = std::ranges::min_element(shown->layers, {}, rank);
  if (main != shown->layers.end()) {
    shown->rows = (*main)->rows();
    shown->keys = (*main)->keys();
    shown->batch = (*main)->batch;
    shown->sequence = (*main)->sequence;
    shown->sequences = std::max((*main)->sequences, shown->batch);
  }
  snapshot_ = std::move(shown);
}

}  // namespace attnscope
