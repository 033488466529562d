/** Test data: pulls, pull tasks and a snapshot. */
import type { Pull, PullTask, Snapshot } from '@recordhub/protocol'

export const STARTED = '2026-11-21T07:30:00.000Z'

const COUNTS = {
  received: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  stale: 0,
  held: 0,
  rejected: 0,
  accepted: 0,
  missing: 0,
  not_listed: 0,
}

/** A running pull that has stored 1,204 of 3,000 records. */
export function testPull({
  progress = {},
  counts = {},
  ...over
}: Partial<Omit<Pull, 'progress' | 'counts'>> & {
  progress?: Partial<Pull['progress']>
  counts?: Partial<Pull['counts']>
} = {}): Pull {
  return {
    id: 7,
    trigger: 'operator',
    started_by: 'Ann Example',
    state: 'running',
    requested_at: STARTED,
    started_at: STARTED,
    finished_at: null,
    progress: {
      tasks_total: 5,
      tasks_done: 3,
      task_states: { succeeded: 2, failed: 1, running: 1, queued: 1 },
      records_total: 3000,
      records_received: 1204,
      records_expected: 3000,
      records_done: 1204,
      percent: 40,
      records_per_second: 100,
      seconds_left: 18,
      waiting: null,
      ...progress,
    },
    counts: { ...COUNTS, created: 1204, ...counts },
    begun: { rejected: false, not_listed: false },
    failure: null,
    ...over,
  }
}

/** A running module that has received no record. */
export function testTask(over: Partial<PullTask> = {}): PullTask {
  return {
    platform_name: 'school',
    platform_title: 'School',
    record_type: 'students',
    module_name: 'Students',
    state: 'running',
    total: null,
    expected: null,
    ...COUNTS,
    error: null,
    warnings: [],
    ...{ mode: null, full_because: null, digest: null },
    started_at: STARTED,
    finished_at: null,
    waiting_since: null,
    ...over,
  }
}

export const emptySnapshot: Snapshot = {
  success: true,
  generated_at: STARTED,
  polling_interval_seconds: 10,
  broadcasting: false,
  version: '1.0.0',
  stats: {
    platforms: 0,
    active_platforms: 0,
    modules: 0,
    records: 0,
    received_today: 0,
    created_today: 0,
    updated_today: 0,
    rejected_today: 0,
  },
  hours: [],
  platforms: [],
  recent_pulls: [],
  records: [],
  logs: [],
  inbox: { open: 0, is_complete: true, items: [] },
  alerts: { open: 0, latest: [] },
  latest_sync: null,
  pull: {
    running: false,
    pull: null,
    last: null,
    tasks: [],
    schedule_paused: false,
    next_run_at: null,
  },
}
