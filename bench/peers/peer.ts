/** A product under measurement: the hub, or another product that does the same work. */

/** Requests whose path and bodies contain `{number}`, the number of the record in eight digits. */
export type RequestPattern = {
  method: 'POST' | 'PATCH'
  path: string
  headers: Record<string, string>
  bodies: readonly string[]
}

/** The work of all products, as requests to a hub. */
export type PeerWork = {
  /** The bodies of pushes that create records. */
  creates: readonly string[]
  /** The bodies of pushes that change the same records. */
  updates: readonly string[]
}

export type RunningPeer = {
  /** With its version. */
  name: string
  port: number
  create: RequestPattern
  update: RequestPattern
  /** Stores all records of a platform that serves one document. @returns the seconds that it took. */
  pull: (platformPort: number) => Promise<number>
  /** The number of stored records. */
  countRecords: () => Promise<number>
  /** Processor time of the product and of its database server. */
  cpuSeconds: () => number
  /** The peak memory of all processes of the product in megabytes, without its database server. */
  peakMemory: () => number
  stop: () => Promise<void>
}

export const documentUrl = (port: number) =>
  `http://127.0.0.1:${port}/bench-1/api/hub/records/item-1`
