// app/views/controls: the input: the text, its padding, a second text, and the number of cached tokens.
#include <algorithm>

#include "app/kit/ui/number_format.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/parts/refusal.hpp"
#include "app/views/parts/title_words.hpp"
#include "app/views/parts/unknown.hpp"
#include "core/document/precision.hpp"
#include "core/edits/edits.hpp"

namespace attnscope {
namespace {

/// Sets the second text of one sequence; an empty text keeps the field, to type into.
void set_memory(Document& document, std::size_t b, std::string text) {
  Sequence sequence;
  if (!text.empty()) sequence = edit::memory(document, std::move(text)).input.memory.front();
  document.input.memory.change()[b] = std::move(sequence);
  document = edit::cached(std::move(document), document.input.cached);  // fits a mask made by hand
}

void padding_row(Column& c) {
  Document& document = c.document();
  const int longest = std::max(1, static_cast<int>(longest_of(document.input.sequences)));
  const int now = std::max(document.input.padded_length, longest);
  const Tip tip{"Padded length", "sequence + [pad] … [pad]",
                "Padding tokens take attention unless the padding mask hides them."};
  const auto next = [&](int step) { return std::int64_t{now} + step; };
  if (const auto n = c.number("Pad to", "padded length", now, next, tip, {},
                              is_refused(c.scene, LayerNumber::PaddedLength))) {
    document.input.padded_length = *n <= longest ? 0 : static_cast<int>(std::min<std::int64_t>(*n, 100000));
    document = edit::cached(std::move(document), document.input.cached);  // fits a mask made by hand
  }
}

void memory_rows(Column& c) {
  Scene& scene = c.scene;
  Document& document = c.document();
  const bool cross = !document.input.memory.empty();
  if (toggle(
          c.ui(), "Cross-attention", "cross-attention", c.row(28), cross,
          {"Cross-attention", "Q = X·W_Q   K = N·W_K   V = N·W_V",
           "Keys and values come from a second text: the first looks at the second, as in translation."})) {
    document = edit::memory(std::move(document), cross ? std::string() : controls_of(scene.view).memory_text);
    return;
  }
  if (!cross) return;
  const auto b = static_cast<std::size_t>(
      std::clamp<std::int64_t>(scene.sequence(), 0, std::ssize(document.input.memory) - 1));
  std::string text = document.input.memory[b].text;
  if (text_field(c.ui(), "##Memory", c.row(28), text, "Type a second sentence")) {
    try {
      set_memory(document, b, text);
      if (!text.empty()) controls_of(scene.view).memory_text = text;
    } catch (const std::exception& error) {
      scene.view.notices.say(error.what());
    }
  }
}

std::string_view given_words(GivenTensors holds) {
  switch (holds) {
    case GivenTensors::Weights: return "Weights from a file";
    case GivenTensors::QueryKey: return "Given Q and K";
    case GivenTensors::QueryKeyValue: break;
  }
  return "Given Q, K, V";
}

/// The rows of the list: the shown input, if it is no example, and the examples.
void input_list(Column& c, const std::string& shown) {
  Scene& scene = c.scene;
  const std::string& title = scene.document.title;
  const auto is_shown = [&](const Example& example) { return example.name == title; };
  if (std::ranges::none_of(scene.examples, is_shown))
    menu_row(c.ui(), (shown + "##input").c_str(), title_words(scene.document), true);
  for (const Example& example : scene.examples)
    if (menu_row(c.ui(), (inner(example.name) + "##input").c_str(), {}, is_shown(example)))
      scene.requests.open = example.path;
}

/// The choice of a dump's layer. Not drawn if the Document is no layer of the last dump, such as after an
/// undo.
void layer_row(Column& c) {
  Scene& scene = c.scene;
  const FilesState& files = *scene.view.files;
  const auto shown = std::find_if(files.layers.begin(), files.layers.end(), [&](const LayerEntry& layer) {
    return layer.title == scene.document.title;
  });
  if (shown == files.layers.end() || files.layers.size() < 2) return;
  const std::string facts = shown->facts;
  drop(c.ui(), "Layer", c.row(28), own(shown->name),
       {"Layer", facts, "The layers that the file holds. Only the chosen one is read."}, [&] {
         for (const LayerEntry& layer : files.layers) {
           if (!menu_row(c.ui(), (own(layer.name) + "##layer").c_str(), layer.facts, &layer == &*shown))
             continue;
           scene.requests.open = files.layers_of;
           scene.requests.layer = layer.name;
         }
       });
}

void cache_rows(Column& c) {
  Document& document = c.document();
  const bool can_cache =
      !document.input.is_given() && document.input.memory.empty() && !document.input.vectors().key;
  if (can_cache) {
    const std::int64_t now = document.input.cached;
    const auto next = [&](int step) { return now + step; };
    const Tip tip{"Decode: cached tokens", "queries: tokens after the cache, keys: all",
                  "Autoregressive decoding: K and V of the cached tokens are reused."};
    if (const auto n = c.number("Cached tokens", "cached tokens", now, next, tip))
      document =
          edit::cached(std::move(document), static_cast<int>(std::clamp<std::int64_t>(*n, 0, 1 << 20)));
  }
  const LayerResult& r = c.scene.result;
  const Dimensions& d = r.dimensions;
  const std::int64_t numbers = d.batch * d.kv_heads * d.token_keys();
  const std::int64_t each = bytes_of(r.document.precision);
  if (!knows_values(r.document))
    return c.fact("KV cache", "KV cache", not_in_file, {"KV cache", {}, why_no_values(r.document)});
  const std::string keys = bytes(numbers * d.d_k * each), values = bytes(numbers * d.d_v * each);
  const std::string formula = "batch · kv heads · keys · (dₖ + d_v) · " + std::to_string(each) + " B";
  const std::string why =
      "K " + keys + " and V " + values + " for this layer. Fewer kv heads make it smaller.";
  c.fact("KV cache", "KV cache", bytes(numbers * (d.d_k + d.d_v) * each), {"KV cache", formula, why});
}

}  // namespace

void input_section(Column& c) {
  Scene& scene = c.scene;
  const LayerResult& r = scene.result;
  const Input& input = c.document().input;
  const bool given = input.is_given(), vectors = input.is_vectors();
  const bool one = r.dimensions.token_keys() * r.dimensions.batch == 1;
  const std::string several = grouped(r.dimensions.token_keys()) +
                              (r.dimensions.batch > 1 ? " × " + grouped(r.dimensions.batch) : "") +
                              (is_cross(r) ? " keys" : " tokens");
  const std::string note = !one ? several : is_cross(r) ? "1 key" : "1 token";
  if (c.begin({.which = Section::Input,
               .label = "Input",
               .note = note,
               .has_extras = true,
               .extras_used = !input.memory.empty() || input.cached > 0})) {
    const std::string shown = given                    ? std::string(given_words(input.given().holds))
                              : vectors                ? "Given token vectors"
                              : r.dimensions.batch > 1 ? "Batch of sentences"
                                                       : "Sentence · words";
    drop(c.ui(), "Input source", c.row(28), shown,
         {"Input", "text → words and punctuation",
          "Pick an example, or drop a text, a document or tensors on the window."},
         [&] { input_list(c, shown); });
    if (given) layer_row(c);
    if (!given && !vectors) padding_row(c);
    if (c.extras(Section::Input)) {
      if (!given && !vectors) memory_rows(c);
      cache_rows(c);
    }
  }
  c.end();
}

}  // namespace attnscope
