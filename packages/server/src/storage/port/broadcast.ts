import type { ChangeReason } from '@recordhub/protocol'

/** Events about changes, within this process and between the processes on one database. */
export interface Broadcast {
  /** Calls the listener after each commit of this process that has changed data which the dashboard shows. */
  onCommit(listener: (reason: ChangeReason) => void): void

  /** Sends a message to every other process. Messages may be lost; this never fails. */
  publish(message: string): Promise<void>

  /** Calls the listener with each message that another process has published. */
  subscribe(listener: (message: string) => void): void
}
