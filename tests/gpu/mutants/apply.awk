# Puts every mutant of one header into it, each chosen by its number when the program runs:
# awk -v header=row_pass.hpp -f apply.awk list gpu/kernels/row_pass.hpp
function fail(what) { print header ": " what > "/dev/stderr"; bad = 1; exit 1 }
function ends_statement(text) { sub(/[ \t\n]+$/, "", text); return text ~ /[;}]$/ }

FNR == NR {
    if ($0 ~ /^== /) in_header = ($2 == header)
    else if ($0 ~ /^\* /) { ++number; kept = in_header; if (kept) { n = ++mutants; id[n] = number; what[n] = substr($0, 3) } }
    else if (kept && $0 ~ /^-/) from[n] = from[n] (from[n] == "" ? "" : "\n") substr($0, 2)
    else if (kept && $0 ~ /^\+/) { to[n] = to[n] (has_to[n]++ ? "\n" : "") substr($0, 2) }
    next
}
{ text = text $0 "\n" }

END {
    if (bad) exit 1
    for (m = 1; m <= mutants; ++m) {
        context = from[m]
        open_at = index(context, "«"); close_at = index(context, "»")
        if (open_at) {
            before = substr(context, 1, open_at - 1)
            part = substr(context, open_at + length("«"), close_at - open_at - length("«"))
            context = before part substr(context, close_at + length("»"))
        } else {
            before = ""; part = context
        }
        if (part == "" || !has_to[m]) fail("\"" what[m] "\" says not what is replaced by what")
        at = index(text, context)
        if (!at) fail("\"" what[m] "\" is not there any more")
        if (index(substr(text, at + 1), context)) fail("\"" what[m] "\" is there more than once")
        start[m] = at + length(before); original[m] = part
    }
    # From the last to the first, so that places stay.
    for (left = mutants; left > 0;) {
        last = 0
        for (m = 1; m <= mutants; ++m) if (!done[m] && (!last || start[m] > start[last])) last = m
        part = original[last]; finish = start[last] + length(part)
        if (limit && finish > limit) fail("\"" what[last] "\" overlaps another mutant")
        limit = start[last]
        statement = ends_statement(part); made = ""
        for (m = 1; m <= mutants; ++m) {
            if (done[m] || start[m] != start[last]) continue
            if (original[m] != part) fail("\"" what[m] "\" overlaps another mutant")
            if (statement) made = made "if (attnscope_mutant == " id[m] ") { " to[m] " } else "
            else made = made "attnscope_mutant == " id[m] " ? (" to[m] ") : "
            done[m] = 1; --left
        }
        made = statement ? "{ " made "{ " part " } }" : "(" made "(" part "))"
        text = substr(text, 1, start[last] - 1) made substr(text, finish)
    }
    printf "%s", text
}
