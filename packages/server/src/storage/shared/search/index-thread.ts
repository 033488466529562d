import type { RequestThread } from '../request-thread.ts'

/**
 * A thread that has indexed more records ends when it has nothing to do, because it keeps the memory of its work.
 * Starting it takes as long as indexing some thousand records.
 */
const ENDS_AFTER = 10_000

/** As `indexNext`, which indexes records on a thread. Ends the thread after large work. */
export function endAfterLargeWork(
  thread: Pick<RequestThread<never, unknown>, 'countRequests' | 'stop'>,
  indexNext: (limit: number) => Promise<number>,
): (limit: number) => Promise<number> {
  let indexedByThread = 0
  return async (limit) => {
    const indexed = await indexNext(limit)
    indexedByThread += indexed
    if (indexed === 0 && indexedByThread > ENDS_AFTER && thread.countRequests() === 0) {
      indexedByThread = 0
      await thread.stop()
    }
    return indexed
  }
}
