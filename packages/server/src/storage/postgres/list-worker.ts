import { workerData } from 'node:worker_threads'
import { createRecordListStore } from '../shared/record-list/record-list-store.ts'
import { serveRequests } from '../shared/request-thread.ts'
import { openReaders } from './connection.ts'
import { createRecordListDialect } from './record-search.ts'

const { url }: { url: string } = workerData
const { database: reader } = openReaders(url)
const lists = createRecordListStore({ reader }, createRecordListDialect(reader))

serveRequests(lists.listRecords)
