/** The {@link BatchSource} on SQLite, which reads each row when the applier needs it. */
import type { HashReference } from '../../domain/record/erasure.ts'
import type { RecordRead, WriteRejection } from '../port/record-store.ts'
import type { BatchSource, WriteAuthorization } from '../shared/records/batch-applier.ts'
import type { KeyPlatform, WritableModule } from '../shared/records/write-rows.ts'
import type { WriteStatements } from './write-statements.ts'

export type SqliteBatchSource = BatchSource & {
  /** Saves the last allocated number of the write sequence. */
  saveSequence: () => void
}

/** @param at the time of the writes, RFC 3339 in UTC. */
export function createBatchSource(
  statements: WriteStatements,
  { at, hashReference }: { at: string; hashReference: HashReference },
): SqliteBatchSource {
  const firstSequence = statements.readSequence()
  let sequence = firstSequence
  let lastRecordId: number | null = null
  return {
    authorization: createAuthorization(statements, at),
    findTombstone(write, module) {
      if (!module.hasTombstones) return null
      const { reference_number } = write
      return statements.findTombstone(hashReference({ ...module, reference_number }))
    },
    peekRecord: (write, module) => statements.peekRecord(module, write.reference_number),
    loadRecord: (module, reference, peeked) =>
      peeked === null ? null : statements.loadRecord(module, reference),
    allocateRecordId() {
      lastRecordId = (lastRecordId ?? statements.readLastRecordId()) + 1
      return lastRecordId
    },
    allocateSequence: () => ++sequence,
    saveSequence() {
      if (sequence !== firstSequence) statements.saveSequence(sequence)
    },
  }
}

function createAuthorization(statements: WriteStatements, at: string): WriteAuthorization {
  const outdatedKeys: number[] = []
  const platforms = new Map<number, KeyPlatform | null>()
  const modules = new Map<string, WritableModule | null>()
  const reads = new Map<RecordRead, WritableModule | WriteRejection>()
  return {
    outdatedKeys,
    platformOfKey: (hubKeyId) =>
      memoize(platforms, hubKeyId, () => {
        const found = statements.findPlatformOfKey(hubKeyId, at)
        if (found?.isUseOutdated) outdatedKeys.push(hubKeyId)
        return found?.platform ?? null
      }),
    registeredModule: (platformId, recordType) =>
      memoize(modules, `${platformId} ${recordType}`, () =>
        statements.findRegisteredModule(platformId, recordType),
      ),
    moduleOfRead: (read) => memoize(reads, read, () => statements.findModuleOfRead(read)),
    rejectionOf: (write) => statements.findRejection(write),
  }
}

function memoize<Key, Value>(cache: Map<Key, Value>, key: Key, find: () => Value): Value {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const found = find()
  cache.set(key, found)
  return found
}
