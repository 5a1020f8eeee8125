#!/bin/sh
# A bot in plain POSIX shell: no library, no jq, just lines of JSON on stdin and stdout.
#
# The referee writes a line such as
#   {"type":"decide","match":"m1","decision":7,"seat":0,"legal":["hit","stay"],"complete":true,"view":{...},...}
# and wants a line such as
#   {"decision":7,"move":"hit"}
# A line {"type":"rejected",...} that still lists legal moves wants another answer to the same question.
# All other lines (start, end) are for bots that want to know. Anything but answers goes to stderr: echo hello >&2

pick=1
elsewhere=
while IFS= read -r line; do
  case $line in
    '{"type":"start"'*'"game":"encore"'* | '{"type":"start"'*'"game":"flip7"'*) continue ;;
    '{"type":"start"'*'"game":"stop"'* | '{"type":"start"'*'"game":"stop_me_go"'*) continue ;;
    '{"type":"start"'*)
      match=${line#*'"match":"'}
      elsewhere="${match%%'"'*} ${elsewhere%% *}" # the two latest: this bot plays one match at a time
      continue
      ;;
    '{"type":"decide"'* | '{"type":"rejected"'*'"legal":['*) ;;
    *) continue ;;
  esac

  # The number of the question: what stands between "decision": and the next comma.
  decision=${line#*'"decision":'}
  decision=${decision%%,*}

  # The legal moves, still in JSON: hit","stay
  legal=${line#*'"legal":["'}
  legal=${legal%%'"]'*}

  # In games where no cards or dice make every match another one, the number of the match counts: league/12 is 12. A
  # program that is started anew for each match would play the same one for ever.
  match=${line#*'"match":"'}
  match=${match%%'"'*}
  case " $elsewhere " in
    *" $match "*)
      number=${match##*/}
      case $number in '' | *[!0-9]*) number=0 ;; esac
      pick=$(((pick + number * 40503 + 1) % 2147483648))
      ;;
  esac

  # Skip a few of them, a different number each time, to reach one of the first sixteen.
  pick=$(((pick * 1103515245 + decision + 12345) % 2147483648))
  skip=$((pick / 65536 % 16))
  rest=$legal
  while [ $skip -gt 0 ]; do
    case $rest in
      *'","'*) rest=${rest#*'","'} ;;
      *) rest=$legal ;; # the end of the list: begin again
    esac
    skip=$((skip - 1))
  done
  move=${rest%%'","'*}

  printf '{"decision":%s,"move":"%s"}\n' "$decision" "$move"
done
