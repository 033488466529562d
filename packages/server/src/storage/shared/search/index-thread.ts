import type { RequestThread } from '../request-thread.ts'

/**
 * A thread that has indexed more records ends when it has nothing to do or another process is indexing, because it keeps
 * the memory of its work. Starting it takes as long as indexing some thousand records.
 */
const ENDS_AFTER = 10_000

/** As `indexNext`, which indexes records on a thread. Ends the thread after large work. */
export function endAfterLargeWork(
  thread: Pick<RequestThread<never, unknown>, 'countRequests' | 'stop'>,
  indexNext: (limit: number) => Promise<number>,
): (limit: number) => Promise<number> {
  /** Since this has last ended the thread. A step that ended early, because records are large, counts as a full one. */
  let indexed = 0
  return async (limit) => {
    const step = await indexNext(limit)
    indexed += step
    if (step === 0 && indexed > ENDS_AFTER && thread.countRequests() === 0) {
      indexed = 0
      await thread.stop()
    }
    return step
  }
}
