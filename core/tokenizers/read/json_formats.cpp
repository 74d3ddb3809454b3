// core/tokenizers/read: post-processors and decoders of tokenizer.json.
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/tokenizers/read/json_stages.hpp"

namespace attnscope::tokenizers {
namespace {

/// Reads ["</s>", 2].
Id read_token_and_id(const JsonNode& node) {
  const std::vector<JsonNode> both = node.elements();
  if (both.size() != 2) node.fail("a token and its id");
  both[0].text();
  return static_cast<Id>(both[1].whole(largest_id));
}

int read_type_id(const JsonNode& node) { return static_cast<int>(node["type_id"].whole_or(0, 1000)); }

Template read_template(const JsonNode& node, const JsonNode& special_tokens, int sequences) {
  Template made;
  for (const JsonNode& one : node.elements()) {
    if (const JsonNode sequence = one["Sequence"]) {
      const std::string name = sequence["id"].text();
      if (name != "A" && (name != "B" || sequences < 2)) {
        sequence["id"].fail(sequences < 2 ? "\"A\"" : "\"A\" or \"B\"");
      }
      made.push_back({.sequence = name == "A" ? 0 : 1, .type_id = read_type_id(sequence)});
    } else {
      const JsonNode special = one["SpecialToken"];
      if (!special) one.fail("a Sequence or a SpecialToken");
      const JsonNode token = special_tokens[special["id"].text()];
      if (!token) special["id"].fail("one of special_tokens");
      TemplatePart part{.type_id = read_type_id(special)};
      for (const JsonNode& id : token["ids"].elements())
        part.ids.push_back(static_cast<Id>(id.whole(largest_id)));
      made.push_back(std::move(part));
    }
    if (made.size() > 100) node.fail("a template of at most 100 parts");
  }
  return made;
}

void add_trim(const JsonNode& node, std::optional<PostProcessor::Trim>& to) {
  if (node["trim_offsets"].boolean_or(true)) to = {node["add_prefix_space"].boolean_or(true)};
}

void add_post_processor(const JsonNode& node, PostProcessor& to, bool& has_template) {
  const std::string type = node["type"].text();
  if (type == "Sequence") {
    for (const JsonNode& one : node["processors"].elements()) add_post_processor(one, to, has_template);
    return;
  }
  if (type == "ByteLevel") return add_trim(node, to.trim);
  const bool is_bert = type == "BertProcessing", is_roberta = type == "RobertaProcessing";
  if (type != "TemplateProcessing" && !is_bert && !is_roberta) node.refuse_type(type);
  if (has_template) throw Error(fmt::format("{} puts a second format around the first.", node.path()));
  has_template = true;
  PostProcessor made;
  if (type == "TemplateProcessing") {
    made.single = read_template(node["single"], node["special_tokens"], 1);
    made.pair = read_template(node["pair"], node["special_tokens"], 2);
  } else {
    const Id cls = read_token_and_id(node["cls"]), sep = read_token_and_id(node["sep"]);
    made = is_bert ? bert_format(cls, sep) : roberta_format(cls, sep, std::nullopt);
    if (is_roberta) add_trim(node, made.trim);
  }
  if (!made.trim) made.trim = to.trim;
  to = std::move(made);
}

void add_decoder(const JsonNode& node, Decoder& to) {
  const std::string type = node["type"].text();
  if (type == "Sequence") {
    for (const JsonNode& one : node["decoders"].elements()) add_decoder(one, to);
  } else if (type == "ByteLevel") {
    to.push_back(DecodeBytes{});
  } else if (type == "WordPiece") {
    to.push_back(DecodeWordPiece{node["prefix"].text_or("##"), node["cleanup"].boolean_or(true)});
  } else if (type == "Metaspace") {
    const DecodeMetaspace defaults;
    to.push_back(DecodeMetaspace{node["replacement"].character_or(defaults.replacement),
                                 read_prepend_scheme(node) != Metaspace::Prepend::never});
  } else if (type == "BPEDecoder") {
    DecodeSuffix step;
    step.suffix = node["suffix"].text_or(step.suffix);
    if (step.suffix.empty()) node["suffix"].fail("a string that is not empty");
    to.push_back(step);
  } else if (type == "Replace") {
    to.push_back(DecodeReplace{read_pattern(node["pattern"]), read_inserted(node["content"])});
  } else if (type == "ByteFallback") {
    to.push_back(DecodeFallback{});
  } else if (type == "Fuse") {
    to.push_back(DecodeFuse{});
  } else if (type == "Strip") {
    to.push_back(DecodeStrip{node["content"].character_or(" "), node["start"].whole_or(0, 1'000'000),
                             node["stop"].whole_or(0, 1'000'000)});
  } else {
    node.refuse_type(type);
  }
}

}  // namespace

PostProcessor read_post_processor(const JsonNode& node) {
  PostProcessor made;
  bool has_template = false;
  if (node) add_post_processor(node, made, has_template);
  return made;
}

Decoder read_decoder(const JsonNode& node) {
  Decoder made;
  if (node) add_decoder(node, made);
  return made;
}

}  // namespace attnscope::tokenizers
