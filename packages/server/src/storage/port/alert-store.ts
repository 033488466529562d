import type { Alert, AlertState, OpenAlerts } from '@recordhub/protocol'
import type { AlertChanges, OpenAlert, UnmailedAlerts } from '../../domain/alerts/alert.ts'
import type { ModuleFailure, PlatformHealth } from '../../domain/alerts/alert-conditions.ts'
import type { HourCounts } from '../../domain/alerts/push-baseline.ts'
import type { ChangeLog } from './platform-store.ts'

export interface AlertStore {
  /** Every registered platform and how its pulls go. */
  listPlatformHealth(): Promise<PlatformHealth[]>

  /** The registered modules of which the last pull that asked for them failed, on whatever platform. */
  listFailingModules(): Promise<ModuleFailure[]>

  /**
   * What came of each platform in each of the hours from one up to and with another (`2026-11-21T07`, UTC):
   * pushes that were accepted, and all that was refused. In no order.
   */
  readHours(from: string, to: string): Promise<(HourCounts & { hour: string })[]>

  /** Every open alert. */
  listOpenAlerts(): Promise<OpenAlert[]>

  /**
   * Raises, resolves and rewords alerts, in small transactions, with a line of activity for each that is
   * raised or over. Of one kind and subject at most one is open, over all nodes: one that is open already is not raised
   * again, one that is over not resolved again, and neither is told twice.
   */
  applyAlertChanges(changes: AlertChanges): Promise<void>

  /**
   * The open ones first, then the others, each newest first. `state` leaves only those of one kind.
   * `after` is the last one of the page before.
   */
  listAlerts(query: {
    state: AlertState | null
    limit: number
    after: { state: AlertState; id: number } | null
  }): Promise<Alert[]>

  /** How many alerts are open, and the newest of them. Costs no more with more that are over. */
  readOpenAlerts(limit: number): Promise<OpenAlerts>

  /**
   * Notes who looks at an open alert, with its lines. The first one stands; to do it again, or to an alert
   * that is over, is no change and is not logged.
   * @returns the alert as it is then; null where there is none.
   */
  acknowledgeAlert(
    alertId: number,
    by: string,
    logOf: (alert: Alert) => ChangeLog,
  ): Promise<Alert | null>

  /**
   * What nobody was told of by mail, the oldest first, up to `limit` of each: open alerts, and alerts that
   * are over of those that somebody was told of. What was over before its mail could go is not among
   * them, and neither is that mail cannot be sent.
   */
  listUnmailed(limit: number): Promise<UnmailedAlerts>

  /** Notes that a mail told of these. */
  recordMailed(mailed: UnmailedAlerts): Promise<void>
}
