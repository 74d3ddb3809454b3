#include "core/files/document/document_settings.hpp"

#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/document/attention_settings.hpp"
#include "core/document/setting_table.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// "mask.window.left" as "mask.window" and "left".
std::pair<std::string, std::string> split_key(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  if (dot == std::string_view::npos) return {{}, std::string(key)};
  return {std::string(key.substr(0, dot)), std::string(key.substr(dot + 1))};
}

template <class T>
requires std::is_enum_v<T>
void read(JsonFields& fields, const std::string& name, T& value, const Limits&) {
  value = fields.one_of(name, value);
}
void read(JsonFields& fields, const std::string& name, bool& value, const Limits&) {
  value = fields.boolean(name, value);
}
/// A negative value means that the file has no such key.
void read(JsonFields& fields, const std::string& name, int& value, const Limits& limits) {
  const int least = static_cast<int>(std::max(0.0, limits.least)), most = static_cast<int>(limits.most);
  if (fields.find(name) != nullptr) value = fields.integer(name, 0, least, most);
}
void read(JsonFields& fields, const std::string& name, std::uint64_t& value, const Limits&) {
  value = fields.whole(name, value, 0, std::numeric_limits<std::uint64_t>::max());
}
void read(JsonFields& fields, const std::string& name, float& value, const Limits& limits) {
  value = fields.number(name, value);
  if (limits.allow(value)) return;
  const std::string most = limits.below < std::numeric_limits<double>::infinity()
                               ? fmt::format(" and below {}", limits.below)
                               : "";
  fields.fail(name,
              fmt::format("a number {} {}{}", limits.open ? "above" : "of at least", limits.least, most),
              *fields.find(name));
}
void read(JsonFields& fields, const std::string& name, std::vector<int>& value, const Limits& limits) {
  for (const std::int64_t each : fields.wholes(name, static_cast<std::uint64_t>(limits.most)))
    value.push_back(static_cast<int>(each));
}
void read(JsonFields& fields, const std::string& name, TensorPtr& value, const Limits& limits) {
  value = fields.tensor(name, limits.rank, limits.null_hides);
}
/// A name or the factor itself.
void read(JsonFields& fields, const std::string& name, Scaling& scaling, const Limits&) {
  const json* value = fields.find(name);
  if (value != nullptr && value->is_number()) {
    scaling = {Scaling::Kind::Factor, fields.number(name, 1)};
    return;
  }
  if (value != nullptr && !value->is_string())
    fields.fail(name, "\"1/sqrt(d_k)\", \"off\" or a number", *value);
  const std::size_t kind = fields.choice(name, 0, {"1/sqrt(d_k)", "off"});
  scaling.kind = kind == 0 ? Scaling::Kind::InverseSqrtDk : Scaling::Kind::Off;
  scaling.factor = fields.number(name + "_factor", scaling.factor);  // kept for switching back to it
}

/// The objects of a file, each opened when one of its keys is asked for.
class Objects {
 public:
  Objects(JsonFields& root, const std::string& where) : root_(root), where_(where) {}
  /// Null where the file has no such object.
  JsonFields* at(const std::string& path) {
    if (path.empty()) return &root_;
    if (const auto found = open_.find(path); found != open_.end()) return &found->second;
    const auto [outer, name] = split_key(path);
    JsonFields* const fields = at(outer);
    const json* const value = fields == nullptr ? nullptr : fields->find(name);
    if (value == nullptr) return nullptr;
    return &open_.emplace(path, JsonFields(*value, root_.key(path), where_)).first->second;
  }
  /// Refuses keys that were not asked for.
  void finish() const {
    for (const auto& [path, fields] : open_) fields.finish();
  }

 private:
  JsonFields& root_;
  const std::string& where_;
  std::map<std::string, JsonFields> open_;
};

template <class T>
requires std::is_enum_v<T> std::string text_of(T value) {
  return json_text(std::string(enum_name(value).key));
}
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int value) { return fmt::to_string(value); }
std::string text_of(std::uint64_t value) { return fmt::to_string(value); }
std::string text_of(float value) { return json_number(value); }
std::string text_of(const std::vector<int>& value) { return fmt::format("[{}]", fmt::join(value, ", ")); }

/// Objects within objects, in the order in which they were first named.
class ObjectTree {
 public:
  explicit ObjectTree(JsonWriter& root) : root_(root) {}
  JsonWriter& at(const std::string& path) {
    if (path.empty()) return root_;
    const auto found =
        std::find_if(open_.begin(), open_.end(), [&](const Open& each) { return each.path == path; });
    if (found != open_.end()) return found->writer;
    open_.push_back({path, JsonWriter(indent_of(path))});
    return open_.back().writer;
  }
  /// Adds each inner object to its outer one, last opened first: inner objects are opened after outer ones.
  void close() {
    while (!open_.empty()) {
      Open last = std::move(open_.back());
      open_.pop_back();
      const auto [outer, name] = split_key(last.path);
      at(outer).add(name, last.writer.take());
    }
  }

 private:
  struct Open {
    std::string path;
    JsonWriter writer;
  };
  static std::string_view indent_of(std::string_view path) {
    return path.find('.') == std::string_view::npos ? "  " : "   ";
  }
  JsonWriter& root_;
  std::list<Open> open_;
};

void add_scaling(const Scaling& scaling, const std::string& name, JsonWriter& writer) {
  switch (scaling.kind) {
    case Scaling::Kind::InverseSqrtDk: writer.add(name, std::string_view("\"1/sqrt(d_k)\"")); break;
    case Scaling::Kind::Off: writer.add(name, std::string_view("\"off\"")); break;
    case Scaling::Kind::Factor: writer.add(name, json_number(scaling.factor)); return;
  }
  if (scaling.factor != 1) writer.add(name + "_factor", json_number(scaling.factor));
}

/// The rows of the table that a change inside a model holds.
constexpr auto is_of_attention = [](const auto& row) { return is_attention_setting(row.touches, row.key); };

template <class Wanted>
void read_some(JsonFields& root, const std::string& where, Document& document, const Wanted& is_wanted) {
  Objects objects(root, where);
  for_each_setting([&](const auto& row) {
    if constexpr (!std::is_same_v<std::remove_reference_t<decltype(row.of(document))>,
                                  std::vector<Intervention>>) {
      if (!is_wanted(row)) return;
      const auto [path, name] = split_key(row.key);
      if (JsonFields* const fields = objects.at(path)) read(*fields, name, row.of(document), row.limits);
    }
  });
  objects.finish();
}

template <class Wanted>
void add_some(const Document& document, JsonWriter& writer, const Wanted& is_wanted) {
  Document usual;
  usual.embedding = usual_embedding(document.layer().weights.recipe);
  ObjectTree objects(writer);
  for_each_setting([&](const auto& row) {
    const auto& value = row.of(document);
    using T = std::remove_cvref_t<decltype(value)>;
    if (!is_wanted(row) || row.key.empty() || (!row.always && value == row.of(usual))) return;
    const auto [path, name] = split_key(row.key);
    JsonWriter& object = objects.at(path);
    if constexpr (std::is_same_v<T, TensorPtr>) {
      object.add(name, value, row.limits.null_hides);
    } else if constexpr (std::is_same_v<T, Scaling>) {
      add_scaling(value, name, object);
    } else if constexpr (!std::is_same_v<T, std::vector<Intervention>>) {
      object.add(name, text_of(value));
    }
  });
  objects.close();
}

}  // namespace

Embedding usual_embedding(Recipe recipe) {
  return recipe == Recipe::HandBuilt ? Embedding::HandBuilt : Embedding::Gaussian;
}

void read_settings(JsonFields& root, const std::string& where, Document& document) {
  read_some(root, where, document, [](const auto&) { return true; });
}

void add_settings(const Document& document, JsonWriter& writer) {
  add_some(document, writer, [](const auto&) { return true; });
}

void read_attention_settings(JsonFields& root, const std::string& where, LayerSpec& layer) {
  Document document;
  document.layer() = layer;
  read_some(root, where, document, is_of_attention);
  layer = document.layer();
}

void add_attention_settings(const LayerSpec& layer, JsonWriter& writer) {
  Document document;
  document.layer() = layer;
  add_some(document, writer, is_of_attention);
}

}  // namespace attnscope
