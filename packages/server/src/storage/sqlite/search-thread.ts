import type { TextIndexStore } from '../shared/search/search-index.ts'
import { createRequestThread } from './request-thread.ts'
import { fileIdentity, requestRebuild } from './search-file.ts'
import type { SearchReader } from './search-reader.ts'
import {
  createTextIndex,
  type IndexPaths,
  type IndexRequest,
  type TextIndex,
} from './text-index.ts'

export type SearchThread = TextIndexStore & {
  /** Removes erased and deleted records from the index, including their bytes in its file. */
  purge: () => Promise<void>
  stop: () => Promise<void>
}

/** Maintains the text index in a thread, which the first request starts. */
export function createSearchThread(
  paths: IndexPaths,
  { reader, warn }: { reader: SearchReader; warn: (message: string) => void },
): SearchThread {
  const file = new URL('./search-worker.ts', import.meta.url)
  const thread = createRequestThread<IndexRequest, number>(file, { workerData: paths, warn })
  return createClient(paths, reader, thread)
}

/** Maintains the text index on the calling thread, for tests: starting a thread takes longer than starting a hub. */
export function createSearchWithoutThread(
  paths: IndexPaths,
  { reader, warn }: { reader: SearchReader; warn: (message: string) => void },
): SearchThread {
  let index: TextIndex | null = null
  return createClient(paths, reader, {
    request: async (request) => {
      index ??= createTextIndex(paths, warn)
      return index.run(request)
    },
    stop: async () => index?.close(),
  })
}

function createClient(
  paths: IndexPaths,
  reader: SearchReader,
  thread: { request: (request: IndexRequest) => Promise<number>; stop: () => Promise<void> },
): SearchThread {
  return {
    indexNext: (limit) => thread.request({ action: 'index', limit }),
    readPosition: async () => reader.readPosition(),
    rebuild: async () => requestRebuild(paths.search),
    async purge() {
      if (fileIdentity(paths.search) === null) return
      await thread.request({ action: 'purge' })
    },
    stop: () => thread.stop(),
  }
}
