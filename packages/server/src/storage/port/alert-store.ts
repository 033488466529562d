import type { Alert, AlertState, OpenAlerts } from '@recordhub/protocol'
import type { AlertChanges, OpenAlert, UnmailedAlerts } from '../../domain/alerts/alert.ts'
import type { ModuleFailure, PlatformHealth } from '../../domain/alerts/alert-conditions.ts'
import type { HourCounts } from '../../domain/alerts/push-baseline.ts'
import type { ChangeLog } from './platform-store.ts'

export interface AlertStore {
  /** Returns every registered platform and the state of its pulls. */
  listPlatformHealth(): Promise<PlatformHealth[]>

  /** Returns the registered modules whose last pull failed, of all platforms. */
  listFailingModules(): Promise<ModuleFailure[]>

  /**
   * Returns the accepted pushes and all rejections of each platform in each hour of a range, both ends included
   * (`2026-11-21T07`, UTC), in no particular order.
   */
  readHours(from: string, to: string): Promise<(HourCounts & { hour: string })[]>

  /** Returns every open alert. */
  listOpenAlerts(): Promise<OpenAlert[]>

  /**
   * Raises alerts, resolves alerts and updates their messages, in small transactions. Logs each alert that is raised or
   * resolved. Idempotent: on all nodes together, at most one alert of a kind and subject is open, and each is logged
   * once.
   */
  applyAlertChanges(changes: AlertChanges): Promise<void>

  /**
   * Returns open alerts, then resolved ones, each newest first. `state` selects only one of both. `after` is the last
   * alert of the previous page.
   */
  listAlerts(query: {
    state: AlertState | null
    limit: number
    after: { state: AlertState; id: number } | null
  }): Promise<Alert[]>

  /** Returns the number of open alerts, and the newest of them. The cost does not depend on resolved alerts. */
  readOpenAlerts(limit: number): Promise<OpenAlerts>

  /**
   * Saves who acknowledged an open alert, and logs it. Acknowledging an acknowledged or resolved alert changes nothing
   * and is not logged.
   * @returns the alert; null if it does not exist.
   */
  acknowledgeAlert(
    alertId: number,
    by: string,
    logOf: (alert: Alert) => ChangeLog,
  ): Promise<Alert | null>

  /**
   * Returns alerts for which a mail is due, oldest first, up to `limit` of each: open alerts, and resolved alerts of
   * which a mail was sent when they were open. Excludes the alert that mail cannot be sent.
   */
  listUnmailed(limit: number): Promise<UnmailedAlerts>

  /** Records that a mail about these alerts was sent. */
  recordMailed(mailed: UnmailedAlerts): Promise<void>
}
