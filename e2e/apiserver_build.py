"""Builds kube-apiserver, once for each version, from its Go module.

The public module proxy has the sources of every release, so a server needs no image and no download of binaries: a
module of two files that imports the server's command is enough. `python -m e2e.apiserver_build` builds ahead of the
tests and prints where the server is.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

#: The release. Its modules are those of the module proxy, by version alone.
KUBERNETES: Final = "1.35.4"

CACHE_VARIABLE: Final = "WORKLOADMAP_E2E_CACHE"

#: A build takes minutes of two processors; a proxy that hangs must not hold a test run for ever.
BUILD_SECONDS: Final = 3600

_MAIN: Final = """\
// Command kube-apiserver is the server of Kubernetes and nothing else.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
"""

_STAGING: Final = re.compile(r"^\s*(k8s\.io/[a-z-]+) v0\.0\.0$", re.MULTILINE)


class BuildError(RuntimeError):
    """The server could not be built; the text ends with what Go said."""


def cache_folder() -> Path:
    """Where built servers are kept, outside the checkout."""
    if configured := os.environ.get(CACHE_VARIABLE):
        return Path(configured).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "workloadmap-e2e"


def apiserver(version: str = KUBERNETES) -> Path:
    """The path of kube-apiserver of a version, which is built where the cache has none.

    Raises:
        BuildError: Go is not there, or did not build it.
    """
    binary = cache_folder() / f"kube-apiserver-v{version}"
    if binary.exists():
        return binary
    go = shutil.which("go")
    if go is None:
        raise BuildError("kube-apiserver is built with Go, which is not on the PATH")
    binary.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=binary.parent) as folder:
        module = Path(folder)
        (module / "main.go").write_text(_MAIN, encoding="utf-8")
        (module / "go.mod").write_text(_go_mod(go, version, module), encoding="utf-8")
        _run([go, "build", "-trimpath", "-ldflags", _ldflags(version), "-o", "kube-apiserver", "."], module)
        # A rename within one file system, so that no other run sees half a server.
        (module / "kube-apiserver").rename(binary)
    return binary


def _go_mod(go: str, version: str, folder: Path) -> str:
    """A module that replaces the staging modules, which k8s.io/kubernetes itself requires as v0.0.0.

    Replacements in a dependency's go.mod do not count, so each module that needs k8s.io/kubernetes has to repeat them.
    """
    listed = _run([go, "list", "-m", "-f", "{{.GoMod}}", f"k8s.io/kubernetes@v{version}"], folder)
    kubernetes = Path(listed.strip()).read_text(encoding="utf-8")
    staging = sorted(set(_STAGING.findall(kubernetes)))
    language = re.search(r"^go (\S+)$", kubernetes, re.MULTILINE)
    if not staging or language is None:
        raise BuildError(f"the go.mod of k8s.io/kubernetes v{version} is not of the form that is expected")
    minor = version.partition(".")[2]
    replaced = "".join(f"\t{path} => {path} v0.{minor}\n" for path in staging)
    return (
        f"module example.org/kube-apiserver\n\ngo {language[1]}\n\n"
        f"require k8s.io/kubernetes v{version}\n\nreplace (\n{replaced})\n"
    )


def _ldflags(version: str) -> str:
    """What a release sets, so that `/version` tells the version."""
    major, minor, _ = version.split(".")
    facts = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor, "gitTreeState": "archive"}
    # -s -w leaves out what a debugger needs: a third of the size and of the time to link.
    return " ".join(["-s -w", *(f"-X k8s.io/component-base/version.{name}={fact}" for name, fact in facts.items())])


def _run(command: list[str], folder: Path) -> str:
    # -mod=mod writes the go.sum. The default toolchain of the machine is used or the build fails: it fetches none.
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GOWORK": "off", "CGO_ENABLED": "0"}
    try:
        finished = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise BuildError(f"{' '.join(command)}: not done after {BUILD_SECONDS} s") from error
    if finished.returncode:
        raise BuildError(f"{' '.join(command)}: exit {finished.returncode}\n{finished.stderr}")
    return finished.stdout


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{apiserver()}\n")
    except BuildError as error:
        sys.exit(str(error))
