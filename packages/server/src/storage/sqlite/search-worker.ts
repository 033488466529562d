import { workerData } from 'node:worker_threads'
import { postWarning, serveRequests } from '../shared/request-thread.ts'
import type { IndexFile } from './search-file.ts'
import { createTextIndex, type IndexRequest } from './text-index.ts'

const file: IndexFile = workerData
const index = createTextIndex(file, postWarning)

serveRequests((request: IndexRequest) => index.run(request))
