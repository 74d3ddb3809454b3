#include "core/edits/switches.hpp"

namespace attnscope::edit {

bool is_divided(const Document& document) {
  return document.layer().scaling.kind == Scaling::Kind::InverseSqrtDk;
}

Document divided(Document document, bool on) {
  document.layer().scaling.kind = on ? Scaling::Kind::InverseSqrtDk : Scaling::Kind::Off;
  return document;
}

int mask_choice(const Document& document) {
  const Masking& mask = document.layer().masking;
  return (mask.causal ? 1 : 0) + (mask.padding ? 2 : 0);
}

Document with_mask_choice(Document document, int choice) {
  Masking& mask = document.layer().masking;
  mask.causal = (choice & 1) != 0;
  mask.padding = (choice & 2) != 0;
  return document;
}

}  // namespace attnscope::edit
