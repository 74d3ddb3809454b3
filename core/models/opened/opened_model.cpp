#include "core/models/opened/opened_model.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/model/model_files.hpp"
#include "core/files/model/model_path.hpp"
#include "core/models/opened/file_facts.hpp"
#include "core/models/opened/user_chat.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/number_tokenizer.hpp"
#include "core/tokenizers/read/chat_format.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using tokenizers::EncodedToken;
using tokenizers::Tokenizer;

/// Shows line breaks, tabs and the like as signs: models write many of them.
std::string with_signs(std::string_view text) {
  std::string signs;
  for (const char c : text) signs += c == '\n' || c == '\r' ? "↵" : c == '\t' ? "⇥" : std::string(1, c);
  return signs;
}

/// A token's text for display, else its name in the vocabulary, else its number: one line, never empty.
std::string shown(const Tokenizer& tokenizer, std::int64_t id) {
  const auto in_range = id >= 0 && id < tokenizer.vocabulary_size();
  std::string text = in_range ? tokenizer.piece(static_cast<tokenizers::Id>(id)) : "";
  if (text.empty() && in_range && tokenizer.token(static_cast<tokenizers::Id>(id)) != nullptr)
    text = *tokenizer.token(static_cast<tokenizers::Id>(id));
  if (text.empty()) return fmt::format("#{}", id);
  if (text.find_first_not_of(' ') != text.npos) return printable(with_signs(text));
  std::string blanks;
  for (std::size_t i = 0; i < text.size(); ++i) blanks += "␣";
  return blanks;
}

Token label_of(const Tokenizer& tokenizer, std::int64_t id) {
  Token token(shown(tokenizer, id));
  token.id = static_cast<std::int32_t>(id);
  token.special = tokenizer.is_special(static_cast<tokenizers::Id>(id));
  return token;
}

/// Turns the texts into ids and labels, and notes what was lost.
class TextReader {
 public:
  /// Without `chats`, a chat is read as plain text.
  TextReader(const ModelSpec& spec, const Tokenizer& tokenizer, const ModelText& text,
             const tokenizers::ChatFormat* chats = nullptr)
      : spec_(spec),
        tokenizer_(tokenizer),
        text_(text),
        chats_(chats),
        decoder_text_(text.decoder_text.value_or("")) {}

  ModelTokens read() {
    made_.tokens.text = text_.text;
    const bool is_chat = text_.chat_day.has_value() && chats_ != nullptr;
    text_.ids.empty() ? (is_chat ? read_chat() : read_text()) : take_ids();
    if (spec_.reads_two_texts()) {
      begin_decoder();
    } else if (spec_.decoder) {
      go_on(made_.input.ids, made_.tokens);
      made_.input.types.resize(spec_.token_types > 0 ? made_.input.ids.size() : 0, 0);
    }
    made_.untold = untold_sentence();
    return std::move(made_);
  }

 private:
  void read_text() {
    const tokenizers::EncodeOptions options{.add_special_tokens = text_.special};
    const tokenizers::Encoding encoding = text_.pair ? tokenizer_.encode(text_.text, *text_.pair, options)
                                                     : tokenizer_.encode(text_.text, options);
    for (const EncodedToken& token : encoding.tokens) {
      made_.input.ids.push_back(token.id);
      if (spec_.token_types > 0) made_.input.types.push_back(token.type_id);
      add(token, made_.tokens);
    }
    note_untold(encoding);
  }

  /// Reads the rendered chat; tokens of the user's own text know their place in it.
  void read_chat() {
    const UserChat chat = user_chat(*chats_, text_.text, *text_.chat_day);
    rendered_ = chat.text;
    const tokenizers::Encoding encoding = tokenizer_.encode(rendered_, {.add_special_tokens = false});
    for (EncodedToken token : encoding.tokens) {
      made_.input.ids.push_back(token.id);
      if (spec_.token_types > 0) made_.input.types.push_back(token.type_id);
      const auto range = chat.in_said(token.range);
      token.sequence = range ? 0 : -1;
      token.range = range.value_or(tokenizers::Range());
      add(token, made_.tokens);
    }
    note_untold(encoding);
  }

  void take_ids() {
    for (const std::int64_t id : text_.ids) {
      if (id < 0 || id >= spec_.vocabulary)
        throw Error(
            fmt::format("There is no token {}; the model has tokens 0 to {}.", id, spec_.vocabulary - 1));
      made_.input.ids.push_back(id);
      if (spec_.token_types > 0) made_.input.types.push_back(0);
      made_.tokens.tokens.push_back(label_of(tokenizer_, id));
    }
  }

  void add(const EncodedToken& token, Sequence& to) const {
    Token label = label_of(tokenizer_, token.id);
    label.special = token.special;
    if (token.sequence == 0) {
      label.begin = static_cast<std::int64_t>(token.range.begin);
      label.end = static_cast<std::int64_t>(token.range.end);
      if (token.id == tokenizer_.special_ids().unk && label.end > label.begin) say_as_written(to.text, label);
    }
    to.tokens.push_back(std::move(label));
  }

  /// Labels an unknown token by its written form: all are one token to the model, but a user can tell them
  /// apart.
  static void say_as_written(const std::string& text, Token& label) {
    const auto begin = static_cast<std::size_t>(label.begin), end = static_cast<std::size_t>(label.end);
    label.text = printable(with_signs(std::string_view(text).substr(begin, end - begin)));
    label.unknown = true;
    label.special = false;
  }

  void begin_decoder() {
    std::vector<std::int64_t>& ids = made_.input.decoder_ids;
    ids.push_back(spec_.decoder_start.value_or(0));
    made_.decoder_tokens.text = decoder_text_;
    made_.decoder_tokens.tokens.push_back(label_of(tokenizer_, ids[0]));
    const auto said = tokenizer_.encode(decoder_text_, {.add_special_tokens = false});
    for (const EncodedToken& token : said.tokens) {
      ids.push_back(token.id);
      add(token, made_.decoder_tokens);
    }
    note_untold(said);
    go_on(ids, made_.decoder_tokens);
  }

  void go_on(std::vector<std::int64_t>& ids, Sequence& labels) const {
    for (const std::int64_t id : text_.continued) {
      ids.push_back(id);
      labels.tokens.push_back(label_of(tokenizer_, id));
    }
  }

  void note_untold(const tokenizers::Encoding& encoding) {
    const bool of_decoder = !made_.decoder_tokens.tokens.empty();
    for (const tokenizers::Untold& part : encoding.untold) {
      const std::string& first = rendered_.empty() ? text_.text : rendered_;
      const std::string& text = of_decoder ? decoder_text_ : part.sequence == 0 ? first : *text_.pair;
      const std::string piece = text.substr(part.range.begin, part.range.end - part.range.begin);
      if (std::ranges::find(untold_, piece) == untold_.end()) untold_.push_back(piece);
    }
  }

  std::string untold_sentence() const {
    if (untold_.empty()) return {};
    constexpr std::size_t most_named = 5;
    std::string named;
    for (std::size_t i = 0; i < std::min(untold_.size(), most_named); ++i)
      named += (i == 0 ? "" : ", ") + in_quotes(untold_[i], 20);
    return fmt::format("The tokenizer has no token for {}{}: the model does not see it.", named,
                       untold_.size() > most_named ? ", …" : "");
  }

  const ModelSpec& spec_;
  const Tokenizer& tokenizer_;
  const ModelText& text_;
  const tokenizers::ChatFormat* chats_;
  const std::string decoder_text_;
  std::string rendered_;  // of a chat
  ModelTokens made_;
  std::vector<std::string> untold_;
};

/// How many tokens a stack takes; 0 = limited by memory only (relative positions).
std::int64_t token_limit(const Model& model, const StackSpec& stack) {
  if (stack.positions() == Positions::Learned && model.position_table.size() > 0)
    return model.position_table.shape()[0] - model.spec.first_position;
  return is_rotary(stack.positions()) ? model.spec.max_positions : 0;
}

void check_count(const Model& model, const StackSpec& stack, const std::vector<std::int64_t>& ids) {
  if (ids.empty()) throw Error("There are no tokens; a model needs at least one. Type a word.");
  const std::int64_t most = token_limit(model, stack), count = std::ssize(ids);
  if (most > 0 && count > most)
    throw Error(
        fmt::format("The text has {} tokens; {} has positions for {}.", count, model.spec.family, most));
}

/// A label for each patch: its row and column.
ModelTokens tokens_of_picture(const OpenedModel& opened, const ModelText& text) {
  const ImageSpec& image = *opened.model->spec.image;
  if (text.image.empty())
    throw Error(fmt::format("{} takes a picture, and none is chosen: drop a PNG or JPEG.",
                            opened.model->spec.family));
  ModelTokens made;
  made.input.image = prepared_image(read_picture(text.image), *opened.preparation, image);
  made.untold = note_on_picture(text.image);
  const Shape& shape = made.input.image.shape();
  if (opened.model->class_token.size() > 0) made.tokens.tokens.emplace_back("[CLS]");
  for (std::int64_t row = 0; row < shape[1] / image.patch; ++row)
    for (std::int64_t column = 0; column < shape[2] / image.patch; ++column)
      made.tokens.tokens.emplace_back(fmt::format("{},{}", row, column));
  return made;
}

}  // namespace

std::string OpenedModel::heads_words() const {
  const ModelSpec& spec = model->spec;
  const StackSpec& stack = spec.output_stack();
  const std::string before = spec.reads_two_texts() ? fmt::format("{} + ", spec.encoder->blocks.size()) : "";
  const std::size_t layers = stack.blocks.size();
  const int heads = stack.blocks[0].heads;
  return fmt::format("{}{} {} × {} {}", before, layers, layers == 1 && before.empty() ? "layer" : "layers",
                     heads, heads == 1 ? "head" : "heads");
}

bool is_model_path(const fs::path& given) {
  const fs::path path = model_path(given);
  std::error_code ignored;
  return is_regular_file(path / "config.json", ignored) || is_gguf(path) ||
         is_regular_file(path / "adapter_config.json", ignored);
}

namespace {

/// Reads the chat template; a model without one can still be opened.
void read_chats(ModelFiles& files, OpenedModel& opened) {
  try {
    tokenizers::ChatFormat chats;
    if (!opened.reads_numbers) chats = tokenizers::load_chat_format(files, *opened.tokenizer);
    chats.of("");
    opened.chats = std::make_shared<const tokenizers::ChatFormat>(std::move(chats));
  } catch (const Error& error) {
    opened.no_chat = error.what();
  }
}

}  // namespace

OpenedModelPtr open_whole_model(const fs::path& given, Reading* reading) {
  ModelFiles files(model_path(given));
  constexpr std::uint64_t steps = 3;
  expect(reading, steps);
  const auto opened = std::make_shared<OpenedModel>();
  opened->path = files.path();
  opened->model = open_model(files);
  advance(reading, 1);
  const ModelSpec& spec = opened->model->spec;
  if (spec.image) {
    opened->preparation = image_preparation(opened->path, *spec.image);
  } else {
    opened->reads_numbers = !tokenizers::has_tokenizer(files);
    opened->tokenizer = opened->reads_numbers
                            ? tokenizers::number_tokenizer(static_cast<tokenizers::Id>(spec.vocabulary))
                            : tokenizers::load_tokenizer(files);
    for (tokenizers::Id id = 0; id < opened->tokenizer->vocabulary_size(); ++id)
      if (opened->tokenizer->is_special(id)) opened->special.push_back(id);
    read_chats(files, *opened);
  }
  advance(reading, 1);
  FileFacts facts = file_facts(*opened->model, files);
  opened->name = std::move(facts.name);
  opened->storage = std::move(facts.storage);
  opened->bytes = facts.bytes;
  opened->fingerprint = facts.fingerprint;
  opened->trained = std::move(facts.trained);
  advance(reading, 1);
  return opened;
}

std::string token_label(const OpenedModel& opened, std::int64_t id) {
  return opened.tokenizer ? shown(*opened.tokenizer, id) : fmt::format("#{}", id);
}

std::string prediction_label(const OpenedModel& opened, std::int64_t id) {
  const std::vector<std::string>& classes = opened.model->spec.head.classes;
  if (id < 0) return "NaN";  // not_a_token, see core/readouts/text/prediction.hpp
  if (classes.empty()) return token_label(opened, id);
  return id < std::ssize(classes) ? printable(classes[static_cast<std::size_t>(id)]) : fmt::format("#{}", id);
}

std::int64_t mask_token(const OpenedModel& opened) {
  return opened.tokenizer ? opened.tokenizer->special_ids().mask : tokenizers::no_id;
}

const std::string* mask_name(const OpenedModel& opened) {
  return opened.tokenizer ? opened.tokenizer->token(opened.tokenizer->special_ids().mask) : nullptr;
}

std::string text_of_token(const OpenedModel& opened, std::int64_t id) {
  return opened.tokenizer->piece(static_cast<tokenizers::Id>(id));
}

std::vector<std::int64_t> plain_tokens(const OpenedModel& opened, std::string_view text) {
  const auto ids = opened.tokenizer->encode(text, {.add_special_tokens = false}).ids();
  return {ids.begin(), ids.end()};
}

bool puts_special_tokens(const OpenedModel& opened) { return !opened.tokenizer->encode("").tokens.empty(); }

bool chat_may_ask_date(const OpenedModel& opened) {
  return opened.chats && opened.chats->of("").may_ask_date();
}

const Sequence& ModelTokens::queries_of(AttentionOf of) const {
  return of == AttentionOf::Encoder || decoder_tokens.tokens.empty() ? tokens : decoder_tokens;
}

const Sequence& ModelTokens::keys_of(AttentionOf of) const {
  return of == AttentionOf::Cross ? tokens : queries_of(of);
}

ModelTokens tokens_of(const OpenedModel& opened, const ModelText& text) {
  const Model& model = *opened.model;
  if (model.spec.image) return tokens_of_picture(opened, text);
  const auto* const chats = opened.no_chat.empty() ? opened.chats.get() : nullptr;
  ModelTokens made = TextReader(model.spec, *opened.tokenizer, text, chats).read();
  if (opened.reads_numbers && made.input.ids.empty()) throw Error("The text is no list of token numbers.");
  check_count(model, model.spec.input_stack(), made.input.ids);
  if (model.spec.reads_two_texts()) check_count(model, *model.spec.decoder, made.input.decoder_ids);
  return made;
}

ModelTokens text_tokens(const ModelSpec& spec, const Tokenizer& tokenizer, const ModelText& text) {
  return TextReader(spec, tokenizer, text).read();
}

}  // namespace attnscope
