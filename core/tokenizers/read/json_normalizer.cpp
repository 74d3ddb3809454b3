#include "core/base/error.hpp"
#include "core/tokenizers/read/json_stages.hpp"

namespace attnscope::tokenizers {
namespace {

void add_normalizer(const JsonNode& node, Normalizer& to) {
  const std::string type = node["type"].text();
  if (type == "Sequence") {
    for (const JsonNode& one : node["normalizers"].elements()) add_normalizer(one, to);
  } else if (type == "NFC") {
    to.push_back(UnicodeForm::nfc);
  } else if (type == "NFD") {
    to.push_back(UnicodeForm::nfd);
  } else if (type == "NFKC") {
    to.push_back(UnicodeForm::nfkc);
  } else if (type == "NFKD") {
    to.push_back(UnicodeForm::nfkd);
  } else if (type == "Lowercase") {
    to.push_back(LowerCase{});
  } else if (type == "Prepend") {
    to.push_back(Prepend{read_inserted(node["prepend"])});
  } else if (type == "Replace") {
    to.push_back(Replace{read_pattern(node["pattern"]), read_inserted(node["content"])});
  } else if (type == "Strip") {
    to.push_back(StripSpace{node["strip_left"].boolean_or(true), node["strip_right"].boolean_or(true)});
  } else if (type == "StripAccents") {
    to.push_back(StripAccents{});
  } else if (type == "BertNormalizer") {
    BertNormalizer step;
    step.clean_text = node["clean_text"].boolean_or(true);
    step.space_around_chinese = node["handle_chinese_chars"].boolean_or(true);
    step.lowercase = node["lowercase"].boolean_or(true);
    if (const JsonNode strip = node["strip_accents"]) step.strip_accents = strip.boolean_or(false);
    to.push_back(step);
  } else if (type == "Precompiled") {
    to.push_back(PrecompiledMap(from_base64(node["precompiled_charsmap"].text())));
  } else {
    node.refuse_type(type);
  }
}

}  // namespace

Pattern read_pattern(const JsonNode& node) {
  if (const JsonNode expression = node["Regex"]) return Regex(expression.text());
  std::string text = node["String"].text();
  if (text.empty()) node["String"].fail("a string that is not empty");
  return text;
}

std::string read_inserted(const JsonNode& node) {
  std::string text = node.text();
  if (text.size() > 1000) node.fail("a string of at most 1000 bytes");
  return text;
}

Normalizer read_normalizer(const JsonNode& node) {
  Normalizer made;
  if (node) add_normalizer(node, made);
  return made;
}

}  // namespace attnscope::tokenizers
