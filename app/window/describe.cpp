#include "app/window/describe.hpp"

#include <utility>

#include "app/exports/sentence.hpp"
#include "app/session/session.hpp"
#include "app/state/window_state.hpp"
#include "app/window/app_without_window.hpp"
#include "app/window/render.hpp"
#include "core/base/error.hpp"

namespace attnscope {

Description describe_file(const DescribeOptions& asked) {
  Session session = open_session(asked.file, {}, asked.layer);  // the App would only show an Error
  std::string note = session.damage.empty() ? session.note : session.damage;
  const bool is_model = session.document.within.read() || !session.asks_for_model.empty();
  AppWithoutWindow drawn({1280, 800, 1, asked.backend});
  App& app = drawn.app;
  check_cost(session.document, app.backends(), *drawn.engine.backend(), asked.file, "a description");
  app.files().opening.open(std::move(session), asked.file, asked.layer, asked.answers);
  drawn.settle();
  if (is_model && !app.document().within.read()) {
    const Notice* const why = app.view().notices.of(Notice::Source::Answer);
    throw Error(asked.file.string() + ": " +
                (why != nullptr ? why->text : std::string("it cannot be shown.")));
  }
  if (const ResultPtr result = drawn.engine.latest(); result && !result->error.empty())
    throw Error(asked.file.string() + ": " + result->error);
  app.looking().look_at(asked.spot);
  drawn.settle();
  const ResultPtr& shown = app.shown();
  if (!shown) throw Error(asked.file.string() + ": it shows no attention.");
  const Selection& chosen = app.selection();
  return {sentences_of(shown->layer(), {chosen.sequence, chosen.head, chosen.cell}), std::move(note)};
}

}  // namespace attnscope
