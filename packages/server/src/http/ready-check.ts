import { setTimeout as sleep } from 'node:timers/promises'
import { storageUnavailable } from '../errors.ts'

const LIMIT_MS = 3000

/** Checks whether the database takes writes; once a second at most, since anybody may ask. */
export function createReadyCheck(checkWritable: () => Promise<void>): () => Promise<void> {
  return onceASecond(() => inTime(checkWritable()))
}

/** Whoever asks whether the hub is ready must not wait for a database that is silent. */
async function inTime(check: Promise<void>): Promise<void> {
  const limit = new AbortController()
  const late = sleep(LIMIT_MS, undefined, { signal: limit.signal }).then(() => {
    throw storageUnavailable()
  })
  try {
    await Promise.race([check, late])
  } finally {
    late.catch(() => undefined)
    limit.abort()
  }
}

/** Shares one outcome among all who ask within a second: anybody may ask, and a check costs a write. */
function onceASecond(check: () => Promise<void>): () => Promise<void> {
  let askedAt = Number.NEGATIVE_INFINITY
  let outcome = Promise.resolve()
  return () => {
    if (performance.now() - askedAt < 1000) return outcome
    askedAt = performance.now()
    outcome = check()
    return outcome
  }
}
