"""Checks vectors from standard input against Python's integers. Prints what differs, and how many were checked."""

import sys


def compose(fields):
    id = 0
    for bits, value in fields:
        id = (id << bits) | value
    return id


def decode(id, widths):
    values = []
    for bits in reversed(widths):
        values.append(id & ((1 << bits) - 1))
        id >>= bits
    return values[::-1]


checked = 0
for line in sys.stdin:
    name, parts, decimal, hexadecimal, binary = line.rstrip("\n").split("\t")
    fields = [tuple(int(number) for number in part.split(":")) for part in parts.split(",")]
    id = compose(fields)
    said = {"decimal": str(id), "hex": f"{id:016x}", "binary": f"{id:064b}"}
    wanted = {"decimal": decimal, "hex": hexadecimal, "binary": binary}
    for form, text in said.items():
        if text != wanted[form]:
            print(f"{name}: {form} is {text}, not {wanted[form]}")
    values = decode(int(decimal), [bits for bits, _ in fields])
    if values != [value for _, value in fields]:
        print(f"{name}: decodes to {values}")
    checked += 1
print(f"checked {checked}")
