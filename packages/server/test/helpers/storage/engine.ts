/** A storage engine for tests, and the clock of tests. */
import { createHashReference } from '../../../src/domain/record/erasure.ts'
import type { Clock } from '../../../src/lib/time/clock.ts'
import type { DiagnosticsStore } from '../../../src/storage/port/diagnostics-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'

export type OpenedStorage = {
  storage: Storage
  /** Closes the storage and reopens it with its data. */
  reopen(): Promise<Storage>
  /** Opens the database of the storage for `recordhub doctor`. */
  openDiagnostics(): Promise<DiagnosticsStore>
  /** Closes the storage and deletes its data. */
  close(): Promise<void>
}

export type StorageEngine = {
  name: string
  /**
   * Opens an empty storage in the time zone UTC. Long reads and the text index of SQLite run in separate threads unless
   * `withThreads` is false, because starting a thread takes three times as long as starting a hub.
   */
  open(options: { clock: Clock; withThreads?: boolean }): Promise<OpenedStorage>
}

/** Hashes the reference numbers of erased records. */
export const hashReference = createHashReference(Buffer.from('a key of tests'))

/** A clock that only a test advances. */
export class TestClock implements Clock {
  #now = Date.parse('2026-03-10T08:00:00.000Z')

  now(): Date {
    return new Date(this.#now)
  }

  set(at: string): void {
    this.#now = Date.parse(at)
  }

  advance(seconds: number): void {
    this.#now += seconds * 1000
  }

  get text(): string {
    return this.now().toISOString()
  }

  get day(): string {
    return this.text.slice(0, 10)
  }
}
