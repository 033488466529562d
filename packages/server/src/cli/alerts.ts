import { setTimeout } from 'node:timers/promises'
import type { Alert, AlertEvent } from '@recordhub/protocol'
import { readConfig } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import type { Config } from '../config/settings.ts'
import { HubError, messageOf } from '../errors.ts'
import { readAlertEvents } from '../features/monitoring/follow-alert-events.ts'
import { toSingleLine } from '../lib/text/code-points.ts'
import { formatInstants, formatTime } from '../lib/time/clock.ts'
import type { Arguments } from './arguments.ts'
import { type Storage, withStorage } from './open-storage.ts'
import { closedOutputSignal, stopSignal } from './program.ts'

const PAGE = 500
const WATCH_INTERVAL_MS = 2000
const MAX_LENGTH = 500
/** The exit codes. `FAILED` differs from `OPEN`, so that a script never takes an error for an alert. */
const NONE_OPEN = 0
const OPEN = 1
const FAILED = 2

type Print = (line: string) => void
type Output = { print: Print; printError: Print; isJson: boolean; intervalMs?: number }

/**
 * `recordhub alerts`: lists the open alerts, and with `--watch` prints their changes until SIGINT or SIGTERM. Reads the
 * database, so that it needs no token and also works while the hub is down.
 * @returns the exit code: 0 if no alert is open, 1 if alerts are, 2 if they could not be read.
 * @throws SettingError for an invalid setting.
 */
export async function printAlerts(
  { settings, switches }: Pick<Arguments, 'settings' | 'switches'>,
  print: Print,
  printError: Print,
): Promise<number> {
  const { config, unknown } = readConfig({ flags: settings, ...readEnvironment() })
  for (const name of unknown) printError(`${name} is not a setting of this version; see --help.`)
  const output = { print, printError, isJson: switches.has('json') }
  const signal = switches.has('watch')
    ? AbortSignal.any([stopSignal(), closedOutputSignal()])
    : null
  try {
    return await listAndWatch(config, output, signal)
  } catch (error) {
    printError(messageOf(error))
    return FAILED
  }
}

/**
 * Prints the open alerts, and their changes until the signal.
 * @param signal ends the watch; null to only list the alerts.
 * @returns the exit code.
 */
export function listAndWatch(
  config: Config,
  output: Output,
  signal: AbortSignal | null,
): Promise<number> {
  return withStorage(config, async (storage) => {
    // Read before the list, so that no change is missed. One in between appears in both.
    const after = await storage.alertEvents.readLastAlertEventId()
    const open = await listOpenAlerts(storage)
    printOpenAlerts(open, output)
    if (signal === null) return open.length > 0 ? OPEN : NONE_OPEN
    await watch(storage, after, output, signal)
    return (await storage.alerts.readOpenAlerts(0)).open > 0 ? OPEN : NONE_OPEN
  })
}

async function listOpenAlerts({ alerts }: Storage): Promise<Alert[]> {
  const open: Alert[] = []
  for (;;) {
    const last = open.at(-1)
    const after = last ? { state: 'open' as const, id: last.id } : null
    const page = await alerts.listAlerts({ state: 'open', limit: PAGE, after })
    open.push(...page)
    if (page.length < PAGE) return open
  }
}

async function watch(
  storage: Storage,
  after: number,
  { print, printError, isJson, intervalMs = WATCH_INTERVAL_MS }: Output,
  signal: AbortSignal,
): Promise<void> {
  let cursor = after
  let hasFailed = false
  // Not `sleep`, whose timer does not keep the process alive.
  const pause = () => setTimeout(intervalMs, true, { signal }).catch(() => false)
  while (await pause()) {
    try {
      let page: Awaited<ReturnType<typeof readAlertEvents>>
      do {
        page = await readAlertEvents(storage, cursor, PAGE)
        for (const event of page.events) print(isJson ? JSON.stringify(event) : formatEvent(event))
        cursor = page.through
      } while (page.has_more && !signal.aborted)
      hasFailed = false
    } catch (error) {
      if (!hasFailed) printError(`The alerts could not be read. Retrying: ${messageOf(error)}`)
      hasFailed = true
      // The database was restored from a backup.
      if (error instanceof HubError && error.code === 'cursor_beyond') cursor = 0
    }
  }
}

function printOpenAlerts(open: Alert[], { print, isJson }: Output): void {
  if (isJson) print(JSON.stringify({ alerts: open }))
  else if (open.length === 0) print('No open alerts')
  else for (const alert of open) print(formatOpenAlert(alert))
}

function formatOpenAlert(alert: Alert): string {
  const by = alert.acknowledged_by === null ? '' : ` (acknowledged by ${alert.acknowledged_by})`
  return `${formatTime(alert.raised_at)}  ${formatAlert(alert)}${by}`
}

function formatEvent({ at, change, alert }: AlertEvent): string {
  return `${formatTime(at)}  ${change}: ${formatAlert(alert)}`
}

function formatAlert({ kind, message }: Alert): string {
  return `${kind}: ${toSingleLine(formatInstants(message), MAX_LENGTH)}`
}
