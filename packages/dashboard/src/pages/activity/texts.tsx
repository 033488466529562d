import { Anchor } from '@mantine/core'
import type { PushErrorMatch, PushErrorReason } from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../texts.ts'

/** The texts of the Activity page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  alerts: 'Alerts',
  completeness: 'Completeness',
  openCount: (count: number) => `${count} open`,

  platformFailing: 'Platform failing',
  moduleFailing: 'Module failing',
  noAcceptedPushes: 'No accepted pushes',
  moreRejectedPushes: 'More rejected pushes than usual',
  morePushErrors: 'More push errors than usual',
  manyRecordsMissing: 'Many records missing',
  searchIndexBehind: 'Search index is behind',
  lowDiskSpace: 'Low disk space',
  standbyAsynchronous: 'A failover can lose pushes',
  storageNotSynced: 'A power failure can lose pushes',
  emailsCannotBeSent: 'E-mails cannot be sent',
  scheduledBackupFailed: 'Scheduled backup failed',
  backupsDoNotCount: 'Scheduled backups that do not count',
  backgroundJobFailed: 'Background job failed',
  open: 'Open',
  notReplayed: 'Not replayed',
  resolved: 'Resolved',
  resolvedAt: (time: ReactNode) => <>, resolved {time}</>,
  emailedAt: (time: ReactNode) => <>, e-mailed {time}</>,
  raisedAt: (time: ReactNode, resolved: ReactNode, emailed: ReactNode) => (
    <>
      Raised {time}
      {resolved}
      {emailed}
    </>
  ),
  acknowledgedBy: (iconCheck: ReactNode, operator: ReactNode, time: ReactNode) => (
    <>
      {iconCheck} Acknowledged by {operator}, {time}
    </>
  ),
  notAcknowledged: 'Not acknowledged. Requires the operator role.',
  alertState: 'Alert state',
  noAlerts: 'No alerts',
  noAlertsHint: (failingPlatforms: ReactNode) => (
    <>
      {failingPlatforms}The hub raises an alert when a platform fails or stops pushing, when more
      records are rejected than usual, when many records are missing, or when disk space is low. It
      resolves the alert when the cause has ended.
    </>
  ),
  alertEmailHint: 'Alerts are also sent by e-mail if a mail server is configured (HUB_SMTP_URL).',
  alertFeedHint: (
    <>
      Feed readers subscribe to the{' '}
      <Anchor inherit underline="always" href="/api/v1/alerts/feed">
        Atom feed
      </Anchor>{' '}
      with an API token for alerts as the password. Programs read /api/v1/alerts/events.
    </>
  ),
  sendTestEMail: 'Send test e-mail',

  completenessHint:
    'A module is complete if a pull received exactly the number of records that the platform reports, and none was rejected. “Unchanged since by ETag” is what the platform says; the hub reads each module regularly without its ETag.',
  noModulesRegisteredHint: 'Register a platform with its modules, then pull it.',

  notVerified: 'Not verified',
  notPulledYet: 'Not pulled yet',
  reasons: 'Reasons',
  lastVerified: 'Last verified',
  lastPull: 'Last pull',
  notVerifiedYet: 'Not verified yet',
  verifiedAt: (time: ReactNode) => <>Verified {time}</>,
  lastPullFailedWith: (error: string) => `The last pull failed: ${error}`,
  accept: 'Accept as exceptions',
  acceptTitle: 'Accept these records as exceptions?',
  acceptMessage:
    'They are known at the source and stay rejected, but pulls are green again, and the module is complete with accepted exceptions. The group opens again when a pull rejects more, fewer or other records for this reason.',
  acceptedBy: (name: ReactNode, time: ReactNode) => (
    <>
      Accepted as exceptions by {name}, {time}, until they change
    </>
  ),
  showGroup: 'Show the group',
  openAgain: 'Open again',
  newerPushes: (pushes: string) => `, and ${pushes}`,
  unchangedSince: (validator: string, time: ReactNode) => (
    <>
      , unchanged since by {validator} at {time}
    </>
  ),
  missingCount: (missing: string) => `${missing} missing`,
  filtersCount: (count: number) => `Filters (${count})`,

  rejectedRecord: 'Rejected record',

  noActivityYetHint: 'Activity appears here when a platform is registered, pushes or is pulled.',

  approved: 'Approved',
  dismissed: 'Dismissed',
  allReviews: 'All reviews',
  missingHint:
    'A platform that suddenly lists far fewer records may have deleted them, or may have a fault. The hub then waits for a review before it marks records as missing. No record is deleted in either case.',
  reviewState: 'Review state',
  noOpenReviews: 'No open reviews',
  noMatchingReviews: 'No matching reviews',
  noReviewsHint: 'A review is opened when many records of a module are missing from a full pull.',

  approvedAwaitingPull: 'Approved, awaiting the next full pull',
  markedAsMissing: 'Marked as missing',
  resolvedRecordsBack: 'Resolved: the records are back',
  replacedNewerReview: 'Replaced by a newer review',
  markAsMissingMessage: (count: string) =>
    `If the next full pull does not contain these ${count} either, they are marked as missing. They stay stored and searchable, and the mark is removed when they come back.`,
  markAsMissingDone: 'Approved. The next full pull marks the records as missing.',
  keepUnchangedTitle: 'Keep the records unchanged?',
  keepUnchangedMessage: (count: string) =>
    `These ${count} are not marked as missing. The hub opens no new review while the same records are missing.`,
  keepUnchangedDone: 'Dismissed. The records are unchanged.',
  ofMissing: (missing: string, records: string, percent: number) =>
    `${missing} of ${records} missing (${percent} %)`,
  moduleOf: (moduleName: string) => `${moduleName} of`,
  reviewedAtBy: (time: ReactNode, operator: ReactNode) => (
    <>
      , reviewed {time} by {operator}
    </>
  ),
  closedAt: (time: ReactNode) => <>, closed {time}</>,
  openedAt: (time: ReactNode, reviewed: ReactNode, closed: ReactNode) => (
    <>
      Opened {time}
      {reviewed}
      {closed}
    </>
  ),
  show: 'Show',
  keepUnchangedAction: 'Keep unchanged…',

  recordsReview: 'Records of this review',
  recordsNotStored: 'These records are no longer stored.',
  reference: 'Reference',
  sender: 'Sender',
  requests: 'Requests',
  lastInThisHour: 'Last in this hour',
  allOtherSenders: 'All other senders',
  unknownPlatform: 'Unknown platform',

  pushErrorsHint:
    'Pushes with an invalid API key or a body that is not JSON are counted by hour and sender. Their content is not stored. A platform is shown if it may have sent them.',
  noMatchingPushErrors: 'No matching push errors',
  noMatchingPushErrorsHint: 'Clear a filter to see all push errors.',
  noPushErrorsHint: 'Pushes with an invalid API key or malformed JSON are counted here.',

  bulkActionsRequireOperator: 'Replaying and dismissing require the operator role.',
  dismissAllMatchingTitle: 'Dismiss all matching?',
  dismissAllMatchingMessage: (pushes: string) =>
    `This deletes ${pushes} and the replayed ones with the same filter, including their bodies. They can no longer be replayed. Stored records are not changed.`,
  dismiss: 'Dismiss',
  dismissedCount: (pushes: string) => `${pushes} dismissed`,
  replayAllMatching: 'Replay all matching',
  dismissAllMatching: 'Dismiss all matching',
  noBulkReplayOfPull:
    'The rejected records of a single pull cannot be replayed together. Clear the filter by pull, and select a cause.',
  noBulkReplayOfRequest: 'Clear the filter by request ID, and select a cause.',
  nothingToReplayMatches: 'No open rejected pushes match.',

  groupedByCause: 'Grouped by cause',
  cause: 'Cause',
  rejections: 'Rejections',
  lastRejection: 'Last rejection',
  select: 'Select',
  selected: 'Selected',
  selectedAbove: 'Selected above',
  showOnlyThese: 'Show only these',

  fixAndReplay: 'Fix and replay',
  pretty: 'Pretty',
  raw: 'Raw',
  bodyView: 'Body view',
  copyBody: 'Copy body',

  dismissRejectedPushTitle: 'Dismiss this rejected push?',
  dismissRejectedPushMessage:
    'This deletes the body and the reason. It can no longer be replayed. Stored records are not changed.',
  rejectedPushDismissed: 'Rejected push dismissed',
  timesSince: (count: string, time: ReactNode) => (
    <>
      {count} times since {time}
    </>
  ),
  noResponseSent: 'None. The hub read this record in a pull.',
  status422: 'Status 422',
  code: 'Code',
  number: 'Number',
  requestId: 'Request ID',
  lastRequest: (requestId: string) => `Last request ${requestId}`,
  fromTheResponse: 'From the response',

  rejectedHint:
    'Rejected pushes and records are saved here with the reason. You can fix and replay them. A replay never overwrites newer data.',
  noMatchingRejectedPushes: 'No matching rejected pushes',
  noMatchingRejectedPushesHint: 'Clear a filter, or include replayed ones.',
  noOpenRejectedPushes: 'No open rejected pushes',
  noOpenRejectedPushesHint:
    'Rejected pushes and records appear here with the reason, so that you can fix and replay them.',

  source: 'Source',
  recordAndReason: 'Record and reason',
  count: 'Count',
  pulled: 'Pulled',

  testRunning: 'Running a test. Nothing is written.',
  testResults: 'Test results. Nothing has been written.',
  replayingOrderReceived: 'Replaying in the order received.',
  replayFinished: 'Replay finished.',
  replayStopped: 'Stopped. Pushes replayed so far stay replayed.',
  newRecords: 'new records',
  updatedRecords: 'updated records',
  progressReplay: 'Progress of the replay',
  doneOfTotal: (done: string, total: string) => `${done} of ${total}`,
  stop: 'Stop',
  nothingToReplay: 'Nothing to replay',
  replayCount: (accepted: string) => `Replay ${accepted}`,
  rejectedAgain: 'Rejected again',

  bodyToReplay: 'Body to replay',
  overwriteNewerValues: 'Overwrite newer values',
  overwriteNewerValuesHint:
    'The body is stored as if it was received now. The replaced values stay in the history of the record.',
  testItFirst: 'Test it first',
  discardChanges: 'Discard changes',
  replayHint:
    'A test writes nothing. A replay stores the record as if it had been accepted when it was received.',

  createdOutcome: 'Created a new record.',
  updatedOutcome: 'Updated the record.',
  unchangedOutcome: 'Changed nothing: the record already had these values.',
  staleOutcome: 'Changed nothing: a newer version is stored.',
  replayedAtBy: (time: ReactNode, operator: ReactNode, outcome: ReactNode) => (
    <>
      {time} by {operator}. {outcome}
    </>
  ),
  openRecord: (id: number) => `Open record ${id}`,
  wouldCreateNewRecord: 'Would create a new record',
  wouldUpdateRecord: 'Would update the record',
  wouldBeUnchanged: 'Would change nothing: the record already has these values',
  wouldBeStale: 'Would change nothing: a newer version is stored',
  wouldBeRejected: 'Would be rejected again',
}

export const PUSH_ERROR_REASONS: Readonly<Record<PushErrorReason, string>> = {
  key_missing: 'No API key',
  key_invalid: 'Invalid API key',
  invalid_json: 'Malformed JSON',
  unsupported_media_type: 'Content-Type is not JSON',
  body_too_large: 'Body too large',
}

/** How a platform was matched to a sender. */
export const PUSH_ERROR_MATCHES: Readonly<Record<PushErrorMatch, string>> = {
  key: 'Valid key',
  key_prefix: 'Same key prefix',
  address: 'Same address',
}
