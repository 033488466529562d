import json
import os
import sqlite3
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

import httpx

from to_json import to_json

RECEIVER = os.environ.get("HUB_URL", "https://hub.example.org") + "/api/webhook/receive"
# Statuses after which the push is given up. After any other response it is kept and retried.
GIVE_UP = {400, 405, 410, 413, 415, 422}

# Replace with your own database.
database = sqlite3.connect("outbox.sqlite")
database.executescript(Path("outbox.sql").read_text("utf-8"))

client = httpx.Client(
    timeout=10,
    headers={
        "Accept": "application/json",
        "Content-Type": "application/json",
        "X-API-KEY": os.environ["HUB_API_KEY"],
        "ngrok-skip-browser-warning": "true",
    },
)


def enqueue(method: str, record: dict) -> None:
    """Call it in the transaction that changes the record, so that either both are stored or neither."""
    body = to_json({"occurred_at": datetime.now(timezone.utc), **record})
    database.execute("INSERT INTO hub_outbox (method, body) VALUES (?, ?)", (method, body))


def deliver() -> int:
    """
    Sends the pushes of the outbox one after the other until it is empty; one process at a time does so, such as a
    service that calls it every second. Returns the number of pushes that the hub has rejected for good.
    """
    oldest = "SELECT id, method, body FROM hub_outbox WHERE rejected_with IS NULL ORDER BY id LIMIT 1"
    rejected = 0
    pause = 1
    while push := database.execute(oldest).fetchone():
        id, method, body = push
        wait = pause
        try:
            response = client.request(method, RECEIVER, content=body)
            status, text = response.status_code, response.text
            after = response.headers.get("Retry-After", "")
            wait = int(after) if after.isdecimal() else pause
        except httpx.TransportError as error:
            status, text = 0, str(error)
        if 200 <= status < 300:
            database.execute("DELETE FROM hub_outbox WHERE id = ?", (id,))
            print(text)
        elif status in GIVE_UP:
            database.execute("UPDATE hub_outbox SET rejected_with = ? WHERE id = ?", (text, id))
            print(f"The hub responded with {status}: {text}", file=sys.stderr)
            rejected += 1
        else:
            print(f"The push is retried after: {status} {text}", file=sys.stderr)
            time.sleep(wait)
            pause = min(60, pause * 2)
            continue
        database.commit()
        pause = 1
    return rejected


# python3 push.py POST record.json PATCH change.json; without arguments it sends what is still in the outbox.
with database:
    for method, file in zip(sys.argv[1::2], sys.argv[2::2]):
        enqueue(method, json.loads(Path(file).read_text("utf-8")))
sys.exit(1 if deliver() > 0 else 0)
