/** Reads the PostgreSQL database of a simulation synchronously: the checks run between two events. */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { createDatabaseView, type DatabaseView, type Row } from './database-view.ts'

export function openPostgresView(url: string): DatabaseView {
  const { port1: port, port2 } = new MessageChannel()
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./postgres-view-worker.ts', import.meta.url), {
    workerData: { url, signal, port: port2 },
    transferList: [port2],
  })
  worker.unref()
  return createDatabaseView({
    query(sql, ...parameters) {
      Atomics.store(signal, 0, 0)
      port.postMessage({ sql, parameters })
      // The notification of the previous query may arrive now.
      while (Atomics.load(signal, 0) === 0) Atomics.wait(signal, 0, 0)
      const { rows, error }: { rows: Row[]; error?: unknown } =
        receiveMessageOnPort(port)?.message ?? {}
      if (error) throw error
      return rows
    },
    close: () => port.postMessage(null),
  })
}
