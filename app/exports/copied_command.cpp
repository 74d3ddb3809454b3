#include "app/exports/copied_command.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/models/changes.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

using Unsaid = CopiedCommand::Unsaid;

/// Linux limits one argument to 128 KiB, with its terminating zero byte.
constexpr std::size_t longest_word = 128 * 1024 - 1;

class CommandText {
 public:
  explicit CommandText(std::string_view command) : text_("attnscope " + std::string(command)) {}
  CommandText& word(std::string_view value) {
    text_ += " " + shell_word(value);
    return *this;
  }
  CommandText& option(std::string_view name, std::string_view value) {
    text_ += " " + std::string(name);
    return word(value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// An absolute path: the command line may run in another folder.
std::string from_root(const std::filesystem::path& path) {
  return path.empty() ? std::string() : std::filesystem::absolute(path).native();
}

/// Whether it can be the value of an option; an empty value counts as missing.
bool is_value(const std::string& text) {
  return !text.empty() && text.size() <= longest_word && text.find('\0') == text.npos;
}

bool has_types(const ModelInput& input) {
  return std::ranges::any_of(input.types, [](std::int64_t type) { return type != 0; });
}

/// The texts as options; empty if an option cannot have one as its value.
std::optional<ModelText> said_of(const ModelOnScreen& shown) {
  const ModelText& input = shown.within.input;
  const auto is_kept = [](const std::optional<std::string>& text) { return text && !text->empty(); };
  ModelText said;
  said.text = input.text;
  if (is_kept(input.pair) && !shown.effects) said.pair = input.pair;
  if (is_kept(input.decoder_text)) said.decoder_text = input.decoder_text;
  const bool fits =
      is_value(said.text) && is_value(said.pair.value_or("-")) && is_value(said.decoder_text.value_or("-"));
  return fits && !shown.within.model->reads_numbers ? std::optional(std::move(said)) : std::nullopt;
}

/// Adds --text and its related options; false if the command would make other tokens of the text.
bool add_text(const ModelOnScreen& shown, const ModelInput& wanted, CommandText& line) {
  const OpenedModel& opened = *shown.within.model;
  const ModelSpec& spec = opened.model->spec;
  const std::optional<ModelText> said = said_of(shown);
  if (!said || (said->decoder_text && !spec.reads_two_texts())) return false;
  const ModelInput made = text_tokens(spec, *opened.tokenizer, *said).input;
  if (made.ids != wanted.ids || made.types != wanted.types || made.decoder_ids != wanted.decoder_ids)
    return false;
  line.option("--text", said->text);
  if (said->pair) line.option("--pair", *said->pair);
  if (said->decoder_text) line.option("--decoder-text", *said->decoder_text);
  return true;
}

void add_tokens(const ModelSpec& spec, const ModelInput& wanted, CommandText& line,
                std::vector<Unsaid>& unsaid) {
  const std::string ids = fmt::format("{}", fmt::join(wanted.ids, ","));
  line.option("--ids", ids);
  const std::vector<std::int64_t> start{spec.decoder_start.value_or(0)};
  if (has_types(wanted)) unsaid.push_back(Unsaid::Pair);
  if (spec.reads_two_texts() && wanted.decoder_ids != start) unsaid.push_back(Unsaid::Decoder);
  if (ids.size() > longest_word) unsaid.push_back(Unsaid::Length);
}

void add_input(const ModelOnScreen& shown, CommandText& line, std::vector<Unsaid>& unsaid) {
  const OpenedModel& opened = *shown.within.model;
  const ModelSpec& spec = opened.model->spec;
  if (spec.image && !shown.within.input.image.empty()) {
    line.option("--image", from_root(shown.within.input.image));
    return;
  }
  const ModelInput wanted = tokens_of(opened, shown.within.input).input;
  if (!add_text(shown, wanted, line)) add_tokens(spec, wanted, line, unsaid);
}

/// Adds --ablate with the zeroed heads; the numbers of all other changes go to `unsaid`.
void add_changes(const ModelOnScreen& shown, CommandText& line, std::vector<std::size_t>& unsaid) {
  const ModelChanges& changes = shown.within.changes;
  const AttentionOf output = output_attention(shown.within.model->model->spec);
  std::vector<std::string> heads;
  for (std::size_t i = 0; i < changes.blocks.size(); ++i) unsaid.push_back(i);
  for (std::size_t i = 0; i < changes.heads.size(); ++i) {
    const HeadChange& change = changes.heads[i];
    if (change.kind == HeadChange::Kind::Zero && change.rows.empty() && change.of == output)
      heads.push_back(fmt::format("{}.{}", change.block, change.head));
    else
      unsaid.push_back(changes.blocks.size() + i);
  }
  if (!heads.empty()) line.option("--ablate", fmt::format("{}", fmt::join(heads, ",")));
}

/// Whether --layers can name the block: it counts in the stack that gives the output, and applies to all
/// attention with that number.
bool has_layers_option(const ModelContext& within) {
  const ModelSpec& spec = within.model->model->spec;
  return within.block < std::ssize(spec.output_stack().blocks);
}

std::string_view word_of_theme(ThemeName theme) {
  return theme == ThemeName::Light ? "light" : theme == ThemeName::Contrast ? "contrast" : "dark";
}

std::string_view word_of_positions(Positions positions) {
  return positions == Positions::RopeHalf          ? "rope-half"
         : positions == Positions::RopeInterleaved ? "rope-interleaved"
                                                   : "applied";
}

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,+@%-";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  }
  return word + "'";
}

CopiedCommand command_of_model(const ModelOnScreen& asked) {
  const OpenedModel& opened = *asked.within.model;
  CopiedCommand made;
  ModelOnScreen shown = asked;
  if (shown.effects && opened.model->spec.image) {
    shown.effects = false;  // `atlas` is for models that read a text
    made.others.push_back(Unsaid::EffectsOnPicture);
  }
  const std::filesystem::path& path = asked.within.path.empty() ? opened.path : asked.within.path;
  if (path.empty()) made.others.push_back(Unsaid::NoPath);
  CommandText line(shown.effects ? "atlas" : "run");
  line.word(from_root(path));
  add_input(shown, line, made.others);
  if (shown.effects) {
    if (shown.row) line.option("--at", fmt::format("{}", *shown.row));
    made.line = line.option("-o", "atlas.csv").take();
    return made;
  }
  if (shown.one_layer && has_layers_option(shown.within))
    line.option("--layers", fmt::format("{}", shown.within.block)).option("--emit", "q,k,v,entropy,received");
  add_changes(shown, line, made.changes);
  made.line = line.option("-o", "run.safetensors").take();
  return made;
}

std::string command_of_file(const FileOnScreen& shown) {
  CommandText line("render");
  line.word(from_root(shown.file));
  if (!shown.layer.empty()) line.option("--layer", shown.layer);
  if (shown.causal) line.option("--causal", *shown.causal ? "yes" : "no");
  if (shown.positions) line.option("--positions", word_of_positions(*shown.positions));
  line.option("--view", shown.mode.name).option("--theme", word_of_theme(shown.theme));
  line.option("--head", fmt::format("{}", shown.head));
  if (shown.cell) line.option("--at", fmt::format("{},{}", shown.cell->query, shown.cell->key));
  return line.option("-o", "picture.png").take();
}

}  // namespace attnscope
