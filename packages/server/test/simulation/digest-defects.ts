/** Hubs with a defect in pulls by digest. */
import type { Storage } from '../../src/storage/port/storage.ts'
import type { Defect } from './run.ts'

const HOUR_MS = 3_600_000

/** By what the hub does wrong. */
export const DIGEST_DEFECTS: Readonly<Record<string, Defect>> = {
  'claims the same versions although a record is in no bucket': withDigests(() => ({
    countAnonymised: async () => Number.MAX_SAFE_INTEGER,
  })),
  'takes a list and a digest that disagree for explained': withDigests((digests) => ({
    async listRemembered(module) {
      const remembered = await digests.listRemembered(module)
      return remembered.map((bucket) => ({ ...bucket, state: 'explained' }))
    },
  })),
  'keeps its claim although content has changed under an equal version': withDigests((digests) => ({
    async saveDigest(module, { withdrawn_at, withdrawn_records, withdrawn_reference, ...change }) {
      const { verified_at, verified_by, ...others } = change
      await digests.saveDigest(module, verified_by === null ? others : change)
    },
  })),
  'marks records of buckets that it has not read': withDigests((digests) => ({
    listBucketRecords: (module, query) =>
      digests.listBucketRecords(module, { ...query, prefix: '' }),
  })),
  'takes records without a version for records that it does not have': withDigests(() => ({
    listUnversioned: async () => [],
  })),
  'reads the list of a module whose digest differs in each pull': {
    breakStorage: ({ pulls, ...storage }) => ({
      ...storage,
      pulls: {
        ...pulls,
        async startTask(pullId, taskNumber) {
          const started = await pulls.startTask(pullId, taskNumber)
          if (!started?.full_read_at) return started
          const before = Date.parse(started.full_read_at) - HOUR_MS
          return { ...started, full_read_at: new Date(before).toISOString() }
        },
      },
    }),
  },
}

function withDigests(
  replace: (digests: Storage['digests']) => Partial<Storage['digests']>,
): Defect {
  return {
    breakStorage: ({ digests, ...storage }) => ({
      ...storage,
      digests: { ...digests, ...replace(digests) },
    }),
  }
}
