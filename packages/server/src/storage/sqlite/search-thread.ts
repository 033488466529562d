import { createRequestThread, type RequestThread } from '../shared/request-thread.ts'
import type { TextIndexStore } from '../shared/search/search-index.ts'
import { fileIdentity, type IndexFile, requestRebuild } from './search-file.ts'
import type { SearchReader } from './search-reader.ts'
import { createTextIndex, type IndexRequest, type TextIndex } from './text-index.ts'

export type SearchThread = TextIndexStore & {
  /** Removes erased and deleted records from the index, including their bytes in its file. */
  purge: () => Promise<void>
  /** Null if the index is maintained on the calling thread. */
  thread: Pick<RequestThread<IndexRequest, number>, 'isRunning' | 'countRequests'> | null
  stop: () => Promise<void>
}

type SearchDeps = {
  reader: SearchReader
  /** Reads the last number of the write sequence. */
  readLastChange: () => Promise<number>
  warn: (message: string) => void
}

/** Maintains the text index in a thread, which starts when there is something to index. */
export function createSearchThread(index: IndexFile, deps: SearchDeps): SearchThread {
  const file = new URL('./search-worker.ts', import.meta.url)
  const thread = createRequestThread<IndexRequest, number>(file, {
    workerData: index,
    // Computing tokens allocates much memory; a small young generation is collected early.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
    warn: deps.warn,
  })
  return { ...createClient(index, deps, thread), thread }
}

/** Maintains the text index on the calling thread, for tests: starting a thread takes longer than starting a hub. */
export function createSearchWithoutThread(index: IndexFile, deps: SearchDeps): SearchThread {
  let opened: TextIndex | null = null
  const client = createClient(index, deps, {
    request: async (request) => {
      opened ??= createTextIndex(index, deps.warn)
      return opened.run(request)
    },
    stop: async () => opened?.close(),
  })
  return { ...client, thread: null }
}

function createClient(
  index: IndexFile,
  { reader, readLastChange }: SearchDeps,
  thread: { request: (request: IndexRequest) => Promise<number>; stop: () => Promise<void> },
): Omit<SearchThread, 'thread'> {
  return {
    async indexNext(limit) {
      const isComplete = reader.readPosition() === (await readLastChange())
      return isComplete ? 0 : thread.request({ action: 'index', limit })
    },
    readPosition: async () => reader.readPosition(),
    rebuild: async () => requestRebuild(index.path),
    async purge() {
      if (fileIdentity(index.path) === null) return
      await thread.request({ action: 'purge' })
    },
    stop: () => thread.stop(),
  }
}
