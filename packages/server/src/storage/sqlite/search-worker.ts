import { workerData } from 'node:worker_threads'
import { postWarning, serveRequests } from './request-thread.ts'
import { createTextIndex, type IndexPaths, type IndexRequest } from './text-index.ts'

const paths: IndexPaths = workerData
const index = createTextIndex(paths, postWarning)

serveRequests((request: IndexRequest) => index.run(request))
