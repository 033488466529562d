/** The hub processes of a simulation: starts, kills, stops and pauses them. */
import { systemClock } from '../../src/lib/time/clock.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { observeCommits, observePulls, type Unit } from './commit-observer.ts'
import { type HubOptions, startHub } from './hub.ts'
import { HubProcess } from './hub-process.ts'
import { closePostgresNode, openPostgresNode } from './postgres-node.ts'
import type { Ingredient } from './run.ts'
import { type Choices, runInContext, type Scheduler } from './scheduler.ts'
import { SharedQueue } from './shared-queue.ts'
import { StorageOutage } from './storage-outage.ts'
import { openSimulated, type Template } from './template.ts'

export type FleetDeps = {
  scheduler: Scheduler
  choices: Choices
  trace: (label: string) => void
  engine: Template['engine']
  /** The path or URL of the database. */
  location: string
  size: number
  /** Called after each commit on PostgreSQL; `createStatementObserver` reports those on SQLite. */
  onCommit: (process: HubProcess, unit: Unit) => void
  breakStorage: (storage: Storage) => Storage
  /** The faults that are left out. */
  without: ReadonlySet<Ingredient>
  optionsOf: (process: HubProcess) => Omit<HubOptions, 'storage'>
  /** Called when a process fails although it was not killed. */
  onFailure: (error: unknown) => void
}

/** A machine that runs one process after another. */
type Slot = {
  name: string
  starts: number
  process: HubProcess | null
  clockOffset: number
  latestOffset: number
}

/** A database server has a clock of its own. */
const SERVER_CLOCK = { now: () => runInContext(null, () => new Date()) }
const HOUR_MS = 3_600_000

export class Fleet {
  readonly #deps: FleetDeps
  readonly #slots: Slot[]
  readonly #queue: SharedQueue | null
  readonly outage: StorageOutage
  /** The storage of all processes; null if the only process opens it. */
  #shared: Storage | null = null
  kills = 0

  constructor(deps: FleetDeps) {
    this.#deps = deps
    this.#slots = Array.from({ length: deps.size }, (_, index) => ({
      name: `hub-${index + 1}`,
      starts: 0,
      process: null,
      clockOffset: 0,
      latestOffset: 0,
    }))
    this.outage = new StorageOutage(deps.scheduler)
    // One process uses the dispatcher of SQLite.
    this.#queue = deps.size > 1 ? new SharedQueue(deps.scheduler, deps.choices) : null
  }

  get processes(): HubProcess[] {
    return this.#slots.flatMap(({ process }) => process ?? [])
  }

  get listening(): HubProcess[] {
    return this.processes.filter((process) => process.isListening)
  }

  async start(): Promise<void> {
    const { engine, location } = this.#deps
    if (engine === 'sqlite' && this.#queue) {
      this.#shared = await openSimulated(location, SERVER_CLOCK)
    }
    for (const slot of this.#slots) this.#startSlot(slot)
  }

  /** Ends all faults. Pauses end and killed processes restart by themselves. */
  recover(): void {
    this.outage.end()
    // No clock is earlier than it ever was: what a hub must do some time after a push would take an hour.
    const latest = Math.max(...this.#slots.map(({ latestOffset }) => latestOffset))
    for (const slot of this.#slots) {
      this.#setClock(slot, latest)
      if (slot.process) slot.process.statementsLeft = null
    }
  }

  /** The time of the storage: that of the database server, or of the only process. */
  storageTime(): number {
    return this.#queue ? SERVER_CLOCK.now().getTime() : Date.now()
  }

  /** Whether a process had no reason to lose the lease of a pull within the given time. */
  wasWell(name: string, milliseconds: number): boolean {
    const { now } = this.#deps.scheduler
    const process = this.processes.find((one) => one.name === name)
    if (!process?.isListening || this.outage.wasSince(now - milliseconds)) return false
    return Math.max(process.disturbedAt, process.pausedUntil) < now - milliseconds
  }

  get isRecovered(): boolean {
    const { now } = this.#deps.scheduler
    const running = this.listening.filter(({ pausedUntil }) => pausedUntil <= now)
    return running.length === this.#slots.length
  }

  /** Closes the shared storage, after everything else. */
  async close(): Promise<void> {
    for (const process of this.processes) {
      process.isAlive = false
      await this.#closeConnections(process)
    }
    await this.#shared?.close()
  }

  /** One fault of a process, its machine, or the storage. */
  fault(): void {
    const { choices, scheduler, trace, without } = this.#deps
    const slot = choices.pick(this.#slots)
    const { process } = slot
    if (!process?.isAlive) return
    const what = choices.between(0, 1)
    const ms = choices.between(1000, 45_000)
    if (what < 0.1) {
      const offset = choices.pick([-HOUR_MS, HOUR_MS])
      if (without.has('clocks')) return
      this.#setClock(slot, slot.clockOffset + offset)
    } else if (what < 0.2) {
      if (without.has('storage')) return
      trace('the storage fails')
      this.outage.begin(choices.pick(['busy', 'full']), ms / 8)
    } else if (without.has('processes')) return
    else if (what < 0.44) process.kill()
    else if (what < 0.72) {
      process.statementsLeft = 1 + choices.int(120)
      process.diesAfterStatement = choices.chance(0.5)
    } else if (what < 0.9) {
      trace(`${process.name} stands still for ${Math.round(ms)} ms`)
      process.pausedUntil = scheduler.now + ms
    } else if (process.isListening) this.#stop(slot, process)
  }

  #setClock(slot: Slot, offset: number): void {
    if (offset === slot.clockOffset) return
    this.#deps.trace(
      `the clock of ${slot.name} jumps by ${(offset - slot.clockOffset) / 60_000} min`,
    )
    slot.clockOffset = offset
    slot.latestOffset = Math.max(slot.latestOffset, offset)
    if (!slot.process) return
    slot.process.clockOffset = offset
    slot.process.disturbedAt = this.#deps.scheduler.now
  }

  #startSlot(slot: Slot): void {
    slot.starts += 1
    const process = new HubProcess(`${slot.name}.${slot.starts}`, slot.clockOffset)
    process.disturbedAt = this.#deps.scheduler.now
    slot.process = process
    this.#deps.trace(`${process.name} starts`)
    process.onKilled = () => {
      this.kills += 1
      this.#deps.trace(`${process.name} is killed`)
      this.#restartLater(slot, process)
    }
    process
      .run(() => this.#run(process))
      .catch((error: unknown) => {
        // A hub whose storage is unavailable does not start, and is started again.
        if (process.isAlive && this.outage.explains(error)) process.kill()
        else this.#fail(process, error)
      })
  }

  #stop(slot: Slot, process: HubProcess): void {
    this.#deps.trace(`${process.name} stops`)
    process.isStopping = true
    const stop = async () => {
      await process.hub?.stop()
      if (this.#deps.engine === 'postgres') await this.#closeConnections(process)
      else if (!this.#shared) await process.storage?.close()
      if (!process.isAlive) return
      process.isAlive = false
      runInContext(null, () => this.#restartLater(slot, process))
    }
    process.run(stop).catch((error: unknown) => this.#fail(process, error))
  }

  /** Neither an error of a killed process nor one of an unavailable storage is a failure. */
  #fail(process: HubProcess, error: unknown): void {
    if (process.isAlive && !this.outage.explains(error)) this.#deps.onFailure(error)
  }

  #restartLater(slot: Slot, process: HubProcess): void {
    const { scheduler, choices } = this.#deps
    scheduler.after(0, null, () => void this.#closeConnections(process))
    scheduler.after(choices.between(50, 5000), null, () => this.#startSlot(slot))
  }

  /** The operating system closes the connections of a process that has ended. */
  async #closeConnections(process: HubProcess): Promise<void> {
    if (this.#deps.engine === 'sqlite') {
      if (!this.#shared) process.closeConnections()
    } else if (process.storage) {
      await closePostgresNode(this.#deps.scheduler, process.storage)
      process.storage = null
    }
  }

  async #open(process: HubProcess): Promise<Storage> {
    const { engine, location, scheduler, choices, onCommit } = this.#deps
    if (engine === 'postgres') {
      return openPostgresNode({
        ...{ scheduler, choices, process, onCommit, url: location, clock: SERVER_CLOCK },
        isUnavailable: () => this.outage.isActive,
        publishChange: () => this.#publishChange(process),
      })
    }
    process.storage = this.#shared ?? (await openSimulated(location, systemClock))
    return process.storage
  }

  /** Processes learn of a change of platforms later, or not at all. */
  #publishChange(by: HubProcess): void {
    const { scheduler, choices } = this.#deps
    for (const process of this.processes) {
      const tell = () => {
        for (const listener of process.changeListeners) listener()
      }
      if (process === by) process.run(tell)
      else if (choices.chance(0.8)) {
        process.run(() => scheduler.after(choices.between(0, 300), null, tell))
      }
    }
  }

  async #run(process: HubProcess): Promise<void> {
    const { engine, breakStorage, optionsOf } = this.#deps
    const observed = breakStorage(observeCommits(await this.#open(process)))
    // On PostgreSQL, a connection shows that the process of this name is alive.
    if (engine === 'sqlite') observed.processName = process.name
    if (this.#queue) {
      observed.pullDispatcher = this.#queue.dispatcherOf(process, observed.pulls)
    }
    observed.pullDispatcher = observePulls(observed.pullDispatcher)
    process.hub = await startHub({ storage: observed, ...optionsOf(process) })
  }
}
