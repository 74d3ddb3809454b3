#include "app/head_words.hpp"

namespace attnscope {

SurgeryWords words(HeadSurgery::Kind kind) {
  switch (kind) {
    case HeadSurgery::Kind::None: break;
    case HeadSurgery::Kind::Mute: return {"Mute", "adds nothing", "muted", "Ablation: zero."};
    case HeadSurgery::Kind::Uniform:
      return {"Uniform", "1 / allowed keys", "= uniform", "Intervention: uniform."};
    case HeadSurgery::Kind::PreviousToken:
      return {"Previous token", "all on p − 1", "= previous", "Intervention: previous token."};
    case HeadSurgery::Kind::Identity:
      return {"Same token", "all on p", "= same", "Intervention: same token."};
    case HeadSurgery::Kind::FirstToken:
      return {"First token", "all on 0", "= first", "Intervention: first token."};
    case HeadSurgery::Kind::Frozen:
      return {"Freeze the pattern", "whatever changes", "= frozen", "Intervention: pattern frozen."};
  }
  return {"Its own", "", "", ""};
}

}  // namespace attnscope
