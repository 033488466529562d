/** What the checks of `recordhub doctor` return. */

/** A repair of `--fix`. */
export type RepairName = 'counters' | 'leases' | 'pull' | 'search' | 'permissions'

export type Finding = {
  /** Only a `problem` makes the hub unhealthy. `info` needs no action. */
  severity: 'problem' | 'warning' | 'info'
  message: string
  /** What to do; null if nothing. */
  remedy: string | null
  /** The repair that resolves it; null if none does. */
  repair: RepairName | null
}

export function problem(
  message: string,
  remedy: string,
  repair: RepairName | null = null,
): Finding {
  return { severity: 'problem', message, remedy, repair }
}

export function warning(message: string, remedy: string): Finding {
  return { severity: 'warning', message, remedy, repair: null }
}

export function info(message: string): Finding {
  return { severity: 'info', message, remedy: null, repair: null }
}
