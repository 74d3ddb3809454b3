#include "core/files/formats/json_repair.hpp"

#include <fmt/format.h>

#include "core/files/formats/json_reader.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::size_t most_levels = 32;

/// Builds the value during parsing, so that everything before a fault is kept.
class Builder : public json::json_sax_t {
 public:
  Builder(std::string_view text, std::vector<std::string>& lost) : text_(text), lost_(lost) {}
  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add_number(value); }
  bool number_unsigned(number_unsigned_t value) override { return add_number(value); }
  bool number_float(number_float_t value, const string_t&) override { return add_number(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    if (open_.back()->contains(key_)) lost_.push_back(fmt::format("{} stands there twice.", in_quotes(key_)));
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const json::exception&) override {
    // A number at the end of the text may have been cut.
    if (last_number_ && byte >= text_.size() && !open_.empty()) remove_last();
    lost_.push_back(fmt::format("Everything from {} on.", line_and_column(text_, byte > 0 ? byte - 1 : 0)));
    return false;
  }

 private:
  template <class T>
  bool add_number(T value) {
    add(value);
    last_number_ = true;
    return true;
  }
  bool add(json value) {
    put(std::move(value));
    return true;
  }
  json* put(json value) {
    last_number_ = false;
    if (open_.empty()) return &(root_ = std::move(value));
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    return &parent.emplace_back(std::move(value));
  }
  bool open(json value) {
    if (open_.size() >= most_levels) {
      lost_.push_back(
          fmt::format("Everything that nests deeper than {} levels, and what follows.", most_levels));
      return false;
    }
    json* there = put(std::move(value));
    open_.push_back(there);
    return true;
  }
  bool close() {
    open_.pop_back();
    last_number_ = false;
    return true;
  }
  void remove_last() {
    json& parent = *open_.back();
    if (parent.is_object()) {
      parent.erase(key_);
    } else {
      parent.erase(parent.size() - 1);
    }
  }

  std::string_view text_;
  std::vector<std::string>& lost_;
  json root_;
  std::vector<json*> open_;  // a parent does not grow while its child is open, so the pointers stay valid
  std::string key_;          // the key of the innermost object's next or last value
  bool last_number_ = false;
};

}  // namespace

json repaired_json(std::string_view text, std::vector<std::string>& lost) {
  Builder builder(text, lost);
  json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

bool erase_key(json& root, std::string_view key) {
  json* object = &root;
  while (object->is_object()) {
    if (const auto whole = object->find(std::string(key)); whole != object->end()) {
      object->erase(whole);
      return true;
    }
    const std::size_t dot = key.find('.');
    if (dot == std::string_view::npos) return false;
    const std::string first(key.substr(0, dot));
    const auto below = object->find(first);
    if (below == object->end()) return false;
    key.remove_prefix(dot + 1);
    if (below->is_object() && erase_key(*below, key)) return true;
    object->erase(below);
    return true;
  }
  return false;
}

}  // namespace attnscope
