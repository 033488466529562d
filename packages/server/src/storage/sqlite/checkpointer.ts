import { Worker } from 'node:worker_threads'

export type Checkpointer = { stop: () => Promise<void> }

/**
 * Moves what was committed from the write-ahead log into the database file, in a thread of its own: on
 * the writing connection it would hold up every push for as long as the disk takes. It has nothing to do
 * with durability; a commit is durable in the log.
 */
export function startCheckpointer(path: string): Checkpointer {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
    workerData: { path },
  })
  worker.unref()
  // Without it the writing connection checkpoints by itself, when the log has grown far larger.
  worker.on('error', () => undefined)
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve())
  })
  return {
    async stop() {
      worker.ref()
      worker.postMessage('stop')
      await exited
    },
  }
}
