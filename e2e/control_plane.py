"""A Kubernetes API server and its etcd on ports of this machine alone, for as long as a `with` block lasts.

Nothing else of a cluster is there: no scheduler, no controllers, no kubelet. So what is written stays as it was
written, and a pod is what its creator says it is.
"""

from __future__ import annotations

import base64
import os
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from e2e.apiserver_build import apiserver

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LOCALHOST: Final = "127.0.0.1"

START_SECONDS: Final = 120
#: A server that still answers watches takes its time to stop; the data is thrown away, so it need not be waited for.
STOP_SECONDS: Final = 10

#: How much of a log an error shows.
_LOG_CHARACTERS: Final = 4000


class ControlPlaneError(RuntimeError):
    """A server is not there, or did not start; the text ends with what it logged last."""


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """A running API server. The files that it names are gone with it."""

    url: str
    #: The kubeconfig of a user who may do everything.
    admin: Path
    #: The kubeconfig of the user `viewer`, who may do nothing but ask what the server serves, until bound to a role.
    viewer: Path


@contextmanager
def control_plane() -> Iterator[ControlPlane]:
    """Start etcd and kube-apiserver, and stop both when the block is left, however it is left.

    Raises:
        ControlPlaneError: etcd is not installed, or a server did not become ready.
        BuildError: kube-apiserver had to be built and was not.
    """
    etcd = shutil.which("etcd")
    if etcd is None:
        raise ControlPlaneError("etcd is not on the PATH; on Debian and Ubuntu: apt-get install etcd-server")
    binary = apiserver()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="workloadmap-e2e-")))
        etcd_url, peer_url, port = (
            f"http://{_LOCALHOST}:{_free_port()}",
            f"http://{_LOCALHOST}:{_free_port()}",
            _free_port(),
        )
        store = stack.enter_context(_running("etcd", _etcd(etcd, folder, etcd_url, peer_url), folder))
        _await(f"{etcd_url}/health", store)
        tokens = {"admin": secrets.token_hex(16), "viewer": secrets.token_hex(16)}
        server = stack.enter_context(
            _running("kube-apiserver", _apiserver(binary, folder, etcd_url, port, tokens), folder)
        )
        url = f"https://{_LOCALHOST}:{port}"
        certificate = folder / "certificates" / "apiserver.crt"
        _await(f"{url}/readyz", server, tokens["admin"], certificate)
        kubeconfigs = {user: _kubeconfig(folder, url, certificate, user, token) for user, token in tokens.items()}
        yield ControlPlane(url, kubeconfigs["admin"], kubeconfigs["viewer"])


def _etcd(binary: str, folder: Path, client_url: str, peer_url: str) -> list[str]:
    """The command line of etcd."""
    return [
        binary,
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={client_url}",
        f"--advertise-client-urls={client_url}",
        f"--listen-peer-urls={peer_url}",
        f"--initial-advertise-peer-urls={peer_url}",
        f"--initial-cluster=default={peer_url}",
    ]


def _apiserver(binary: Path, folder: Path, etcd_url: str, port: int, tokens: dict[str, str]) -> list[str]:
    """The command line of kube-apiserver, which makes its certificate itself."""
    certificates = folder / "certificates"
    token_file = folder / "tokens.csv"
    groups = {"admin": ',"system:masters"'}
    lines = [f"{token},{user},{user}{groups.get(user, '')}\n" for user, token in tokens.items()]
    token_file.touch(mode=0o600)
    token_file.write_text("".join(lines), encoding="utf-8")
    # No service account is used; the server wants a key for their tokens nonetheless, and has one.
    key = certificates / "apiserver.key"
    return [
        str(binary),
        f"--etcd-servers={etcd_url}",
        f"--bind-address={_LOCALHOST}",
        f"--advertise-address={_LOCALHOST}",
        f"--secure-port={port}",
        f"--cert-dir={certificates}",
        f"--token-auth-file={token_file}",
        "--authorization-mode=RBAC",
        f"--service-account-issuer=https://{_LOCALHOST}:{port}",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        # An address of the loopback device is refused as the endpoint of the service `kubernetes`.
        "--endpoint-reconciler-type=none",
        # Without it, pods need a service account, and a controller that makes one in each namespace; and a priority
        # class that they name, which samples leave to the reader to create.
        "--disable-admission-plugins=ServiceAccount,Priority",
        "--allow-privileged",
    ]


@dataclass(frozen=True, slots=True)
class _Server:
    """A process and its log."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def error(self, what: str) -> ControlPlaneError:
        """An error that ends with the end of the log."""
        return ControlPlaneError(f"{self.name} {what}\n{self.log.read_text(errors='replace')[-_LOG_CHARACTERS:]}")


@contextmanager
def _running(name: str, command: Sequence[str], folder: Path) -> Iterator[_Server]:
    """A process that is ended with the block."""
    # Dies with us also where we are killed and nothing is cleaned up; the command is of Linux.
    setpriv = shutil.which("setpriv")
    guard = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
    log = folder / f"{name}.log"
    # Settings of etcd in the environment would go before ours.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ETCD_")}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*guard, *command],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment,
            # An interrupt from the keyboard goes to us, and we stop the servers in order.
            start_new_session=True,
        )
    try:
        yield _Server(name, process, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(url: str, server: _Server, token: str | None = None, certificate: Path | None = None) -> None:
    """Wait until a URL answers with 200.

    Raises:
        ControlPlaneError: the server has ended, or takes too long.
    """
    deadline = time.monotonic() + START_SECONDS
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - a URL of ours
    # A proxy that the environment names must not be asked for this machine.
    direct = urllib.request.ProxyHandler({})
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            raise server.error(f"ended with {server.process.returncode}")
        try:
            trust = ssl.create_default_context(cafile=certificate) if certificate else ssl.create_default_context()
            opener = urllib.request.build_opener(direct, urllib.request.HTTPSHandler(context=trust))
            with opener.open(request, timeout=5):
                return
        except OSError:  # not there yet, neither port nor certificate; errors of HTTP and TLS are of this class too
            time.sleep(0.1)
    raise server.error(f"is not ready after {START_SECONDS} s")


def _kubeconfig(folder: Path, url: str, certificate: Path, user: str, token: str) -> Path:
    """The file with which a user reaches the server."""
    authority = base64.b64encode(certificate.read_bytes()).decode()
    path = folder / f"{user}.kubeconfig"
    path.touch(mode=0o600)
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "e2e", "cluster": {"server": url, "certificate-authority-data": authority}}],
        "users": [{"name": user, "user": {"token": token}}],
        "contexts": [{"name": user, "context": {"cluster": "e2e", "user": user}}],
        "current-context": user,
    }
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def _free_port() -> int:
    """A port that was free a moment ago; nothing can promise more before the server takes it."""
    with socket.socket() as probe:
        probe.bind((_LOCALHOST, 0))
        port: int = probe.getsockname()[1]
        return port
