#!/bin/sh
# Sends records, one after the other, each until the hub has it: sh push.sh POST record.json PATCH change.json
set -u
hub_url=${HUB_URL:-https://hub.example.org}
body=$(mktemp)
trap 'rm -f "$body"' EXIT

push() { # method, file
  pause=1
  while :; do
    # Prints the status, which is 000 if there is no response, and Retry-After.
    set -- "$1" "$2" $(
      curl -sS --max-time 10 -X "$1" "$hub_url/api/webhook/receive" \
        -H "Accept: application/json" \
        -H "Content-Type: application/json" \
        -H "X-API-KEY: $HUB_API_KEY" \
        -H "ngrok-skip-browser-warning: true" \
        --data-binary "@$2" -o "$body" -w '%{http_code} %header{retry-after}'
    )
    # The push is given up after one of these five. After any other response it is retried.
    case $3 in
      2*) cat "$body"; echo; return 0 ;;
      400 | 405 | 410 | 413 | 415 | 422) echo "The hub responded with $3: $(cat "$body")" >&2; return 1 ;;
    esac
    # Retry-After in seconds, if there is one.
    case ${4:-} in
      '' | *[!0-9]*) sleep "$pause" ;;
      *) sleep "$4" ;;
    esac
    pause=$((pause < 30 ? pause * 2 : 60))
  done
}

while [ $# -ge 2 ]; do
  push "$1" "$2" || exit 1
  shift 2
done
