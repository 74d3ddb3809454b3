#include "core/document/attention_settings.hpp"

#include <type_traits>

#include "core/document/setting_table.hpp"

namespace attnscope {
namespace {

template <class Where>
constexpr bool is_of_layer = false;
template <class Member, class... Steps>
constexpr bool is_of_layer<MemberPath<Member LayerSpec::*, Steps...>> = true;

}  // namespace

void copy_attention(const LayerSpec& from, LayerSpec& to) {
  for_each_setting([&](const auto& row) {
    if constexpr (is_of_layer<std::remove_cvref_t<decltype(row.of)>>)
      if (is_attention_setting(row.touches, row.key)) row.of.from(to) = row.of.from(from);
  });
}

void copy_edited_attention(const LayerSpec& was, const LayerSpec& now, LayerSpec& to) {
  for_each_setting([&](const auto& row) {
    if constexpr (is_of_layer<std::remove_cvref_t<decltype(row.of)>>)
      if (is_attention_setting(row.touches, row.key) && row.of.from(now) != row.of.from(was))
        row.of.from(to) = row.of.from(now);
  });
}

LayerSpec attention_only(const LayerSpec& layer) {
  LayerSpec settings;
  copy_attention(layer, settings);
  return settings;
}

}  // namespace attnscope
