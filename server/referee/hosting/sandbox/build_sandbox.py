"""The sandbox of a build: as for a bot, but with its folder writable, limits for a compiler, and a network if allowed.

The folder is a private copy (`bot/build_copy.py`), laid over the place where the bot's folder is. As for bots there is
no other process, no file of the host's and no capability. A build sees all toolchains on the host's PATH that may be
shown, for compilers call others.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from referee.hosting.bot import programs
from referee.hosting.bot.spec import BotSpec
from referee.hosting.process import cgroups
from referee.hosting.sandbox import mounts, toolchains
from referee.hosting.sandbox.bubblewrap import PATH, SandboxFailed, SandboxLimits, enclosed, private_environment, probe
from referee.hosting.sandbox.launch import Launch, Link
from referee.hosting.sandbox.seccomp import ABOVE_SHELLS

LIMITS = SandboxLimits(memory=4 << 30, processes=1024, files=4096, disk=1 << 30, cores=0.0)
"""Enough for a compiler; nothing is played meanwhile, so it may have all cores."""
NETWORK = (
    "resolv.conf", "hosts", "host.conf", "gai.conf", "services", "protocols", "ca-certificates",
    "pki/tls/certs", "pki/ca-trust",
)  # fmt: skip
"""What is needed of /etc to find other machines and to know them; the public certificates are there anyway."""
TOOLS = ("maven/m2.conf", "maven/logging")
"""What build tools of the system keep in /etc; not their settings, in which a host may have written passwords."""
PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy")
CERTIFICATES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")
"""Where systems keep all authorities that they trust, in one file."""
TRUSTING = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
"""Variables that name such a file to tools which would otherwise trust a list of their own alone."""
LONGEST_NEWS = 1 << 16


@dataclass(slots=True)
class BuildSandbox:
    """A `Launcher` for one build."""

    copy: Path
    uid: int
    network: bool
    limits: SandboxLimits
    _news: int | None = None

    def prepare(self, spec: BotSpec, link: Link) -> Launch:
        if (missing := probe()) is not None:
            raise SandboxFailed(missing)
        assert spec.folder is not None
        needed = [*toolchains.shown_for(spec), *toolchains.all_installed(spec), *toolchains.python()]
        inside = mounts.shown([*(path for path in needed if path != spec.folder), *mounts.imported(spec)])
        inside += mounts.cover(mounts.covered(spec, needed))
        inside += mounts.folders_above([spec.folder, Path("/etc/x")])
        inside += mounts.shown(path for name in TOOLS if (path := Path("/etc", name)).exists())
        if self.network:
            inside += mounts.shown(path for name in NETWORK if (path := Path("/etc", name)).exists())
        inside += ["--bind", str(self.copy), str(spec.folder)]
        environment = private_environment(self._places(spec, needed))
        if self.network:
            environment |= _proxies(os.environ) | _trusted()
        launch = enclosed(
            spec, self.limits, inside, environment, self.uid, self.limits.memory, network=self.network, building=True
        )
        self.close()
        self._news, told = os.pipe()
        news = fcntl.fcntl(told, fcntl.F_DUPFD_CLOEXEC, ABOVE_SHELLS)
        os.close(told)
        place = launch.argv.index("bwrap") + 1
        argv = (*launch.argv[:place], "--info-fd", str(news), *launch.argv[place:])
        sandboxed = replace(launch, argv=argv, descriptors=(*launch.descriptors, news))
        return sandboxed.within(cgroups.find().group(self.limits.share(self.limits.memory)))

    def first_process(self) -> int | None:
        """The id of the first process inside, with which the kernel ends all others; None if it was never started."""
        if self._news is None:
            return None
        os.set_blocking(self._news, False)
        try:
            return int(json.loads(os.read(self._news, LONGEST_NEWS))["child-pid"])
        except (OSError, ValueError, KeyError):
            return None

    def close(self) -> None:
        if self._news is not None:
            os.close(self._news)
            self._news = None

    @staticmethod
    def _places(spec: BotSpec, shown: list[Path]) -> list[Path]:
        """Where programs are looked for, in the host's order: on its PATH, as far as that is shown."""
        of_build = [program.parent for program in toolchains.chain(spec) if spec.folder not in program.parents]
        on_path = map(Path, programs.places())
        visible = [place for place in on_path if toolchains.within_system(place) or set(shown) & set(place.parents)]
        beside_python = [path / "bin" for path in toolchains.python() if (path / "bin").is_dir()]
        managed = [home / "bin" for home in toolchains.all_installed(spec)]
        return [*of_build, *visible, *map(Path, PATH.split(":")), *beside_python, *managed]


def _proxies(outer: Mapping[str, str]) -> dict[str, str]:
    """The proxy settings of the environment."""
    return {name: outer[name] for low in PROXIES for name in (low, low.upper()) if name in outer}


def _trusted() -> dict[str, str]:
    """The machine's own list of authorities, for tools that bring another one."""
    file = next((path for path in CERTIFICATES if os.path.isfile(path)), None)
    return dict.fromkeys(TRUSTING, file) if file is not None else {}
