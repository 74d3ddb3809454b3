#include "core/files/import/dump.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/document/settings_check.hpp"
#include "core/edits/dump.hpp"
#include "core/files/archives/npz.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/posix.hpp"
#include "core/files/import/dump_guess.hpp"
#include "core/text/tokenize.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_arrays = 4096;  // most .npy files of a folder that are read

std::string grouped(std::int64_t number) {
  std::string digits = fmt::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

/// [batch][n][heads][d] to [batch][heads][n][d].
Tensor heads_first(const Tensor& tensor) {
  const Shape& s = tensor.shape();
  Tensor out(Shape{s[0], s[2], s[1], s[3]});
  const std::int64_t width = s[3];
  for (std::int64_t b = 0; b < s[0]; ++b)
    for (std::int64_t i = 0; i < s[1]; ++i)
      for (std::int64_t h = 0; h < s[2]; ++h)
        std::copy_n(tensor.data() + ((b * s[1] + i) * s[2] + h) * width, width,
                    out.data() + ((b * s[2] + h) * s[1] + i) * width);
  return out;
}

/// [rows][columns] to [columns][rows].
Tensor transposed(const Tensor& tensor) {
  Tensor out(Shape{tensor.shape()[1], tensor.shape()[0]});
  out.matrix() = tensor.matrix().transpose();
  return out;
}

/// Why no layer was found among the names: what was looked for.
std::string none_among(std::span<const NamedRank> names) {
  const std::vector<IncompleteLayer> incomplete = find_incomplete(names);
  if (!incomplete.empty()) {
    const IncompleteLayer& layer = incomplete.front();
    return fmt::format("{} has {} but no {}", layer.name.empty() ? "it" : "layer " + in_quotes(layer.name),
                       in_quotes(layer.there), in_quotes(layer.missing));
  }
  std::vector<std::string> some;
  for (const NamedRank& name : names.first(std::min<std::size_t>(3, names.size())))
    some.push_back(in_quotes(name.name, 60));
  return fmt::format(
      "none of its {} tensors{}{} is named like queries and keys (q, k) or like attention weights",
      names.size(), some.empty() ? "" : fmt::format(", {}", fmt::join(some, ", ")),
      names.size() > 3 ? ", …,"
      : some.empty()   ? ""
                       : ",");
}

}  // namespace

Dump::Dump(const std::filesystem::path& path, Reading* reading) : path_(path), reading_(reading) {
  std::vector<NamedRank> names;
  std::vector<std::string> left_out;
  if (lower_extension(path) != ".npy") {
    tensors_ = std::make_unique<const SafetensorsFile>(open_tensors(path, &left_out));
    for (const TensorEntry& entry : tensors_->tensors())
      names.push_back({entry.name, static_cast<int>(entry.shape.size())});
  } else {
    const auto add = [&](const std::filesystem::path& file) {
      const Shape shape = npy_shape(file);
      const std::string name = printable(file.stem().native());
      std::vector<std::int64_t>& sizes = array_shapes_[name];
      for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
      arrays_[name] = file;
      names.push_back({name, shape.rank()});
    };
    add(path);
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(
             path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), unreadable)) {
      if (lower_extension(entry.path()) != ".npy" || entry.path().filename() == path.filename()) continue;
      if (arrays_.size() >= most_arrays) break;
      try {
        add(entry.path());
      } catch (const Error&) {  // not an array that can be read; opening that file says so
      }
    }
  }
  layers_ = find_layers(names, tensors_ == nullptr);
  if (layers_.empty()) layers_ = find_layers(names, true);  // weights averaged over heads, [queries][keys]
  if (layers_.empty()) why_none_ = none_among(names);
  if (layers_.empty() && !left_out.empty()) why_none_ += "; " + left_out.front();
  read_metadata();
}

void Dump::read_metadata() {
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  const bool is_inside = tensors_ != nullptr && !is_npz(path_);
  place_ = is_inside ? in_quotes(path_.native()) + ", metadata" : in_quotes((folder / sidecar_name).native());
  facts_ = facts_from(is_inside ? tensors_->metadata() : read_sidecar(folder), place_);
}

std::string Dump::why_none() const {
  return fmt::format("{} holds no attention layer: {}.", in_quotes(path_.native()), why_none_);
}

bool Dump::has(const std::string& name) const {
  return tensors_ ? tensors_->find(name) != nullptr : arrays_.contains(name);
}

std::vector<std::int64_t> Dump::shape_of(const std::string& name) const {
  if (!tensors_) return array_shapes_.at(name);
  return tensors_->find(name)->shape;
}

std::uint64_t Dump::count_of(const std::string& name) const {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape_of(name)) count *= static_cast<std::uint64_t>(size);
  return count;
}

Tensor Dump::read(const std::string& name) const {
  if (!tensors_) return read_npy<float>(arrays_.at(name), reading_);
  return to_tensor<float>(*tensors_->find(name), path_, reading_);
}

void Dump::refuse(const std::string& name, const std::string& what) const {
  throw Error(fmt::format("{}: {} {}.", in_quotes(path_.native()), in_quotes(name), what));
}

void Dump::refuse_fact(const std::string& key, const std::string& what) const {
  throw Error(fmt::format("{}: {} {}.", place_, in_quotes(key), what));
}

std::vector<std::int64_t> Dump::sizes_of(const std::string& name, bool tokens_first) const {
  std::vector<std::int64_t> sizes = shape_of(name);
  sizes.insert(sizes.begin(), 4 - sizes.size(), 1);
  if (tokens_first) std::swap(sizes[1], sizes[2]);
  return sizes;
}

std::string Dump::facts(const LayerNames& layer) const {
  const bool weights = !layer.weights.empty();
  const std::vector<std::int64_t> sizes =
      weights ? weight_sizes(layer.weights) : sizes_of(layer.query, are_tokens_first(layer.query));
  const std::string_view noun = sizes[1] == 1 ? "head" : "heads";
  const std::string rows = grouped(sizes[2]), columns = grouped(sizes[3]);
  if (weights) return fmt::format("weights of {} {}, {} × {}", sizes[1], noun, rows, columns);
  if (layer.value.empty())
    return fmt::format("{} {}, {} × {}, without \"{}\"", sizes[1], noun, rows, columns,
                       expected_value(layer));
  if (sizes[1] == 1) return fmt::format("1 head, {} × {}", rows, columns);
  return fmt::format("{} heads, {} × {}", grouped(sizes[1]), rows, columns);
}

std::string Dump::title(const std::filesystem::path& path, std::string_view layer) {
  const std::string file = printable(path.filename().native());
  return layer.empty() ? file : file + " · " + printable(layer);
}

bool Dump::are_tokens_first(const std::string& name) const {
  return facts_.tokens_first.value_or(name.find("hook") != std::string::npos);
}

Tensor Dump::four_dimensional(const std::string& name, const std::vector<std::int64_t>& sizes) const {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
    refuse(name,
           fmt::format("has shape [{}], expected sizes of at least 1", fmt::join(shape_of(name), ", ")));
  return read(name).reshaped(Shape(sizes));
}

TensorPtr Dump::vectors(const std::string& name) const {
  if (!are_tokens_first(name))
    return std::make_shared<const Tensor>(four_dimensional(name, sizes_of(name, false)));
  if (shape_of(name).size() < 3)
    refuse(name, fmt::format("has shape [{}], expected 3 or 4 dimensions where tokens come before heads",
                             fmt::join(shape_of(name), ", ")));
  return std::make_shared<const Tensor>(heads_first(four_dimensional(name, sizes_of(name, false))));
}

void Dump::check_sizes(const LayerNames& layer) const {
  if (!layer.weights.empty()) {
    const std::vector<std::int64_t> w = weight_sizes(layer.weights);
    return check_memory({.batch = w[0], .heads = w[1], .kv_heads = w[1], .queries = w[2], .keys = w[3]},
                        true);
  }
  const bool tokens_first = are_tokens_first(layer.query), has_values = !layer.value.empty();
  const std::vector<std::int64_t> q = sizes_of(layer.query, tokens_first);
  std::vector<std::int64_t> v = sizes_of(has_values ? layer.value : layer.key, tokens_first);
  if (!has_values) v[3] = 1;
  check_memory({.batch = q[0],
                .heads = q[1],
                .kv_heads = v[1],
                .queries = q[2],
                .keys = v[2],
                .d_model = q[1] * v[3],
                .d_k = q[3],
                .d_v = v[3]});
}

void Dump::refuse_sinks(const LayerNames& layer) const {
  const std::string beside = layer.query.substr(0, layer.query.rfind('.') + 1);
  for (const char* last : {"sinks", "s_aux"}) {
    const std::string name = beside + last;
    if (has(name))
      refuse(name,
             "is a logit of each head that joins the softmax, which is not read from a dump; expected the "
             "weights themselves in the place of queries and keys");
  }
}

Document Dump::document(const LayerNames& layer) const {
  try {
    check_sizes(layer);  // before any numbers are read
  } catch (const Error& error) {
    const std::string where = in_quotes(path_.native()), what = error.what();
    throw Error(what.starts_with(where) ? what : where + ": " + what);
  }
  for (const std::string* name : {&layer.query, &layer.key, &layer.value, &layer.weights})
    if (!name->empty()) expect(reading_, count_of(*name));
  Document document;
  document.title = title(path_, layer.name);
  if (layer.weights.empty()) {
    refuse_sinks(layer);
    refuse_unread(layer);
    Given& given = document.input.change<Given>();
    given.query = vectors(layer.query);
    given.key = vectors(layer.key);
    const Shape& k = given.key->shape();
    given.value = layer.value.empty() ? std::make_shared<const Tensor>(Shape{k[0], k[1], k[2], 1})
                                      : vectors(layer.value);
    if (layer.value.empty()) given.holds = GivenTensors::QueryKey;
  } else {
    take_weights(document, layer);
  }
  finish(document, layer);
  return document;
}

void Dump::finish(Document& document, const LayerNames& layer) const {
  if (document.input.sequences.empty()) document.input.sequences = numbered_sequences(document.input.given());
  if (document.input.sequences.empty()) return;  // a batch of 0 is refused later
  take_labels(document, layer);
  if (layer.weights.empty() && facts_.scaling) document.layer().scaling = *facts_.scaling;
  if (!layer.weights.empty()) document.layer().scaling.kind = Scaling::Kind::Off;  // the scores are all 0
  take_output(document, layer);
  take_positions(document, layer);
  const bool has_mask = document.layer().masking.additive != nullptr;
  const bool says_causal = take_mask(document, layer) || has_mask || !layer.weights.empty();
  take_causal(document, layer, says_causal);
  take_key_labels(document, layer);
}

void Dump::take_output(Document& document, const LayerNames& layer) const {
  if (layer.output.empty() || layer.value.empty()) return;
  const std::int64_t mixed =
      document.input.given().query->shape()[1] * document.input.given().value->shape()[3];
  Tensor w = read(layer.output);
  if (w.size() == 0)
    refuse(layer.output, fmt::format("has shape {}, expected numbers", to_string(w.shape())));
  if (w.shape().rank() == 3) {  // [heads][d_v][d_model]
    const Shape s = w.shape();
    w = std::move(w).reshaped(Shape{s[0] * s[1], s[2]});
  }
  const bool output_first = facts_.output_first.value_or(is_output_first(layer.output));
  const std::int64_t rows = w.shape()[output_first ? 1 : 0], other = w.shape()[output_first ? 0 : 1];
  if (rows != mixed)
    refuse(layer.output,
           fmt::format(
               "has shape [{}], expected {} with heads · d_v = {}{}", fmt::join(shape_of(layer.output), ", "),
               output_first ? "[d_model, heads · d_v]" : "[heads · d_v, d_model]", mixed,
               other != mixed ? ""
                              : fmt::format("; the metadata \"W_O_layout\": \"{} first\" turns it round",
                                            output_first ? "input" : "output")));
  document.layer().weights.recipe = Recipe::Given;
  document.layer().weights[Parameter::WOutput] =
      std::make_shared<const Tensor>(output_first ? transposed(w) : std::move(w));
  if (layer.output_bias.empty()) return;
  Tensor bias = read(layer.output_bias);
  if (bias.size() != other)
    refuse(layer.output_bias, fmt::format("has shape [{}], expected [d_model] = [{}]",
                                          fmt::join(shape_of(layer.output_bias), ", "), other));
  document.layer().weights[Parameter::BOutput] = std::make_shared<const Tensor>(std::move(bias));
}

/// Names that may tell the model: of the file, for .npy files also of their folder.
std::string Dump::model_name() const {
  const std::string file = path_.stem().native();
  return tensors_ ? file : path_.parent_path().filename().native() + " " + file;
}

void Dump::take_positions(Document& document, const LayerNames& layer) const {
  document.layer().positions = Positions::None;  // the program that wrote Q and K has applied them
  const std::int64_t d_k = document.input.given().query->shape()[3];
  if (facts_.rope_dims && layer.weights.empty() && *facts_.rope_dims > d_k)
    refuse_fact("rope_dims", fmt::format("is {}, expected at most {}: the width of {}", *facts_.rope_dims,
                                         d_k, in_quotes(layer.query)));
  if (facts_.rope_base) document.layer().position_settings.rope_base = *facts_.rope_base;
  if (facts_.rope_dims) document.layer().position_settings.rope_dims = *facts_.rope_dims;
  if (facts_.positions_applied) {
    if (!*facts_.positions_applied)
      document.layer().positions =
          facts_.rope_interleaved.value_or(false) ? Positions::RopeInterleaved : Positions::RopeHalf;
    return;
  }
  if (!layer.weights.empty()) return;  // weights alone: queries and keys are zeros
  const PositionsGuess guess = guess_positions(model_name(), layer, facts_);
  document.layer().positions = guess.positions;
  document.input.change<Given>().guesses.positions = guess.why;
}

void Dump::take_causal(Document& document, const LayerNames& layer, bool says_itself) const {
  Given& given = document.input.change<Given>();
  if (facts_.causal) {
    document.layer().masking.causal = *facts_.causal;
  } else if (!says_itself) {
    const CausalGuess guess =
        guess_causal(model_name(), layer, given.query->shape()[2],
                     given.key->shape()[2] + (given.past_key ? given.past_key->shape()[2] : 0));
    document.layer().masking.causal = guess.causal;
    given.guesses.causal = guess.why;
  }
  align_causal(document);
}

}  // namespace attnscope
