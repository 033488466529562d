import { workerData } from 'node:worker_threads'
import { createRecordListStore, serveLists } from '../shared/record-list/record-list-store.ts'
import { openReaders } from './connection.ts'
import { createRecordListDialect } from './record-search.ts'

const { url }: { url: string } = workerData
const { database: reader } = openReaders(url)
const lists = createRecordListStore({ reader }, createRecordListDialect(reader))

serveLists(lists)
