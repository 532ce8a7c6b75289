"""A client of the ID service that knows nothing but its .proto, of which protoc has generated the modules beside it.

Usage: python_grpc.py <folder of the generated modules> <host:port> <token> <namespace>
Prints what it got as JSON, with IDs as strings.
"""

import json
import random
import sys
import time
import uuid

folder, address, token, namespace = sys.argv[1:]
sys.path.insert(0, folder)

import grpc
import health_pb2
import health_pb2_grpc
import reflection_pb2
import reflection_pb2_grpc
from snowflake.v1 import snowflake_pb2 as pb
from snowflake.v1 import snowflake_pb2_grpc as services

DEADLINE_S = 30
AUTHORIZED = {"metadata": [("authorization", f"Bearer {token}")], "timeout": DEADLINE_S}

channel = grpc.insecure_channel(address)
ids = services.IdServiceStub(channel)
leases = services.LeaseServiceStub(channel)


def lease(**fields):
    """Acquires or renews a lease, and refuses the response to another call."""
    call = str(uuid.uuid4())
    response = leases.Lease(pb.LeaseRequest(call=call, namespace=namespace, **fields), **AUTHORIZED)
    if response.call != call:
        raise RuntimeError("the response of another call")
    return response.WhichOneof("outcome"), response


def refusal():
    """Returns how a call without a token ends."""
    try:
        ids.MakeIds(pb.MakeIdsRequest(), timeout=DEADLINE_S)
    except grpc.RpcError as error:
        return [error.code().name, dict(error.trailing_metadata())["snowflake-code"]]


def reflected():
    """Returns the services that the server lists."""
    reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    answer = next(reflection.ServerReflectionInfo(iter([request]), timeout=DEADLINE_S))
    return sorted(service.name for service in answer.list_services_response.service)


def composed(layout, worker_id, ticks):
    """Makes IDs under a worker ID, one for each tick."""
    shift = {}
    bits = 0
    for field in reversed(layout.order):
        shift[field] = bits
        bits += getattr(layout, f"{field}_bits")
    return [(tick << bits) | (worker_id << shift["worker"]) for tick in ticks]


health = health_pb2_grpc.HealthStub(channel).Check(
    health_pb2.HealthCheckRequest(service="snowflake.v1.IdService"), timeout=DEADLINE_S
)

made = list(ids.MakeIds(pb.MakeIdsRequest(count=10_000), **AUTHORIZED).ids)
streamed = []
stream = ids.StreamIds(pb.StreamIdsRequest(batch_size=500), **AUTHORIZED)
for batch in stream:
    streamed.extend(batch.ids)
    if len(streamed) >= 10_000:
        stream.cancel()
        break

decoded = ids.DecodeId(pb.DecodeIdRequest(id=made[0]), **AUTHORIZED)
layout = ids.GetLayout(pb.GetLayoutRequest(), **AUTHORIZED)
registry = leases.Inspect(pb.InspectRequest(namespace=namespace), **AUTHORIZED)

request = {
    "layout": registry.layout,
    "first_worker_id": 0,
    "worker_count": 1 << layout.worker_bits,
    "window_ms": registry.longest_window_ms,
    "max_skew_ms": registry.longest_max_skew_ms,
    "nonce": f"{random.getrandbits(64):016x}:python",
    "search_seed": random.getrandbits(31),
}
acquired, grant = lease(**request)
granted = grant.granted
# Only timestamps of the window, and none twice.
first_ms = max(granted.from_ms + 1, time.time_ns() // 1_000_000)
last_ms = min(granted.until_ms, first_ms + 4_999)
ticks = range((first_ms - layout.epoch_ms) // layout.tick_ms + 1, (last_ms - layout.epoch_ms) // layout.tick_ms)
own = composed(layout, granted.worker_id, ticks)

claim = pb.Claim(worker_id=granted.worker_id, fencing_token=granted.fencing_token, until_ms=granted.until_ms)
renewed, kept = lease(**{**request, "nonce": f"{random.getrandbits(64):016x}:python", "claim": claim})
held = pb.ReleaseRequest(
    call=str(uuid.uuid4()),
    namespace=namespace,
    worker_id=granted.worker_id,
    fencing_token=kept.kept.fencing_token,
    last_used_ms=last_ms,
)
released = leases.Release(held, **AUTHORIZED)
again = leases.Release(held, **AUTHORIZED)

# What a client would make that takes the worker ID of another process.
stolen_ticks = sorted({ids.DecodeId(pb.DecodeIdRequest(id=each), **AUTHORIZED).tick for each in made[:100]})
stolen = composed(layout, decoded.worker_id, stolen_ticks)

print(
    json.dumps(
        {
            "health": health_pb2.HealthCheckResponse.ServingStatus.Name(health.status),
            "services": reflected(),
            "refusal": refusal(),
            "decoded": [str(decoded.id), decoded.worker_id, decoded.HasField("datacenter_id")],
            "outcomes": [acquired, renewed, released.released, again.released],
            "windowGrew": kept.kept.until_ms >= granted.until_ms,
            "workerIds": [decoded.worker_id, granted.worker_id],
            "made": [str(each) for each in made],
            "streamed": [str(each) for each in streamed],
            "own": [str(each) for each in own],
            "stolen": [str(each) for each in stolen],
        }
    )
)
