// tests/robot: sees every text of the interface: goes through every mode, rests on everything that can be
// pointed at, clicks it once, chooses every row of every list, presses every key, opens every example and a
// few files that cannot be opened.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "app/state/view_state.hpp"
#include "app/ui/words.hpp"
#include "tests/robot/robot.hpp"

namespace attnscope {

/// The tour in pieces that take about as long as each other, so that they can go side by side.
enum class TourPiece {
  Clicks,    // every control, list and key in every mode
  Examples,  // every example, in every mode and where there is less room
  Settings,  // documents with the settings of today's models, and what cannot be computed
  Files      // long sequences, dumps, and what cannot be opened or saved
};

class WordsTour {
 public:
  /// Files that cannot be opened are made in `directory`.
  WordsTour(Robot& robot, std::filesystem::path directory);

  /// The keys of all parts of texts that were said, each with the part of the tour that met it first.
  const std::map<std::string, std::string>& run(TourPiece);

 private:
  void go(TourPiece);
  void clicks();
  /// Clicks what was not clicked in another part, and comes back after each click.
  void crawl(const std::string& name);
  std::string place_of(const std::string& label) const;
  void choose_rows(const std::string& label, int button = 0);
  void right_clicks();
  void walk_through();
  void restore();
  void wait();
  void rest_on_everything();
  void rest_on(const RecordedItem& item);
  void press_keys();
  void keyboard();
  void sizes();
  Table longer() const;
  void examples();
  void long_sequence();
  void messages();
  void dumps();
  void refusals();
  void held_heads();
  void modern_settings();
  void walks();
  void file_cards();

  Robot& robot_;
  std::filesystem::path directory_;
  std::string part_ = "first picture";      // of the tour
  std::map<std::string, std::string> met_;  // key of a text -> part
  std::set<std::string> seen_;              // labels that were rested on in this part, every digit as "#"
  std::set<std::string> clicked_;           // labels, in any part
  ViewState base_;                          // where crawl() comes back to
  Document document_;
  std::filesystem::path file_;
};

}  // namespace attnscope
