import type { Cell, Kind } from '../records/kind.ts'
import type { Origin } from '../settings/settings.ts'

/** The source cannot be reached or was disconnected; the same request may succeed later. */
export class SourceUnavailable extends Error {}

/** The owner must fix the settings: a table does not exist, or a query is invalid. */
export class SourceMisconfigured extends Error {}

export type Column = {
  name: string
  kind: Kind
  /** The name of its type in the source. */
  type: string
  /** The comment in the source, or the header of a CSV file; null without one. */
  comment: string | null
  required: boolean
}

/** A table or file that could be a module. */
export type Candidate = {
  origin: Origin
  /** The name without schema or extension. */
  name: string
  comment: string | null
  /** The columns of the primary key; empty if unknown. */
  key: readonly string[]
}

export type Row = readonly Cell[]

/** The position of a read of changes; only the source interprets it. */
export type ChangeCursor = { changeTime: string; key: string }

export type Changes = {
  origin: Origin
  columns: readonly Column[]
  /** The column with the time of the last change. */
  updatedAt: Column
  /** The columns that identify a row. */
  key: readonly Column[]
  /** Only rows changed after this change time; null for all. */
  after: string | null
  /** Only rows after this position, ordered by change time and key; null for the beginning. */
  from: ChangeCursor | null
  limit: number
}

/** The columns that identify a row, and the column with the time of its last change. */
export type VersionColumns = Pick<Changes, 'updatedAt' | 'key'>

export type ChangedRow = ChangeCursor & { cells: Row }

export type RowsRequest = {
  origin: Origin
  /** The cells of each row, in this order. */
  columns: readonly Column[]
  /** Only rows in which one of these columns contains the text, at most `limit`. */
  find: { text: string; columns: readonly Column[]; limit: number } | null
  /** Only rows whose reference has an MD5 with one of these prefixes, as hex digits; all without it. */
  selected?: { reference: ReferenceColumns; prefixes: readonly string[] }
  signal: AbortSignal
}

/** The texts and columns that form a reference. */
export type ReferenceColumns = readonly (string | Column)[]

export type DigestColumns = { reference: ReferenceColumns; version: Column }

export type DigestRowsRequest = {
  origin: Origin
  columns: DigestColumns
  digits: number
  prefixes: readonly string[] | null
  signal: AbortSignal
}

export type DigestReader = {
  /** Whether the source hashes the same texts that the list contains. */
  supports: (columns: DigestColumns) => boolean
  /** The buckets of the rows that have a reference; null if one of these has no version. */
  read: (
    request: DigestRowsRequest,
  ) => Promise<[prefix: string, count: string, sum: string][] | null>
}

/**
 * A source of records. Its methods throw a SourceUnavailable or a SourceMisconfigured. Each call uses its own connection,
 * so a lost connection affects one call only.
 */
export type Source = {
  /** A display name without secrets. */
  title: string
  /** All tables or files that can be modules. */
  candidates: () => Promise<Candidate[]>
  /** The columns, in order. */
  describe: (origin: Origin) => Promise<Column[]>
  /** Streams the rows from one snapshot; only a few are in memory. */
  rows: (request: RowsRequest) => AsyncIterable<Row>
  /** A text that changes whenever rows change; null if changes cannot be detected. */
  version: (origin: Origin, columns: VersionColumns | null) => Promise<string | null>
  /** Null if the source cannot detect changes. */
  changes: ChangeReader | null
  /** Null if the source cannot compute digests. */
  digest: DigestReader | null
  /** Problems of the source that its owner should know. */
  warnings: () => Promise<string[]>
}

export type ChangeReader = {
  /**
   * The newest change time that is not in the future: rows written with a wrong clock must not hide later changes. Null
   * without rows.
   */
  newest: (origin: Origin, updatedAt: Column) => Promise<string | null>
  /** The changed rows, ordered by change time and key. */
  read: (changes: Changes) => Promise<ChangedRow[]>
}
