#include "app/head_words.hpp"

namespace attnscope {

SurgeryWords words(HeadSurgery::Kind kind) {
  switch (kind) {
    case HeadSurgery::Kind::None: break;
    case HeadSurgery::Kind::Mute: return {"Mute", "adds nothing", "muted"};
    case HeadSurgery::Kind::Uniform: return {"Uniform", "1 / allowed keys", "= uniform"};
    case HeadSurgery::Kind::PreviousToken: return {"Previous token", "all on p − 1", "= previous"};
    case HeadSurgery::Kind::Identity: return {"Same token", "all on p", "= same"};
    case HeadSurgery::Kind::FirstToken: return {"First token", "all on 0", "= first"};
    case HeadSurgery::Kind::Frozen: return {"Freeze as it is", "whatever changes", "= frozen"};
  }
  return {"Its own", "", ""};
}

}  // namespace attnscope
