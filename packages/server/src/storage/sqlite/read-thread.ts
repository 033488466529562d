import type { RecordListStore, RecordQuery } from '../port/record-list-store.ts'
import { createRequestThread, type RequestThread } from './request-thread.ts'
import type { IndexFile } from './search-file.ts'

type Listed = Awaited<ReturnType<RecordListStore['listRecords']>>

/** Each may take two seconds. */
const MAX_REQUESTS = 64

/** Reads record lists that need more than an index look-up: on the main thread they would delay every push. */
export function createReadThread(
  index: IndexFile,
  warn: (message: string) => void,
): RequestThread<RecordQuery, Listed> {
  return createRequestThread(new URL('./read-worker.ts', import.meta.url), {
    workerData: index,
    warn,
    maxRequests: MAX_REQUESTS,
    // A scan allocates much memory; a small young generation is collected early.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
}
