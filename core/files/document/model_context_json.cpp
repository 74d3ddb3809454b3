#include "core/files/document/model_context_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/document/document_settings.hpp"
#include "core/files/formats/json_writer.hpp"
#include "core/text/day.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> attentions{"encoder", "decoder", "cross"};
constexpr std::array<std::string_view, 8> kinds{"zero",     "mean",        "uniform", "previous-token",
                                                "identity", "first-token", "frozen",  "replaced"};
static_assert(kinds.size() == static_cast<std::size_t>(HeadChange::Kind::Replaced) + 1);
constexpr int largest_place = 1 << 20;
constexpr std::uint64_t most_id = std::uint64_t{1} << 40;

template <class E, std::size_t N>
std::string named(const std::array<std::string_view, N>& names, E value) {
  return fmt::format("\"{}\"", names[static_cast<std::size_t>(value)]);
}

std::string head_json(const HeadChange& change) {
  JsonWriter writer("    ");
  writer.add("of", named(attentions, change.of));
  writer.add("block", fmt::to_string(change.block));
  writer.add("head", fmt::to_string(change.head));
  writer.add("kind", named(kinds, change.kind));
  if (!change.rows.empty()) writer.add("rows", fmt::format("[{}]", fmt::join(change.rows, ", ")));
  writer.add("numbers", change.tensor);
  return writer.take();
}

/// The shortest decimal that reads back to the same double.
std::string exact_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : json_number(static_cast<float>(value));
}

std::string block_json(const BlockChange& change) {
  JsonWriter writer("    ");
  writer.add("of", named(attentions, change.of));
  writer.add("block", fmt::to_string(change.block));
  if (change.attention_off) writer.add("attention_off", true);
  if (change.mlp_off) writer.add("mlp_off", true);
  if (change.mask_off) writer.add("mask_off", true);
  if (change.causal) writer.add("causal", true);
  if (change.scale) writer.add("scale", exact_number(*change.scale));
  if (change.temperature != 1) writer.add("temperature", exact_number(change.temperature));
  if (change.attention) {
    JsonWriter attention("     ");
    add_attention_settings(change.attention->read(), attention);
    writer.add("attention", attention.take());
  }
  return writer.take();
}

template <class T, class Fn>
std::string list_json(const std::vector<T>& changes, const Fn& one) {
  std::string list = "[";
  for (const T& change : changes) list += (list.size() == 1 ? "" : ", ") + one(change);
  return list + "]";
}

AttentionOf read_attention(JsonFields& fields) {
  return static_cast<AttentionOf>(
      fields.choice("of", static_cast<std::size_t>(AttentionOf::Decoder), attentions));
}

/// A double with all its digits, within the range of a float like every number of a layer.
double read_double(JsonFields& fields, const std::string& name, double fallback) {
  const json* const found = fields.find(name);
  if (found == nullptr) return fallback;
  if (!found->is_number() || !std::isfinite(found->get<float>()))
    fields.fail(name, "a number that a float can hold", *found);
  return found->get<double>();
}

HeadChange read_head(const json& value, const std::string& where) {
  JsonFields fields(value, "model.heads", where);
  HeadChange change;
  change.of = read_attention(fields);
  change.block = fields.integer("block", 0, 0, largest_place);
  change.head = fields.integer("head", 0, 0, largest_place);
  change.kind = static_cast<HeadChange::Kind>(fields.choice("kind", 0, kinds));
  change.rows = fields.wholes("rows", most_id);
  change.tensor = fields.tensor("numbers", 2);
  fields.finish();
  return change;
}

BlockChange read_block(const json& value, const std::string& where) {
  JsonFields fields(value, "model.blocks", where);
  BlockChange change;
  change.of = read_attention(fields);
  change.block = fields.integer("block", 0, 0, largest_place);
  change.attention_off = fields.boolean("attention_off", false);
  change.mlp_off = fields.boolean("mlp_off", false);
  change.mask_off = fields.boolean("mask_off", false);
  change.causal = fields.boolean("causal", false);
  if (fields.find("scale") != nullptr) change.scale = read_double(fields, "scale", 1);
  change.temperature = read_double(fields, "temperature", 1);
  if (!(static_cast<float>(change.temperature) > 0))
    fields.fail("temperature", "a number above 0", *fields.find("temperature"));
  if (const json* const settings = fields.find("attention")) {
    JsonFields inner(*settings, "model.blocks.attention", where);
    LayerSpec attention;
    read_attention_settings(inner, where, attention);
    inner.finish();
    change.attention = SharedValue<LayerSpec>(std::move(attention));
  }
  fields.finish();
  return change;
}

template <class T, class Fn>
std::vector<T> read_list(JsonFields& fields, const std::string& name, const std::string& where,
                         const Fn& one) {
  std::vector<T> changes;
  const json* const list = fields.find(name);
  if (list == nullptr) return changes;
  if (!list->is_array()) fields.fail(name, "an array of objects", *list);
  for (const json& value : *list) changes.push_back(one(value, where));
  return changes;
}

std::uint64_t read_fingerprint(JsonFields& fields) {
  const std::string text = fields.text("fingerprint", "0");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size())
    fields.fail("fingerprint", "a number in base 16", *fields.find("fingerprint"));
  return value;
}

std::string masked_json(const MaskedWord& masked) {
  JsonWriter writer("    ");
  writer.add("at", fmt::to_string(masked.at));
  writer.add("word", json_text(masked.word));
  writer.add("tokens", fmt::format("[{}]", fmt::join(masked.tokens, ", ")));
  return writer.take();
}

MaskedWord read_masked(const json& value, const std::string& where) {
  JsonFields fields(value, "model.masked", where);
  MaskedWord masked;
  masked.at = fields.integer("at", 0, 0, std::numeric_limits<int>::max());
  masked.word = fields.text("word", "");
  masked.tokens = fields.wholes("tokens", most_id);
  fields.finish();
  return masked;
}

ModelText read_text(JsonFields& fields, const std::string& where) {
  ModelText text;
  text.text = fields.text("text", "");
  if (fields.find("pair") != nullptr) text.pair = fields.text("pair", "");
  if (fields.find("decoder_text") != nullptr) text.decoder_text = fields.text("decoder_text", "");
  text.continued = fields.wholes("continued", most_id);
  text.image = fields.text("image", "");
  text.masked = read_list<MaskedWord>(fields, "masked", where, read_masked);
  text.special = fields.boolean("special", true);
  text.ids = fields.wholes("ids", most_id);
  if (const nlohmann::json* found = fields.find("chat_day")) {
    text.chat_day = fields.text("chat_day", "");
    if (!day_from(*text.chat_day)) fields.fail("chat_day", "a day like \"2026-11-27\"", *found);
  }
  return text;
}

}  // namespace

std::string model_context_json(const ModelContext& within) {
  JsonWriter writer("  ");
  writer.add("path", json_text(within.path.native()));
  writer.add("fingerprint", fmt::format("\"{:016x}\"", within.fingerprint));
  const ModelText& text = within.input;
  writer.add("text", json_text(text.text));
  if (text.pair) writer.add("pair", json_text(*text.pair));
  if (text.decoder_text) writer.add("decoder_text", json_text(*text.decoder_text));
  if (!text.continued.empty()) writer.add("continued", fmt::format("[{}]", fmt::join(text.continued, ", ")));
  if (!text.image.empty()) writer.add("image", json_text(text.image.native()));
  if (!text.masked.empty()) writer.add("masked", list_json(text.masked, masked_json));
  if (!text.special) writer.add("special", false);
  if (text.chat_day) writer.add("chat_day", json_text(*text.chat_day));
  if (!text.ids.empty()) writer.add("ids", fmt::format("[{}]", fmt::join(text.ids, ", ")));
  writer.add("of", named(attentions, within.of));
  writer.add("block", fmt::to_string(within.block));
  if (!within.changes.heads.empty()) writer.add("heads", list_json(within.changes.heads, head_json));
  if (!within.changes.blocks.empty()) writer.add("blocks", list_json(within.changes.blocks, block_json));
  return writer.take();
}

ModelContext read_within(const json& value, const std::string& where) {
  JsonFields fields(value, "model", where);
  ModelContext within;
  within.path = fields.text("path", "");
  if (within.path.empty()) throw FieldError(where, "model", "\"model\" needs \"path\".");
  within.fingerprint = read_fingerprint(fields);
  within.input = read_text(fields, where);
  within.of = read_attention(fields);
  within.block = fields.integer("block", 0, 0, largest_place);
  within.changes.heads = read_list<HeadChange>(fields, "heads", where, read_head);
  within.changes.blocks = read_list<BlockChange>(fields, "blocks", where, read_block);
  fields.finish();
  return within;
}

}  // namespace attnscope
