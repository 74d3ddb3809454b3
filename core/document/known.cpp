#include "core/document/known.hpp"

namespace attnscope {

bool knows_scores(const Document& document) {
  return !document.input.is_given() || document.input.given().holds != GivenTensors::Weights;
}

bool knows_values(const Document& document) {
  return !document.input.is_given() || document.input.given().holds == GivenTensors::QueryKeyValue;
}

bool is_known(const Document& document, Stage stage) {
  switch (stage) {
    case Stage::Softmax:
    case Stage::Intervention:
    case Stage::Drop: return true;
    case Stage::Value:
    case Stage::Mix:
    case Stage::Concat:
    case Stage::Output: return knows_values(document);
    default: return knows_scores(document);
  }
}

}  // namespace attnscope
