import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import type { HashReference } from '../../domain/record/erasure.ts'
import { HubError, storageUnavailable } from '../../errors.ts'
import { makeFolder } from '../../lib/files/make-folder.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Storage } from '../port/storage.ts'
import { createRecordLists, isQuick } from '../shared/record-list/record-lists.ts'
import { createRecordReads } from '../shared/records/record-reads.ts'
import { migrate } from '../shared/schema/migrate.ts'
import { createSearchIndexStore } from '../shared/search/search-index.ts'
import { createStores } from '../shared/stores.ts'
import { holdsLower } from './activity-search.ts'
import { startCheckpointer } from './checkpointer.ts'
import { drawNumbers, settledSequence } from './commit-watermark.ts'
import { openConnections, type SqliteConnections } from './connection.ts'
import { createSpaceGiver, readDiskSpace } from './disk-space.ts'
import { readEngine } from './engine-facts.ts'
import { createErasingParts } from './erasure-dialect.ts'
import { createElementRecogniser } from './find-unchanged.ts'
import { migrations } from './migrations/index.ts'
import { createMissingDialect } from './missing-marker.ts'
import { lockForProcess } from './process-lock.ts'
import { createPullDispatcher } from './pull-dispatcher.ts'
import { createReadThread } from './read-thread.ts'
import { createListParts, createSearchIndexParts } from './record-search.ts'
import { createRecordWriter } from './record-writer.ts'
import { viewDialect } from './sql-views.ts'

/** One process writes, so its counters need no name that tells it from others. */
const NODE = 'local'

export type SqliteOptions = {
  path: string
  /** Whether this process is the hub, of which there may be one; the command line is not. */
  asHub: boolean
  timeZone: string
  clock: Clock
  /** Stands for the references of erased records, which are not kept. */
  hashReference: HashReference
  /** Whether long reads run in a thread of their own, as a hub needs it; true unless told otherwise. */
  withReadThread?: boolean
}

/**
 * Opens, and where need be creates or migrates, the database in a file.
 * @throws HubError `storage_unavailable` where the file cannot be used.
 * @throws Error where a newer version of the hub has migrated it further.
 */
export async function openSqlite(options: SqliteOptions): Promise<Storage> {
  return namingPath(options.path, () => openParts(options))
}

async function openParts(options: SqliteOptions): Promise<Storage> {
  prepareFolder(dirname(options.path))
  const lock = options.asHub ? lockForProcess(options.path) : null
  const connections = await openMigrated(options.path).catch((error: unknown) => {
    lock?.release()
    throw error
  })
  const checkpointer = options.asHub ? startCheckpointer(options.path) : null
  if (checkpointer) raiseOwnCheckpoint(connections)
  const { reader, writer, lightly } = connections
  // The writing connection is one transaction's at a time as it is.
  const hold = async () => undefined
  const databases = { reader, writer, lightly, clock: options.clock, hold }
  const stores = createStores(databases, {
    authDatabase: { dialect: connections.writerDialect, type: 'sqlite' },
    node: NODE,
    readMark: settledSequence,
    drawPlaces: drawNumbers,
    settledSequence,
    viewDialect,
    missing: createMissingDialect(connections),
    giveSpaceBack: createSpaceGiver(connections),
    holdsLower,
    erasing: createErasingParts(connections, options.hashReference, checkpointer),
  })
  const lists = createRecordLists(databases, createListParts(reader))
  const thread = options.withReadThread === false ? null : createReadThread(options.path)
  return {
    ...stores,
    processName: randomUUID(),
    records: {
      ...createRecordReads(databases),
      ...createElementRecogniser(databases),
      ...createRecordWriter(connections, NODE, options.hashReference),
      ...lists,
      listRecords: (query) => (isQuick(query) ? lists : (thread ?? lists)).listRecords(query),
    },
    searchIndex: createSearchIndexStore(databases, createSearchIndexParts(connections)),
    pullDispatcher: createPullDispatcher(stores.pulls, options.timeZone),
    // No other process is at work.
    news: { announce: async () => undefined, listen: () => undefined },
    readDiskSpace: () => readDiskSpace(dirname(options.path)),
    readEngine: () => readEngine(reader),
    async close() {
      await thread?.stop()
      await checkpointer?.stop()
      await connections.close()
      lock?.release()
    },
  }
}

/** With a checkpointer, the writing connection steps in only where the log has grown to 64 MiB. */
function raiseOwnCheckpoint({ database }: SqliteConnections): void {
  database.exec('PRAGMA wal_autocheckpoint = 16384')
}

/** At the start there is no use in trying again, but in knowing which file it is. */
async function namingPath<Result>(path: string, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'storage_unavailable') throw error
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    const message = `The database ${path} cannot be used: ${reason}.`
    throw HubError.withMessage('storage_unavailable', message)
  }
}

function prepareFolder(path: string): void {
  try {
    makeFolder(path)
  } catch (cause) {
    throw storageUnavailable(cause)
  }
}

async function openMigrated(path: string): Promise<SqliteConnections> {
  const connections = openConnections(path)
  try {
    await migrate(connections.writer, migrations)
    return connections
  } catch (error) {
    await connections.close()
    throw error
  }
}
