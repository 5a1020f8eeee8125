# A conformbot that speaks JSON lines, in awk: does what the first legal move says.
# Run by: referee conform --lines -- awk -W interactive -f sdk/conformance/lines_bot.awk
# (-W interactive, so that mawk answers line by line instead of waiting for a full buffer).

/^\{"type":"start"/ {
  asked[text("match")] = 0
  names = part("\"names\":\\[[^]]*\\]", 9, 1)
  gsub(/","/, ",", names)
  gsub(/"/, "", names)
  note("conformbot: start " text("match") " seat " number("seat") " of " names)
}

/^\{"type":"decide"/ {
  asked[text("match")]++
  answer(0)
}

/^\{"type":"rejected"/ && /"legal":\[/ {
  asked[text("match")]++
  answer(1)
}

/^\{"type":"end"/ {
  seat = number("seat")
  split(part("\"ranks\":\\[[^]]*\\]", 9, 1), ranks, ",")
  split(part("\"reasons\":\\[\"[^]]*\"\\]", 12, 2), reasons, "\",\"")
  note("conformbot: end " text("match") " rank " ranks[seat + 1] " " reasons[seat + 1])
}

function answer(rejected,   legal, count, moves, move) {
  legal = part("\"legal\":\\[\"[^]]*\"\\]", 10, 2)
  count = split(legal, moves, "\",\"")
  move = count ? moves[1] : "pass"
  if (move ~ /^think:/) {
    system("sleep " substr(move, 7) / 1000)
    move = moves[2]
  } else if (move == "count") {
    move = asked[text("match")]
  } else if (move == "view") {
    move = /"answer":/ ? text("answer") : "round " number("round")
  } else if (rejected && count) {
    move = moves[count]
  }
  printf "{\"decision\":%s,\"move\":\"%s\"}\n", number("decision"), move
  fflush()
}

# What a pattern finds on this line, without so many characters at its beginning and its end.
function part(pattern, before, after) {
  return match($0, pattern) ? substr($0, RSTART + before, RLENGTH - before - after) : ""
}

function text(key) { return part("\"" key "\": ?\"[^\"]*\"", length(key) + 4, 1) }

function number(key) { return part("\"" key "\":[0-9]+", length(key) + 3, 0) }

function note(words) {
  print words > "/dev/stderr"
  fflush("/dev/stderr")
}
