/** A worker thread that takes the locks it receives, and holds them until it is terminated. */
import { parentPort } from 'node:worker_threads'
import { acquireFileLock } from './file-lock.ts'

parentPort?.on('message', async (paths: string[]) => {
  const taken = await Promise.allSettled(paths.map(acquireFileLock))
  parentPort?.postMessage(taken.map(({ status }) => status === 'fulfilled'))
})
parentPort?.postMessage('ready')
