#include "app/cli/models/run_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "app/cli/models/batch_file.hpp"
#include "app/cli/parts/model_note.hpp"
#include "app/cli/parts/tensor_output.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/posix.hpp"
#include "core/files/model/model_files.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/pictures/image_input.hpp"
#include "core/readouts/hook_tensors.hpp"
#include "core/readouts/lens.hpp"
#include "core/readouts/text/prediction.hpp"
#include "core/readouts/unembed.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
namespace {

ModelInput input_of_text(const RunModelOptions& options, ModelAtHand& at_hand) {
  const Model& model = at_hand.model();
  if (options.decoder_text && !model.spec.reads_two_texts())
    throw Error(fmt::format("--decoder-text is for encoder-decoders; this model is {}.", model.spec.family));
  const tokenizers::Tokenizer& tokenizer = at_hand.tokenizer();
  ModelText text;
  if (options.chat.is_given())
    text.text = chat_text(at_hand.files(), tokenizer, options.chat);
  else
    text.text = options.text_file ? read_whole(*options.text_file, max_text_bytes) : *options.text;
  text.special = !options.chat.is_given();
  text.pair = options.pair;
  text.decoder_text = options.decoder_text;
  ModelTokens tokens = text_tokens(model.spec, tokenizer, text);
  say_note(tokens.untold);
  return std::move(tokens.input);
}

std::vector<ModelInput> inputs_of(const RunModelOptions& options, ModelAtHand& at_hand) {
  const Model& model = at_hand.model();
  if (options.batch) return read_batch(*options.batch, model.spec);
  if (options.image && !model.spec.image)
    throw Error(
        fmt::format("--image is for models that take pictures; this model is {}.", model.spec.family));
  if (options.image) {
    const ImagePreparation how = image_preparation(at_hand.files().path(), *model.spec.image);
    ModelInput input;
    input.image = prepared_image(read_picture(*options.image), how, *model.spec.image);
    say_note(note_on_picture(*options.image));
    return {std::move(input)};
  }
  if (model.spec.image)
    throw Error(fmt::format("{} takes pictures: give it one with --image, or pixel_values with --batch.",
                            model.spec.family));
  if (!options.ids) return {input_of_text(options, at_hand)};
  ModelInput input;
  input.ids = *options.ids;
  if (model.spec.reads_two_texts()) input.decoder_ids = {model.spec.decoder_start.value_or(0)};
  return {std::move(input)};
}

ModelChanges changes_of(const RunModelOptions& options, const Model& model) {
  ModelChanges changes;
  for (const HeadAt& head : options.ablated)
    changes.heads.push_back({.of = output_attention(model.spec), .block = head.block, .head = head.head});
  check(changes, model.spec);
  const StackSpec& stack = model.spec.output_stack();
  if (options.last_block >= std::ssize(stack.blocks))
    throw Error(fmt::format("There is no layer {}; the model has 0 to {}.", options.last_block,
                            stack.blocks.size() - 1));
  return changes;
}

/// Collects the tensors of all sequences of a batch by name.
template <class T>
class Collected {
 public:
  /// Adds the next sequence's tensor `name`; all sequences have its shape.
  void add(const std::string& name, TensorOf<T> part) {
    std::vector<TensorOf<T>>& parts = parts_[name];
    if (parts.empty()) order_.push_back(name);
    if (!parts.empty() && parts[0].shape() != part.shape())
      throw Error(
          fmt::format("Sequences of different lengths cannot stand in one tensor: {} has shapes {} and {}.",
                      name, to_string(parts[0].shape()), to_string(part.shape())));
    parts.push_back(std::move(part));
  }
  void give(TensorOutput& output) {
    for (const std::string& name : order_) {
      std::vector<TensorOf<T>>& parts = parts_[name];
      const Shape& one = parts[0].shape();
      std::vector<std::int64_t> sizes{std::ssize(parts)};
      for (int axis = 0; axis < one.rank(); ++axis) sizes.push_back(one[axis]);
      TensorOf<T> all{Shape(std::span(sizes))};
      for (std::size_t b = 0; b < parts.size(); ++b)
        std::ranges::copy(parts[b].values(), all.data() + static_cast<std::int64_t>(b) * one.count());
      parts.clear();
      if constexpr (std::is_same_v<T, std::int64_t>)
        output.add_whole(name, std::move(all));
      else
        output.add(name, std::move(all));
    }
  }

 private:
  std::map<std::string, std::vector<TensorOf<T>>> parts_;
  std::vector<std::string> order_;
};

/// The tensors to write.
struct Parts {
  Collected<float> numbers;
  Collected<std::int64_t> wholes;
};

Tensor tensor_of(const KeptRows& rows) { return Tensor(Shape{rows.rows(), rows.width}, rows.values); }

/// Adds the tensors of one sequence.
class SequenceWriter {
 public:
  SequenceWriter(const Model& model, const ModelRun& run, const RunModelOptions& options, const Work& work,
                 Parts& out)
      : model_(model), run_(run), options_(options), work_(work), out_(out.numbers), wholes_(out.wholes) {}

  void write() {
    if (options_.names == TensorNames::TransformerLens) return write_hooks();
    const ModelSpec& spec = model_.spec;
    if (spec.reads_two_texts()) {
      write_stack(AttentionOf::Encoder, *spec.encoder, run_.encoder, "encoder_");
      write_stack(AttentionOf::Decoder, *spec.decoder, run_.decoder, "decoder_");
      for (std::size_t i = 0; i < run_.decoder.cross.size(); ++i)
        if (is_wanted(i))
          weights(AttentionOf::Cross, i, spec.decoder->blocks[i].heads,
                  fmt::format("cross_attentions.{}", i));
      out_.add("encoder_last_hidden_state", tensor_of(run_.encoder.normed));
    } else {
      const bool decoder = spec.decoder.has_value();
      write_stack(decoder ? AttentionOf::Decoder : AttentionOf::Encoder,
                  decoder ? *spec.decoder : *spec.encoder, run_.last(model_), "");
      out_.add("last_hidden_state", tensor_of(run_.last(model_).normed));
    }
    if (spec.head.kind == HeadKind::AnswerSpan) {
      write_span("start_logits", 0);
      write_span("end_logits", 1);
    } else if (spec.has_logits()) {
      Tensor logits = tensor_of(run_.logits);
      const bool one_row = spec.head.kind == HeadKind::SequenceClass;
      out_.add("logits", one_row ? std::move(logits).reshaped(Shape{run_.logits.width}) : std::move(logits));
    }
    if (options_.emit.contains(ModelPart::Lens)) write_lens();
    if (!run_.pooled.empty()) out_.add("pooler_output", Tensor(Shape{std::ssize(run_.pooled)}, run_.pooled));
  }

 private:
  void write_hooks() {
    hook_tensors(
        model_, run_, {options_.first_block, options_.last_block},
        [&](const std::string& name, Tensor values) { out_.add(name, std::move(values)); }, work_);
    if (model_.spec.has_logits()) out_.add("logits", tensor_of(run_.logits));
  }

  void write_span(const char* name, std::int64_t column) {
    Tensor part(Shape{run_.logits.rows()});
    for (std::int64_t i = 0; i < run_.logits.rows(); ++i) part.data()[i] = run_.logits.row(i)[column];
    out_.add(name, std::move(part));
  }

  bool is_wanted(std::size_t block) const {
    return std::cmp_greater_equal(block, options_.first_block) &&
           (options_.last_block < 0 || std::cmp_less_equal(block, options_.last_block));
  }

  void write_stack(AttentionOf of, const StackSpec& spec, const StackRun& run, const std::string& prefix) {
    for (std::size_t i = 0; i < run.hidden.size(); ++i) {
      const bool last = i + 1 == run.hidden.size() && model_.spec.final_norm_in_hidden;
      out_.add(fmt::format("{}hidden_states.{}", prefix, i), tensor_of(last ? run.normed : run.hidden[i]));
    }
    const StackWeights& stack = of == AttentionOf::Encoder ? model_.encoder : model_.decoder;
    for (std::size_t i = 0; i < run.attention.size(); ++i) {
      if (!is_wanted(i)) continue;
      const LayerSpec& block = spec.blocks[i];
      weights(of, i, block.heads, fmt::format("{}attentions.{}", prefix, i));
      const HeadColumns& columns = stack.blocks[i].attention.columns;
      const AttentionRun& attention = run.attention[i];
      const auto heads = [&](ModelPart part, const char* name, std::int64_t column, int count) {
        if (options_.emit.contains(part))
          out_.add(fmt::format("{}{}.{}", prefix, name, i),
                   head_rows(attention.queries, column, columns.stride, count, block.d_k));
      };
      heads(ModelPart::Queries, "q", columns.query, block.heads);
      heads(ModelPart::Keys, "k", columns.key, block.kv_heads);
      heads(ModelPart::Values, "v", columns.value, block.kv_heads);
      if (options_.emit.contains(ModelPart::Entropy))
        out_.add(fmt::format("{}entropy.{}", prefix, i), Tensor(attention.entropy));
      if (options_.emit.contains(ModelPart::Received))
        out_.add(fmt::format("{}received.{}", prefix, i), Tensor(attention.received));
    }
  }

  void weights(AttentionOf of, std::size_t block, std::int64_t heads, const std::string& name) {
    std::vector<Tensor> planes;
    for (std::int64_t h = 0; h < heads; ++h)
      planes.push_back(head_weights(model_, run_, of, block, h, work_));
    Tensor all(Shape{heads, planes[0].shape()[0], planes[0].shape()[1]});
    for (std::int64_t h = 0; h < heads; ++h) all.matrix(h) = planes[static_cast<std::size_t>(h)].matrix();
    out_.add(name, std::move(all));
  }

  void write_lens() {
    check_has_logits(model_);
    const std::int64_t rows = run_.last(model_).normed.rows(), d = model_.spec.d_model;
    const std::int64_t count = std::min<std::int64_t>(10, model_.spec.vocabulary);
    constexpr std::int64_t at_once = 64;
    for (const LensPlace& place : lens_places(model_.spec)) {
      const Tensor stream = stream_at(model_, run_, place, 0, rows, work_);
      Tensor logs(Shape{rows, count});
      TensorOf<std::int64_t> ids(logs.shape());
      for (std::int64_t begin = 0; begin < rows; begin += at_once) {
        const Tensor logits =
            unembed(model_, stream.data() + begin * d, std::min(at_once, rows - begin), work_);
        work_.for_each(logits.shape()[0], static_cast<double>(logits.shape()[1]) * 20, [&](std::int64_t i) {
          const std::span row(logits.data() + i * logits.shape()[1],
                              static_cast<std::size_t>(logits.shape()[1]));
          std::int64_t at = (begin + i) * count;
          std::fill_n(logs.data() + at, count, NAN);
          std::fill_n(ids.data() + at, count, not_a_token);
          for (const PredictedToken& token : likeliest(row, count)) {
            logs.data()[at] = static_cast<float>(token.log_probability);
            ids.data()[at++] = token.id;
          }
        });
      }
      const std::string middle = place.behind_attention ? "_middle" : "";
      const int number = place.behind_attention ? place.block : place.block + 1;
      out_.add(fmt::format("lens{}.{}", middle, number), std::move(logs));
      wholes_.add(fmt::format("lens{}_ids.{}", middle, number), std::move(ids));
    }
  }

  static Tensor head_rows(const KeptRows& rows, std::int64_t column, std::int64_t stride, std::int64_t heads,
                          std::int64_t d) {
    Tensor out(Shape{heads, rows.rows(), d});
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < rows.rows(); ++i)
        std::copy_n(rows.row(i) + column + h * stride, d, out.data() + (h * rows.rows() + i) * d);
    return out;
  }

  const Model& model_;
  const ModelRun& run_;
  const RunModelOptions& options_;
  const Work& work_;
  Collected<float>& out_;
  Collected<std::int64_t>& wholes_;
};

/// Appends up to options.generate tokens, until the model gives an end token. Sequences of a batch draw
/// different random numbers.
ModelRun generated(const Model& model, ModelRun run, const RunModelOptions& options, std::uint64_t sequence,
                   const RunRequest& request, const Work& work) {
  if (!model.spec.decoder || model.spec.encoder || model.spec.head.kind != HeadKind::NextToken)
    throw Error(fmt::format("--generate is for decoders that give the next token; this model is {}{}.",
                            model.spec.family,
                            model.spec.decoder && !model.spec.encoder ? " with other logits" : ""));
  for (int i = 0; i < options.generate; ++i) {
    const std::span last(run.logits.row(run.logits.rows() - 1), static_cast<std::size_t>(run.logits.width));
    const std::array<std::int64_t, 1> next{
        sample(last, options.sampling, (sequence << 32) + run.input.ids.size())};
    run = run_more(model, std::move(run), next, request, work);
    if (std::ranges::find(model.spec.end_ids, next[0]) != model.spec.end_ids.end()) break;
  }
  return run;
}

}  // namespace

std::optional<ModelPart> model_part_from(std::string_view name) {
  constexpr std::array<std::string_view, 6> names{"q", "k", "v", "entropy", "received", "lens"};
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) return std::nullopt;
  return static_cast<ModelPart>(at - names.begin());
}

std::optional<TensorNames> tensor_names_from(std::string_view name) {
  if (name == "transformers") return TensorNames::Transformers;
  if (name == "transformer-lens") return TensorNames::TransformerLens;
  return std::nullopt;
}

std::vector<RanTokens> run_model_command(const RunModelOptions& options, ModelAtHand& at_hand,
                                         const std::stop_token& stop) {
  const Model& model = at_hand.model();
  if (options.names == TensorNames::TransformerLens) check_hook_names(model);
  const Work work{at_hand.pool(), stop};
  RunRequest request;
  request.entropy = options.emit.contains(ModelPart::Entropy);
  request.received = options.emit.contains(ModelPart::Received);
  request.changes = changes_of(options, model);
  Parts parts;
  std::vector<RanTokens> ran;
  for (ModelInput& input : inputs_of(options, at_hand)) {
    const std::size_t given = input.ids.size();
    ModelRun run = run_model(model, std::move(input), request, work);
    if (options.generate > 0) run = generated(model, std::move(run), options, ran.size(), request, work);
    SequenceWriter(model, run, options, work, parts).write();
    ran.push_back({run.input.ids, given, run.input.decoder_ids});
  }
  TensorOutput output(DType::F32);
  if (!ran[0].ids.empty()) {
    TensorOf<std::int64_t> all(Shape{std::ssize(ran), std::ssize(ran[0].ids)});
    for (std::size_t b = 0; b < ran.size(); ++b)
      std::ranges::copy(ran[b].ids, all.data() + static_cast<std::int64_t>(b) * all.shape()[1]);
    output.add_whole("input_ids", std::move(all));
  }
  parts.numbers.give(output);
  parts.wholes.give(output);
  output.write(options.out);
  return ran;
}

}  // namespace attnscope
