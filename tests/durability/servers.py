"""Several real servers on the loopback interface: a master with replica and Sentinels, and a Cluster of three."""

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from redis import Redis
from redis.exceptions import RedisError

from runtime.store.binaries import find_binary
from tests.support.ports import LAST, free_port
from tests.support.redis import PlainRedis
from tests.waiting import wait_until_blocking

SERVICE = "handrail"
SLOTS = 16384
HOST = "127.0.0.1"
BESIDE = 10_000
"""How far a Cluster's second port is from its first."""


def pair_of_ports() -> int:
    """A port that nobody uses, and neither the second one beside it that a Cluster needs."""
    while True:
        port = free_port()
        with socket.socket() as beside:
            if port + BESIDE <= LAST and beside.connect_ex((HOST, port + BESIDE)) != 0:
                return port


def plain(port: int) -> PlainRedis:
    """A blocking client of one server."""
    make = cast("Callable[..., PlainRedis]", Redis)
    return make(host=HOST, port=port, socket_timeout=30)


@dataclass(slots=True, kw_only=True)
class Farm:
    """Servers that end together."""

    folder: Path
    running: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict[int, subprocess.Popen[bytes]])

    def start(self, *options: str, port: int = 0, sentinel: bool = False) -> int:
        """Start one; its port."""
        port = port or pair_of_ports()
        home = self.folder / str(port)
        home.mkdir(exist_ok=True)
        arguments = [f"--port {port}", "--bind 127.0.0.1", f"--dir {home}", '--save ""', *options]
        config = home / "server.conf"
        if not config.exists():
            config.write_text("\n".join(line.removeprefix("--") for line in arguments) + "\n")
        command = [str(find_binary().path), str(config), *(["--sentinel"] if sentinel else [])]
        with (home / "log").open("ab") as log:
            self.running[port] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until_blocking(f"the server at {port} answers", lambda: answers(port))
        return port

    def kill(self, port: int) -> None:
        """End one as a power cut would."""
        process = self.running.pop(port)
        process.kill()
        process.wait()


def answers(port: int) -> bool:
    """Whether it takes commands."""
    try:
        with plain(port) as client:
            return bool(client.ping())
    except RedisError:
        return False


@contextmanager
def farm() -> Generator[Farm]:
    """A place for servers."""
    folder = Path(tempfile.mkdtemp(prefix="handrail-farm-"))
    made = Farm(folder=folder)
    try:
        yield made
    finally:
        for port in list(made.running):
            made.kill(port)
        shutil.rmtree(folder)


def watched_pair(servers: Farm) -> tuple[int, int, Sequence[int]]:
    """A master, its replica, and three Sentinels that agree within some seconds: their ports."""
    master = servers.start("--appendonly yes")
    replica = servers.start("--appendonly yes", f"--replicaof {HOST} {master}")
    sentinels = [
        servers.start(
            f"--sentinel monitor {SERVICE} {HOST} {master} 2",
            f"--sentinel down-after-milliseconds {SERVICE} 3000",
            f"--sentinel failover-timeout {SERVICE} 10000",
            sentinel=True,
        )
        for _ in range(3)
    ]
    for port in sentinels:
        wait_until_blocking("the Sentinels know of each other and of the replica", partial(knows_all, port))
    return master, replica, sentinels


def knows_all(port: int) -> bool:
    """Whether a Sentinel has found the two others and the replica."""
    with plain(port) as client:
        replicas = cast("list[object]", client.execute_command("SENTINEL REPLICAS", SERVICE))
        others = cast("list[object]", client.execute_command("SENTINEL SENTINELS", SERVICE))
    return len(replicas) == 1 and len(others) == 2


def three_masters(servers: Farm) -> Sequence[int]:
    """A Cluster whose three masters share the slots: their ports."""
    options = ("--cluster-enabled yes", "--appendonly yes", "--cluster-node-timeout 15000")
    ports = [servers.start(*options) for _ in range(3)]
    share = SLOTS // 3
    for number, port in enumerate(ports):
        first, last = number * share, SLOTS - 1 if number == 2 else (number + 1) * share - 1
        with plain(port) as client:
            client.execute_command("CLUSTER ADDSLOTS", *range(first, last + 1))
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            client.execute_command("CLUSTER MEET", HOST, ports[0])
    for port in ports:
        wait_until_blocking("the Cluster is whole", partial(is_whole, port))
    return ports


def is_whole(port: int) -> bool:
    """Whether a node sees every slot served by three masters."""
    with plain(port) as client:
        said = client.execute_command("CLUSTER INFO")
    known = {text(name): text(value) for name, value in cast("dict[object, object]", said).items()}
    return (known["cluster_state"], known["cluster_size"]) == ("ok", "3")


def position(port: int) -> str:
    """How far a server is in the stream of its master's writes."""
    with plain(port) as client:
        said = client.execute_command("INFO", "replication")
    known = {text(name): text(value) for name, value in cast("dict[object, object]", said).items()}
    return known["slave_repl_offset"] if known["role"] == "slave" else known["master_repl_offset"]


def text(value: object) -> str:
    """A reply as text."""
    return value.decode() if isinstance(value, bytes) else str(value)
