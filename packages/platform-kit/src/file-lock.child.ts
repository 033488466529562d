/** A worker thread that acquires the locks at the received paths, and holds them until it is terminated. */
import { parentPort } from 'node:worker_threads'
import { acquireFileLock } from './file-lock.ts'

parentPort?.on('message', async (paths: string[]) => {
  const results = await Promise.allSettled(paths.map(acquireFileLock))
  parentPort?.postMessage(results.map(({ status }) => status === 'fulfilled'))
})
parentPort?.postMessage('ready')
