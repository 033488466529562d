/** Storages with the defects that lose, duplicate or damage records. A simulation must find each of them. */
import type { Storage } from '../../src/storage/port/storage.ts'

type Break = (storage: Storage) => Storage

export const BROKEN_STORAGES: Readonly<Record<string, Break>> = {
  'acknowledges pushes before they are stored': (storage) => ({
    ...storage,
    records: {
      ...storage.records,
      async applyWrites(batch) {
        const isOfRead = batch.writes.some((write) => 'read' in write)
        if (isOfRead) return storage.records.applyWrites(batch)
        const outcomes = await storage.records.tryWrites(batch)
        // After the response, so that the process can be killed in between.
        setTimeout(() => storage.records.applyWrites(batch).catch(() => undefined), 500)
        return outcomes
      },
    },
  }),
  'stores a batch of pushes twice': (storage) => ({
    ...storage,
    records: {
      ...storage.records,
      async applyWrites(batch) {
        const outcomes = await storage.records.applyWrites(batch)
        const isOfRead = batch.writes.some((write) => 'read' in write)
        if (!isOfRead) await storage.records.applyWrites(batch)
        return outcomes
      },
    },
  }),
  'lets a pull overwrite newer pushes': (storage) => ({
    ...storage,
    pulls: {
      ...storage.pulls,
      async startTask(pullId, taskNumber) {
        const started = await storage.pulls.startTask(pullId, taskNumber)
        return started && { ...started, snapshotSeq: started.snapshotSeq + 1_000_000 }
      },
    },
  }),
  'never ends the pulls of processes that were killed': (storage) => ({
    ...storage,
    pullDispatcher: {
      ...storage.pullDispatcher,
      start: async () => undefined,
    },
  }),
  'marks records as missing that a read contained': (storage) => ({
    ...storage,
    missing: {
      ...storage.missing,
      // The number of stored records shows that none is missing, so the hub compares nothing if it is correct.
      countUnmarked: async () => -1,
      listMissing: (query) =>
        storage.missing.listMissing({
          ...query,
          isPresent: (record) => query.isPresent(record) && record.record_id % 5 > 0,
        }),
    },
  }),
}
