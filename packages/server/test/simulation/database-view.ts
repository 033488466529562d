/** Reads the database of a simulation with a connection of its own, without the code of the hub. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { runInContext } from './scheduler.ts'

export type Row = Record<string, string | number | null>

export type DatabaseView = {
  pullState: (pullId: number) => string
  task: (
    pullId: number,
    taskNumber: number,
  ) => { state: string; platform_name: string; record_type: string }
  module: (moduleId: number) => { platform_name: string; record_type: string }
  query: (sql: string, ...parameters: SQLInputValue[]) => Row[]
  close: () => void
}

export function openDatabaseView(path: string): DatabaseView {
  const database = new DatabaseSync(path, { readOnly: true })
  const prepared = new Map<string, ReturnType<typeof database.prepare>>()
  // Outside of the context of the process whose commit is being observed.
  const query = (sql: string, ...parameters: SQLInputValue[]): Row[] =>
    runInContext(null, () => {
      const statement = prepared.get(sql) ?? database.prepare(sql)
      prepared.set(sql, statement)
      return statement.all(...parameters).map(toRow)
    })
  const textOf = (row: Row | undefined, column: string) => String(row?.[column] ?? '')
  return {
    query,
    pullState: (pullId) =>
      textOf(query('SELECT state FROM pulls WHERE pull_id = ?', pullId)[0], 'state'),
    task(pullId, taskNumber) {
      const [row] = query(
        `SELECT t.state, p.platform_name, m.record_type FROM pull_tasks t
           JOIN modules m USING (module_id) JOIN platforms p ON p.platform_id = t.platform_id
         WHERE t.pull_id = ? AND t.task_number = ?`,
        pullId,
        taskNumber,
      )
      return {
        state: textOf(row, 'state'),
        platform_name: textOf(row, 'platform_name'),
        record_type: textOf(row, 'record_type'),
      }
    },
    module(moduleId) {
      const [row] = query(
        `SELECT p.platform_name, m.record_type FROM modules m JOIN platforms p USING (platform_id)
         WHERE m.module_id = ?`,
        moduleId,
      )
      return {
        platform_name: textOf(row, 'platform_name'),
        record_type: textOf(row, 'record_type'),
      }
    },
    close: () => database.close(),
  }
}

function toRow(row: Record<string, unknown>): Row {
  const entries = Object.entries(row).map(([name, value]): [string, string | number | null] => [
    name,
    typeof value === 'number' || value === null ? value : String(value),
  ])
  return Object.fromEntries(entries)
}
