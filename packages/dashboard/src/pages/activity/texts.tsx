import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../texts.ts'

/** The texts of the Activity page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  alerts: 'Alerts',

  open: 'Open',
  notReplayed: 'Not replayed',

  accept: 'Accept as exceptions',
  acceptedBy: (name: ReactNode, time: ReactNode) => (
    <>
      Accepted as exceptions by {name}, {time}, until they change
    </>
  ),

  logEntry: 'Log entry',
  logEntryNotFound: 'Log entry not found',
  logEntryNotFoundHint:
    'Log entries are deleted after the retention period, which is shown in the settings.',
  level: 'Level',
  kind: 'Kind',
  actor: 'Actor',
  copyAsJson: 'Copy as JSON',
  rejectedRecord: 'Rejected record',
  rejectedPushesPlatform: 'Rejected pushes of this platform',
  allEntriesRecord: 'All entries of this record',
  similarEntries: 'Similar entries',

  following: 'New entries appear at the top.',
  pausedWhileYouRead: 'Paused while you read.',
  viewingOlderEntries: 'You are viewing older entries. New entries appear on the first page.',
  notFollowing: 'New entries do not appear automatically.',
  follow: 'Follow',
  pausedWithNewerEntries: 'Paused while you read. There are newer entries.',
  showNewest: 'Show newest',

  info: 'Info',
  text: 'Text',
  searchTheLog: 'Search the log',
  from: 'From',
  to: 'To',
  replays: 'Replays',
  dismissedRejectedPushes: 'Dismissed rejected pushes',
  pulledModules: 'Pulled modules',
  erasedRecords: 'Erased records',
  deletedTombstones: 'Deleted tombstones',
  manifests: 'Manifests',

  searchStopped:
    'The search stopped after two seconds. “Next” continues it. A filter by platform, level or time makes it faster.',
  noMatchingLogEntries: 'No matching log entries',
  noMatchingLogEntriesHint: 'Clear a filter, or choose another time.',
  noActivityYetHint: 'Activity appears here when a platform is registered, pushes or is pulled.',

  event: 'Event',
  dismissed: 'Dismissed',

  recordsReview: 'Records of this review',

  dismiss: 'Dismiss',

  groupedByCause: 'Grouped by cause',
  cause: 'Cause',
  selected: 'Selected',
  showOnlyThese: 'Show only these',
}
