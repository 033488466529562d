import { workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../lib/concurrency/thread-priority.ts'
import { postWarning, serveRequests } from '../shared/request-thread.ts'
import type { IndexFile } from './search-file.ts'
import { createTextIndex, type IndexRequest } from './text-index.ts'

lowerThreadPriority()
const file: IndexFile = workerData
const index = createTextIndex(file, postWarning)

serveRequests((request: IndexRequest) => index.run(request))
