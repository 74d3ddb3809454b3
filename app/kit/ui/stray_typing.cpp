#include "app/kit/ui/stray_typing.hpp"

#include "core/text/letters.hpp"

namespace attnscope {

void StrayTyping::begin(double seconds) {
  last_ = seconds;
  letters_.clear();
  idle_ = false;
  text_.clear();
}

void StrayTyping::add(char32_t character, bool acts, double seconds) {
  touch(seconds);
  append_utf8(text_, character);
  if (!is_letter(character)) return;
  letters_.insert(lower_case(character));
  idle_ = idle_ || !acts;
}

}  // namespace attnscope
