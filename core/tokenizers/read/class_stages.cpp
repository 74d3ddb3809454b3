// core/tokenizers/read: stages that a class of transformers uses instead of those in tokenizer.json. Source:
// transformers 5.24, tokenization_*.py of the classes and TokenizersBackend.convert_to_native_format().
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/tokenizers/named_pre_tokenizers.hpp"
#include "core/tokenizers/read/json_stages.hpp"
#include "core/tokenizers/read/tokenizer_folder.hpp"

namespace attnscope::tokenizers {
namespace {

using nlohmann::json;
using enum TokenizerClass;

constexpr const char* metaspace_mark = "\u2581";

/// Classes that build their own stages and are not in TokenizerClass, with the type of their model.
constexpr std::pair<std::string_view, std::string_view> models_of_classes[] = {
    {"Albert", "Unigram"},
    {"Barthez", "Unigram"},
    {"BigBird", "Unigram"},
    {"DebertaV2", "Unigram"},
    {"FNet", "Unigram"},
    {"LayoutXLM", "Unigram"},
    {"MBart", "Unigram"},
    {"MBart50", "Unigram"},
    {"Pegasus", "Unigram"},
    {"RemBert", "Unigram"},
    {"Udop", "Unigram"},
    {"XGLM", "Unigram"},
    {"XLNet", "Unigram"},
    {"Blenderbot", "BPE"},
    {"CLIP", "BPE"},
    {"CodeLlama", "BPE"},
    {"Cohere", "BPE"},
    {"Deberta", "BPE"},
    {"Herbert", "BPE"},
    {"LayoutLMv3", "BPE"},
    {"Luke", "BPE"},
    {"MarkupLM", "BPE"},
    {"Nllb", "BPE"},
    {"Nougat", "BPE"},
    {"OpenAIGPT", "BPE"},
    {"Qwen3_5", "BPE"},
    {"Reformer", "BPE"},
    {"SeamlessM4T", "BPE"},
    {"Siglip2", "BPE"},
    {"Whisper", "BPE"},
    {"Funnel", "WordPiece"},
    {"MPNet", "WordPiece"},
    {"LayoutLMv2", "WordPiece"},
    {"RoFormer", "WordPiece"},
    {"Splinter", "WordPiece"},
    {"DPRReader", "WordPiece"},
    {"DPRQuestionEncoder", "WordPiece"}};

/// Classes written in Python only, which do not read tokenizer.json.
constexpr std::string_view python_classes[] = {"Bartpho",
                                               "BertJapanese",
                                               "Bertweet",
                                               "BioGpt",
                                               "BlenderbotSmall",
                                               "ByT5",
                                               "CTRL",
                                               "Canine",
                                               "Clvp",
                                               "Cpm",
                                               "CpmAnt",
                                               "Dia",
                                               "Esm",
                                               "FSMT",
                                               "Flaubert",
                                               "GPTNeoXJapanese",
                                               "Marian",
                                               "Mgpstr",
                                               "MyT5",
                                               "PLBart",
                                               "Perceiver",
                                               "Phobert",
                                               "ProphetNet",
                                               "RoCBert",
                                               "Tapas",
                                               "Vits",
                                               "Wav2Vec2CTC",
                                               "Wav2Vec2PhonemeCTC",
                                               "XLM"};

std::string_view model_of(TokenizerClass of) {
  switch (of) {
    case Bert: return "WordPiece";
    case T5:
    case XlmRoberta:
    case Camembert: return "Unigram";
    default: return "BPE";
  }
}

json byte_level(bool adds_space, bool cuts) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", adds_space}, {"use_regex", cuts}};
}
json metaspace(const char* type, const char* scheme, bool splits) {
  return {{"type", type}, {"replacement", metaspace_mark}, {"prepend_scheme", scheme}, {"split", splits}};
}
json replaces(const char* from, const char* by) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", by}};
}
json sequence(const char* list, json steps) { return {{"type", "Sequence"}, {list, std::move(steps)}}; }

/// The decoder of SentencePiece BPE models.
json decoder_of_pieces(bool strips) {
  json steps = json::array({replaces(metaspace_mark, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}});
  if (strips) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1u}, {"stop", 0u}});
  return sequence("decoders", std::move(steps));
}

/// The character map of a SentencePiece model; null if there is none.
json character_map_of(const json& normalizer) {
  if (!normalizer.is_object()) return nullptr;
  const auto list = normalizer.find("normalizers");
  const json steps = list != normalizer.end() && list->is_array() ? *list : json::array({normalizer});
  for (const json& step : steps)
    if (step.is_object() && step.value("type", json()) == "Precompiled") return step;
  return nullptr;
}

class ClassStages {
 public:
  ClassStages(const TokenizerFolder& folder, json& file)
      : folder_(folder), file_(file), model_(file["model"]) {}

  void put(TokenizerClass of) {
    switch (of) {
      case Other: return;
      case Bert: return put_bert();
      case Gpt2:
      case Roberta:
      case Qwen2:
      case GptNeoX: return put_byte_level(of);
      case Llama: return put_llama(folder_.flag("legacy", false) ? "always" : "first", nullptr);
      case Gemma: return put_gemma();
      case T5: return put_unigram(true, 2);
      case XlmRoberta: return put_unigram(folder_.flag("add_prefix_space", true), 3);
      case Camembert: return put_unigram(folder_.flag("add_prefix_space", true), place_of_unknown());
    }
  }
  void put_llama(const char* scheme, json unknown) {
    const bool adds_space = folder_.flag("add_prefix_space", true);
    set("normalizer", nullptr);
    set("pre_tokenizer", metaspace("Metaspace", adds_space ? scheme : "never", false));
    set("decoder", decoder_of_pieces(adds_space));
    set_bpe(std::move(unknown), true);
  }

 private:
  void set(const char* stage, json value) { file_[stage] = std::move(value); }

  void set_bpe(json unknown, bool falls_back) {
    model_.update({{"unk_token", std::move(unknown)},
                   {"dropout", nullptr},
                   {"continuing_subword_prefix", nullptr},
                   {"end_of_word_suffix", nullptr},
                   {"fuse_unk", falls_back},
                   {"byte_fallback", falls_back},
                   {"ignore_merges", false}});
  }

  void put_bert() {
    const JsonNode strips = folder_.setting("strip_accents");
    set("normalizer", {{"type", "BertNormalizer"},
                       {"clean_text", true},
                       {"handle_chinese_chars", folder_.flag("tokenize_chinese_chars", true)},
                       {"strip_accents", strips ? json(folder_.flag("strip_accents", false)) : json()},
                       {"lowercase", folder_.flag("do_lower_case", true)}});
    set("pre_tokenizer", {{"type", "BertPreTokenizer"}});
    set("decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}});
    const std::string unknown = folder_.special("unk_token");
    model_.update({{"unk_token", unknown.empty() ? "[UNK]" : unknown},
                   {"continuing_subword_prefix", "##"},
                   {"max_input_chars_per_word", 100u}});
  }

  void put_byte_level(TokenizerClass of) {
    const bool adds_space = folder_.flag("add_prefix_space", false), qwen = of == Qwen2;
    set("normalizer", qwen || of == GptNeoX ? json{{"type", "NFC"}} : json());
    json bytes = byte_level(adds_space, !qwen);
    const json cut{{"type", "Split"},
                   {"pattern", {{"Regex", qwen2_expression}}},
                   {"behavior", "Isolated"},
                   {"invert", false}};
    set("pre_tokenizer",
        qwen ? sequence("pretokenizers", json::array({cut, std::move(bytes)})) : std::move(bytes));
    set("decoder", {{"type", "ByteLevel"}});
    set_bpe(nullptr, false);
  }

  void put_gemma() {
    const std::string unknown = folder_.special("unk_token");
    set("normalizer", replaces(" ", metaspace_mark));
    set("pre_tokenizer", {{"type", "Split"},
                          {"pattern", {{"String", " "}}},
                          {"behavior", "MergedWithPrevious"},
                          {"invert", false}});
    set("decoder", decoder_of_pieces(false));
    set_bpe(unknown.empty() ? "<unk>" : unknown, true);
  }

  void put_unigram(bool adds_space, std::size_t unknown) {
    const char* scheme = adds_space ? "always" : "never";
    set("normalizer", character_map_of(file_.value("normalizer", json())));
    set("pre_tokenizer", sequence("pretokenizers", json::array({{{"type", "WhitespaceSplit"}},
                                                                metaspace("Metaspace", scheme, true)})));
    set("decoder", metaspace("Metaspace", scheme, true));
    model_.update({{"unk_id", unknown}, {"byte_fallback", false}});
  }

  std::size_t place_of_unknown() const {
    const std::string named = folder_.special("unk_token"), unknown = named.empty() ? "<unk>" : named;
    const json vocabulary = model_.value("vocab", json());
    const auto found = std::ranges::find_if(vocabulary, [&](const json& piece) {
      return piece.is_array() && !piece.empty() && piece[0] == unknown;
    });
    return found == vocabulary.end() ? 0 : static_cast<std::size_t>(found - vocabulary.begin());
  }

  const TokenizerFolder& folder_;
  json& file_;
  json& model_;
};

/// Names the class and the file that names it: "tokenizer_config.json: tokenizer_class is "BertTokenizer"".
std::string saying_class(const TokenizerFolder& folder) {
  return folder.names_class()
             ? fmt::format("tokenizer_config.json: tokenizer_class is {}",
                           in_quotes(folder.setting("tokenizer_class").text(), 60))
             : fmt::format("config.json: its tokenizer is that of {}", in_quotes(folder.model_type(), 60));
}

void check_model_type(const TokenizerFolder& folder, const json& file, std::string_view expected) {
  const std::string found = model_type_of(JsonNode(&file, "")["model"]);
  if (found == expected) return;
  throw Error(
      fmt::format("{}, which cuts by a {} model, and tokenizer.json holds a {} model: which of the two is "
                  "meant is not known.",
                  saying_class(folder), expected, in_quotes(found, 40)));
}

/// The id of a token that the class puts around a text.
Id id_around(const TokenizerFolder& folder, const TokenizerParts& parts, const char* key, const char* usual) {
  const std::string named = folder.special(key), text = named.empty() ? usual : named;
  const Id id = id_in(parts, text);
  if (id == no_id)
    throw Error(fmt::format("{}, which puts {} around a text, a token that tokenizer.json does not have.",
                            saying_class(folder), in_quotes(text, 40)));
  return id;
}

}  // namespace

void put_class_format(const TokenizerFolder& folder, TokenizerParts& parts) {
  if (!folder.has("tokenizer_config.json")) return;
  PostProcessor& made = parts.post_processor;
  const auto id_of = [&](const char* key, const char* usual) { return id_around(folder, parts, key, usual); };
  switch (folder.tokenizer_class()) {
    case Bert: made = bert_format(id_of("cls_token", "[CLS]"), id_of("sep_token", "[SEP]")); return;
    case Roberta: {
      std::optional<PostProcessor::Trim> trim;
      if (folder.flag("trim_offsets", true)) trim = {folder.flag("add_prefix_space", false)};
      made = roberta_format(id_of("cls_token", "<s>"), id_of("sep_token", "</s>"), trim);
      return;
    }
    case XlmRoberta:
    case Camembert:
      made = roberta_format(id_of("bos_token", "<s>"), id_of("eos_token", "</s>"), std::nullopt);
      return;
    case T5: {
      const TemplatePart end{.ids = {id_of("eos_token", "</s>")}};
      made = {
          .trim = {}, .single = {{.sequence = 0}, end}, .pair = {{.sequence = 0}, end, {.sequence = 1}, end}};
      return;
    }
    case GptNeoX: made = {}; return;
    default: break;
  }
  if (folder.other_class() != "CodeLlama") return;
  const Id begin = id_of("bos_token", "<s>");
  made = {
      .trim = {},
      .single = {{.ids = {begin}}, {.sequence = 0}},
      .pair = {
          {.ids = {begin}}, {.sequence = 0}, {.type_id = 1, .ids = {begin}}, {.sequence = 1, .type_id = 1}}};
}

void put_class_stages(const TokenizerFolder& folder, std::string_view text, json& file) {
  const std::string& other = folder.other_class();
  if (std::ranges::find(python_classes, other) != std::end(python_classes))
    throw Error(
        fmt::format("{}, which is a program in Python and not what tokenizer.json describes; it is not "
                    "known here.",
                    saying_class(folder)));
  if (!other.empty() && folder.needs_python())
    throw Error(
        fmt::format("{}, and auto_map names a program in Python that comes with the model for it, which is "
                    "never run here.",
                    saying_class(folder)));
  const bool is_broken = !file.is_object() || !file.value("model", json()).is_object();  // reading reports it
  if (is_broken || !folder.has("tokenizer_config.json")) return;
  const auto known =
      std::ranges::find(models_of_classes, other, &std::pair<std::string_view, std::string_view>::first);
  if (known != std::end(models_of_classes)) {
    check_model_type(folder, file, known->second);
    // With its own type of model, the class uses the file's stages.
    const std::string_view usual = other == "Herbert" ? "bert" : other == "CodeLlama" ? "llama" : "";
    if (folder.type_has_class() && folder.model_type() != usual)
      throw Error(fmt::format(
          "{}, which cuts in a way of its own, and config.json says {}: which of the two is meant "
          "is not known.",
          saying_class(folder), in_quotes(folder.model_type(), 40)));
  }
  if (other == "CodeLlama") {
    const std::string unknown = folder.special("unk_token");
    ClassStages(folder, file).put_llama("first", unknown.empty() ? "<unk>" : unknown);
  }
  const TokenizerClass of = folder.tokenizer_class();
  // Llama: the file alone counts if the folder names no class, and if the file is byte-level, as for Llama 3.
  const bool is_file = of == Llama && (!folder.names_class() || text.find("\"ByteLevel\"") != text.npos);
  if (of == Other || is_file) return;
  check_model_type(folder, file, model_of(of));
  ClassStages(folder, file).put(of);
}

}  // namespace attnscope::tokenizers
