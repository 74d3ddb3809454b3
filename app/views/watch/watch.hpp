// app/views/watch: the Watch page: the attention of a running Python process, every head of every layer, pass
// by pass. It stands in the place of the model's page while WatchState::on.
#pragma once

#include <string>

#include "app/scene/scene.hpp"

namespace attnscope {

struct WatchState;

/// Between the token strip and the status line.
void draw_watch(Scene&, const Box&);
/// The tokens that the process has read, each with its weight in the followed row.
void draw_watch_strip(Scene&, const Box&);
void draw_watch_status(Scene&, const Box&);
/// In the top bar, from `left` to `right`: whether a process is there, and how many passes a second come.
void draw_watch_rate(Scene&, float left, float right, float y);
/// Around the sentence of a model that was opened beside a stream: back to the process, and how the layer
/// that is looked at compares with it.
void draw_watch_way_back(Scene&, const Box& strip);
/// Whether the model on screen was opened so.
bool has_watched_beside(const Scene&);
/// "watch · python 41822", "No process".
std::string watched_title(const WatchState&);

/// A row of a menu for each process that sends, and for the one that is shown; a click chooses it.
void list_watched_processes(Scene&);

/// What the keys do; nothing while the page is not shown, but for the first.
void show_watch(Scene&);
void leave_watch(Scene&);
void watch_pause(Scene&);
/// What is on screen is held; it is held no more; heads show now − held, or the weights again.
void hold_watched(Scene&);
void drop_watched(Scene&);
void turn_watched_difference(Scene&);
void watch_pass_before(Scene&);
void watch_pass_after(Scene&);
/// The newest row is followed again, and its largest key.
void watch_newest(Scene&);
void watch_layer_above(Scene&);
void watch_layer_below(Scene&);
void watch_head_before(Scene&);
void watch_head_after(Scene&);
void watch_open_layer(Scene&);
void watch_next_process(Scene&);
/// The model on the disk that has the shapes of the stream.
void watch_open_beside(Scene&);
/// The followed row, a line for every key, to the clipboard.
void copy_watched_row(Scene&);

}  // namespace attnscope
