/** The activity log, the audit log, alerts, counters, and the jobs of the hub itself. */
import type { ActivityLevel, AlertChange, AlertKind } from '@recordhub/protocol'
import { id, integer, table, text } from './define-table.ts'

export const activityTables = {
  activity: table(
    {
      activity_id: id(),
      at: text(),
      level: text<ActivityLevel>(),
      kind: text(),
      platform_id: integer().nullable(),
      platform_name: text().nullable(),
      record_id: integer().nullable(),
      actor: text().nullable(),
      message: text(),
      details: text(),
    },
    {
      indexes: {
        // For the few warnings and errors. The other entries, one per push, are not in this index.
        activity_warnings: { on: 'level, activity_id', where: "level <> 'info'" },
      },
    },
  ),

  /** Each engine has a trigger that rejects updates. Only retention deletes entries. */
  audit: table(
    {
      audit_id: id(),
      at: text(),
      actor: text(),
      action: text(),
      target: text().nullable(),
      address: text().nullable(),
      details: text(),
    },
    {
      indexes: {
        audit_by_actor: { on: 'actor, audit_id' },
        audit_by_action: { on: 'action, audit_id' },
      },
    },
  ),

  alerts: table(
    {
      alert_id: id(),
      kind: text<AlertKind>(),
      subject: text(),
      platform_id: integer().nullable(),
      platform_name: text().nullable(),
      message: text(),
      raised_at: text(),
      resolved_at: text().nullable(),
      acknowledged_at: text().nullable(),
      acknowledged_by: text().nullable(),
      raise_mailed_at: text().nullable(),
      resolve_mailed_at: text().nullable(),
    },
    {
      indexes: {
        // The lock: an alert is raised once, however many nodes raise it.
        alerts_open: { unique: true, on: 'kind, subject', where: 'resolved_at IS NULL' },
        alerts_open_by_id: { on: 'alert_id', where: 'resolved_at IS NULL' },
        alerts_resolved: { on: 'resolved_at', where: 'resolved_at IS NOT NULL' },
        alerts_resolved_unmailed: {
          on: 'alert_id',
          where:
            'resolved_at IS NOT NULL AND raise_mailed_at IS NOT NULL AND resolve_mailed_at IS NULL',
        },
      },
    },
  ),

  /** Items of the inbox that operators put aside, also those whose fault is over. */
  inbox_marks: table(
    {
      key: text().primaryKey(),
      occurrence: text(),
      until: text().nullable(),
      by: text(),
      at: text(),
    },
    { indexes: { inbox_marks_by_time: { on: 'at' } } },
  ),

  /** At most three rows per alert, deleted with it. They are committed in the order of their ids. */
  alert_events: table(
    {
      alert_event_id: integer().primaryKey(),
      alert_id: integer().references('alerts.alert_id', 'cascade'),
      change: text<AlertChange>(),
      at: text(),
    },
    { indexes: { alert_events_of_alert: { on: 'alert_id' } } },
  ),

  /**
   * One row: the identity of the Atom feed, and the last id allocated for an event. A transaction that adds events updates
   * the row first, so that the next such transaction waits for its end.
   */
  alert_feed: table({
    feed_id: text().primaryKey(),
    created_at: text(),
    last_event_id: integer(),
  }),

  /** Updated in the transaction of the writes that it counts. One row per node, so that nodes do not wait for each other. */
  hourly_counters: table(
    {
      day: text(),
      hour: text(),
      platform_id: integer(),
      node: text(),
      received_post: integer(),
      received_patch: integer(),
      received_pull: integer(),
      created: integer(),
      updated: integer(),
      unchanged: integer(),
      stale: integer(),
      rejected: integer(),
    },
    {
      primaryKey: ['day', 'hour', 'platform_id', 'node'],
      indexes: { hourly_counters_of_platform: { on: 'platform_id' } },
    },
  ),

  /** Updated like `hourly_counters`. */
  module_counters: table(
    {
      platform_id: integer(),
      module_id: integer(),
      node: text(),
      records: integer(),
      /** Accepted pushes. */
      pushes: integer().default(0),
      /** How often anything but a push invalidated the cached response of the module. */
      invalidations: integer().default(0),
      /** The totals of `digest_sums`. */
      versions: integer().default(0),
      version_sum: integer().default(0),
    },
    { primaryKey: ['platform_id', 'module_id', 'node'] },
  ),

  /** From when on all rows of a noun are stored; no row if retention has deleted none. */
  retention: table({ noun: text(), complete_since: text() }, { primaryKey: ['noun'] }),

  /** Jobs that one process at a time runs. */
  leases: table({ name: text(), owner: text(), expires_at: text() }, { primaryKey: ['name'] }),
}
