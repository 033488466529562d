/**
 * Observes every statement that simulated processes execute on SQLite: a process can be killed between any two
 * statements, and each commit is reported with the unit of work that it belongs to.
 */
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Context, currentContext } from './scheduler.ts'

export type StatementObserver = {
  /** Called instead of a statement of a process. `execute` executes it. */
  onStatement: (context: Context, sql: string, execute: () => unknown) => unknown
  /** Called when a process opens or uses a connection. */
  onConnection: (context: Context, database: DatabaseSync) => void
}

const METHODS = ['run', 'get', 'all'] as const

/** Thrown in the code of a process that has been killed. */
export class ProcessKilledError extends Error {
  constructor() {
    super('The simulated process has been killed')
  }
}

/** @returns a function that removes the hooks. */
export function installStatementHooks(observer: StatementObserver): () => void {
  const realExec = DatabaseSync.prototype.exec
  const realMethods = METHODS.map((name) => [name, StatementSync.prototype[name]] as const)
  DatabaseSync.prototype.exec = function exec(sql) {
    const context = currentContext()
    if (!context) return realExec.call(this, sql)
    observer.onConnection(context, this)
    observer.onStatement(context, sql, () => realExec.call(this, sql))
  }
  for (const [name, real] of realMethods) {
    const hooked = function hooked(this: StatementSync, ...parameters: unknown[]) {
      const execute = () => Reflect.apply(real, this, parameters)
      const context = currentContext()
      return context ? observer.onStatement(context, this.sourceSQL, execute) : execute()
    }
    Object.assign(StatementSync.prototype, { [name]: hooked })
  }
  return () => {
    DatabaseSync.prototype.exec = realExec
    Object.assign(StatementSync.prototype, Object.fromEntries(realMethods))
  }
}
