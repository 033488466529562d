import { HubError } from '../../../src/errors.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'

/** Holds all writes of records until `release` is called, as a disk does that is very slow. */
export function holdWrites() {
  const released = Promise.withResolvers<void>()
  return {
    release: released.resolve,
    wrap: (storage: Storage): Storage => ({
      ...storage,
      records: {
        ...bound(storage.records),
        async applyWrites(batch) {
          await released.promise
          return storage.records.applyWrites(batch)
        },
      },
    }),
  }
}

/** Copies the methods of a store into own properties, so that a test can replace one. */
export function bound(records: Storage['records']): Storage['records'] {
  return {
    applyWrites: (batch) => records.applyWrites(batch),
    tryWrites: (batch) => records.tryWrites(batch),
    findUnchanged: (read, elements) => records.findUnchanged(read, elements),
    readScope: (query) => records.readScope(query),
    readNamedScope: (query) => records.readNamedScope(query),
    listRecords: (query) => records.listRecords(query),
    countValues: (query) => records.countValues(query),
    findPaths: (query) => records.findPaths(query),
    countRecords: (query) => records.countRecords(query),
    readRecord: (recordId) => records.readRecord(recordId),
    listHistory: (query) => records.listHistory(query),
  }
}

/** A storage that stores no records during an outage, which a test begins and ends. */
export function createWriteOutage() {
  let isDown = false
  return {
    wrap(storage: Storage): Storage {
      const { records } = storage
      const applyWrites: typeof records.applyWrites = (batch) => {
        if (!isDown) return records.applyWrites(batch)
        throw new HubError('storage_unavailable', { seconds: 5 }, { retryAfterSeconds: 5 })
      }
      return { ...storage, records: { ...records, applyWrites } }
    },
    begin() {
      isDown = true
    },
    end() {
      isDown = false
    },
  }
}
