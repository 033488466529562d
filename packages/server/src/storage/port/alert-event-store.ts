import type { Alert, AlertChange } from '@recordhub/protocol'

/** A change of an alert. `alert` is its current state, not that at the time of the change. */
export type StoredAlertEvent = {
  alert_event_id: number
  change: AlertChange
  /** RFC 3339 in UTC. */
  at: string
  alert: Alert
}

export type AlertEventPage = { outcome: 'listed'; events: StoredAlertEvent[]; through: number }

/** `feed_id` is a UUID that never changes; `created_at` is when the feed was created, in RFC 3339. */
export type AlertFeed = { feed_id: string; created_at: string; events: StoredAlertEvent[] }

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
