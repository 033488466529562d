import type { Cell, Kind } from '../records/kind.ts'
import type { Origin } from '../settings/settings.ts'

/** It cannot be reached, or went away; the same may work later. */
export class SourceAway extends Error {}

/** What the owner has to mend: a table that is not there, a query that is wrong. */
export class SourceFault extends Error {}

export type Column = {
  name: string
  kind: Kind
  /** As the source calls its type. */
  type: string
  /** What its owner has written about it; null for nothing. */
  comment: string | null
  required: boolean
}

/** A table or file that could be a module. */
export type Candidate = {
  origin: Origin
  /** The name of it alone. */
  name: string
  comment: string | null
  /** What tells its rows apart; empty where nothing says so. */
  key: readonly string[]
}

export type Row = readonly Cell[]

/** Where a read of what has changed has come to; made and understood by the source alone. */
export type Place = { mark: string; key: string }

export type Changes = {
  origin: Origin
  columns: readonly Column[]
  /** The column that tells when a row was changed. */
  updatedAt: Column
  /** The columns that tell rows apart. */
  key: readonly Column[]
  /** Only what was changed after this; null for everything. */
  after: string | null
  /** Only what comes after this in the order of time and key; null for the beginning. */
  from: Place | null
  limit: number
}

export type ChangedRow = Place & { cells: Row }

export type RowsRequest = {
  origin: Origin
  /** The cells of each row, in this order. */
  columns: readonly Column[]
  /** Only rows of which one of these columns holds the text, and no more than `limit`. */
  find: { text: string; columns: readonly Column[]; limit: number } | null
  /** Ends the read. */
  signal: AbortSignal
}

/**
 * Where records are. Its methods throw a SourceAway or a SourceFault. Each of them uses a connection of its own:
 * one that is lost costs only what was read over it.
 */
export type Source = {
  /** For people; without a secret. */
  title: string
  /** All that could be modules. */
  candidates: () => Promise<Candidate[]>
  /** The columns of the rows, in their order. */
  describe: (origin: Origin) => Promise<Column[]>
  /** Reads rows one after the other, as they were at one time; a few at once are in memory. */
  rows: (request: RowsRequest) => AsyncIterable<Row>
  /** A text that is another one whenever rows have changed; null where nothing tells. */
  version: (origin: Origin, updatedAt: Column | null) => Promise<string | null>
  /** Null where nothing can tell what has changed. */
  changes: ChangeReader | null
  /** What people had better know about it. */
  warnings: () => Promise<string[]>
}

export type ChangeReader = {
  /**
   * The newest time of change that there is, but none of the future: rows with a wrong clock must not hide
   * what comes later. Null where there are no rows.
   */
  newest: (origin: Origin, updatedAt: Column) => Promise<string | null>
  /** In the order of time and key. */
  read: (changes: Changes) => Promise<ChangedRow[]>
}
