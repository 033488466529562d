/** Finds records in the text index, on the thread that needs them. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { SearchTerms } from '../../domain/search/search-text.ts'
import {
  searchTokens,
  type TermTokens,
  type TokenPattern,
} from '../../domain/search/search-tokens.ts'
import { integerOf } from '../shared/schema/databases.ts'
import { isUnusable } from './map-error.ts'
import {
  deleteDamagedFile,
  fileIdentity,
  type IndexFile,
  isCurrentVersion,
  isIndexOf,
  isUnreadable,
  SAMPLE_RATE,
} from './search-file.ts'

export type SearchReader = {
  /**
   * Returns the ids of records that may match the terms, at most `limit`; every indexed record that matches is among
   * them. Returns null if there are more, or if the index has no information about the terms or cannot be read.
   */
  find: (terms: SearchTerms, limit: number) => number[] | null
  /** Returns the number of the last indexed change; 0 if there is none, or if it cannot be read. */
  readPosition: () => number
  close: () => void
}

/**
 * A term that this many times more records have than the rarest term is not looked up: it takes longer than reading the
 * records that only the other terms match. FTS5 needs 75 ns per record that has a prefix, and reading one 10 µs.
 */
const TOO_FREQUENT = 100
const BUSY_TIMEOUT_MS = 5000

type Statements = { find: StatementSync; sample: StatementSync; position: StatementSync }

/** @param warn receives a message if the index is damaged. */
export function createSearchReader(file: IndexFile, warn: (message: string) => void): SearchReader {
  const { path } = file
  let current: { database: DatabaseSync; statements: Statements; identity: string } | null = null

  const close = () => {
    current?.database.close()
    current = null
  }
  /** The hub may have replaced the file since the last search. */
  const open = (): Statements | null => {
    const identity = fileIdentity(path)
    if (current && current.identity === identity && isCurrentVersion(current.database)) {
      return current.statements
    }
    close()
    if (identity === null) return null
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
    if (!isIndexOf(database, file)) {
      database.close()
      return null
    }
    current = { database, statements: prepareStatements(database), identity }
    return current.statements
  }
  /** The index can be unusable while the hub creates it anew, so a failure means that there is none. */
  const read = <Result>(work: (statements: Statements) => Result, otherwise: Result): Result => {
    try {
      const statements = open()
      return statements ? work(statements) : otherwise
    } catch (error) {
      close()
      if (isUnreadable(error)) deleteDamagedFile(file, warn)
      else if (!isUnusable(error)) throw error
      return otherwise
    }
  }

  return {
    find: (terms, limit) =>
      read((statements) => findCandidates(statements, searchTokens(terms), limit), null),
    readPosition: () => read(({ position }) => integerOf(position.get() ?? {}, 'position'), 0),
    close,
  }
}

function prepareStatements(database: DatabaseSync): Statements {
  return {
    find: database.prepare(
      'SELECT rowid AS record_id FROM record_search WHERE record_search MATCH ? LIMIT ?',
    ),
    sample: database.prepare(
      `SELECT count(*) AS n FROM
         (SELECT 1 FROM record_sample WHERE record_sample MATCH ? LIMIT ?)`,
    ),
    position: database.prepare('SELECT position FROM state'),
  }
}

/**
 * FTS5 collects all records that have a token with a prefix, even if only some are read: 65 ms for a million. The sample
 * shows in some milliseconds whether a search finds too many of them, and which terms of a search are rare.
 */
function findCandidates(
  { find, sample }: Statements,
  terms: TermTokens[],
  limit: number,
): number[] | null {
  if (terms.length === 0) return null
  const maxSampled = Math.ceil(limit / SAMPLE_RATE)
  const count = (match: string, max: number) => integerOf(sample.get(match, max) ?? {}, 'n')
  const countSampled = (some: TermTokens[], max: number) => {
    // Whole tokens need not be collected. They suffice if there are enough of them.
    const whole = count(matchOf(some.map(toWholeTokens)), max)
    return whole === max ? max : count(matchOf(some), max)
  }
  const isSingle = terms.length === 1
  const maxCounted = isSingle ? maxSampled : TOO_FREQUENT * maxSampled
  const counts = terms.map((term) => countSampled([term], maxCounted))
  const rarest = Math.min(...counts)
  if (rarest >= maxSampled && (isSingle || countSampled(terms, maxSampled) === maxSampled)) {
    return null
  }
  const selective = terms.filter((_, at) => (counts[at] ?? 0) <= TOO_FREQUENT * (rarest + 1))
  const ids = find.all(matchOf(selective), limit)
  return ids.length === limit ? null : ids.map((row) => integerOf(row, 'record_id'))
}

const toWholeTokens = (term: TermTokens): TermTokens =>
  term.map((patterns) => patterns.map(({ token }) => ({ token, isPrefix: false })))

/** A MATCH expression of FTS5. */
function matchOf(terms: TermTokens[]): string {
  return terms.map((alternatives) => `(${alternatives.map(allOf).join(' OR ')})`).join(' AND ')
}

function allOf(patterns: TokenPattern[]): string {
  const quoted = patterns.map(
    ({ token, isPrefix }) => `"${token.replaceAll('"', '""')}"${isPrefix ? ' *' : ''}`,
  )
  return `(${quoted.join(' AND ')})`
}
