import {
  isRecent,
  type Job,
  type JobFailure,
  type ReportJobFailure,
  toJobAlert,
} from '../../domain/alerts/alert.ts'
import { isStorageUnavailable, messageOf } from '../../errors.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/** A job that fails again with the same error is logged again after this time. */
const LOG_AGAIN_MS = 300_000

/**
 * Logs the errors of background jobs and raises an alert about them. While the storage is unavailable, every job fails: no
 * alert can be raised, and the readiness of the hub shows it.
 */
export function createJobMonitor(deps: Pick<FeatureDeps, 'alerts' | 'clock' | 'log'>): {
  report: ReportJobFailure
  failures: ReadonlyMap<Job, JobFailure>
} {
  const { alerts, clock, log } = deps
  const failures = new Map<Job, JobFailure>()
  const logged = new Map<Job, JobFailure>()

  async function raise(failure: JobFailure): Promise<void> {
    try {
      await alerts.applyAlertChanges({ raise: [toJobAlert(failure)], resolve: [], reword: [] })
    } catch (error) {
      log.error({ err: error, job: failure.job }, 'the alert about a background job was not raised')
    }
  }

  return {
    failures,
    report(job, error) {
      const reason = messageOf(error)
      const failure = { job, at: clock.now(), reason }
      const last = logged.get(job)
      const isLogged =
        last?.reason === reason && Math.abs(failure.at.getTime() - last.at.getTime()) < LOG_AGAIN_MS
      if (!isLogged) {
        log.error({ err: error, job }, 'a background job failed, and runs again')
        logged.set(job, failure)
      }
      if (isStorageUnavailable(error)) return
      const known = failures.get(job)
      failures.set(job, failure)
      // Later, the evaluation of the alerts keeps the alert open.
      if (!known || !isRecent(known.at, failure.at)) void raise(failure)
    },
  }
}
