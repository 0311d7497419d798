"""The part of the kernel that runs a system call filter, small enough to read, for tests of both machines."""

import struct
from typing import NamedTuple

INSTRUCTION = struct.Struct("=HBBI")
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06


class Call(NamedTuple):
    """`struct seccomp_data` without the instruction pointer."""

    number: int
    arch: int
    arguments: tuple[int, ...] = ()

    def packed(self) -> bytes:
        """As the kernel lays it out."""
        padded = (*self.arguments, 0, 0, 0, 0, 0, 0)[:6]
        return struct.pack("=iIQ6Q", self.number, self.arch, 0, *padded)


def verdict(program: bytes, call: Call) -> int:
    """What the filter returns for a call."""
    steps = [INSTRUCTION.unpack_from(program, at) for at in range(0, len(program), INSTRUCTION.size)]
    memory = call.packed()
    value = at = 0
    while True:
        code, true, false, operand = steps[at]
        at += 1
        if code == RETURN:
            return operand
        if code == LOAD:
            value = struct.unpack_from("=I", memory, operand)[0]
            continue
        holds = {EQUAL: value == operand, AT_LEAST: value >= operand, ANY_BIT: bool(value & operand)}[code]
        at += true if holds else false
