import { workerData } from 'node:worker_threads'
import { serveRequests } from '../shared/request-thread.ts'
import { openWorker } from './connection.ts'
import { createTextIndex } from './text-index.ts'

const { url }: { url: string } = workerData
const { database: writer } = openWorker(url)
const index = createTextIndex({ writer })

serveRequests((limit: number) => index.indexNext(limit))
