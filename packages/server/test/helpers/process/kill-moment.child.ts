/**
 * Preloaded into hubs, which it kills at a chosen moment. A moment is the begin or the end of a SQLite call in any
 * thread, or a write to or a read from a socket of PostgreSQL. So a kill between a statement and its response is as
 * likely as one before the statement.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import process from 'node:process'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import timers from 'node:timers/promises'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import type { Arming, KillMomentSettings } from './kill-moment.ts'

const RETENTION_PAUSE_MS = 600_000

const settings: KillMomentSettings = JSON.parse(process.env['TEST_KILL_MOMENT'] ?? '')

/** Shared by all threads. */
const counters = new Int32Array(shareMemory())
const COUNT = 0
const KILL_AT = 1
const NEVER = 2 ** 31 - 1

function shareMemory(): SharedArrayBuffer {
  const inherited = isMainThread ? null : getEnvironmentData('kill moment')
  return inherited instanceof SharedArrayBuffer ? inherited : new SharedArrayBuffer(8)
}

if (isMainThread) {
  setEnvironmentData('kill moment', counters.buffer)
  Atomics.store(counters, KILL_AT, NEVER)
  if (existsSync(settings.armFile)) arm()
  process.on('SIGUSR2', arm)
}

/** Prints the number of moments since the last arming. */
function arm(): void {
  const { id, killAt }: Arming = JSON.parse(readFileSync(settings.armFile, 'utf8'))
  rmSync(settings.armFile)
  Atomics.store(counters, KILL_AT, NEVER)
  // The test waits for this line, and another thread may reach the moment as soon as it is set.
  process.stdout.write(`armed ${id} ${Atomics.exchange(counters, COUNT, 0)}\n`)
  Atomics.store(counters, KILL_AT, killAt ?? NEVER)
}

function reachMoment(): void {
  const count = Atomics.add(counters, COUNT, 1)
  if (count >= Atomics.load(counters, KILL_AT)) process.kill(process.pid, 'SIGKILL')
}

/** Calls `before` and `after` around each call of a method. */
function wrap(prototype: object, name: string, before: (self: unknown) => void, after = () => {}) {
  const original: unknown = Reflect.get(prototype, name)
  if (typeof original !== 'function') throw new Error(`There is no method ${name}`)
  Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
    before(this)
    try {
      return Reflect.apply(original, this, args)
    } finally {
      after()
    }
  })
}

if (settings.port === null) {
  wrap(DatabaseSync.prototype, 'exec', reachMoment, reachMoment)
  for (const name of ['run', 'get', 'all', 'iterate']) {
    wrap(StatementSync.prototype, name, reachMoment, reachMoment)
  }
} else {
  const { port } = settings
  for (const name of ['write', 'push']) {
    wrap(Socket.prototype, name, (socket) => {
      if (socket instanceof Socket && socket.remotePort === port) reachMoment()
    })
  }
}

const sleep = timers.setTimeout
timers.setTimeout = (delay, ...rest) =>
  sleep(delay === RETENTION_PAUSE_MS ? settings.retentionMs : delay, ...rest)
syncBuiltinESMExports()
