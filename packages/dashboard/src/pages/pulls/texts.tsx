import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../texts.ts'

/** The texts of the Pulls pages. */
export const TEXTS = {
  ...COMMON_TEXTS,

  cancelling: 'Cancelling…',
  markAsMissingMessage: (records: string, moduleName: string, platform: string) =>
    `If the next full pull does not contain these ${records} of ${moduleName} (${platform}) either, they are marked as missing. None is deleted, and the mark is removed when a record comes back.`,
  missingReviewTitle: (missing: string, records: string, moduleName: string) =>
    `${missing} of ${records} of ${moduleName} missing`,
  missingReviewHint: (platform: string) =>
    `${platform} did not list them. Review these records before they are marked missing. If the platform had a fault, keep them unchanged.`,
  viewRecordCount: (records: string) => `View ${records}`,

  pullAllExistingRecords: 'Pull All Existing Records',
  pullAlreadyRunning: (running: string, time: ReactNode) => (
    <>
      A pull is already running: started {running} at {time}.
    </>
  ),
  pullRunning: 'A pull is running.',
  schedulePaused: (link: ReactNode) => <>The schedule is paused. {link}</>,
  nextScheduledPullAt: (time: ReactNode) => <>Next scheduled pull: {time}</>,
  noSchedule: 'No schedule: pulls start only on request.',
  running: 'Running',
  queued: 'Queued',
  succeeded: 'Succeeded',
  timedOut: 'Timed out',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted',
  notReached: 'Not reached',
  skipped: 'Skipped',
  pullTitle: (id: string) => `Pull ${id}`,
  startedByAt: (pull: string, time: ReactNode) => (
    <>
      Started {pull}, {time}
    </>
  ),
  couldNotLoadPull: 'Could not load the pull',
  progress: 'Progress',
  moduleState: 'Module state',
  refreshesAutomatically: 'This page refreshes automatically.',

  progressOfPullUnknown: 'Progress of the pull, unknown',
  progressOfPull: 'Progress of the pull',

  couldNotLoadPulls: 'Could not load the pulls',
  noPullsYetHint:
    'After you have registered a platform, start a pull on the overview, or wait for the schedule.',
  noOlderPulls: 'No older pulls',
  noOlderPullsHint: 'Pulls are deleted after the retention period.',
  unchanged: 'Unchanged',
  pullsDescription: 'A pull reads the existing records of all active platforms, or of one',

  couldNotLoadRejected: 'Could not load the rejected records',
  rejectedRecords: 'Rejected records',
  allRejectedRecords: 'All rejected records',
  times: (count: string) => ` · ${count} times`,
  noReferenceNumber: 'No reference number',

  couldNotLoadSchedule: 'Could not load the schedule',
  scheduleOff: 'Off. Pulls start only on request.',
  schedulePausedBySince: (operator: ReactNode, time: ReactNode) => (
    <>
      Paused by {operator} since {time}. Pushes are still accepted.
    </>
  ),
  cronPattern: (pattern: string) => `Cron pattern ${pattern}`,
  nextScheduledPull: 'Next scheduled pull: ',

  noModules: 'No modules',
  modulesOfPull: 'Modules of the pull',
  firstModules: 'First modules',
  nextModules: 'Next modules',
  progressOf: (name: string) => `Progress of ${name}`,
}
