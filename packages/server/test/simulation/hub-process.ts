/** A simulated operating system process that runs a hub, and can be killed before or after any statement. */
import type { DatabaseSync } from 'node:sqlite'
import type { Storage } from '../../src/storage/port/storage.ts'
import { isUnit, type Unit } from './commit-observer.ts'
import type { RunningHub } from './hub.ts'
import { type Actor, type Context, runInContext } from './scheduler.ts'
import { ProcessKilledError, type StatementObserver } from './statement-hooks.ts'

export class HubProcess implements Actor {
  readonly name: string
  isAlive = true
  pausedUntil = 0
  clockOffset: number
  /** The virtual time at which it last started, stood still, or had a storage or a clock that failed. */
  disturbedAt = 0
  /** The number of statements until it is killed; null if it is not. */
  statementsLeft: number | null = null
  /** Whether it is killed after that statement rather than before it. */
  diesAfterStatement = false
  readonly connections = new Set<DatabaseSync>()
  /** Null until it has started. */
  hub: RunningHub | null = null
  storage: Storage | null = null
  /** Null once the hub has been told to stop. */
  isStopping = false
  onKilled: () => void = () => undefined
  /** Called when another process has changed platforms. */
  readonly changeListeners: (() => void)[] = []

  constructor(name: string, clockOffset: number) {
    this.name = name
    this.clockOffset = clockOffset
  }

  /** Whether it accepts connections. */
  get isListening(): boolean {
    return this.isAlive && this.hub !== null && !this.isStopping
  }

  kill(): void {
    if (!this.isAlive) return
    this.isAlive = false
    runInContext(null, this.onKilled)
  }

  /** Counts a unit of work of a database server. Returns whether it is killed before or after it; null if it is not. */
  countUnit(): 'before' | 'after' | null {
    if (this.statementsLeft === null) return null
    this.statementsLeft -= UNIT_STATEMENTS
    if (this.statementsLeft > 0) return null
    return this.diesAfterStatement ? 'after' : 'before'
  }

  /** The operating system closes the files of the process. Transactions in progress are rolled back. */
  closeConnections(): void {
    for (const database of this.connections) if (database.isOpen) database.close()
    this.connections.clear()
  }

  run<Result>(work: () => Result): Result {
    return runInContext({ actor: this, unit: null }, work)
  }
}

/** The number of statements that a unit of work counts for. */
const UNIT_STATEMENTS = 4

/** The statements that the code of a killed process may still execute: they undo what it has begun. */
const UNDOING = /^\s*(?:rollback|pragma)\b/i

function undo(run: () => unknown): unknown {
  try {
    return run()
  } catch {
    // There is nothing to undo.
    throw new ProcessKilledError()
  }
}
/** The statements of units of work that have no transaction. */
const COMMITS_ITSELF = /^\s*insert into "module_digests"/i
const COMMIT = /^\s*commit\b/i
const BEGIN = /^\s*begin\b/i

/** @param failWith returns the error of a statement that the storage cannot execute; null if it can. */
export function createStatementObserver(
  onCommit: (process: HubProcess, unit: Unit) => void,
  failWith: (sql: string) => Error | null,
): StatementObserver {
  const execute = (process: HubProcess, context: Context, sql: string, run: () => unknown) => {
    const failure = failWith(sql)
    if (failure) throw failure
    const result = run()
    if ((COMMIT.test(sql) || COMMITS_ITSELF.test(sql)) && isUnit(context.unit))
      onCommit(process, context.unit)
    return result
  }
  return {
    onConnection({ actor }, database) {
      if (actor instanceof HubProcess) actor.connections.add(database)
    },
    onStatement(context, sql, run) {
      const { actor: process } = context
      if (!(process instanceof HubProcess)) return run()
      if (!process.isAlive) {
        if (!UNDOING.test(sql)) throw new ProcessKilledError()
        return undo(run)
      }
      if (process.statementsLeft !== null) {
        process.statementsLeft -= 1
        if (process.statementsLeft <= 0) {
          // A database server rolls back what a killed client has begun, but here the code itself must do that.
          const isBegin = BEGIN.test(sql)
          const isExecuted = UNDOING.test(sql) || (process.diesAfterStatement && !isBegin)
          if (isExecuted) execute(process, context, sql, run)
          process.kill()
          throw new ProcessKilledError()
        }
      }
      return execute(process, context, sql, run)
    },
  }
}
