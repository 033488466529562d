/**
 * The storage of one simulated process on a real PostgreSQL server. Each unit of work is an event of the scheduler: the
 * seed selects which process runs its next unit, and the simulation stands still until the server has executed it. So
 * the order of the units is the same for each seed. Units never wait for each other's locks; tests of the locks are in
 * `contract/postgres/`.
 */
import { storageUnavailable } from '../../src/errors.ts'
import type { Clock } from '../../src/lib/time/clock.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { openPostgres } from '../../src/storage/postgres/storage.ts'
import { hashReference } from '../helpers/storage/engine.ts'
import { isUnit, type Unit } from './commit-observer.ts'
import type { HubProcess } from './hub-process.ts'
import { type Choices, currentContext, runInContext, type Scheduler } from './scheduler.ts'

export type PostgresNodeDeps = {
  scheduler: Scheduler
  choices: Choices
  url: string
  clock: Clock
  process: HubProcess
  onCommit: (process: HubProcess, unit: Unit) => void
  /** Whether the server is unavailable. */
  isUnavailable: () => boolean
  /** Tells the processes that platforms, modules or keys have changed. */
  publishChange: () => void
}

/** The duration of a unit of work, at most. */
const MAX_UNIT_MS = 8

/**
 * What uses the server between units of work. Every method of any other store is a unit of work: the time limits of a
 * connection would otherwise end by the virtual clock.
 */
const UNSCHEDULED = new Set(['clock', 'pullDispatcher', 'broadcast'])

export async function openPostgresNode(deps: PostgresNodeDeps): Promise<Storage> {
  const { url, clock, process } = deps
  const waiting = { seconds: 0 }
  const warn = () => undefined
  const options = { url, asHub: false, timeZone: 'UTC', waiting, warn, hashReference, clock }
  const storage = await runUnit(deps, 'opens its database', async () => {
    const opened = await openPostgres(options)
    process.storage = opened
    return opened
  })
  const onChange = (listener: () => void) => void process.changeListeners.push(listener)
  const stores = Object.entries(storage).flatMap(([name, store]) =>
    typeof store === 'object' && !UNSCHEDULED.has(name) ? [[name, asUnits(deps, name, store)]] : [],
  )
  const scheduled: Storage = { ...storage, ...Object.fromEntries(stores) }
  return { ...scheduled, platforms: { ...scheduled.platforms, onChange } }
}

/** Closes the connections of a process, also of one that was killed. */
export function closePostgresNode(scheduler: Scheduler, storage: Storage): Promise<void> {
  return scheduler.runReal(() => runInContext(REAL, () => storage.close()))
}

/** The context of code that uses the clocks and timers of the real process. */
const REAL = {
  actor: { name: 'server', isAlive: true, pausedUntil: 0, clockOffset: 0, isReal: true },
  unit: null,
}

function asUnits(deps: PostgresNodeDeps, store: string, methods: object): object {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    (...parameters: unknown[]) =>
      runUnit(deps, `${store}.${name}`, async () => Reflect.apply(method, methods, parameters)),
  ])
  return Object.fromEntries(entries)
}

function runUnit<Result>(
  deps: PostgresNodeDeps,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { scheduler, choices, process } = deps
  const unit = currentContext()?.unit ?? null
  return new Promise((resolve, reject) => {
    const execute = async () => {
      const death = process.countUnit()
      if (death === 'before') return process.kill()
      try {
        if (deps.isUnavailable()) throw storageUnavailable(new Error('simulated outage'))
        const result = await runInContext(REAL, work)
        if (isUnit(unit)) deps.onCommit(process, unit)
        if (CHANGES.has(name)) deps.publishChange()
        if (death === 'after') return process.kill()
        resolve(result)
      } catch (error) {
        reject(error)
      }
    }
    scheduler.after(choices.between(0, MAX_UNIT_MS), `${process.name} ${name}`, () => {
      void scheduler.runReal(execute)
    })
  })
}

/** The units of work after which caches of platforms are outdated. */
const CHANGES = new Set([
  'platforms.registerPlatform',
  'platforms.changePlatform',
  'platforms.removePlatform',
  'connections.rotateHubKey',
  'manifests.saveManifest',
])
