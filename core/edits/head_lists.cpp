#include "core/edits/head_lists.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/edits/model.hpp"
#include "core/models/changes.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"
#include "core/text/whole_text.hpp"

namespace attnscope::edit {
namespace {

constexpr std::string_view between_heads = " ,;\t\r\n";

const StackSpec& output_stack(const ModelContext& within) {
  if (!within) throw Error("No model is open, so nothing inside one can be changed.");
  const ModelSpec& spec = within.model->model->spec;
  return spec.output_stack();
}

AttentionOf stack_of_output(const ModelContext& within) {
  return output_attention(within.model->model->spec);
}

/// "3.5"
HeadChange listed_head(const ModelContext& within, std::string_view word) {
  const StackSpec& stack = output_stack(within);
  const std::size_t dot = word.find('.');
  const auto number = [](std::string_view digits) {
    const bool is_plain = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
    return is_plain ? whole_text_as<int>(digits) : std::nullopt;
  };
  const std::optional<int> block = number(word.substr(0, dot)),
                           head = dot == word.npos ? std::nullopt : number(word.substr(dot + 1));
  if (!block || !head)
    throw Error(fmt::format("Found {} among the heads, expected a layer and a head with a dot between.",
                            in_quotes(word, 20)));
  const bool has_block = *block < std::ssize(stack.blocks);
  if (!has_block || *head >= stack.blocks[static_cast<std::size_t>(*block)].heads)
    throw Error(fmt::format("There is no head {}; the model has layers 0 to {:d} with heads 0 to {:d}.",
                            in_quotes(word, 20), stack.blocks.size() - 1,
                            stack.blocks[has_block ? static_cast<std::size_t>(*block) : 0].heads - 1));
  return {.of = stack_of_output(within), .block = *block, .head = *head};
}

bool is_zeroed(const HeadChange& change, AttentionOf of) {
  return change.of == of && change.kind == HeadChange::Kind::Zero && change.rows.empty();
}

ModelContext with_zeroed(ModelContext within, const std::vector<HeadChange>& heads) {
  const AttentionOf of = stack_of_output(within);
  std::erase_if(within.changes.heads, [of](const HeadChange& change) { return is_zeroed(change, of); });
  for (const HeadChange& head : heads) within = put(std::move(within), head);
  return within;
}

}  // namespace

std::vector<HeadChange> listed_heads(const ModelContext& within, std::string_view list) {
  output_stack(within);
  std::vector<HeadChange> heads;
  for (std::size_t at = 0; (at = list.find_first_not_of(between_heads, at)) != list.npos;) {
    const std::size_t end = std::min(list.find_first_of(between_heads, at), list.size());
    HeadChange head = listed_head(within, list.substr(at, end - at));
    if (std::ranges::find(heads, head) == heads.end()) heads.push_back(std::move(head));
    at = end;
  }
  if (heads.empty())
    throw Error("There is no head in the list, expected layers and heads with dots between.");
  return heads;
}

ModelContext zeroed_heads(ModelContext within, std::string_view list) {
  const std::vector<HeadChange> heads = listed_heads(within, list);
  return with_zeroed(std::move(within), heads);
}

ModelContext zeroed_but(ModelContext within, std::string_view list) {
  const std::vector<HeadChange> kept = listed_heads(within, list);
  const StackSpec& stack = output_stack(within);
  std::vector<HeadChange> others;
  for (int block = 0; block < std::ssize(stack.blocks); ++block)
    for (int head = 0; head < stack.blocks[static_cast<std::size_t>(block)].heads; ++head) {
      HeadChange change{.of = stack_of_output(within), .block = block, .head = head};
      if (std::ranges::find(kept, change) == kept.end()) others.push_back(std::move(change));
    }
  return with_zeroed(std::move(within), others);
}

std::string list_of_zeroed(const ModelContext& within) {
  if (!within) return {};
  std::vector<std::string> heads;
  for (const HeadChange& change : within.changes.heads)
    if (is_zeroed(change, stack_of_output(within)))
      heads.push_back(fmt::format("{}.{}", change.block, change.head));
  return fmt::format("{}", fmt::join(heads, ", "));
}

}  // namespace attnscope::edit
