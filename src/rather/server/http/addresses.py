"""Who asks, and under which name."""

from ipaddress import IPv4Address, IPv6Address, ip_address

from starlette.types import Scope

# A household or a rented server has at least this much of an IPv6 address to itself, and may use all that is behind it.
IPV6_NETWORK_BITS = 64


def caller(scope: Scope) -> str:
    """The address that a request comes from, as limits count it: of IPv6 addresses, the network."""
    client = scope.get("client")
    address = None if not client else _parse(client[0])
    if address is None:
        return str(client[0]) if client else "local"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        host_bits = 128 - IPV6_NETWORK_BITS
        return f"{IPv6Address(int(address) >> host_bits << host_bits)}/{IPV6_NETWORK_BITS}"
    return str(address)


def is_served(host: str, names: tuple[str, ...]) -> bool:
    """Whether a server with these names is meant by a `Host` header.

    An address or a name without a dot, such as `localhost`, always is: no other site has such a name.
    """
    name = host.lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    name = name.removesuffix(".")
    return "*" in names or "." not in name or _parse(name) is not None or name in names


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None
