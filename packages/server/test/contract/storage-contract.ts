/** Everything that the port promises, as one suite: an engine's test file hands its engine over. */
import type { StorageEngine } from '../helpers/storage-engine.ts'
import { describeActivityFilters } from './activity-filters.contract.ts'
import { describeActivityStore } from './activity-store.contract.ts'
import { describeAlertStore } from './alert-store.contract.ts'
import { describeChanges } from './change-store.contract.ts'
import { describeCompleteness } from './completeness.contract.ts'
import { describeConnectionStore } from './connection-store.contract.ts'
import { describeDriftCounts } from './drift.contract.ts'
import { describeErasure } from './erasure-store.contract.ts'
import { describeGuessStore } from './guess-store.contract.ts'
import { describeHubKeys } from './hub-keys.contract.ts'
import { describeKeptAnswers } from './kept-answers.contract.ts'
import { describeManifestStore } from './manifest-store.contract.ts'
import { describeMissingReads } from './missing-reads.contract.ts'
import { describeMissingReviews } from './missing-reviews.contract.ts'
import { describeMissingRecords } from './missing-store.contract.ts'
import { describeModuleRegistration } from './module-registration.contract.ts'
import { describeModuleRemovals } from './module-removals.contract.ts'
import { describeOperatorStore } from './operator-store.contract.ts'
import { describeOperators } from './operators.contract.ts'
import { describePlatformPulls } from './platform-pulls.contract.ts'
import { describePlatformStore } from './platform-store.contract.ts'
import { describePullDispatcher } from './pull-dispatcher.contract.ts'
import { describePullEndings } from './pull-endings.contract.ts'
import { describePullFailures } from './pull-failures.contract.ts'
import { describePullStore } from './pull-store.contract.ts'
import { describePullTasks } from './pull-tasks.contract.ts'
import { describeElements } from './record-elements.contract.ts'
import { describeRecordSearch } from './record-search.contract.ts'
import { describeWriteBatches } from './record-store-batches.contract.ts'
import { describeCounters } from './record-store-counters.contract.ts'
import { describeWriteGates } from './record-store-gates.contract.ts'
import { describeHistory } from './record-store-history.contract.ts'
import { describeRecordLists } from './record-store-lists.contract.ts'
import { describeWritesAtOnce } from './record-store-load.contract.ts'
import { describeModel } from './record-store-model.contract.ts'
import { describePulledRecords } from './record-store-pulls.contract.ts'
import { describePushes } from './record-store-pushes.contract.ts'
import { describeExactText } from './record-store-text.contract.ts'
import { describeRejectedPushStore } from './rejected-push-store.contract.ts'
import { describeRemovals } from './removal-store.contract.ts'
import { describeReplays } from './replays.contract.ts'
import { describeRetentionStore } from './retention-store.contract.ts'
import { describeScheduleStore } from './schedule-store.contract.ts'
import { describeSearchIndex } from './search-index.contract.ts'
import { describeSecretStore } from './secret-store.contract.ts'
import { describeSnapshotStore } from './snapshot-store.contract.ts'
import { describeSqlViews } from './sql-views.contract.ts'
import { describeStatistics } from './statistics-store.contract.ts'
import { describeStorageItself } from './storage.contract.ts'
import { describeTombstones } from './tombstones.contract.ts'
import { describeViewStore } from './view-store.contract.ts'

export function describeStorage(engine: StorageEngine): void {
  describePushes(engine)
  describePulledRecords(engine)
  describeElements(engine)
  describeWriteGates(engine)
  describeWriteBatches(engine)
  describeWritesAtOnce(engine)
  describeExactText(engine)
  describeHistory(engine)
  describeCounters(engine)
  describeRecordLists(engine)
  describeRecordSearch(engine)
  describeSearchIndex(engine)
  describeSecretStore(engine)
  describeViewStore(engine)
  describeChanges(engine)
  describeModel(engine)
  describePlatformStore(engine)
  describeHubKeys(engine)
  describeConnectionStore(engine)
  describeManifestStore(engine)
  describeDriftCounts(engine)
  describeCompleteness(engine)
  describeModuleRegistration(engine)
  describePullStore(engine)
  describePullTasks(engine)
  describePlatformPulls(engine)
  describeKeptAnswers(engine)
  describePullEndings(engine)
  describePullFailures(engine)
  describeMissingRecords(engine)
  describeMissingReviews(engine)
  describeMissingReads(engine)
  describeErasure(engine)
  describeTombstones(engine)
  describeRemovals(engine)
  describeModuleRemovals(engine)
  describeActivityStore(engine)
  describeActivityFilters(engine)
  describeRejectedPushStore(engine)
  describeReplays(engine)
  describeRetentionStore(engine)
  describeAlertStore(engine)
  describeOperatorStore(engine)
  describeOperators(engine)
  describeGuessStore(engine)
  describeScheduleStore(engine)
  describeSnapshotStore(engine)
  describeSqlViews(engine)
  describeStatistics(engine)
  describePullDispatcher(engine)
  describeStorageItself(engine)
}
