/** Errors of background jobs. A job runs again after an error, so the alert is resolved when it has stopped failing. */
import type { FoundAlert, OpenAlert } from './alert.ts'

/** The background jobs of a process, as alerts and the log name them. */
export const JOBS = [
  'scheduled pulls',
  'scheduled backups',
  'alerts',
  'retention',
  'push errors',
  'request log',
  'search index',
  'deletions',
  'SQL views',
] as const
export type Job = (typeof JOBS)[number]

/** Reports an error of a job that runs in the background. */
export type ReportJobFailure = (job: Job, error: unknown) => void

/** The last failure of a job in this process. */
export type JobFailure = { job: Job; at: Date; reason: string }

/** A job without another failure for this time works again. */
const RECOVERED_AFTER_MS = 3_600_000

export function isRecent(at: Date, now: Date): boolean {
  return Math.abs(now.getTime() - at.getTime()) < RECOVERED_AFTER_MS
}

export function toJobAlert({ job, reason }: JobFailure): FoundAlert {
  const message = `The background job "${job}" failed: ${reason}`
  return { kind: 'job_failed', subject: job, platform: null, message }
}

/** Another process may have raised an open alert, so it stays open for as long as if this process had. */
export function findFailedJobs(
  failures: ReadonlyMap<Job, JobFailure>,
  now: Date,
  findOpen: (subject: string) => OpenAlert | undefined,
): FoundAlert[] {
  return JOBS.flatMap((job) => {
    const failure = failures.get(job)
    if (failure && isRecent(failure.at, now)) return [toJobAlert(failure)]
    const open = findOpen(job)
    return open && isRecent(new Date(open.raised_at), now) ? [open] : []
  })
}
