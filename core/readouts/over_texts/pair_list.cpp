#include "core/readouts/over_texts/pair_list.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_pair_fields = 4;

std::vector<std::string> pair_fields(std::string_view line) {
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    fields.emplace_back(line.substr(0, tab));
    if (tab == line.npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

/// Throws Error without naming the line.
TextPair pair_of_line(std::string_view line) {
  std::vector<std::string> fields = pair_fields(line);
  if (fields.size() == 1)
    throw Error(
        "There is no tab in it; expected are a clean text and a corrupted one with a tab between them.");
  if (fields.size() > most_pair_fields)
    throw Error(
        fmt::format("It has {} fields between tabs; expected are a clean text, a corrupted one and, where "
                    "they are named, the right answer and the wrong one.",
                    fields.size()));
  if (fields[0].empty() || fields[1].empty())
    throw Error(fmt::format("The {} text is empty.", fields[0].empty() ? "clean" : "corrupted"));
  fields.resize(most_pair_fields);
  return {std::move(fields[0]), std::move(fields[1]), std::move(fields[2]), std::move(fields[3])};
}

/// Reads one pair; throws Error without naming the line.
class PairReader {
 public:
  PairReader(const OpenedModel& opened, const std::optional<std::string>& decoder_text)
      : opened_(opened), decoder_text_(decoder_text) {}

  PairTokens read(const TextPair& pair) const {
    PairTokens made{.clean = tokens_of_text(pair.clean), .corrupted = tokens_of_text(pair.corrupted)};
    check_lengths(made.clean.input, made.corrupted.input);
    made.row = row_of_both(made.clean.input, made.corrupted.input);
    made.answer = named_answer(pair.answer);
    made.other = named_answer(pair.other);
    if (made.answer && made.answer == made.other)
      throw Error(fmt::format("Both answers are \"{}\", so there is no difference to be measured.",
                              prediction_label(opened_, *made.answer)));
    return made;
  }

 private:
  ModelTokens tokens_of_text(const std::string& text) const {
    ModelText read;
    read.text = text;
    read.decoder_text = decoder_text_;
    return tokens_of(opened_, read);
  }

  /// Checks the stack whose heads are patched: in an encoder-decoder, the decoder has the same text in both.
  void check_lengths(const ModelInput& clean, const ModelInput& corrupted) const {
    if (clean.ids.size() != corrupted.ids.size() && !opened_.model->spec.reads_two_texts())
      throw Error(
          fmt::format("The clean text has {} {} and the corrupted one {}; patching takes what stands at a "
                      "position of one to the same position of the other, so as many are needed.",
                      clean.ids.size(), clean.ids.size() == 1 ? "token" : "tokens", corrupted.ids.size()));
    if (clean == corrupted)
      throw Error("Both texts are the same tokens, so nothing is corrupted that could be brought back.");
  }

  std::int64_t row_of_both(const ModelInput& clean, const ModelInput& corrupted) const {
    const ModelSpec& spec = opened_.model->spec;
    const bool reads_two = spec.reads_two_texts();
    const std::int64_t last = std::ssize(reads_two ? clean.decoder_ids : clean.ids) - 1;
    if (spec.head.kind != HeadKind::MaskedToken || spec.head.input != HeadInput::EveryRow) return last;
    const std::int64_t mask = mask_token(opened_);
    const std::string* const name = mask_name(opened_);
    const auto row_of_mask = [&](const ModelInput& input, std::string_view which) {
      const auto at = std::ranges::find(input.ids, mask);
      if (mask < 0 || at == input.ids.end())
        throw Error(
            fmt::format("The {} text has no masked token, whose prediction the effects are measured "
                        "on: write {} for a word.",
                        which, name == nullptr ? "the tokenizer's masked token" : *name));
      return at - input.ids.begin();
    };
    const std::int64_t row = row_of_mask(clean, "clean"), other = row_of_mask(corrupted, "corrupted");
    if (row != other)
      throw Error(
          fmt::format("The masked token is number {} of the clean text and number {} of the corrupted "
                      "one, and patching compares the same position.",
                      row, other));
    return row;
  }

  std::optional<std::int64_t> named_answer(const std::string& words) const {
    if (words.empty()) return std::nullopt;
    const AnswerToken found = answer_token(opened_, words);
    if (!found.id) throw Error(found.problem);
    return found.id;
  }

  const OpenedModel& opened_;
  const std::optional<std::string>& decoder_text_;
};

}  // namespace

PairList read_pair_list(const std::filesystem::path& path) {
  PairList list;
  list.lines = read_text_list(path);
  for (const ListedText& line : list.lines.texts) {
    try {
      list.pairs.push_back(pair_of_line(line.text));
    } catch (const Error& error) {
      throw line_error(list.lines, line, error.what());
    }
  }
  return list;
}

std::vector<PairTokens> tokens_of_pairs(const OpenedModel& opened, const PairList& list,
                                        const std::optional<std::string>& decoder_text) {
  const PairReader reader(opened, decoder_text);
  std::vector<PairTokens> all;
  for (std::size_t i = 0; i < list.pairs.size(); ++i) {
    try {
      all.push_back(reader.read(list.pairs[i]));
    } catch (const Error& error) {
      throw line_error(list.lines, list.lines.texts[i], error.what());
    }
  }
  return all;
}

}  // namespace attnscope
