/** The hub processes of a simulation: starts, kills, stops and pauses them. */
import type { Storage } from '../../src/storage/port/storage.ts'
import { observeCommits } from './commit-observer.ts'
import { type HubOptions, startHub } from './hub.ts'
import { HubProcess } from './hub-process.ts'
import { type Choices, runInContext, type Scheduler } from './scheduler.ts'
import { SharedQueue } from './shared-queue.ts'
import { openSimulated } from './template.ts'

export type FleetDeps = {
  scheduler: Scheduler
  choices: Choices
  trace: (label: string) => void
  path: string
  size: number
  breakStorage: (storage: Storage) => Storage
  optionsOf: (process: HubProcess) => Omit<HubOptions, 'storage'>
  /** Called when a process fails although it was not killed. */
  onFailure: (error: unknown) => void
}

type Slot = { name: string; starts: number; process: HubProcess | null }

export class Fleet {
  readonly #deps: FleetDeps
  readonly #slots: Slot[]
  readonly #queue: SharedQueue | null
  /** The storage of all processes; null if the only process opens it. */
  #shared: Storage | null = null
  kills = 0

  constructor(deps: FleetDeps) {
    this.#deps = deps
    this.#slots = Array.from({ length: deps.size }, (_, index) => ({
      name: `hub-${index + 1}`,
      starts: 0,
      process: null,
    }))
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
    if (this.#queue) this.#shared = await openSimulated(this.#deps.path)
    for (const slot of this.#slots) this.#startSlot(slot)
  }

  /** Cancels planned kills. Pauses end and killed processes restart by themselves. */
  recover(): void {
    for (const { process } of this.#slots) {
      if (!process) continue
      process.statementsLeft = null
    }
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
      if (!this.#shared) process.closeConnections()
    }
    await this.#shared?.close()
  }

  /** One fault of a process. */
  fault(): void {
    const { choices, scheduler, trace } = this.#deps
    const slot = choices.pick(this.#slots)
    const { process } = slot
    if (!process?.isAlive) return
    const what = choices.between(0, 1)
    if (what < 0.3) process.kill()
    else if (what < 0.65) {
      process.statementsLeft = 1 + choices.int(120)
      process.diesAfterStatement = choices.chance(0.5)
    } else if (what < 0.87) {
      const ms = choices.between(1000, 45_000)
      trace(`${process.name} stands still for ${Math.round(ms)} ms`)
      process.pausedUntil = scheduler.now + ms
    } else if (process.isListening) this.#stop(slot, process)
  }

  #startSlot(slot: Slot): void {
    slot.starts += 1
    const process = new HubProcess(`${slot.name}.${slot.starts}`)
    slot.process = process
    this.#deps.trace(`${process.name} starts`)
    process.onKilled = () => {
      this.kills += 1
      this.#deps.trace(`${process.name} is killed`)
      this.#restartLater(slot, process)
    }
    process.run(() => this.#run(process)).catch((error: unknown) => this.#fail(process, error))
  }

  #stop(slot: Slot, process: HubProcess): void {
    this.#deps.trace(`${process.name} stops`)
    process.isStopping = true
    const stop = async () => {
      await process.hub?.stop()
      if (!this.#shared) await process.storage?.close()
      if (!process.isAlive) return
      process.isAlive = false
      runInContext(null, () => this.#restartLater(slot, process))
    }
    process.run(stop).catch((error: unknown) => this.#fail(process, error))
  }

  /** An error that a killed process ends with is not a failure. */
  #fail(process: HubProcess, error: unknown): void {
    if (process.isAlive) this.#deps.onFailure(error)
  }

  #restartLater(slot: Slot, process: HubProcess): void {
    const { scheduler, choices } = this.#deps
    if (!this.#shared) scheduler.after(0, null, () => process.closeConnections())
    scheduler.after(choices.between(50, 5000), null, () => this.#startSlot(slot))
  }

  async #run(process: HubProcess): Promise<void> {
    const storage = this.#shared ?? (await openSimulated(this.#deps.path))
    process.storage = storage
    const observed = {
      ...this.#deps.breakStorage(observeCommits(storage)),
      processName: process.name,
    }
    if (this.#queue) {
      observed.pullDispatcher = this.#queue.dispatcherOf(process, observed.pulls)
    }
    process.hub = await startHub({ storage: observed, ...this.#deps.optionsOf(process) })
  }
}
