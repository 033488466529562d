import { workerData } from 'node:worker_threads'
import type { RecordQuery } from '../port/record-list-store.ts'
import { createRecordListStore } from '../shared/record-list/record-list-store.ts'
import { openReader } from './connection.ts'
import { createRecordListDialect } from './record-search.ts'
import { serveRequests } from './request-thread.ts'
import { createSearchReader } from './search-reader.ts'
import type { IndexPaths } from './text-index.ts'

const paths: IndexPaths = workerData
const reader = openReader(paths.database)
const dialect = createRecordListDialect(createSearchReader(paths.search))
const lists = createRecordListStore({ reader }, dialect)

serveRequests((query: RecordQuery) => lists.listRecords(query))
