"""Opens connections: to a port of the host, to the wide world, to a name, to an abstract socket of the host."""

import socket
import sys

from honest import play, say  # type: ignore[import-not-found]

port, abstract = int(sys.argv[1]), sys.argv[2]


def attempt(what: str, family: int, kind: int, address: object) -> None:
    try:
        with socket.socket(family, kind) as line:
            line.settimeout(2)
            line.connect(address)  # type: ignore[arg-type]
            say(f"REACHED {what}")
    except OSError as error:
        say(f"denied {what}: {error}")


attempt("host port", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port))
attempt("host port by IPv6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", port))
attempt("the world", socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80))
attempt("the world by datagram", socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53))
attempt("abstract socket", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract)
try:
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    say("REACHED a raw socket")
except OSError as error:
    say(f"denied raw socket: {error}")
play()
