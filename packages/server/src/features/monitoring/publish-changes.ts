import type { ChangeReason } from '@recordhub/protocol'
import type { Storage } from '../../storage/port/storage.ts'

type Work<Arguments extends unknown[], Result> = (...given: Arguments) => Promise<Result>

/** The same storage, which notes once it has stored what the dashboard shows. */
export function publishingChanges(storage: Storage, note: (reason: ChangeReason) => void): Storage {
  const noting =
    (reason: ChangeReason) =>
    <Arguments extends unknown[], Result>(work: Work<Arguments, Result>): Work<Arguments, Result> =>
    async (...given) => {
      const result = await work(...given)
      note(reason)
      return result
    }
  const asRecords = noting('records')
  const asPull = noting('pull')
  const asActivity = noting('activity')
  storage.platforms.onChange(() => note('platforms'))
  const { records, pulls, activity, rejectedPushes, schedule, alerts, erasure, removals } = storage
  const { missing, pushErrors } = storage
  return {
    ...storage,
    records: { ...records, applyWrites: asRecords(records.applyWrites) },
    erasure: { ...erasure, eraseRecord: asRecords(erasure.eraseRecord) },
    removals: { ...removals, removeModuleRecords: asRecords(removals.removeModuleRecords) },
    pulls: {
      ...pulls,
      requestPull: asPull(pulls.requestPull),
      startPull: asPull(pulls.startPull),
      startTask: asPull(pulls.startTask),
      reportTask: asPull(pulls.reportTask),
      finishTask: asPull(pulls.finishTask),
      finishPull: asPull(pulls.finishPull),
      interruptPulls: asPull(pulls.interruptPulls),
    },
    schedule: { ...schedule, setPaused: asPull(schedule.setPaused) },
    missing: { ...missing, decideReview: asActivity(missing.decideReview) },
    pushErrors: { ...pushErrors, addPushErrors: asActivity(pushErrors.addPushErrors) },
    activity: { ...activity, appendActivity: asActivity(activity.appendActivity) },
    alerts: {
      ...alerts,
      settleAlerts: asActivity(alerts.settleAlerts),
      acknowledgeAlert: asActivity(alerts.acknowledgeAlert),
    },
    rejectedPushes: {
      ...rejectedPushes,
      saveRejectedPushes: asActivity(rejectedPushes.saveRejectedPushes),
      dismissRejectedPushes: asActivity(rejectedPushes.dismissRejectedPushes),
    },
  }
}
