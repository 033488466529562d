import json
import os
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

import httpx

RECEIVER = os.environ.get("HUB_URL", "https://hub.example.org") + "/api/webhook/receive"

client = httpx.Client(
    timeout=10,
    headers={
        "Accept": "application/json",
        "X-API-KEY": os.environ["HUB_API_KEY"],
        "ngrok-skip-browser-warning": "true",
    },
)


def push(method: str, record: dict) -> dict:
    """Sends one record until the hub has it. Raises where sending again is of no use."""
    body = {"occurred_at": datetime.now(timezone.utc).isoformat(), **record}
    pause = 1
    while True:
        wait = pause
        try:
            response = client.request(method, RECEIVER, json=body)
            if response.is_success:
                return response.json()
            if response.status_code != 429 and response.status_code < 500:
                raise ValueError(f"The hub answered {response.status_code}: {response.text}")
            after = response.headers.get("Retry-After", "")
            wait = int(after) if after.isdecimal() else pause
        except httpx.TransportError as error:
            print("No answer from the hub:", error, file=sys.stderr)
        time.sleep(wait)
        pause = min(60, pause * 2)


# python3 push.py POST record.json PATCH change.json: one after the other.
for method, file in zip(sys.argv[1::2], sys.argv[2::2]):
    print(json.dumps(push(method, json.loads(Path(file).read_text("utf-8")))))
