import { parentPort, workerData } from 'node:worker_threads'
import { HubError } from '../../errors.ts'
import { createRecordListStore } from '../shared/record-list/record-list-store.ts'
import { openReader } from './connection.ts'
import type { ReadRequest, ReadResponse } from './read-thread.ts'
import { createRecordListDialect } from './record-search.ts'

const { path }: { path: string } = workerData
const reader = openReader(path)
const lists = createRecordListStore({ reader }, createRecordListDialect(reader))

parentPort?.on('message', async ({ id, query }: ReadRequest) => {
  parentPort?.postMessage(await read(id, query))
})

async function read(id: number, query: ReadRequest['query']): Promise<ReadResponse> {
  try {
    return { id, page: await lists.listRecords(query) }
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const isKnown = error instanceof HubError
    return {
      id,
      failure: { message: isKnown ? error.message : message, code: isKnown ? error.code : null },
    }
  }
}
