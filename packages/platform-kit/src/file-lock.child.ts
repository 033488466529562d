/** A thread that takes locks as soon as it is told to, and holds them until it is ended. */
import { parentPort } from 'node:worker_threads'
import { takeFileLock } from './file-lock.ts'

parentPort?.on('message', async (paths: string[]) => {
  const taken = await Promise.allSettled(paths.map(takeFileLock))
  parentPort?.postMessage(taken.map(({ status }) => status === 'fulfilled'))
})
parentPort?.postMessage('ready')
