import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const RECEIVER = `${process.env.HUB_URL ?? 'https://hub.example.org'}/api/webhook/receive`

/** Statuses after which the push is given up. After any other response it is retried. */
const GIVE_UP = [400, 405, 410, 413, 415, 422]

/** Sends one record until the hub has it, and returns the body of its response. Throws if the hub rejects it permanently. */
export async function push(method, record) {
  const body = JSON.stringify({ occurred_at: new Date().toISOString(), ...record })
  for (let pause = 1; ; pause = Math.min(60, pause * 2)) {
    const { status, text, retryAfter } = await send(method, body).catch((error) => {
      console.error('No response from the hub:', error.cause?.message ?? error.message)
      return { status: 0 }
    })
    if (status >= 200 && status < 300) return text
    if (GIVE_UP.includes(status)) throw new Error(`The hub responded with ${status}: ${text}`)
    await sleep((Number(retryAfter) || pause) * 1000)
  }
}

async function send(method, body) {
  const response = await fetch(RECEIVER, {
    method,
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'X-API-KEY': process.env.HUB_API_KEY ?? '',
      'ngrok-skip-browser-warning': 'true',
    },
    body,
    signal: AbortSignal.timeout(10_000),
  })
  const retryAfter = response.headers.get('Retry-After')
  return { status: response.status, text: await response.text(), retryAfter }
}

// node push.mjs POST record.json PATCH change.json: one after the other.
const pushes = process.argv.slice(2)
for (let at = 0; at + 1 < pushes.length; at += 2) {
  console.log(await push(pushes[at], JSON.parse(readFileSync(pushes[at + 1], 'utf8'))))
}
