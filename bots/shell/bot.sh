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
while IFS= read -r line; do
  case $line in
    '{"type":"decide"'* | '{"type":"rejected"'*'"legal":['*) ;;
    *) continue ;;
  esac

  # The number of the question: what stands between "decision": and the next comma.
  decision=${line#*'"decision":'}
  decision=${decision%%,*}

  # The legal moves, still in JSON: hit","stay
  legal=${line#*'"legal":["'}
  legal=${legal%%'"]'*}

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
