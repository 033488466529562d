/**
 * Writes the text index: an FTS5 table in a file of its own, which follows the changes of records. It runs in the search
 * thread, so that neither commits of the database nor requests wait for it.
 */
import { DatabaseSync } from 'node:sqlite'
import { createRecordTokenizer } from '../../domain/search/token-bytes.ts'
import { createRequestThread, type RequestThread } from '../shared/request-thread.ts'
import { bytesOf, integerOf, type Row, textOf } from '../shared/schema/databases.ts'
import { endAfterLargeWork } from '../shared/search/index-thread.ts'
import type { TextIndexStore } from '../shared/search/search-index.ts'
import { BUSY_TIMEOUT_MS, beginImmediate } from './begin-immediate.ts'
import { isDiskFull, isFatal, withMappedErrors } from './map-error.ts'
import {
  createSearchFile,
  deleteDamagedFile,
  fileIdentity,
  type IndexFile,
  isCurrentVersion,
  isIndexOf,
  openSearchFile,
  requestRebuild,
  SAMPLE_RATE,
} from './search-file.ts'
import type { SearchReader } from './search-reader.ts'

/**
 * `index` adds the next changes of records in one transaction: at most `limit` changed and `limit` deleted ones. `purge`
 * removes the entries of erased and deleted records, and their bytes, from the file.
 */
export type IndexRequest = { action: 'index'; limit: number } | { action: 'purge' }

type TextIndex = {
  /** @returns the number of indexed changes. */
  run: (request: IndexRequest) => number
  close: () => void
}

/** Pages that one merge step writes. */
const MERGED_PAGES = 1000

/** @param warn receives a message when an existing index is discarded. */
export function createTextIndex(index: IndexFile, warn: (message: string) => void): TextIndex {
  const source = openSource(index.databasePath)
  let current: { file: SearchFile; identity: string | null } | null = null

  const close = () => {
    current?.file.close()
    current = null
  }
  const open = (): SearchFile => {
    const found = fileIdentity(index.path)
    if (found !== null && current?.identity === found && current.file.isCurrentVersion()) {
      return current.file
    }
    close()
    let database = found === null ? createSearchFile(index) : openSearchFile(index.path)
    if (!isIndexOf(database, index) || isAhead(database, source)) {
      warn('The search index is of another version or database, so the hub creates a new one.')
      database.close()
      database = createSearchFile(index)
    }
    current = { file: createFile(database), identity: fileIdentity(index.path) }
    return current.file
  }
  const withFile = <Result>(work: (file: SearchFile) => Result): Result =>
    withMappedErrors(() => {
      try {
        return work(open())
      } catch (error) {
        // After a failed write, entries may be missing without an error, so the index is created anew.
        if (!isFatal(error) || isDiskFull(error, index.path)) throw error
        close()
        deleteDamagedFile(index, warn)
        return work(open())
      }
    })

  return {
    run: (request) =>
      withFile((file) => {
        if (request.action === 'index') return indexChanges(source, file, request.limit)
        purgeErased(source, file)
        return 0
      }),
    close() {
      close()
      source.close()
    },
  }
}

/** Whether the index has later changes than the database, of which an older backup has been restored. */
function isAhead(database: DatabaseSync, source: Source): boolean {
  const state = database.prepare('SELECT position FROM state').get()
  return integerOf(state ?? {}, 'position') > source.lastChange()
}

function indexChanges(source: Source, file: SearchFile, limit: number): number {
  // What was deleted from the index lately may still be in the log.
  file.emptyLog()
  return file.write(() =>
    source.read(() => {
      const position = file.readPosition()
      let [changed, deleted] = [0, 0]
      let lastChange = position
      for (const row of source.changedAfter(position, limit)) {
        file.save(integerOf(row, 'record_id'), tokensOf(row))
        lastChange = integerOf(row, 'change_seq')
        changed += 1
      }
      const end = changed === limit ? lastChange : source.lastChange()
      let lastDeletion = position
      for (const row of source.deletedBetween(position, end, limit)) {
        file.remove(integerOf(row, 'record_id'))
        lastDeletion = integerOf(row, 'change_seq')
        deleted += 1
      }
      // If there are more deletions, the next step indexes some of the records again.
      const next = deleted === limit ? lastDeletion : end
      if (next > position) file.savePosition(next)
      return changed + deleted
    }),
  )
}

/** The entries of changes that are not indexed yet are removed now; the others already are. */
function purgeErased(source: Source, file: SearchFile): void {
  file.write(() => {
    for (const recordId of source.erasedAfter(file.readPosition())) file.remove(recordId)
  })
  file.discardDeletedBytes()
}

const tokenize = createRecordTokenizer()

function tokensOf(row: Row): Uint8Array {
  const full_name = textOf(row, 'full_name')
  const reference_number = textOf(row, 'reference_number')
  return tokenize({ full_name, reference_number, data: bytesOf(row, 'data') })
}

type Source = ReturnType<typeof openSource>

/** Reads the database. Its errors are `storage_unavailable`, so that they differ from those of the index. */
function openSource(path: string) {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
  const one = (statement: string) => withMappedErrors(() => database.prepare(statement).get() ?? {})
  const changed = database.prepare(
    `SELECT record_id, full_name, reference_number, CAST(data AS BLOB) AS data, change_seq FROM records
     WHERE change_seq > ? ORDER BY change_seq LIMIT ?`,
  )
  const deleted = database.prepare(
    `SELECT record_id, change_seq FROM record_deletions
     WHERE change_seq > ? AND change_seq <= ? ORDER BY change_seq LIMIT ?`,
  )
  const erased = database.prepare(
    `SELECT record_id FROM record_deletions WHERE change_seq > ?1
     UNION ALL
     SELECT record_id FROM tombstones CROSS JOIN records USING (record_id)
     WHERE mode = 'anonymise' AND change_seq > ?1`,
  )
  return {
    /** The last number of the write sequence. */
    lastChange: () => integerOf(one('SELECT value FROM write_sequence'), 'value'),
    /** Reads one state of the database. */
    read<Result>(work: () => Result): Result {
      withMappedErrors(() => database.exec('BEGIN'))
      try {
        return work()
      } finally {
        database.exec('COMMIT')
      }
    },
    changedAfter: (position: number, limit: number) => mapErrors(changed.iterate(position, limit)),
    deletedBetween: (position: number, end: number, limit: number) =>
      mapErrors(deleted.iterate(position, end, limit)),
    /** The records deleted or anonymised after a change. */
    erasedAfter: (position: number) =>
      withMappedErrors(() => erased.all(position)).map((row) => integerOf(row, 'record_id')),
    close: () => database.close(),
  }
}

/** Maps the errors of reading rows, but not those of the loop that processes them. */
function* mapErrors(rows: Iterator<Row>): Generator<Row> {
  try {
    for (;;) {
      const { done, value } = withMappedErrors(() => rows.next())
      if (done) return
      yield value
    }
  } finally {
    rows.return?.()
  }
}

type SearchFile = ReturnType<typeof createFile>

function createFile(database: DatabaseSync) {
  const saveEntry = database.prepare(
    'INSERT OR REPLACE INTO record_search (rowid, tokens) VALUES (?, CAST(? AS TEXT))',
  )
  const sampleEntry = database.prepare(
    'INSERT OR REPLACE INTO record_sample (rowid, tokens) VALUES (?, CAST(? AS TEXT))',
  )
  const deletions = ['record_search', 'record_sample'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE rowid = ?`),
  )
  const readState = database.prepare('SELECT position FROM state')
  const saveState = database.prepare('UPDATE state SET position = ?')
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  /** The log of an earlier process may contain entries that have been deleted since. */
  let isLogOutdated = true

  return {
    isCurrentVersion: () => isCurrentVersion(database),
    readPosition: () => integerOf(readState.get() ?? {}, 'position'),
    savePosition: (position: number) => saveState.run(position),
    save(recordId: number, tokens: Uint8Array) {
      saveEntry.run(recordId, tokens)
      if (recordId % SAMPLE_RATE === 0) sampleEntry.run(recordId, tokens)
    },
    remove(recordId: number) {
      for (const deletion of deletions) deletion.run(recordId)
    },
    write<Result>(work: () => Result): Result {
      beginImmediate(database)
      try {
        const result = work()
        database.exec('COMMIT')
        return result
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
    },
    /** FTS5 only marks entries as deleted, and omits them when it merges the segments that contain them. */
    discardDeletedBytes() {
      for (const table of ['record_search', 'record_sample']) mergeAll(database, table)
      isLogOutdated = true
      this.emptyLog()
    },
    /** Truncates the log if it may contain deleted entries. A reader can delay that until a later call. */
    emptyLog() {
      if (isLogOutdated) isLogOutdated = checkpoint.get()?.['busy'] !== 0
    },
    close: () => database.close(),
  }
}

function mergeAll(database: DatabaseSync, table: string): void {
  const merge = database.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`)
  const countChanges = database.prepare('SELECT total_changes() AS n')
  const changes = () => integerOf(countChanges.get() ?? {}, 'n')
  /**
   * Runs FTS5's `merge` command: a positive number continues a merge, a negative one starts to merge the whole index.
   * Returns whether it has merged anything: less than two changes mean that it has not.
   */
  const step = (pages: number) => {
    const before = changes()
    merge.run(pages)
    return changes() - before >= 2
  }
  const continueMerge = () => {
    while (step(MERGED_PAGES));
  }
  // A merge in progress may already have copied an entry that has been deleted since, so it is completed first.
  continueMerge()
  step(-MERGED_PAGES)
  continueMerge()
}

type SearchThread = TextIndexStore & {
  /** Removes erased and deleted records from the index, including their bytes in its file. */
  purge: () => Promise<void>
  /** Null if the index is maintained on the calling thread. */
  thread: Pick<RequestThread<IndexRequest, number>, 'isRunning' | 'countRequests'> | null
  stop: () => Promise<void>
}

type SearchDeps = {
  reader: SearchReader
  /** Reads the last number of the write sequence. */
  readLastChange: () => Promise<number>
  warn: (message: string) => void
}

/** Maintains the text index in a thread, which starts when there is something to index. */
export function createSearchThread(index: IndexFile, deps: SearchDeps): SearchThread {
  const file = new URL('./search-worker.ts', import.meta.url)
  const thread = createRequestThread<IndexRequest, number>(file, {
    workerData: index,
    // Computing tokens allocates much memory. With a smaller young generation, indexing takes 4 to 8 % more time.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
    warn: deps.warn,
  })
  const client = createClient(index, deps, thread)
  return { ...client, indexNext: endAfterLargeWork(thread, client.indexNext), thread }
}

/** Maintains the text index on the calling thread, for tests: starting a thread takes longer than starting a hub. */
export function createSearchWithoutThread(index: IndexFile, deps: SearchDeps): SearchThread {
  let opened: TextIndex | null = null
  const client = createClient(index, deps, {
    request: async (request) => {
      opened ??= createTextIndex(index, deps.warn)
      return opened.run(request)
    },
    stop: async () => opened?.close(),
  })
  return { ...client, thread: null }
}

function createClient(
  index: IndexFile,
  { reader, readLastChange }: SearchDeps,
  thread: { request: (request: IndexRequest) => Promise<number>; stop: () => Promise<void> },
): Omit<SearchThread, 'thread'> {
  return {
    async indexNext(limit) {
      const isComplete = reader.readPosition() === (await readLastChange())
      return isComplete ? 0 : thread.request({ action: 'index', limit })
    },
    readPosition: async () => reader.readPosition(),
    rebuild: async () => requestRebuild(index.path),
    async purge() {
      if (fileIdentity(index.path) === null) return
      await thread.request({ action: 'purge' })
    },
    stop: () => thread.stop(),
  }
}
