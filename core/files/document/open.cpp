#include "core/files/document/open.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/posix.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/files/import/attention_tensors.hpp"
#include "core/files/import/containers.hpp"
#include "core/files/import/dump.hpp"
#include "core/text/tokenize.hpp"
#include "core/text/utf8.hpp"
#include "core/watch/watch_stream.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope {
namespace {

constexpr std::size_t max_lines_as_batch = 16;

/// The lines that hold at least one token, without their line ends.
std::vector<Sequence> lines_of(std::string_view text) {
  std::vector<Sequence> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::vector<Token> tokens = tokenize(line);
    if (!tokens.empty()) lines.push_back({std::string(line), std::move(tokens)});
  }
  return lines;
}

/// Joins the lines into one sequence: many lines are taken for one wrapped text.
std::vector<Sequence> rejoined(const std::vector<Sequence>& lines) {
  Sequence whole;
  for (const Sequence& line : lines) {
    whole.text += (whole.text.empty() ? "" : " ") + line.text;
    const std::int64_t before = std::ssize(whole.text) - std::ssize(line.text);
    for (Token token : line.tokens) {
      token.begin += before;
      token.end += before;
      whole.tokens.push_back(std::move(token));
    }
  }
  return {whole};
}

/// Takes hand-built weights: random ones show nothing about the text.
Document document_from_text(const std::filesystem::path& path) {
  const std::string where = in_quotes(path.native());
  const std::string bytes = read_whole(path, max_text_bytes);
  if (const std::size_t at = bytes.find('\0'); at != std::string::npos) {
    throw Error(
        fmt::format("{} is not a text: byte {} is 0, expected UTF-8 text, an AttnScope document (.json) or "
                    "tensors (.safetensors, .npz, .npy).",
                    where, at));
  }
  if (const auto at = first_invalid_utf8(bytes)) {
    throw Error(fmt::format("{} is not valid UTF-8: byte {} (0x{:02x}) does not belong to a character.",
                            where, *at, static_cast<unsigned char>(bytes[*at])));
  }
  std::string_view text = bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<Sequence> lines = lines_of(text);
  if (lines.empty()) throw Error(fmt::format("{} holds no text, expected at least one word.", where));

  Document document;
  document.title = printable(path.filename().native());
  document.input.sequences = lines.size() <= max_lines_as_batch ? std::move(lines) : rejoined(lines);
  document.layer().masking.padding = document.input.sequences.size() > 1;
  document.layer().weights.recipe = Recipe::HandBuilt;
  document.embedding = Embedding::HandBuilt;
  return with_weights(std::move(document));
}

/// The name in the menu: a document's title, else the file name. A file that cannot be read is listed too;
/// opening it says why.
std::string example_name(const std::filesystem::path& path) {
  const std::string fallback = printable(path.stem().native());
  if (lower_extension(path) != ".json") return fallback;
  try {
    const nlohmann::json value = parse_strict_json(read_whole(path, max_json_bytes), path.native());
    const auto title = value.find("title");
    return title != value.end() && title->is_string() ? title->get<std::string>() : fallback;
  } catch (const Error&) {
    return fallback;
  }
}

/// Q.npy, K.npy or V.npy as [batch][heads][n][d]: [n][d] is one head, [heads][n][d] one entry of a batch.
TensorPtr npy_tensor(const std::filesystem::path& path, Reading* reading) {
  Tensor tensor = read_npy<float>(path, reading);
  const Shape& shape = tensor.shape();
  if (shape.rank() < 2 || shape.rank() > 4) {
    throw Error(fmt::format("{} has shape {}, expected 2 to 4 dimensions: [batch, heads, n, d].",
                            in_quotes(path.native()), to_string(shape)));
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(4 - shape.rank()), 1);
  for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  return std::make_shared<const Tensor>(std::move(tensor).reshaped(Shape(sizes)));
}

/// Reads Q.npy, K.npy and V.npy from one folder; `path` is any of them.
Document document_from_npy(const std::filesystem::path& path, Reading* reading) {
  const std::string stem = path.stem().native();
  if (stem != "Q" && stem != "K" && stem != "V") {
    throw Error(
        fmt::format("{} is one array and cannot be shown alone, expected Q.npy, K.npy and V.npy beside "
                    "each other, to be opened by any of them.",
                    in_quotes(path.native())));
  }
  const auto beside = [&](std::string_view name) {
    return npy_tensor(path.parent_path() / (std::string(name) + path.extension().native()), reading);
  };
  for (const char* name : {"attn_mask", "key_padding_mask", "past_key", "past_value"}) {
    const std::filesystem::path other = path.parent_path() / (name + path.extension().native());
    if (std::filesystem::exists(other))
      throw Error(
          fmt::format("{} would count beside Q, K and V, and is not read from an array of its own; "
                      "expected one .npz or .safetensors file of all.",
                      in_quotes(other.native())));
  }
  expect(reading, 3 * static_cast<std::uint64_t>(npy_shape(path).count()));
  Document document;
  document.title = printable(path.parent_path().filename().native());
  if (document.title.empty()) document.title = printable(path.filename().native());
  document.layer().positions = Positions::None;  // the program that wrote Q and K has applied them
  document.input.numbers = Given{beside("Q"), beside("K"), beside("V")};
  return document;  // finished() adds labels after the check
}

bool may_be_dump(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".npy" || extension == ".npz" || extension == ".safetensors";
}

bool has_tensor(const LayerNames& layer, std::string_view name) {
  return layer.query == name || layer.key == name || layer.value == name || layer.weights == name;
}

/// The layer called `wanted`, else the layer that a .npy file is part of, else the first; null if there is
/// none.
const LayerNames* find_layer(const Dump& dump, const std::filesystem::path& path, std::string_view wanted) {
  const std::vector<LayerNames>& layers = dump.layers();
  const std::string stem = printable(path.stem().native());
  const bool is_array = lower_extension(path) == ".npy";
  const auto found = std::find_if(layers.begin(), layers.end(), [&](const LayerNames& layer) {
    if (!wanted.empty()) return layer.name == wanted;
    return !is_array || has_tensor(layer, stem);
  });
  return found != layers.end() ? &*found : nullptr;
}

std::optional<Document> document_from_dump(const Dump& dump, const std::filesystem::path& path,
                                           std::string_view wanted) {
  if (const LayerNames* layer = find_layer(dump, path, wanted)) return dump.document(*layer);
  if (wanted.empty() && dump.layers().empty() && lower_extension(path) != ".npy")
    throw Error(dump.why_none());
  if (wanted.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const LayerNames& layer : dump.layers())
    if (!layer.name.empty()) names.push_back(printable(layer.name));
  throw Error(fmt::format("{} has no layer {}, expected {}.", in_quotes(path.native()), in_quotes(wanted),
                          !names.empty()          ? fmt::format("one of {}", fmt::join(names, ", "))
                          : dump.layers().empty() ? "nothing: it holds none"
                                                  : "none to be named: its only layer has no name"));
}

/// Whether the file uses the names of `attend` (Q, K, V), so that attention_tensors.hpp reads it with what
/// may go with them. Q and K without V are read as a dump.
bool has_fixed_names(const Dump& dump, const std::filesystem::path& path) {
  const std::string stem = path.stem().native();
  if (dump.tensors() == nullptr) {
    const auto is_there = [&](const char* name) {
      return std::filesystem::exists(path.parent_path() / (name + path.extension().native()));
    };
    return stem == "V" ||
           ((stem == "Q" || stem == "K") && (is_there("V") || !is_there("Q") || !is_there("K")));
  }
  const SafetensorsFile& file = *dump.tensors();
  return file.find("Q") != nullptr && (file.find("V") != nullptr || file.find("K") == nullptr);
}

/// Adds what the metadata says of Q, K and V, or what is guessed.
Document with_facts(Document document, const Dump& dump) {
  const auto layer = std::find_if(dump.layers().begin(), dump.layers().end(),
                                  [](const LayerNames& names) { return names.query == "Q"; });
  dump.finish(document, layer != dump.layers().end() ? *layer : LayerNames{{}, "Q", "K", "V", {}});
  return document;
}

Document read_dump(const Dump& dump, const std::filesystem::path& path, std::string_view layer,
                   Reading* reading) {
  if (!layer.empty() || !has_fixed_names(dump, path)) {
    if (std::optional<Document> document = document_from_dump(dump, path, layer)) return *std::move(document);
  }
  return with_facts(dump.tensors() != nullptr ? document_from_tensors(*dump.tensors(), {}, reading)
                                              : document_from_npy(path, reading),
                    dump);
}

Document titled_document(std::string_view json, const std::filesystem::path& path) {
  Document document = document_from_json(json, path.native());
  if (document.title.empty()) document.title = printable(path.stem().native());
  return document;
}

Document read_other(const std::filesystem::path& path, std::string_view layer) {
  if (!layer.empty())
    throw Error(fmt::format("{} has no layers to choose from, expected a .safetensors, .npz or .npy file.",
                            in_quotes(path.native())));
  if (lower_extension(path) != ".json") return document_from_text(path);
  return titled_document(read_whole(path, max_json_bytes), path);
}

/// The layers of the dump, from names and shapes alone. Empty if these do not fit together: opening the layer
/// says why.
std::vector<LayerEntry> layers_of(const Dump& dump, const std::filesystem::path& path) {
  try {
    std::vector<LayerEntry> entries;
    for (const LayerNames& layer : dump.layers())
      entries.push_back({layer.name, dump.facts(layer), Dump::title(path, layer.name)});
    return entries;
  } catch (const Error&) {
    return {};
  }
}

DocumentAndLayers read_once(const std::filesystem::path& path, std::string_view layer, Reading* reading) {
  refuse_watch_stream(path);
  refuse_container(path);
  if (!may_be_dump(path)) return {read_other(path, layer), {}};
  const Dump dump(path, reading);
  Document document = read_dump(dump, path, layer, reading);
  return {std::move(document), layers_of(dump, path)};
}

/// Checks that the Document can be computed, and labels its rows if it has no labels.
Document finished(Document document, const std::filesystem::path& path) {
  try {
    if (!document.within.read().is_unopened()) check_any_length(document);
  } catch (const Error& error) {
    throw Error(fmt::format("{} cannot be computed: {}", in_quotes(path.native()), error.what()));
  }
  if (document.input.is_given() && document.input.sequences.empty())
    document.input.sequences = numbered_sequences(document.input.given());
  return document;
}

}  // namespace

DocumentAndLayers open_with_layers(const std::filesystem::path& path, std::string_view layer,
                                   Reading* reading) {
  DocumentAndLayers opened = read_once(path, layer, reading);
  opened.document = finished(std::move(opened.document), path);
  return opened;
}

Document open_json(std::string_view json, const std::filesystem::path& path) {
  return finished(titled_document(json, path), path);
}

Document open_document(const std::filesystem::path& path, std::string_view layer, Reading* reading) {
  return open_with_layers(path, layer, reading).document;
}

namespace {

/// "10-kv-cache.json" comes after "9-grouped-queries.json": by the number in front, then by name.
bool comes_before(const Example& a, const Example& b) {
  const std::string left = a.path.filename().native(), right = b.path.filename().native();
  const auto number = [](const std::string& name) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    return digits == 0 || digits > 9 ? 0L : std::stol(name.substr(0, digits));
  };
  return std::pair(number(left), left) < std::pair(number(right), right);
}

}  // namespace

std::vector<Example> list_examples(const std::filesystem::path& assets) {
  std::vector<Example> examples;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(assets / "examples", missing)) {
    const std::string extension = lower_extension(entry.path());
    const bool shown = extension == ".json" || extension == ".safetensors" || extension == ".txt";
    std::error_code unreadable;
    if (shown && entry.is_regular_file(unreadable)) examples.push_back({"", entry.path()});
  }
  std::sort(examples.begin(), examples.end(), comes_before);
  for (Example& example : examples) example.name = example_name(example.path);
  return examples;
}

}  // namespace attnscope
