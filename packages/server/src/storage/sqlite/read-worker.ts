import { workerData } from 'node:worker_threads'
import { createRecordListStore, serveLists } from '../shared/record-list/record-list-store.ts'
import { postWarning } from '../shared/request-thread.ts'
import { openReader } from './connection.ts'
import { createRecordListDialect } from './record-search.ts'
import type { IndexFile } from './search-file.ts'
import { createSearchReader } from './search-reader.ts'

const index: IndexFile = workerData
const reader = openReader(index.databasePath)
const dialect = createRecordListDialect(createSearchReader(index, postWarning))
const lists = createRecordListStore({ reader }, dialect)

serveLists(lists)
