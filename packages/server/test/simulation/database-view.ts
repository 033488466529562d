/** Reads the database of a simulation with a connection of its own, without the code of the hub. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { runInContext } from './scheduler.ts'

export type Row = Record<string, string | number | null>

export type DatabaseView = {
  pullState: (pullId: number) => string
  task: (pullId: number, taskNumber: number) => { state: string; module_id: number }
  query: (sql: string, ...parameters: SQLInputValue[]) => Row[]
  close: () => void
}

export function openDatabaseView(path: string): DatabaseView {
  const database = new DatabaseSync(path, { readOnly: true })
  const prepared = new Map<string, ReturnType<typeof database.prepare>>()
  return createDatabaseView({
    // Outside of the context of the process whose commit is being observed.
    query: (sql, ...parameters) =>
      runInContext(null, () => {
        const statement = prepared.get(sql) ?? database.prepare(sql)
        prepared.set(sql, statement)
        return statement.all(...parameters).map(toRow)
      }),
    close: () => database.close(),
  })
}

/** @param connection in any engine. */
export function createDatabaseView({
  query,
  close,
}: Pick<DatabaseView, 'query' | 'close'>): DatabaseView {
  const textOf = (row: Row | undefined, column: string) => String(row?.[column] ?? '')
  return {
    query,
    close,
    pullState: (pullId) =>
      textOf(query('SELECT state FROM pulls WHERE pull_id = ?', pullId)[0], 'state'),
    task(pullId, taskNumber) {
      const [row] = query(
        'SELECT state, module_id FROM pull_tasks WHERE pull_id = ? AND task_number = ?',
        pullId,
        taskNumber,
      )
      return { state: textOf(row, 'state'), module_id: Number(row?.['module_id']) }
    },
  }
}

function toRow(row: Record<string, unknown>): Row {
  const entries = Object.entries(row).map(([name, value]): [string, string | number | null] => [
    name,
    typeof value === 'number' || value === null ? value : String(value),
  ])
  return Object.fromEntries(entries)
}
