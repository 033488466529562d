/**
 * Decides what happens next in a simulation. Everything that would wait in a real process (timers, turns of the event
 * loop, the network) is a pending entry here, and the seed selects the next one. The code of the hubs runs between two
 * selections until only pending entries remain, so a seed always produces the same sequence.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRandom } from '../runner/random.ts'

/** A process of the simulation, or an external system such as the network. */
export type Actor = {
  name: string
  /** Whether it is running. Nothing that an ended process has pending happens. */
  isAlive: boolean
  /** The virtual time until which it stands still, as during a long pause of the machine. */
  pausedUntil: number
  /** How far its clock is ahead, in milliseconds. */
  clockOffset: number
  /** Whether its clocks and timers are the real ones. */
  isReal?: boolean
}

/** What the running code belongs to: its process, its pull, and the unit of work of the storage that it executes. */
export type Context<Unit = unknown> = { actor: Actor; unit: Unit | null; pullId?: number }

const contexts = new AsyncLocalStorage<Context>()

/** The context of the running code; null outside of simulated processes. */
export function currentContext(): Context | null {
  return contexts.getStore() ?? null
}

export function runInContext<Result>(context: Context | null, work: () => Result): Result {
  return context ? contexts.run(context, work) : contexts.exit(work)
}

/** The real turn of the event loop, which simulations replace. */
const realSetImmediate = setImmediate

/** Resolves when all code that runs without waiting has run. */
function settle(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve))
}

/** Random choices of one purpose. */
export class Choices {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = createRandom(seed)
  }

  chance(probability: number): boolean {
    return this.#random() < probability
  }

  /** A whole number from 0 to `below` - 1. */
  int(below: number): number {
    return Math.floor(this.#random() * below)
  }

  between(low: number, high: number): number {
    return low + this.#random() * (high - low)
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.int(values.length)]
    if (value === undefined) throw new Error('Nothing to pick from')
    return value
  }
}

export type PendingEntry = {
  at: number
  context: Context | null
  /** Null for a timer of the code, which is not an event of the trace. */
  label: string | null
  run: () => void
}

type Immediate = { context: Context | null; run: () => void }

/** The time that passes during a turn of the event loop, at most. */
const MAX_TURN_MS = 0.4
/** Entries that are due within this time of each other happen in any order. */
const REORDERED_MS = 1.5

export class Scheduler {
  readonly #choices: Choices
  readonly #trace: (label: string) => void
  #now = 0
  #steps = 0
  #pending: PendingEntry[] = []
  #immediates: Immediate[] = []
  #real: Promise<unknown> = Promise.resolve()

  constructor(choices: Choices, trace: (label: string) => void) {
    this.#choices = choices
    this.#trace = trace
  }

  /** Milliseconds of virtual time. */
  get now(): number {
    return this.#now
  }

  get steps(): number {
    return this.#steps
  }

  /** Runs `work` after a delay, in the context of the caller. */
  after(milliseconds: number, label: string | null, work: () => void): PendingEntry {
    const at = this.#now + Math.max(0, milliseconds)
    const entry = { at, context: currentContext(), label, run: work }
    this.#pending.push(entry)
    return entry
  }

  cancel(entry: PendingEntry): void {
    const index = this.#pending.indexOf(entry)
    if (index >= 0) this.#pending.splice(index, 1)
  }

  nextTurn(work: () => void): Immediate {
    const immediate = { context: currentContext(), run: work }
    this.#immediates.push(immediate)
    return immediate
  }

  cancelImmediate(immediate: Immediate): void {
    this.#immediates = this.#immediates.filter((one) => one !== immediate)
  }

  /** Runs work outside of the simulation, such as a query of a database server. The next step waits for it. */
  runReal(work: () => Promise<void>): Promise<void> {
    const done = work()
    this.#real = Promise.allSettled([this.#real, done])
    return done
  }

  /** Resolves when all code that runs without waiting has run. */
  async #settle(): Promise<void> {
    await this.#real
    await settle()
  }

  /** Runs steps until the condition holds. @throws Error if that takes more virtual time than `limitMs`. */
  async runUntil(what: string, limitMs: number, condition: () => boolean): Promise<void> {
    const end = this.#now + limitMs
    while (!condition()) {
      if (this.#now > end) throw new Error(`After ${limitMs / 1000} s, still not: ${what}`)
      await this.#step()
    }
  }

  async runFor(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    const marker = this.after(milliseconds, null, () => undefined)
    while (this.#now < end) await this.#step()
    this.cancel(marker)
    await this.#settle()
  }

  async #step(): Promise<void> {
    await this.#settle()
    this.#steps += 1
    this.#immediates = this.#immediates.filter(isAlive)
    this.#pending = this.#pending.filter(isAlive)
    const turn = this.#immediates.find((one) => this.#startOf(one) <= this.#now)
    const earliest = this.#earliest()
    if (turn && (earliest === null || earliest > this.#now + REORDERED_MS || this.#isTurnNext())) {
      this.#runTurn(turn.context?.actor ?? null)
    } else if (earliest !== null) {
      this.#runPending(earliest)
    } else if (this.#immediates.length > 0) {
      this.#now = Math.min(...this.#immediates.map((one) => this.#startOf(one)))
    } else throw new Error('Nothing is pending, so the simulation cannot continue')
  }

  #isTurnNext(): boolean {
    return this.#choices.chance(0.75)
  }

  /** One turn of the event loop of a process. */
  #runTurn(actor: Actor | null): void {
    const due = this.#immediates.filter(({ context }) => (context?.actor ?? null) === actor)
    this.#immediates = this.#immediates.filter((one) => !due.includes(one))
    this.#now += this.#choices.between(0, MAX_TURN_MS)
    for (const { context, run } of due) runInContext(context, run)
  }

  #runPending(earliest: number): void {
    const due = this.#pending.filter((one) => this.#startAt(one) <= earliest + REORDERED_MS)
    const entry = this.#choices.pick(due)
    this.cancel(entry)
    this.#now = Math.max(this.#now, this.#startAt(entry))
    if (entry.label !== null) this.#trace(entry.label)
    runInContext(entry.context, entry.run)
  }

  #earliest(): number | null {
    let earliest: number | null = null
    for (const one of this.#pending) {
      const at = this.#startAt(one)
      if (earliest === null || at < earliest) earliest = at
    }
    return earliest
  }

  #startAt(one: PendingEntry): number {
    return Math.max(one.at, this.#startOf(one))
  }

  #startOf({ context }: { context: Context | null }): number {
    return context?.actor.pausedUntil ?? 0
  }
}

function isAlive({ context }: { context: Context | null }): boolean {
  return context?.actor.isAlive ?? true
}
