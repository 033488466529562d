import type { ThreadFigures } from '../../port/metrics-store.ts'
import type { RecordListStore } from '../../port/record-list-store.ts'
import { createRequestThread } from '../request-thread.ts'
import { isSingleIndexRead } from './scan-strategies.ts'

type ListRecords = RecordListStore['listRecords']
type Listed = Awaited<ReturnType<ListRecords>>
type Query = Parameters<ListRecords>[0]

/** Each may take two seconds. */
const MAX_REQUESTS = 64

/**
 * Lists records on a thread if the list needs more than an index look-up: on the main thread it would delay every push,
 * by the time that one value takes, which may be as large as a response of a platform.
 * @param file serves queries with `serveRequests`.
 * @param listRecords lists the others on this thread.
 */
export function createReadThread(
  file: URL,
  {
    listRecords,
    ...options
  }: { workerData: unknown; listRecords: ListRecords; warn: (message: string) => void },
): { listRecords: ListRecords; figures: () => ThreadFigures; stop: () => Promise<void> } {
  const thread = createRequestThread<Query, Listed>(file, {
    ...options,
    maxRequests: MAX_REQUESTS,
    // A scan allocates much memory; a small young generation is collected early.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  return {
    listRecords: (query) => (isSingleIndexRead(query) ? listRecords(query) : thread.request(query)),
    figures: () => ({
      thread: 'read',
      is_running: thread.isRunning(),
      requests: thread.countRequests(),
    }),
    stop: thread.stop,
  }
}
