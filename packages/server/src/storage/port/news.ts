/**
 * What the processes on one database tell each other in passing. It may be lost, so nothing may rest on it
 * but speed.
 */
export interface News {
  /** Tells every other process. Never fails: what cannot be told is lost. */
  announce(words: string): Promise<void>

  /** Calls `listener` with what another process has announced. */
  listen(listener: (words: string) => void): void
}
