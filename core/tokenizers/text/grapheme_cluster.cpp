#include "core/tokenizers/text/grapheme_cluster.hpp"

#include <initializer_list>

#include <fmt/format.h>
#include <utf8proc.h>

namespace attnscope::tokenizers {
namespace {

/// The characters of these kinds, as the inside of a bracketed class.
std::string inside_class(std::initializer_list<int> kinds) {
  constexpr utf8proc_int32_t end = 0x110000;
  const auto is_in = [&](utf8proc_int32_t character) {
    const int kind = static_cast<int>(utf8proc_get_property(character)->boundclass);
    for (const int one : kinds)
      if (kind == one) return true;
    return false;
  };
  std::string made;
  for (utf8proc_int32_t first = 0; first < end; ++first) {
    if ((first >= 0xD800 && first < 0xE000) || !is_in(first)) continue;
    utf8proc_int32_t last = first;
    while (last + 1 < end && last + 1 != 0xD800 && is_in(last + 1)) ++last;
    made += fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", first, last);
    first = last;
  }
  return made;
}

}  // namespace

std::string grapheme_cluster_expression() {
  const std::string controls =
      inside_class({UTF8PROC_BOUNDCLASS_CR, UTF8PROC_BOUNDCLASS_LF, UTF8PROC_BOUNDCLASS_CONTROL});
  const std::string behind =
      inside_class({UTF8PROC_BOUNDCLASS_EXTEND, UTF8PROC_BOUNDCLASS_ZWJ, UTF8PROC_BOUNDCLASS_SPACINGMARK});
  const auto one_of = [](int kind) { return "[" + inside_class({kind}) + "]"; };
  const std::string flag = one_of(UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR);
  const std::string picture = one_of(UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC);
  const std::string lead = one_of(UTF8PROC_BOUNDCLASS_L), vowel = one_of(UTF8PROC_BOUNDCLASS_V),
                    tail = one_of(UTF8PROC_BOUNDCLASS_T);
  const std::string syllable =
      fmt::format("{0}*(?:{1}+|{2}{1}*|{3}){4}*|{0}+|{4}+", lead, vowel, one_of(UTF8PROC_BOUNDCLASS_LV),
                  one_of(UTF8PROC_BOUNDCLASS_LVT), tail);
  const std::string joined =
      fmt::format("{0}(?:{1}*\\x{{200d}}{0})*", picture, one_of(UTF8PROC_BOUNDCLASS_EXTEND));
  return fmt::format("(?:\\r\\n|[{0}]|{1}*(?:{2}{2}|{3}|{4}|[^{0}])[{5}]*)", controls,
                     one_of(UTF8PROC_BOUNDCLASS_PREPEND), flag, syllable, joined, behind);
}

}  // namespace attnscope::tokenizers
