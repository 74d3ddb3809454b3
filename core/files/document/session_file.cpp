#include "core/files/document/session_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/document/html_session.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/json_repair.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// The Document without its unknown keys and the values that do not fit.
Document without_wrong_fields(json value, const std::string& where, std::vector<std::string>& lost) {
  while (true) {
    try {
      return document_from_value(value, where);
    } catch (const FieldError& error) {
      if (!erase_key(value, error.key())) throw;
      lost.push_back(error.problem());
    }
  }
}

Document checked(const json& value, const std::string& where, std::vector<std::string>& lost) {
  Document document = without_wrong_fields(value, where, lost);
  if (!document.within.read().is_unopened()) check_any_length(document);
  return document;
}

/// Keys that a Document cannot do without.
bool is_input(const std::string& key) {
  return key == "attnscope" || key == "text" || key == "given" || key == "vectors" || key == "model" ||
         key == "title";
}

/// The Document; if it fails, without the one setting that contradicts the others, else without any setting.
Document good_part(const json& value, const std::string& where, std::vector<std::string>& lost) {
  std::string reason;
  try {
    std::vector<std::string> fields;
    Document document = checked(value, where, fields);
    lost.insert(lost.end(), fields.begin(), fields.end());
    return document;
  } catch (const FieldError& error) {
    reason = error.problem();
  } catch (const Error& error) {
    reason = error.what();
  }
  json input = value;
  for (const auto& [key, ignored] : value.items()) {
    if (is_input(key)) continue;
    input.erase(key);
    json rest = value;
    rest.erase(key);
    std::vector<std::string> fields{fmt::format("{}, which did not go with the rest.", in_quotes(key))};
    try {
      Document document = checked(rest, where, fields);
      lost.insert(lost.end(), fields.begin(), fields.end());
      return document;
    } catch (const Error&) {
    }
  }
  try {
    std::vector<std::string> fields{"All settings, which did not go together."};
    Document document = checked(input, where, fields);
    lost.insert(lost.end(), fields.begin(), fields.end());
    return document;
  } catch (const Error&) {
    throw Error(fmt::format("{} is damaged and cannot be opened: {}", in_quotes(where), reason));
  }
}

std::optional<Document> held_part(const json& root, const std::string& where,
                                  std::vector<std::string>& lost) {
  const auto held = root.find("held");
  if (held == root.end()) return std::nullopt;
  std::vector<std::string> fields;
  try {
    if (!held->is_object()) throw Error("not a document");
    Document document = good_part(*held, where, fields);
    for (const std::string& field : fields) lost.push_back("Of what was held: " + field);
    return document;
  } catch (const Error&) {
    lost.emplace_back("What was held.");
    return std::nullopt;
  }
}

void label(Document& document) {
  if (document.input.is_given() && document.input.sequences.empty())
    document.input.sequences = numbered_sequences(document.input.given());
}

bool is_session(const json& root) {
  return root.is_object() && (root.contains("session") || root.contains("view"));
}

OpenedFile session_from_value(json root, const std::string& where, std::vector<std::string> lost) {
  OpenedFile file;
  file.lost = std::move(lost);
  if (!root.contains("attnscope")) root["attnscope"] = 1;
  json document = root;
  for (const char* own : {"session", "view", "held"}) document.erase(own);
  file.document = good_part(document, where, file.lost);
  label(file.document);
  file.held = held_part(root, where, file.lost);
  if (file.held) label(*file.held);
  const json& view = root["view"];
  if (view.is_object()) {
    file.view = view.dump();
  } else {
    file.lost.emplace_back("How it was looked at.");
    file.view = "{}";
  }
  return file;
}

OpenedFile session_of_page(const std::filesystem::path& path) {
  const std::string json = session_in_html(read_whole(path, max_page_bytes), path.native());
  OpenedFile file = session_from_json(json, path.native());
  if (file.document.title.empty()) file.document.title = printable(path.stem().native());
  return file;
}

}  // namespace

OpenedFile session_from_json(std::string_view text, const std::string& where) {
  json root;
  std::vector<std::string> lost;
  try {
    root = parse_strict_json(text, where);
  } catch (const Error&) {
    root = repaired_json(text, lost);
    if (!is_session(root)) throw;
  }
  if (is_session(root)) return session_from_value(std::move(root), where, std::move(lost));
  OpenedFile file;
  file.document = document_from_value(root, where);
  return file;
}

OpenedFile open_any(const std::filesystem::path& path, std::string_view layer, Reading* reading) {
  const std::string ending = lower_extension(path);
  if (layer.empty() && ending != ".json" && ending != ".safetensors" && ending != ".npy" &&
      ending != ".npz" && is_html_session(path))
    return session_of_page(path);
  if (ending == ".json" && layer.empty()) {  // a .json file with a layer is refused below
    const std::string text = read_whole(path, max_json_bytes);
    if (text.find("\"session\"") != std::string::npos || text.find("\"view\"") != std::string::npos) {
      OpenedFile file = session_from_json(text, path.native());
      if (file.document.title.empty()) file.document.title = printable(path.stem().native());
      if (!file.view.empty()) return file;
    }
    return {open_json(text, path), {}, {}, {}, {}};
  }
  DocumentAndLayers opened = open_with_layers(path, layer, reading);
  return {std::move(opened.document), {}, {}, {}, std::move(opened.layers)};
}

}  // namespace attnscope
