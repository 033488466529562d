import { isDataColumn } from '../../../domain/record/record-query.ts'
import type { ThreadFigures } from '../../port/metrics-store.ts'
import type {
  ListScope,
  RecordListStore,
  RecordQuery,
  ScopeQuery,
} from '../../port/record-list-store.ts'
import { createRequestThread, serveRequests } from '../request-thread.ts'
import { isSingleIndexRead } from './scan-strategies.ts'

type Lists = Pick<RecordListStore, 'listRecords' | 'readScope'>
export type ReadRequest = { list: RecordQuery } | { scope: ScopeQuery }
type Read = Awaited<ReturnType<Lists['listRecords']>> | ListScope

/** Each may take two seconds. */
const MAX_REQUESTS = 64

/**
 * Lists records on a thread if the list needs more than an index look-up: on the main thread it would delay every push,
 * by the time that one value takes, which may be as large as a response of a platform. The same for a scope that depends on
 * the fields of modules.
 * @param file serves its requests with `serveLists`.
 * @param lists does the others on this thread.
 */
export function createReadThread(
  file: URL,
  { lists, ...options }: { workerData: unknown; lists: Lists; warn: (message: string) => void },
): { lists: Lists; figures: () => ThreadFigures; stop: () => Promise<void> } {
  const thread = createRequestThread<ReadRequest, Read>(file, {
    ...options,
    maxRequests: MAX_REQUESTS,
    // A scan allocates much memory; a small young generation is collected early.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  return {
    lists: {
      async listRecords(query) {
        if (isSingleIndexRead(query)) return lists.listRecords(query)
        const read = await thread.request({ list: query })
        if ('outcome' in read) return read
        throw new Error('The thread has read a scope instead of a list')
      },
      async readScope(query) {
        const { sort, conditions } = query
        const columns = [sort, ...conditions.map(({ column }) => column)]
        if (!columns.some(isDataColumn)) return lists.readScope(query)
        const read = await thread.request({ scope: query })
        if ('everywhere' in read) return read
        throw new Error('The thread has read a list instead of a scope')
      },
    },
    figures: () => ({
      thread: 'read',
      is_running: thread.isRunning(),
      requests: thread.countRequests(),
    }),
    stop: thread.stop,
  }
}

/** Serves the requests of `createReadThread` in the thread. */
export function serveLists({ listRecords, readScope }: Lists): void {
  serveRequests(
    (request: ReadRequest): Promise<Read> =>
      'list' in request ? listRecords(request.list) : readScope(request.scope),
  )
}
