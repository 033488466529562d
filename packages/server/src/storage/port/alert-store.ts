import type { Alert, AlertChange, AlertState, OpenAlerts } from '@recordhub/protocol'
import type { AlertChanges, OpenAlert, UnmailedAlerts } from '../../domain/alerts/alert.ts'
import type { ModuleFailure, WatchedPlatform } from '../../domain/alerts/alert-conditions.ts'
import type { HourCounts } from '../../domain/alerts/push-baseline.ts'
import type { ChangeLog } from './platform-store.ts'

export interface AlertStore {
  /** Returns every registered platform, the state of its pulls, and how its latest pushes fared. */
  listWatchedPlatforms(): Promise<WatchedPlatform[]>

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
   * resolved, and adds its event. Idempotent on all nodes together: at most one alert of a kind and subject is open, and
   * each is logged once.
   */
  applyAlertChanges(changes: AlertChanges): Promise<void>

  /**
   * Returns open alerts, then resolved alerts, each newest first, or only those in the given state. `after` is the last
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
   * Records that an operator has acknowledged an open alert, logs it, and adds its event. Changes and logs nothing if the alert is
   * acknowledged or resolved already.
   * @returns the alert; null if it does not exist.
   */
  acknowledgeAlert(
    alertId: number,
    by: string,
    logOf: (alert: Alert) => ChangeLog,
  ): Promise<Alert | null>

  /**
   * Returns alerts for which a mail is due, oldest first: at most `limit` open alerts, and at most `limit` resolved
   * alerts whose opening was mailed. Excludes the alert `mail_failing`.
   */
  listUnmailed(limit: number): Promise<UnmailedAlerts>

  /** Records that a mail about these alerts was sent. */
  recordMailed(mailed: UnmailedAlerts): Promise<void>
}

/** A change of an alert. `alert` is its current state, not that at the time of the change. */
export type StoredAlertEvent = {
  alert_event_id: number
  change: AlertChange
  /** RFC 3339 in UTC. */
  at: string
  alert: Alert
}

type AlertEventPage = { outcome: 'listed'; events: StoredAlertEvent[]; through: number }

/** `feed_id` is a UUID that never changes; `created_at` is when the feed was created, in RFC 3339. */
type AlertFeed = { feed_id: string; created_at: string; events: StoredAlertEvent[] }

/**
 * The events of alerts. Every event has a greater id than all events that were visible before it, also with several
 * processes on one database, so a reader that continues after the last id misses none. Events are deleted with their
 * alert.
 */
export interface AlertEventStore {
  /** Returns the last id allocated, 0 before the first event. Reads one row. */
  readLastAlertEventId(): Promise<number>

  /**
   * Returns the events with an id greater than `after`, oldest first. `through` is the id up to which the page is
   * complete: pass it as the next `after`. There may be more events exactly if the page has `limit` events.
   * @returns `beyond` if `after` was never allocated: the database may have been restored from a backup.
   */
  listAlertEvents(query: {
    after: number
    limit: number
  }): Promise<AlertEventPage | { outcome: 'beyond' }>

  /** Returns the identity of the feed and the latest events, newest first. */
  readAlertFeed(limit: number): Promise<AlertFeed>
}
