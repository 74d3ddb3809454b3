#!/bin/sh
# That a measuring run on a card cannot come home empty, proved without one: killed in the middle the results so far make a
# table, without a driver it says so, and a program without kernels is not taken for one that has them.
# gpu_test.sh TREE   of a build with on_card
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
tree=$1
[ -x "$tree/on_card" ] || { echo "gpu_test: $tree has no on_card" >&2; exit 77; }
work=$(mktemp -d "$tree/gpu_test.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "gpu_test: $*" >&2; exit 1; }

sh "$here/tests/bench/gpu" --pack "$tree/on_card" "$work/card"
cp -r "$work/card" "$work/elsewhere" # nothing of it is tied to where it was made
card=$work/elsewhere

# Killed outright after the first sections: what was measured is there, whole, and makes a table.
out=$work/killed
setsid "$card/run" 1 --emulated --out "$out" >"$work/log" 2>&1 &
running=$!
tries=0
until grep -q "^seconds of passes" "$out/measured.tsv" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 3000 ] || fail "nothing was measured within five minutes: $(cat "$work/log")"
    kill -0 $running 2>/dev/null || fail "it ended before it could be killed: $(cat "$work/log")"
    sleep 0.1
done
# The script at once, then all of its session: timeout gives what it runs a process group of its own, which would
# go on writing.
kill -s KILL -- "-$running"
in_session() {
    for stat in /proc/[0-9]*/stat; do
        words=$(cat "$stat" 2>/dev/null) || continue
        pid=${words%% *}
        set -- ${words##*) } # state, parent, group, session
        [ "${4:-}" != "$running" ] || [ "$1" = Z ] || echo "$pid"
    done
}
tries=0
while left=$(in_session) && [ -n "$left" ]; do
    kill -s KILL $left 2>/dev/null || true
    tries=$((tries + 1))
    [ $tries -lt 200 ] || fail "it cannot be killed"
    sleep 0.05
done
wait $running 2>/dev/null || true
grep -q "part 1.*ended after" "$out/measured.tsv" && fail "it was killed too late to prove anything"
printf 'a line that was cut' >>"$out/measured.tsv"
"$card/run" table "$out" >"$work/table" || fail "no table of a run that was killed"
grep -q "^pass 1 bf16 d=64 n=130 full " "$work/table" || fail "a result is missing in the table"
grep -q "not measured" "$work/table" || fail "the table does not say what was not measured"
grep -q "a line that was cut" "$work/table" && fail "the table has a line that was cut off"

# A part whose time is over skips what is left, and says so.
"$card/run" 2 --emulated --out "$work/short" --seconds 4 >"$work/log" 2>&1 || fail "$(cat "$work/log")"
[ "$(grep -c '^SKIPPED' "$work/short/measured.tsv")" = 6 ] || fail "sections ran on without time"
grep -q "^SKIPPED parity: the time of part 2 was over" "$work/short/table.txt" || fail "the table hides what was skipped"

# Without a card: one sentence and 77; without kernels: another. A table of nothing is refused.
code=0
"$card/run" 1 --out "$work/none" >"$work/log" 2>&1 || code=$?
if [ "$("$card/on_card" kernels)" = CUDA ]; then
    [ $code = 77 ] || { [ $code = 0 ] && echo "gpu_test: there is a card here" >&2; } || fail "exit code $code without a card"
else
    [ $code = 2 ] && grep -q "was built without kernels for cards" "$work/log" || fail "exit code $code: $(cat "$work/log")"
fi
[ "$(wc -l <"$work/log")" = 1 ] || [ $code = 0 ] || fail "more than a sentence: $(cat "$work/log")"
"$card/run" table "$work/nowhere" >"$work/log" 2>&1 && fail "a table of nothing"
grep -q "nothing was measured" "$work/log" || fail "$(cat "$work/log")"
echo "gpu_test: a killed run keeps its results, one without time skips, one without a card says so"
