/** Everything that the hub promises over HTTP, as one suite: an engine's test file hands its engine over. */
import type { StorageEngine } from '../helpers/storage-engine.ts'
import { describeCsrf } from './csrf.suite.ts'
import { describeDashboard } from './dashboard.suite.ts'
import { describeMissingRecords } from './missing.suite.ts'
import { describeMissingReviews } from './missing-reviews.suite.ts'
import { describePages } from './pages.suite.ts'
import { describePlatformStatus } from './platform-status.suite.ts'
import { describePlatforms } from './platforms.suite.ts'
import { describeProbe } from './probe.suite.ts'
import { describePullBodies } from './pull-bodies.suite.ts'
import { describePullConditions } from './pull-conditions.suite.ts'
import { describePullContent } from './pull-content.suite.ts'
import { describePullFaults } from './pull-faults.suite.ts'
import { describePullPace } from './pull-pace.suite.ts'
import { describePullPages } from './pull-pages.suite.ts'
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
import { describeSchedule } from './schedule.suite.ts'
import { describeSessions } from './sessions.suite.ts'

export function describeHub(engine: StorageEngine): void {
  describeReceiverAnswers(engine)
  describeReceiverRefusals(engine)
  describeReceiverMembers(engine)
  describeReceiverLimits(engine)
  describeReceiverContent(engine)
  describeReceiverOrder(engine)
  describeSessions(engine)
  describeCsrf(engine)
  describeProbe(engine)
  describePlatforms(engine)
  describePlatformStatus(engine)
  describePulls(engine)
  describePullControl(engine)
  describePullTroubles(engine)
  describeSchedule(engine)
  describePullContent(engine)
  describePullFaults(engine)
  describePullBodies(engine)
  describePullRetries(engine)
  describePullPace(engine)
  describePullPages(engine)
  describePullConditions(engine)
  describeMissingRecords(engine)
  describeMissingReviews(engine)
  describeRecords(engine)
  describeRecordSearch(engine)
  describeDashboard(engine)
  describePages(engine)
}
