// tests/core: keys of config.json as transformers saves them for families that known_keys_test.cpp has no
// room for.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace attnscope::saved_keys {

/// Of every such family its type and what AutoConfig.for_model(type).to_dict() of transformers 5.24 has
/// besides the keys of all families; as few blocks as layer_types takes to have every kind.
extern const std::vector<std::pair<std::string, std::string>> further_families;

}  // namespace attnscope::saved_keys
