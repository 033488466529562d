import hmac
import json
import os
import re
from collections.abc import Iterator
from hashlib import md5
from itertools import islice
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException
from fastapi.responses import Response, StreamingResponse

from to_json import to_json

SOURCE_KEY = os.environ["SOURCE_API_KEY"]
MANIFEST = json.loads(Path("manifest.json").read_text("utf-8"))
PLATFORM_NAME = MANIFEST["platform_name"]
MODULES = {module["record_type"]: module for module in MANIFEST["modules"]}


def read_records(record_type: str | None = None) -> Iterator[dict]:
    """All records, or those of one module. Replace with a query with a server-side cursor."""
    with open("records.ndjson", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record_type in (None, record["record_type"]):
                yield record


def count_records(record_type: str) -> int:
    """Replace with SELECT count(*)."""
    return sum(1 for _ in read_records(record_type))


def read_version(record_type: str) -> str:
    """Changes whenever a record of the module changes. Replace with a query of "The ETag" in the guide."""
    file = Path("records.ndjson").stat()
    return f"{file.st_size}-{file.st_mtime_ns}"


def version_of(record: dict) -> str:
    """Changes whenever anything in the record changes. Replace with a column, such as updated_at with microseconds."""
    return hash_of(to_json([record["full_name"], record["data"]]))


def hash_of(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def read_prefixes(prefix: str | None) -> tuple[str, ...]:
    """The prefixes of a request: at most 100, of 1 to 8 hex digits. Without any, the one that all hashes have."""
    if prefix is None:
        return ("",)
    if not re.fullmatch("[0-9a-f]{1,8}(,[0-9a-f]{1,8}){0,99}", prefix):
        raise HTTPException(400, "prefix must have hex digits.")
    return tuple(prefix.split(","))


def check_key(x_platform_api_key: str = Header("")) -> None:
    if not SOURCE_KEY or not hmac.compare_digest(x_platform_api_key.encode(), SOURCE_KEY.encode()):
        raise HTTPException(401, "The key is wrong.")


router = APIRouter(prefix="/api/hub", dependencies=[Depends(check_key)])


@router.get("/ping")
def ping():
    message = f"{MANIFEST['platform_title']} is online."
    return {"success": True, "message": message, "platform_name": PLATFORM_NAME}


@router.get("/manifest")
def manifest():
    return MANIFEST


@router.get("/records/{record_type}/digest")
def digest(record_type: str, digits: int, prefix: str | None = None):
    """Replace the loop with the query of "The digest" in the guide."""
    if record_type not in MODULES:
        raise HTTPException(404, "No such module.")
    if not 1 <= digits <= 8:
        raise HTTPException(400, "digits must be 1 to 8.")
    prefixes = read_prefixes(prefix)
    buckets: dict[str, list] = {}
    for record in read_records(record_type):
        reference = record["reference_number"]
        if not hash_of(reference).startswith(prefixes):
            continue
        name = hash_of(reference)[:digits]
        bucket = buckets.setdefault(name, [name, 0, 0])
        part = int(hash_of(f"{reference}\x1f{version_of(record)}")[:12], 16)
        bucket[1:] = [bucket[1] + 1, (bucket[2] + part) % 2**48]
    return {
        "success": True,
        "platform_name": PLATFORM_NAME,
        "record_type": record_type,
        "digits": digits,
        "buckets": list(buckets.values()),
    }


@router.get("/records/{record_type:path}")
def records(record_type: str, prefix: str | None = None, if_none_match: str = Header("")):
    module = MODULES.get(record_type)
    if module is None:
        raise HTTPException(404, "No such module.")
    # Read it before the records, so that a change during the response leads to another version.
    headers = {} if prefix is not None else {"ETag": f'"{read_version(record_type)}"'}
    if headers and headers["ETag"] in if_none_match:
        return Response(status_code=304, headers=headers)
    head = {
        "success": True,
        "platform_name": PLATFORM_NAME,
        "module_name": module["module_name"],
        "record_type": record_type,
        **({"total": count_records(record_type)} if prefix is None else {"prefix": prefix}),
    }
    prefixes = read_prefixes(prefix)

    def write() -> Iterator[str]:
        yield to_json(head)[:-1] + ', "records": ['
        # Replace with a WHERE.
        rows = (one for one in read_records(record_type) if hash_of(one["reference_number"]).startswith(prefixes))
        comma = ""
        # An error in the loop cuts the connection, so the hub knows that the response is incomplete.
        while batch := list(islice(rows, 100)):
            for record in batch:
                del record["record_type"]
                record["version"] = version_of(record)
            yield comma + ",".join(to_json(record) for record in batch)
            comma = ","
        yield "]}"

    return StreamingResponse(write(), headers=headers, media_type="application/json")


@router.get("/search")
def search(query: str = ""):
    word = query.lower()
    found = (
        record
        for record in read_records()
        if any(word in str(value).lower() for value in (record["full_name"], *record["data"].values()))
    )
    body = {"success": True, "platform_name": PLATFORM_NAME, "records": list(islice(found, 50))}
    return Response(to_json(body), media_type="application/json")


app = FastAPI()
app.include_router(router)
