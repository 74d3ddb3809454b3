#include "core/edits/model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/document/enum_names.hpp"
#include "core/edits/masking.hpp"
#include "core/models/changes.hpp"
#include "core/models/opened/block_tensors.hpp"
#include "core/models/opened/layer_changes.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::edit {
namespace {

using ChangedTo = HeadChange::Kind;

const ModelSpec& spec_of(const ModelContext& within) {
  if (!within) throw Error("No model is open, so nothing inside one can be changed.");
  return within.model->model->spec;
}

const LayerSpec& attention_of(const ModelContext& within, const BlockAt& at) {
  const ModelSpec& spec = spec_of(within);
  check({.blocks = {{.of = at.of, .block = at.block}}}, spec);
  return spec.stack(at.of).blocks[static_cast<std::size_t>(at.block)];
}

bool is_of(const HeadChange& change, const HeadChange& other) {
  return change.of == other.of && change.block == other.block && change.head == other.head;
}

/// Erases the elements for which is_old() holds, and inserts the new one where the first of them was, or at
/// the end.
template <class T, class IsOld>
void replace(std::vector<T>& all, IsOld is_old, const T* fresh) {
  const auto first = std::ranges::find_if(all, is_old) - all.begin();
  std::erase_if(all, is_old);
  if (fresh != nullptr) all.insert(all.begin() + std::min(first, std::ssize(all)), *fresh);
}

/// 1/√d_k of the attention.
double division(const LayerSpec& of) { return 1 / std::sqrt(static_cast<double>(of.d_k)); }

template <class Change>
ModelContext block_changed(ModelContext within, const BlockAt& at, Change&& change) {
  BlockChange now = change_of(within, at);
  change(now);
  return put(std::move(within), now);
}

std::string_view what_of(ChangedTo kind) {
  switch (kind) {
    case ChangedTo::Zero: return "zeroed";
    case ChangedTo::Mean: return "mean of its outputs";
    case ChangedTo::Uniform: return "uniform weights";
    case ChangedTo::PreviousToken: return "previous token";
    case ChangedTo::Identity: return "same token";
    case ChangedTo::FirstToken: return "first token";
    case ChangedTo::Frozen: return "pattern frozen";
    case ChangedTo::Replaced: return "output replaced";
  }
  return {};
}

/// The kind of a change in words, and its rows if it does not apply to all.
std::vector<std::string> done_in(ChangedTo kind, const std::vector<std::int64_t>& rows) {
  std::vector<std::string> words{std::string(what_of(kind))};
  if (rows.size() == 1) words.push_back(fmt::format("in row {:d}", rows[0]));
  if (rows.size() > 1) words.push_back(fmt::format("in row {:d} and {:d} more", rows[0], rows.size() - 1));
  return words;
}

ChangeWords words_of(const HeadChange& change, const ModelSpec& spec) {
  constexpr std::string_view names[]{"encoder head", "decoder head", "cross head"};
  const bool both = spec.reads_two_texts();
  const std::string_view name = both ? names[static_cast<std::size_t>(change.of)] : "head";
  return {fmt::format("{} {:d}.{:d}", name, change.block, change.head), done_in(change.kind, change.rows)};
}

/// In what a block's settings differ from the model's own.
std::vector<std::string> words_of_attention(const LayerSpec& own, const LayerSpec& now) {
  std::vector<std::string> words;
  const auto add = [&](bool differs, std::string what) {
    if (differs) words.push_back(std::move(what));
  };
  add(now.linear != own.linear, now.linear ? "linear attention" : "softmax");
  add(now.positions != own.positions, std::string(enum_name(now.positions).words));
  add(now.positions == own.positions && now.position_settings != own.position_settings,
      now.position_settings.rope_base != own.position_settings.rope_base
          ? fmt::format("RoPE base {:.6g}", now.position_settings.rope_base)
          : "other settings of positions");
  add(now.qk_norm != own.qk_norm, now.qk_norm.kind == QkNorm::Kind::None ? "no QK-norm" : "QK-norm");
  add(now.soft_cap != own.soft_cap, now.soft_cap > 0 ? fmt::format("cap {:.4g}", now.soft_cap) : "no cap");
  Masking rules = own.masking;
  rules.additive = now.masking.additive;
  add(now.masking.additive != own.masking.additive, "painted mask");
  add(now.masking != rules, "another mask");
  add(now.softmax != own.softmax, "naive softmax");
  add(now.empty_row != own.empty_row, "rows without a key");
  return words;
}

ChangeWords words_of(const BlockChange& change, const LayerSpec& own, const ModelSpec& spec) {
  constexpr std::string_view names[]{"encoder layer", "decoder layer", "cross-attention"};
  const bool both = spec.reads_two_texts();
  const std::string_view name = both ? names[static_cast<std::size_t>(change.of)] : "layer";
  ChangeWords words{fmt::format("{} {:d}", name, change.block), {}};
  const auto add = [&](bool there, std::string what) {
    if (there) words.what.push_back(std::move(what));
  };
  if (change.scale) {
    const double scale = *change.scale;
    add(true, scale == 1               ? "÷√dₖ off"
              : scale == division(own) ? "÷√dₖ on"
                                       : fmt::format("scores × {:.4g}", scale));
  }
  add(change.temperature != 1, fmt::format("temperature {:.4g}", change.temperature));
  if (change.attention)
    for (std::string& what : words_of_attention(own, change.attention->read())) add(true, std::move(what));
  add(change.mask_off, "mask off");
  add(change.causal, "causal mask");
  add(change.attention_off, "attention off");
  add(change.mlp_off, "MLP off");
  if (words.what.empty()) words.what.push_back("nothing changed");
  return words;
}

std::string valid(std::string text) {
  if (!is_valid_utf8(text)) throw Error("The text is not valid UTF-8.");
  return text;
}

}  // namespace

ModelContext looked_at(ModelContext within, const BlockAt& at) {
  attention_of(within, at);
  within.of = at.of;
  within.block = at.block;
  return within;
}

ModelContext put(ModelContext within, const HeadChange& change) {
  check({.heads = {change}}, spec_of(within));
  const auto is_old = [&](const HeadChange& other) {
    return is_of(change, other) && (change.rows.empty() || change.rows == other.rows);
  };
  replace(within.changes.heads, is_old, &change);
  return within;
}

ModelContext toggled(ModelContext within, const HeadChange& change) {
  if (std::ranges::find(within.changes.heads, change) == within.changes.heads.end())
    return put(std::move(within), change);
  std::erase(within.changes.heads, change);
  return within;
}

ModelContext restored_head(ModelContext within, const BlockAt& at, int head) {
  std::erase_if(within.changes.heads, [&](const HeadChange& change) {
    return change.of == at.of && change.block == at.block && change.head == head;
  });
  return within;
}

BlockChange change_of(const ModelContext& within, const BlockAt& at) {
  return attnscope::change_of(within.changes, at.of, static_cast<std::size_t>(std::max(0, at.block)));
}

ModelContext put(ModelContext within, const BlockChange& change) {
  check({.blocks = {change}}, spec_of(within));
  const bool nothing = change == BlockChange{.of = change.of, .block = change.block};
  replace(
      within.changes.blocks,
      [&](const BlockChange& other) { return other.of == change.of && other.block == change.block; },
      nothing ? nullptr : &change);
  return within;
}

ModelContext attention_off(ModelContext within, const BlockAt& at, bool off) {
  return block_changed(std::move(within), at, [off](BlockChange& change) { change.attention_off = off; });
}

ModelContext mlp_off(ModelContext within, const BlockAt& at, bool off) {
  const BlockAt of{at.of == AttentionOf::Cross ? AttentionOf::Decoder : at.of, at.block};
  return block_changed(std::move(within), of, [off](BlockChange& change) { change.mlp_off = off; });
}

ModelContext mask_off(ModelContext within, const BlockAt& at, bool off) {
  return block_changed(std::move(within), at, [off](BlockChange& change) { change.mask_off = off; });
}

ModelContext causal(ModelContext within, const BlockAt& at, bool on) {
  return block_changed(std::move(within), at, [on](BlockChange& change) { change.causal = on; });
}

ModelContext temperature(ModelContext within, const BlockAt& at, double value) {
  return block_changed(std::move(within), at, [value](BlockChange& change) { change.temperature = value; });
}

ModelContext scale(ModelContext within, const BlockAt& at, std::optional<double> value) {
  if (value == scale_of(attention_of(within, at))) value.reset();
  return block_changed(std::move(within), at, [value](BlockChange& change) { change.scale = value; });
}

bool can_have(const ModelContext& within, Positions positions) {
  const LayerSpec& own = attention_of(within, {within.of, within.block});
  // Attention to an encoder has no positions.
  return positions == Positions::None || (within.of != AttentionOf::Cross && can_have_inside(positions, own));
}

bool is_divided(const ModelContext& within, const BlockAt& at) {
  const LayerSpec& own = attention_of(within, at);
  return change_of(within, at).scale.value_or(scale_of(own)) != 1;
}

ModelContext toggled_division(ModelContext within, const BlockAt& at) {
  const LayerSpec& own = attention_of(within, at);
  const double scaled = scale_of(own), on = scaled == 1 ? division(own) : scaled;
  const bool divided = is_divided(within, at);
  return scale(std::move(within), at, divided ? 1 : on);
}

std::size_t count_changes(const ModelContext& within) {
  return within.changes.blocks.size() + within.changes.heads.size();
}

std::string ChangeWords::line() const { return fmt::format("{} · {}", place, fmt::join(what, " · ")); }

ChangeWords words_of_change(const ModelContext& within, std::size_t index) {
  const ModelSpec& spec = spec_of(within);
  const ModelChanges& changes = within.changes;
  if (index < changes.blocks.size()) {
    const BlockChange& change = changes.blocks[index];
    return words_of(change, attention_of(within, {change.of, change.block}), spec);
  }
  return words_of(changes.heads.at(index - changes.blocks.size()), spec);
}

std::vector<ChangeWords> list_of_changes(const ModelContext& within) {
  std::vector<ChangeWords> list;
  for (std::size_t i = 0; i < count_changes(within); ++i) list.push_back(words_of_change(within, i));
  return list;
}

ModelContext without_change(ModelContext within, std::size_t index) {
  ModelChanges& changes = within.changes;
  if (index < changes.blocks.size())
    changes.blocks.erase(changes.blocks.begin() + static_cast<std::ptrdiff_t>(index));
  else if (index < count_changes(within))
    changes.heads.erase(changes.heads.begin() + static_cast<std::ptrdiff_t>(index - changes.blocks.size()));
  return within;
}

ModelContext without_changes(ModelContext within) {
  within.changes = {};
  return within;
}

ModelContext text(ModelContext within, std::string text) {
  text = valid(std::move(text));
  within.input.masked = masked_words_kept(within, text);
  within.input.text = std::move(text);
  within.input.continued.clear();
  within.input.ids.clear();
  return within;
}

ModelContext special_tokens(ModelContext within, bool wanted) {
  within.input.special = wanted;
  within.input.continued.clear();
  return within;
}

ModelContext chat(ModelContext within, std::optional<std::string> day) {
  within.input.chat_day = std::move(day);
  if (within.input.chat_day) within.input.pair.reset();
  within.input.continued.clear();
  within.input.ids.clear();
  return within;
}

ModelContext token_ids(ModelContext within, std::string_view numbers) {
  const ModelSpec& spec = spec_of(within);
  std::vector<std::int64_t> ids;
  for (std::size_t at = 0; (at = numbers.find_first_not_of(" ,[]\t\n", at)) != numbers.npos;) {
    const std::size_t end = std::min(numbers.find_first_of(" ,[]\t\n", at), numbers.size());
    const std::string_view word = numbers.substr(at, end - at);
    std::int64_t id = -1;
    const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || last != word.data() + word.size())
      throw Error(
          fmt::format("Found {} among the tokens' numbers, expected whole numbers.", in_quotes(word, 20)));
    if (id < 0 || id >= spec.vocabulary)
      throw Error(fmt::format("Found {} among the tokens' numbers, which is no token of the model.",
                              in_quotes(word, 20)));
    ids.push_back(id);
    at = end;
  }
  if (ids.empty()) throw Error("There is no number of a token; a model needs at least one token.");
  const bool special = within.input.special;
  auto decoder_text = std::move(within.input.decoder_text);
  within.input = {};
  within.input.special = special;
  within.input.decoder_text = std::move(decoder_text);
  within.input.ids = std::move(ids);
  return within;
}

ModelContext second_text(ModelContext within, std::optional<std::string> text) {
  within.input.pair = text ? std::optional(valid(std::move(*text))) : std::nullopt;
  if (within.input.pair) within.input.chat_day.reset();
  within.input.continued.clear();
  within.input.ids.clear();
  return within;
}

ModelContext decoder_text(ModelContext within, std::string text) {
  within.input.decoder_text = valid(std::move(text));
  within.input.continued.clear();
  return within;
}

ModelContext image(ModelContext within, std::filesystem::path path) {
  within.input.image = std::move(path);
  return within;
}

ModelContext appended(ModelContext within, std::int64_t token) {
  const ModelSpec& spec = spec_of(within);
  if (token < 0 || token >= spec.vocabulary)
    throw Error(
        fmt::format("Token {} cannot follow; the model has tokens 0 to {}.", token, spec.vocabulary - 1));
  within.input.continued.push_back(token);
  return within;
}

ModelContext continued_up_to(ModelContext within, std::int64_t count) {
  std::vector<std::int64_t>& tokens = within.input.continued;
  if (count >= 0 && count < std::ssize(tokens)) tokens.resize(static_cast<std::size_t>(count));
  return within;
}

}  // namespace attnscope::edit
