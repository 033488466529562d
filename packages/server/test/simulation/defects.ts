/**
 * Hubs with a defect. A simulation must find each of them, which shows that each rule of the reference model is checked.
 * To add a defect, add an entry: a storage that behaves wrongly, statements that break the database, or wrong options.
 */
import type { WriteBatch } from '../../src/storage/port/record-store.ts'
import { DIGEST_DEFECTS } from './digest-defects.ts'
import type { Defect } from './run.ts'
import { withStore } from './with-store.ts'

/** By what the hub does wrong. */
export const DEFECTS: Readonly<Record<string, Defect>> = {
  'acknowledges pushes before they are stored': withStore('records', (records) => ({
    async applyWrites(batch) {
      if (isOfRead(batch)) return records.applyWrites(batch)
      const outcomes = await records.tryWrites(batch)
      // After the response, so that the process can be killed in between.
      setTimeout(() => records.applyWrites(batch).catch(() => undefined), 500)
      return outcomes
    },
  })),
  'stores a batch of pushes twice': withStore('records', (records) => ({
    async applyWrites(batch) {
      const outcomes = await records.applyWrites(batch)
      if (!isOfRead(batch)) await records.applyWrites(batch)
      return outcomes
    },
  })),
  'stores pushes again some time after an outage': withStore('records', (records) => ({
    async applyWrites(batch) {
      try {
        return await records.applyWrites(batch)
      } catch (error) {
        setTimeout(() => records.applyWrites(batch).catch(() => undefined), 3000)
        throw error
      }
    },
  })),
  'ignores the time of a push': withStore('records', (records) => ({
    applyWrites: ({ writes, ...batch }) =>
      records.applyWrites({
        ...batch,
        writes: writes.map((write) => {
          if ('read' in write || 'replay' in write || 'revert' in write) return write
          return { ...write, content: { ...write.content, occurred_at: null } }
        }),
      }),
  })),
  'overwrites newer values with a replay': withStore('records', (records) => ({
    applyWrites: ({ writes, ...batch }) =>
      records.applyWrites({
        ...batch,
        writes: writes.map((write) =>
          'replay' in write ? { ...write, replay: { ...write.replay, overwrite: true } } : write,
        ),
      }),
  })),
  'takes a record for unchanged by its reference': withStore('records', (records) => {
    const ids = new Map<string, number>()
    return {
      async applyWrites(batch) {
        const outcomes = await records.applyWrites(batch)
        for (const [index, outcome] of outcomes.entries()) {
          const reference = batch.writes[index]?.reference_number
          if (reference && 'record_id' in outcome) ids.set(reference, outcome.record_id)
        }
        return outcomes
      },
      findUnchanged: async (_read, elements) =>
        elements.map(({ reference_number }) => ids.get(reference_number) ?? null),
    }
  }),
  'lets a pull overwrite newer pushes': withStore('pulls', (pulls) => ({
    async startTask(pullId, taskNumber) {
      const started = await pulls.startTask(pullId, taskNumber)
      return started && { ...started, snapshotSeq: started.snapshotSeq + 1_000_000 }
    },
  })),
  'uses a cached response after a push': {
    sql: `CREATE TRIGGER defect AFTER UPDATE OF pushes ON module_counters
      BEGIN UPDATE modules SET cached_version = NEW.pushes + NEW.invalidations
        WHERE module_id = NEW.module_id AND cached_version IS NOT NULL; END`,
    without: ['digests'],
  },
  'confirms a cancellation before it has an effect': withStore('pulls', (pulls) => ({
    async finishPull(pullId, end, activity) {
      if (end.state !== 'cancelled') return pulls.finishPull(pullId, end, activity)
      setTimeout(() => pulls.finishPull(pullId, end, activity).catch(() => false), 2000)
      return true
    },
  })),
  'does not renew the lease of a pull': withStore('pulls', () => ({
    renewLease: async () => true,
  })),
  'interrupts a pull that another process runs': withStore('pulls', (pulls) => ({
    async requestPull(request) {
      await pulls.interruptPulls()
      return pulls.requestPull(request)
    },
  })),
  'runs a pull that is delivered twice twice': withStore('pulls', (pulls) => {
    const plans = new Map<number, NonNullable<Awaited<ReturnType<typeof pulls.startPull>>>>()
    return {
      async startPull(pullId, lease) {
        const started = (await pulls.startPull(pullId, lease)) ?? plans.get(pullId) ?? null
        if (started) plans.set(pullId, started)
        return started
      },
    }
  }),
  'never ends the pulls of processes that were killed': {
    breakStorage: (storage) => ({
      ...storage,
      pullDispatcher: { ...storage.pullDispatcher, start: async () => undefined },
    }),
  },
  'lets two pulls run at once': { sql: 'DROP INDEX pulls_one_at_a_time' },
  'marks records as missing that a read contained': withStore('missing', (missing) => ({
    // The number of stored records shows that none is missing, so the hub compares nothing if it is correct.
    countUnmarked: async () => -1,
    listMissing: (query) =>
      missing.listMissing({
        ...query,
        isPresent: (record) => query.isPresent(record) && record.record_id % 5 > 0,
      }),
  })),
  'marks any number of records without a review': { options: { missingThresholdPercent: 100 } },
  'marks records that were pushed a moment ago': { options: { missingGraceSeconds: 0 } },
  'marks records after one read of several pages': withStore('missing', (missing) => ({
    async readMissingState(module) {
      const state = await missing.readMissingState(module)
      return { ...state, candidates: Array.from({ length: 1000 }, (_, id) => id) }
    },
  })),
  'loses an entry of the history': onInsert('record_history', 'NEW.change_seq % 3 = 0', [
    'DELETE FROM record_history WHERE change_seq = NEW.change_seq',
  ]),
  'loses a line of the activity': onInsert(
    'activity',
    "NEW.kind = 'push.updated' AND NEW.activity_id % 3 = 0",
    ['DELETE FROM activity WHERE activity_id = NEW.activity_id'],
  ),
  'counts a push twice': onInsert('activity', "NEW.kind = 'push.stale'", [
    'UPDATE hourly_counters SET stale = stale + 1',
  ]),
  'miscounts the records of a module': onInsert('records', 'NEW.record_id % 10 = 0', [
    'UPDATE module_counters SET records = records + 1 WHERE module_id = NEW.module_id',
  ]),
  'adds a record to the sums twice': onInsert('digest_sums', 'NEW.bucket % 3 = 0', [
    `UPDATE digest_sums SET count = count + 1
      WHERE module_id = NEW.module_id AND bucket = NEW.bucket`,
  ]),
  'keeps the version of a record that was pushed': {
    sql: `CREATE TRIGGER defect AFTER UPDATE OF version ON records
      WHEN NEW.version IS NULL AND NEW.fingerprint IS NULL AND OLD.version IS NOT NULL
      BEGIN UPDATE records SET version = OLD.version WHERE record_id = NEW.record_id; END`,
  },
  'stores an erased record again': onInsert('tombstones', 'true', [
    'DELETE FROM tombstones WHERE tombstone_id = NEW.tombstone_id',
  ]),
  'accepts pushes of a platform that was deactivated': {
    sql: `CREATE TRIGGER defect AFTER UPDATE OF status ON platforms
      WHEN NEW.status = 'inactive' AND NEW.removed_at IS NULL
      BEGIN UPDATE platforms SET status = 'active' WHERE platform_id = NEW.platform_id; END`,
  },
  'accepts a key after it has expired': {
    sql: `CREATE TRIGGER defect AFTER UPDATE OF expires_at ON hub_keys
      BEGIN UPDATE hub_keys SET expires_at = NULL WHERE hub_key_id = NEW.hub_key_id; END`,
  },
  'accepts pushes of a module that is no longer registered': {
    sql: `CREATE TRIGGER defect AFTER UPDATE OF registered_at ON modules
      WHEN NEW.registered_at IS NULL
      BEGIN UPDATE modules SET registered_at = OLD.registered_at WHERE module_id = NEW.module_id; END`,
  },
  'takes every element of a pull for another value than the refused one': {
    sql: `CREATE TRIGGER defect AFTER UPDATE OF state ON pull_tasks WHEN NEW.state = 'running'
      BEGIN UPDATE holds SET refused = 'other' WHERE module_id = NEW.module_id; END`,
  },
  'lifts a hold with any change of its record': {
    sql: `CREATE TRIGGER defect AFTER UPDATE OF full_name, data ON records
      BEGIN DELETE FROM holds WHERE record_id = NEW.record_id; END`,
  },
  'makes no hold for a record that a revert takes back': onInsert('holds', "NEW.path = ''", [
    "DELETE FROM holds WHERE record_id = NEW.record_id AND path = ''",
  ]),
  'makes no hold for a record that a revert brings back': onInsert(
    'holds',
    "NEW.path = '/missing_since'",
    ["DELETE FROM holds WHERE record_id = NEW.record_id AND path = '/missing_since'"],
  ),
  'counts an element that is held as absent': {
    breakStorage({ records, missing, ...storage }) {
      const held = new Set<number>()
      return {
        ...storage,
        records: {
          ...records,
          async applyWrites(batch) {
            const outcomes = await records.applyWrites(batch)
            for (const outcome of outcomes) {
              if (outcome.outcome !== 'rejected' && outcome.is_held) held.add(outcome.record_id)
            }
            return outcomes
          },
        },
        missing: {
          ...missing,
          countUnmarked: async () => -1,
          listMissing: (query) =>
            missing.listMissing({
              ...query,
              isPresent: (record) => query.isPresent(record) && !held.has(record.record_id),
            }),
        },
      }
    },
  },
  'acknowledges a held push without keeping it': withStore('rejectedPushes', (rejectedPushes) => ({
    async saveRejectedPushes(rejected, options) {
      const others = rejected.filter(({ code }) => code !== 'held')
      await rejectedPushes.saveRejectedPushes(others, options)
      return rejected.map(() => true)
    },
  })),
  'keeps the holds of a revert that was reverted': {
    without: ['digests'],
    // Those that a record contradicts would end in any case.
    sql: `CREATE TRIGGER defect BEFORE DELETE ON holds
      WHEN EXISTS (SELECT 1 FROM reverts WHERE reverts_id = OLD.revert_id AND state = 'running')
      BEGIN SELECT RAISE(IGNORE); END`,
  },
  'reverts a record that has changed since the decision': {
    breakStorage: ({ reverts, ...storage }) => {
      const first = new Map<number, Awaited<ReturnType<typeof reverts.readScopeRecords>>[number]>()
      return {
        ...storage,
        reverts: {
          ...reverts,
          async readScopeRecords(scope, ids) {
            const records = await reverts.readScopeRecords(scope, ids)
            return records.map((record) => {
              const { record: content, entries } = first.get(record.record_id) ?? record
              first.set(record.record_id, first.get(record.record_id) ?? record)
              return { ...record, record: content, entries }
            })
          },
        },
      }
    },
  },
  'ends a revert before all of its records are done': {
    breakStorage: ({ reverts, ...storage }) => ({
      ...storage,
      reverts: {
        ...reverts,
        listUndone: async (revertId, after) =>
          after === 0 ? reverts.listUndone(revertId, after, 1) : [],
      },
    }),
  },
  'omits records from the plan of a revert': {
    breakStorage: ({ reverts, ...storage }) => ({
      ...storage,
      reverts: {
        ...reverts,
        addPlanned: (revertId, results) =>
          reverts.addPlanned(
            revertId,
            results.filter(({ record_id }) => record_id % 3 > 0),
          ),
      },
    }),
  },
  'reports that it does not know the creation of records': {
    breakStorage: ({ reverts, ...storage }) => ({
      ...storage,
      reverts: {
        ...reverts,
        async readScopeRecords(scope, ids) {
          const records = await reverts.readScopeRecords(scope, ids)
          return records.map((record) =>
            record.isCreated ? { ...record, isHistoryStored: false } : record,
          )
        },
      },
    }),
  },
  'replays a rejected push twice': {
    sql: `CREATE TRIGGER defect AFTER UPDATE OF replayed_at ON rejected_pushes
      WHEN NEW.replayed_at IS NOT NULL
      BEGIN UPDATE rejected_pushes SET replayed_at = NULL
        WHERE rejected_push_id = NEW.rejected_push_id; END`,
  },
  ...DIGEST_DEFECTS,
}

function onInsert(table: string, condition: string, statements: string[]): Defect {
  const body = statements.map((statement) => `${statement};`).join(' ')
  return {
    sql: `CREATE TRIGGER defect AFTER INSERT ON ${table} WHEN ${condition} BEGIN ${body} END`,
  }
}

function isOfRead({ writes }: WriteBatch): boolean {
  return writes.some((write) => 'read' in write)
}
