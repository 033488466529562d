#!/bin/sh
# Calls a platform as the hub does: sh call.sh https://platform.example.org
set -eu
for path in ping manifest records/employee "search?query=ann"; do
  curl --fail-with-body -sS --max-time 60 "$1/api/hub/$path" \
    -H "Accept: application/json" \
    -H "X-PLATFORM-API-KEY: $SOURCE_API_KEY" \
    -H "ngrok-skip-browser-warning: true"
  echo
done
