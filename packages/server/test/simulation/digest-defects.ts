/** Hubs with a defect in pulls by digest. */
import type { Defect } from './run.ts'
import { withStore } from './with-store.ts'

const HOUR_MS = 3_600_000

/** By what the hub does wrong. */
export const DIGEST_DEFECTS: Readonly<Record<string, Defect>> = {
  'claims the same versions although a record is in no bucket': withStore('digests', () => ({
    countAnonymised: async () => Number.MAX_SAFE_INTEGER,
  })),
  'takes a list and a digest that disagree for explained': withStore('digests', (digests) => ({
    async listRemembered(module) {
      const remembered = await digests.listRemembered(module)
      return remembered.map((bucket) => ({ ...bucket, state: 'explained' }))
    },
  })),
  'keeps its claim although content has changed under an equal version': withStore(
    'digests',
    (digests) => ({
      async saveDigest(
        module,
        { withdrawn_at, withdrawn_records, withdrawn_reference, ...change },
        epoch,
      ) {
        const { verified_at, verified_by, ...others } = change
        await digests.saveDigest(module, verified_by === null ? others : change, epoch)
      },
    }),
  ),
  'marks records of buckets that it has not read': withStore('digests', (digests) => ({
    listBucketRecords: (module, query) =>
      digests.listBucketRecords(module, { ...query, prefix: '' }),
  })),
  'takes records without a version for records that it does not have': withStore('digests', () => ({
    listUnversioned: async () => [],
  })),
  'reads the list of a module whose digest differs in each pull': withStore('pulls', (pulls) => ({
    async startTask(pullId, taskNumber) {
      const started = await pulls.startTask(pullId, taskNumber)
      if (!started?.full_read_at) return started
      const before = Date.parse(started.full_read_at) - HOUR_MS
      return { ...started, full_read_at: new Date(before).toISOString() }
    },
  })),
}
