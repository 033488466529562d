/** The pauses between two runs of each background job, in milliseconds. Tests override them. */
export const INTERVALS = {
  alerts: 30_000,
  retention: 600_000,
  heartbeat: 15_000,
  pushErrors: 5000,
  /** The shortest time between two broadcasts to a page. */
  broadcast: 1000,
}

export type BackgroundIntervals = typeof INTERVALS
