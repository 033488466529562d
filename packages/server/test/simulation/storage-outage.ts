/** A time in which the storage cannot be written, because another process holds its lock or its disk is full. */
import { isStorageUnavailable } from '../../src/errors.ts'
import type { Scheduler } from './scheduler.ts'

/** The result codes of SQLite, and the statements that return them. */
const KINDS = {
  // SQLITE_BUSY_TIMEOUT: the wait for the lock has ended, which no real time does here.
  busy: { errcode: 773, message: 'database is locked', pattern: /^\s*begin\b/i },
  full: {
    errcode: 13,
    message: 'database or disk is full',
    pattern: /^\s*(?:insert|update|delete|with|commit)\b/i,
  },
}

export class StorageOutage {
  readonly #scheduler: Scheduler
  #kind: keyof typeof KINDS = 'busy'
  #endsAt = Number.NEGATIVE_INFINITY

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  begin(kind: keyof typeof KINDS, milliseconds: number): void {
    this.#kind = kind
    this.#endsAt = this.#scheduler.now + milliseconds
  }

  end(): void {
    this.#endsAt = Math.min(this.#endsAt, this.#scheduler.now)
  }

  get isActive(): boolean {
    return this.#scheduler.now < this.#endsAt
  }

  /** Whether the storage was unavailable since a virtual time. */
  wasSince(time: number): boolean {
    return this.#endsAt >= time
  }

  /** Whether an outage is the reason of an error. */
  explains(error: unknown): boolean {
    return isStorageUnavailable(error) && Number.isFinite(this.#endsAt)
  }

  /** Returns the error of a statement; null if it can be executed. */
  failureOf(sql: string): Error | null {
    const { errcode, message, pattern } = KINDS[this.#kind]
    if (!this.isActive || !pattern.test(sql)) return null
    return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode })
  }
}
