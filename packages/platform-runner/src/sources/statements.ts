/** All SQL statements. Values are passed as parameters, names are quoted. */
import { trimTrailing } from '@recordhub/protocol/text'
import type { Origin } from '../settings/settings.ts'
import { type Dialect, toPattern } from './dialect.ts'
import { selectionOf } from './digest-statements.ts'
import type { ChangeCursor, Changes, Column, RowsRequest, VersionColumns } from './source.ts'

export type Statement = { sql: string; parameters: string[] }

/** The name of a table may contain its schema: `hr.people`. */
export function fromOf(origin: Origin, { quote }: Dialect): string {
  if (origin.kind === 'table') return splitTable(origin.table).map(quote).join('.')
  if (origin.kind === 'file') throw new Error('A file is not a table.')
  // Line breaks around the query, since it may end with a comment.
  return `(\n${trimTrailing(origin.query.trim(), ';')}\n) AS ${quote('records')}`
}

/** @param names the table, or its schema and the table. A name that contains a dot needs a query as its origin. */
export function originOf(names: string[], { quote }: Dialect): Origin {
  const table = names.join('.')
  const isNamed = splitTable(table).join('\n') === names.join('\n')
  return isNamed
    ? { kind: 'table', table }
    : { kind: 'query', query: `SELECT * FROM ${names.map(quote).join('.')}` }
}

export function splitTable(table: string): string[] {
  const [first = '', ...rest] = table.split('.')
  return rest.length === 0 ? [first] : [first, rest.join('.')]
}

/** Returns no rows, only their columns. */
export function shapeStatement(origin: Origin, dialect: Dialect): string {
  return `SELECT * FROM ${fromOf(origin, dialect)} LIMIT 0`
}

export function rowsStatement(request: RowsRequest, dialect: Dialect): Statement {
  const { origin, columns, find } = request
  const select = `SELECT ${columns.map(dialect.value).join(', ')} FROM ${fromOf(origin, dialect)}`
  if (request.selected) {
    const { condition, parameters } = selectionOf(request.selected, dialect)
    return { sql: `${select} WHERE ${condition}`, parameters }
  }
  if (!find) return { sql: select, parameters: [] }
  const matches = find.columns.map((column) => dialect.contains(column, dialect.parameter(1)))
  return {
    sql: `${select} WHERE ${matches.join(' OR ')} LIMIT ${find.limit}`,
    parameters: [toPattern(find.text)],
  }
}

export function versionStatement(
  origin: Origin,
  { updatedAt, key }: VersionColumns,
  dialect: Dialect,
): string {
  const newest = `max(${dialect.changeTime(updatedAt)})`
  return `SELECT count(*), ${newest}, ${dialect.sum([...key, updatedAt])} FROM ${fromOf(origin, dialect)}`
}

export function newestStatement(origin: Origin, updatedAt: Column, dialect: Dialect): string {
  const latest = dialect.latestChangeTime(updatedAt)
  const changeTime = dialect.changeTime(updatedAt)
  return `SELECT ${dialect.changeTimeText(updatedAt)} FROM ${fromOf(origin, dialect)}
    WHERE ${changeTime} IS NOT NULL${latest === null ? '' : ` AND ${changeTime} <= ${latest}`}
    ORDER BY ${changeTime} DESC LIMIT 1`
}

export function changesStatement(changes: Changes, dialect: Dialect): Statement {
  const { origin, columns, updatedAt, key, after, from, limit } = changes
  const parameters: string[] = []
  const parameter = (value: string) => dialect.parameter(parameters.push(value))
  const changeTime = dialect.changeTime(updatedAt)
  const changeTimeParameter = (value: string) =>
    dialect.changeTimeParameter(parameter(value), updatedAt)
  const keys = key.map(dialect.key)
  const conditions = [`${changeTime} IS NOT NULL`]
  if (after !== null) conditions.push(`${changeTime} > ${changeTimeParameter(after)}`)
  if (from !== null) conditions.push(afterCursor(from))
  const selected = [dialect.changeTimeText(updatedAt), ...keys, ...columns.map(dialect.value)]
  return {
    sql: `SELECT ${selected.join(', ')} FROM ${fromOf(origin, dialect)}
      WHERE ${conditions.join(' AND ')} ORDER BY ${[changeTime, ...keys].join(', ')} LIMIT ${limit}`,
    parameters,
  }

  /** Compares column by column, since databases differ in comparing tuples. */
  function afterCursor(cursor: ChangeCursor): string {
    const values: string[] = JSON.parse(cursor.key)
    const later = `${changeTime} > ${changeTimeParameter(cursor.changeTime)}`
    const alternatives = keys.map((one, index) => {
      const same = keys
        .slice(0, index)
        .map((other, at) => `${other} = ${parameter(values[at] ?? '')}`)
      return [...same, `${one} > ${parameter(values[index] ?? '')}`].join(' AND ')
    })
    // The first condition allows the use of an index.
    return `${changeTime} >= ${changeTimeParameter(cursor.changeTime)} AND (${later} OR ${alternatives.map((one) => `(${one})`).join(' OR ')})`
  }
}
