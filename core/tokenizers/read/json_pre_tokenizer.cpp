#include <utility>

#include "core/tokenizers/read/json_stages.hpp"

namespace attnscope::tokenizers {
namespace {

Delimiters read_delimiters(const JsonNode& node, Delimiters fallback) {
  if (!node) return fallback;
  constexpr std::pair<const char*, Delimiters> names[] = {
      {"Removed", Delimiters::removed},
      {"Isolated", Delimiters::isolated},
      {"MergedWithPrevious", Delimiters::merged_with_previous},
      {"MergedWithNext", Delimiters::merged_with_next},
      {"Contiguous", Delimiters::contiguous}};
  const std::string found = node.text();
  for (const auto& [name, delimiters] : names) {
    if (found == name) return delimiters;
  }
  node.fail("Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

void add_pre_tokenizer(const JsonNode& node, PreTokenizer& to) {
  const std::string type = node["type"].text();
  if (type == "Sequence") {
    for (const JsonNode& one : node["pretokenizers"].elements()) add_pre_tokenizer(one, to);
  } else if (type == "ByteLevel") {
    to.push_back(ByteLevel{node["add_prefix_space"].boolean_or(true), node["use_regex"].boolean_or(true)});
  } else if (type == "Split") {
    to.push_back(Split{read_pattern(node["pattern"]), read_delimiters(node["behavior"], Delimiters::isolated),
                       node["invert"].boolean_or(false)});
  } else if (type == "BertPreTokenizer") {
    to.push_back(BertWords{});
  } else if (type == "Whitespace") {
    to.push_back(Whitespace{});
  } else if (type == "WhitespaceSplit") {
    to.push_back(WhitespaceSplit{});
  } else if (type == "Metaspace") {
    const Metaspace defaults;
    to.push_back(Metaspace{node["replacement"].character_or(defaults.replacement), read_prepend_scheme(node),
                           node["split"].boolean_or(true)});
  } else if (type == "Digits") {
    to.push_back(Digits{node["individual_digits"].boolean_or(false)});
  } else if (type == "Punctuation") {
    to.push_back(Punctuation{read_delimiters(node["behavior"], Delimiters::isolated)});
  } else {
    node.refuse_type(type);
  }
}

}  // namespace

Metaspace::Prepend read_prepend_scheme(const JsonNode& metaspace) {
  const JsonNode scheme = metaspace["prepend_scheme"];
  if (!scheme) {
    const bool adds = metaspace["add_prefix_space"].boolean_or(true);
    return adds ? Metaspace::Prepend::always : Metaspace::Prepend::never;
  }
  const std::string name = scheme.text();
  if (name == "always") return Metaspace::Prepend::always;
  if (name == "first") return Metaspace::Prepend::first;
  if (name == "never") return Metaspace::Prepend::never;
  scheme.fail("always, first or never");
}

PreTokenizer read_pre_tokenizer(const JsonNode& node) {
  PreTokenizer made;
  if (node) add_pre_tokenizer(node, made);
  return made;
}

}  // namespace attnscope::tokenizers
