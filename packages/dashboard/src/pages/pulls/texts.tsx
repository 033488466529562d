import type { ReactNode } from 'react'

/** The texts of the Pulls pages. */
export const TEXTS = {
  cancelling: 'Cancelling…',
  cancel: 'Cancel',
  cancelRequiresOperator: 'Requires the operator role',

  markAsMissingTitle: 'Mark the records as missing?',
  markAsMissingMessage: (records: string, moduleName: string, platform: string) =>
    `If the next full pull does not contain these ${records} of ${moduleName} (${platform}) either, they are marked as missing. None is deleted, and the mark is removed when a record comes back.`,
  markAsMissing: 'Mark as missing',
  missingReviewTitle: (missing: string, records: string, moduleName: string) =>
    `${missing} of ${records} of ${moduleName} missing`,
  missingReviewHint: (platform: string) =>
    `${platform} did not list them. Review these records before they are marked missing. If the platform had a fault, keep them unchanged.`,
  viewRecords: (records: string) => `View ${records}`,
  markAsMissingAction: 'Mark as missing…',
  keepUnchanged: 'Keep unchanged',
  requiresOperatorRole: 'Requires the operator role.',

  pullAllExistingRecords: 'Pull all existing records',
  pullAlreadyRunning: (running: string, time: ReactNode) => (
    <>
      A pull is already running: started {running} at {time}.
    </>
  ),
  pullRunning: 'A pull is running.',
  resume: 'Resume',
  schedulePaused: (link: ReactNode) => <>The schedule is paused. {link}</>,
  nextScheduledPullAt: (time: ReactNode) => <>Next scheduled pull: {time}</>,
  noSchedule: 'No schedule: pulls start only on request.',

  allModules: 'All modules',
  running: 'Running',
  queued: 'Queued',
  succeeded: 'Succeeded',
  failed: 'Failed',
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
  modules: 'Modules',
  moduleState: 'Module state',
  refreshesAutomatically: 'This page refreshes automatically.',

  progressOfPullUnknown: 'Progress of the pull, unknown',
  progressOfPull: 'Progress of the pull',

  couldNotLoadPulls: 'Could not load the pulls',
  noPullsYet: 'No pulls yet',
  goToOverview: 'Go to overview',
  noPullsYetHint:
    'After you have registered a platform, start a pull on the overview, or wait for the schedule.',
  noOlderPulls: 'No older pulls',
  noOlderPullsHint: 'Pulls are deleted after the retention period.',
  received: 'Received',
  new: 'New',
  updated: 'Updated',
  unchanged: 'Unchanged',
  rejected: 'Rejected',
  pull: 'Pull',
  state: 'State',
  started: 'Started',
  duration: 'Duration',

  pulls: 'Pulls',
  pullsDescription: 'A pull reads the existing records of all active platforms, or of one',

  couldNotLoadRejected: 'Could not load the rejected records',
  rejectedRecords: 'Rejected records',
  allRejectedRecords: 'All rejected records',
  times: (count: string) => ` · ${count} times`,
  noReferenceNumber: 'No reference number',

  couldNotLoadSchedule: 'Could not load the schedule',
  schedule: 'Schedule',
  scheduleOff: 'Off. Pulls start only on request.',
  schedulePausedBySince: (operator: ReactNode, time: ReactNode) => (
    <>
      Paused by {operator} since {time}. Pushes are still accepted.
    </>
  ),
  cronPattern: (pattern: string) => `Cron pattern ${pattern}`,
  nextScheduledPull: 'Next scheduled pull: ',
  pause: 'Pause',

  noModules: 'No modules',
  modulesOfPull: 'Modules of the pull',
  firstModules: 'First modules',
  nextModules: 'Next modules',
  progressOf: (name: string) => `Progress of ${name}`,
}
