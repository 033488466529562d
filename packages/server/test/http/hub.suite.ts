/** Everything that the hub promises over HTTP, as one suite: an engine's test file hands its engine over. */
import type { StorageEngine } from '../helpers/storage-engine.ts'
import { describeAccess } from './access.suite.ts'
import { describeAccounts } from './accounts.suite.ts'
import { describeActivity } from './activity.suite.ts'
import { describeAlertMails } from './alert-mails.suite.ts'
import { describeAlerts } from './alerts.suite.ts'
import { describeAnswerHeaders } from './answer-headers.suite.ts'
import { describeAudit } from './audit.suite.ts'
import { describeCallerLimits } from './caller-limits.suite.ts'
import { describeChangeFeed } from './changes.suite.ts'
import { describeConformance } from './conformance.suite.ts'
import { describeConnections } from './connections.suite.ts'
import { describeCsrf } from './csrf.suite.ts'
import { describeDashboard } from './dashboard.suite.ts'
import { describeDrift } from './drift.suite.ts'
import { describeEchoedKeys } from './echoed-keys.suite.ts'
import { describeErasure } from './erasure.suite.ts'
import { describeEvents } from './events.suite.ts'
import { describeExports } from './exports.suite.ts'
import { describeGuesses } from './guesses.suite.ts'
import { describeGuide } from './guide.suite.ts'
import { describePastRecords } from './history.suite.ts'
import { describeMissingRecords } from './missing.suite.ts'
import { describeMissingPages } from './missing-pages.suite.ts'
import { describeMissingReviews } from './missing-reviews.suite.ts'
import { describeApiDocument } from './openapi.suite.ts'
import { describeOperatorsOfHub } from './operators.suite.ts'
import { describePages } from './pages.suite.ts'
import { describePlatformStatus } from './platform-status.suite.ts'
import { describePlatforms } from './platforms.suite.ts'
import { describeProbe } from './probe.suite.ts'
import { describePullBodies } from './pull-bodies.suite.ts'
import { describePullConditions } from './pull-conditions.suite.ts'
import { describePullContent } from './pull-content.suite.ts'
import { describePullFaults } from './pull-faults.suite.ts'
import { describePullMisbehaviour } from './pull-misbehaviour.suite.ts'
import { describePullPace } from './pull-pace.suite.ts'
import { describePullPages } from './pull-pages.suite.ts'
import { describePullPoliteness } from './pull-politeness.suite.ts'
import { describePullRejections } from './pull-rejections.suite.ts'
import { describePullRetries } from './pull-retries.suite.ts'
import { describePullTroubles } from './pull-troubles.suite.ts'
import { describePulls } from './pulls.suite.ts'
import { describePullControl } from './pulls-control.suite.ts'
import { describeReceiverAnswers } from './receiver-answers.suite.ts'
import { describeReceiverContent } from './receiver-content.suite.ts'
import { describeReceiverLimits } from './receiver-limits.suite.ts'
import { describeReceiverMembers } from './receiver-members.suite.ts'
import { describeReceiverOrder } from './receiver-order.suite.ts'
import { describeReceiverRefusals } from './receiver-refusals.suite.ts'
import { describeRecordSearch } from './record-search.suite.ts'
import { describeRecords } from './records.suite.ts'
import { describeRecoveryCodes } from './recovery-codes.suite.ts'
import { describeRejectedPushes } from './rejected-pushes.suite.ts'
import { describeRemovals } from './removals.suite.ts'
import { describeReplaying } from './replays.suite.ts'
import { describeRetention } from './retention.suite.ts'
import { describeSchedule } from './schedule.suite.ts'
import { describeSearchEverywhere } from './search-everywhere.suite.ts'
import { describeRequiredSecondFactor } from './second-factor.suite.ts'
import { describeSessionEnds } from './session-ends.suite.ts'
import { describeSessions } from './sessions.suite.ts'
import { describeSingleSignOn } from './single-sign-on.suite.ts'
import { describeViewsOfHub } from './sql-views.suite.ts'
import { describeStatisticsOfHub } from './statistics.suite.ts'
import { describeStatusCodes } from './status-codes.suite.ts'

export function describeHub(engine: StorageEngine): void {
  describeReceiverAnswers(engine)
  describeReceiverRefusals(engine)
  describeReceiverMembers(engine)
  describeReceiverLimits(engine)
  describeReceiverContent(engine)
  describeReceiverOrder(engine)
  describeCallerLimits(engine)
  describeSessions(engine)
  describeRequiredSecondFactor(engine)
  describeSessionEnds(engine)
  describeGuesses(engine)
  describeAccess(engine)
  describeAudit(engine)
  describeCsrf(engine)
  describeStatusCodes(engine)
  describeOperatorsOfHub(engine)
  describeAccounts(engine)
  describeRecoveryCodes(engine)
  describeSingleSignOn(engine)
  describeProbe(engine)
  describePlatforms(engine)
  describePlatformStatus(engine)
  describeConnections(engine)
  describeConformance(engine)
  describePulls(engine)
  describePullControl(engine)
  describePullTroubles(engine)
  describeSchedule(engine)
  describePullContent(engine)
  describePullRejections(engine)
  describePullFaults(engine)
  describePullMisbehaviour(engine)
  describePullBodies(engine)
  describePullRetries(engine)
  describePullPace(engine)
  describePullPoliteness(engine)
  describePullPages(engine)
  describePullConditions(engine)
  describeMissingRecords(engine)
  describeMissingPages(engine)
  describeMissingReviews(engine)
  describeRecords(engine)
  describeActivity(engine)
  describeRejectedPushes(engine)
  describeReplaying(engine)
  describeDrift(engine)
  describeRecordSearch(engine)
  describeSearchEverywhere(engine)
  describeAlerts(engine)
  describeAlertMails(engine)
  describeRetention(engine)
  describePastRecords(engine)
  describeExports(engine)
  describeChangeFeed(engine)
  describeViewsOfHub(engine)
  describeEchoedKeys(engine)
  describeErasure(engine)
  describeRemovals(engine)
  describeDashboard(engine)
  describeEvents(engine)
  describeStatisticsOfHub(engine)
  describeAnswerHeaders(engine)
  describePages(engine)
  describeGuide(engine)
  describeApiDocument(engine)
}
