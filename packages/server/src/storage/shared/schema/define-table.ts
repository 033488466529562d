/** The schema description: columns with their types, keys and indexes. */
import type { ColumnType } from 'kysely'

/**
 * `id` is an automatic number that is never reused. `flag` is 0 or 1. `boolean` and `timestamp` are for Better
 * Auth, which reads the engine's own types; the hub itself stores times as RFC 3339 text in UTC. `text` is
 * ordered by code point on every engine.
 */
export type LogicalType = 'id' | 'integer' | 'flag' | 'text' | 'boolean' | 'timestamp'

type Definition = {
  type: LogicalType
  isNullable?: boolean
  isPrimaryKey?: boolean
  isUnique?: boolean
  default?: string | number | boolean
  /** An SQL condition that every engine understands. */
  check?: string
  references?: { column: `${string}.${string}`; onDelete?: 'cascade' | 'set null' }
}

/** A column, NOT NULL unless it is `nullable`. `Input` is the type of an insert, `undefined` where it may be omitted. */
export class Column<Value, Input = Value> {
  /** For the compiler only: the type of the column in Kysely. */
  declare readonly kysely: ColumnType<Value, Input, Value>
  readonly definition: Definition

  constructor(definition: Definition) {
    this.definition = definition
  }

  nullable(): Column<Value | null> {
    return new Column({ ...this.definition, isNullable: true })
  }

  default(value: string | number | boolean): Column<Value, Value | undefined> {
    return new Column({ ...this.definition, default: value })
  }

  primaryKey(): Column<Value, Input> {
    return new Column({ ...this.definition, isPrimaryKey: true })
  }

  unique(): Column<Value, Input> {
    return new Column({ ...this.definition, isUnique: true })
  }

  check(condition: string): Column<Value, Input> {
    return new Column({ ...this.definition, check: condition })
  }

  /** @param onDelete without it, the database rejects the deletion of a row that is referenced. */
  references(
    column: `${string}.${string}`,
    onDelete?: 'cascade' | 'set null',
  ): Column<Value, Input> {
    return new Column({
      ...this.definition,
      references: { column, ...(onDelete ? { onDelete } : {}) },
    })
  }
}

/** The primary key of a table whose rows are numbered. */
export const id = () => new Column<number, number | undefined>({ type: 'id' })
export const integer = () => new Column<number>({ type: 'integer' })
export const flag = () => new Column<number>({ type: 'flag' })
export const text = <Value extends string = string>() => new Column<Value>({ type: 'text' })
export const boolean = () => new Column<number | boolean>({ type: 'boolean' })
export const timestamp = () => new Column<string | Date>({ type: 'timestamp' })

/** Columns or expressions, and the condition of a partial index, in SQL that every engine understands. */
export type Index = { on: string; unique?: boolean; where?: string }

type Keys<Name extends string> = {
  /** A primary key without an `id` column. SQLite stores the rows in its order (`WITHOUT ROWID`). */
  primaryKey?: readonly Name[]
  unique?: readonly Name[]
  indexes?: Record<string, Index>
}

export type Table = { columns: Record<string, Column<unknown, unknown>> } & Keys<string>

/** The tables of a schema in an order in which each exists before another one references it. */
export type Schema = Record<string, Table>

export function table<const Columns extends Table['columns']>(
  columns: Columns,
  keys: Keys<keyof Columns & string> = {},
): { columns: Columns } & Keys<keyof Columns & string> {
  return { columns, ...keys }
}

/** The types of a schema's tables in Kysely. */
export type TablesOf<Described extends Schema> = {
  [Name in keyof Described]: {
    [Key in keyof Described[Name]['columns']]: Described[Name]['columns'][Key]['kysely']
  }
}
