/** A call of each port method that uses the database, for tests of outages. */
import type { Storage } from '../../../src/storage/port/storage.ts'
import type { TestClock } from './engine.ts'
import {
  ANY_REJECTED,
  changeLog,
  listRecords,
  loggedRequest,
  newPlatform,
  pushWrite,
  recordQuery,
  type TestPlatform,
  testManifest,
  testModule,
  write,
} from './fixtures.ts'
import { listMissing, markMissing, missingReview } from './missing.ts'
import { LEASE, pullWrite, requestPull, type TestRead, taskResult } from './pulls.ts'
import { ALL_REJECTIONS } from './replays.ts'
import { setIndexedFields } from './search.ts'
import { runSql } from './sql.ts'

const NO_CHANGES = { raise: [], resolve: [], reword: [] }

const ALL_REQUESTS = {
  ...{ source: null, record_type: null, status: null, request_id: null, since: null, until: null },
  order: 'newest' as const,
  ...{ start: null, limit: 5 },
}

/** Makes names unique, also if several nodes call all methods on one database. */
let count = 0

const MARK = { key: 'a', until: null, by: 'ann' }

async function countValues({ records }: Storage): Promise<unknown> {
  const query = recordQuery()
  const scope = await records.readScope(query)
  return records.countValues({ ...query, columns: ['data.a'], scope })
}

export type Call = [name: string, call: () => Promise<unknown>]

/** A call of each method. Calls can be repeated. */
export function callsOfAllMethods(
  storage: Storage,
  { clock, school, read }: { clock: TestClock; school: TestPlatform; read: TestRead },
): Call[] {
  const { records, platforms, manifests, pulls, missing, activity, rejectedPushes } = storage
  const { digests } = storage
  const { operators, invitations, snapshot, erasure, removals } = storage
  const manifest = testManifest(testModule('students'))
  const { platform_id } = school
  const { pull_id } = read.read
  const { task_number } = read.task
  const any = { platform: null, record_type: null }
  const when = { at: clock.text, day: clock.day }
  const line = { level: 'info', kind: 'test.recorded', message: 'Recorded' } as const
  const audit = changeLog().audit
  const rejected = {
    platform_id,
    method: 'POST',
    code: 'invalid_record',
    message: 'No',
    errors: {},
    body: '{}',
    pull_id: null,
    request_id: null,
    record_type: null,
    position: null,
    activity: null,
  } as const
  const alert = { kind: 'disk_low', subject: 'disk', platform: null, message: 'Low' } as const
  const token = () => ({
    name: 'a token',
    role: 'viewer' as const,
    scope: null,
    token_hash: `hash ${count++}`,
    hint: 'rht_…1234',
    expires_at: null,
    operator_id: null,
    created_by_token_id: null,
    created_by: 'ann',
  })
  return [
    ['push', () => write({ storage, clock }, pushWrite(school, { data: `{"a":${count++}}` }))],
    [
      'pulled record',
      () => write({ storage, clock }, pullWrite(read, { reference: `p-${count++}` })),
    ],
    [
      'findUnchanged',
      () => records.findUnchanged(read.read, [{ reference_number: 'r-1', fingerprint: 'h' }]),
    ],
    ['listRecords', () => listRecords(storage)],
    ['listRecords of a module', () => listRecords(storage, { platform: 'school' })],
    ['listRecords of a search', () => listRecords(storage, { search: ['ann'] })],
    ['countRecords', () => records.countRecords(any)],
    ['countValues', () => countValues(storage)],
    [
      'findPaths',
      () => records.findPaths({ platform: 'school', record_type: 'students', scan_ms: 1000 }),
    ],
    ['indexTexts', () => storage.searchIndex.indexTexts(5)],
    ['indexFields', () => storage.searchIndex.indexFields(5)],
    ['rebuildTextIndex', () => storage.searchIndex.rebuildTextIndex()],
    ['readSearchIndex', () => storage.searchIndex.readSearchIndex()],
    ['listIndexedFields', () => storage.searchIndex.listIndexedFields(platform_id, 'students')],
    ['setIndexedFields', () => setIndexedFields(storage, school, [`f${count++}`])],
    ['saveRequests', () => storage.requests.saveRequests([loggedRequest(school)], 1e6)],
    ['scanRequests', () => storage.requests.scanRequests(ALL_REQUESTS)],
    ['countRequests', () => storage.requests.countRequests(ALL_REQUESTS)],
    ['readNewestPosition', () => storage.requests.readNewestPosition()],
    ['readRequest', () => storage.requests.readRequest(1)],
    ['listViews', () => storage.views.listViews('ann')],
    ['readView', () => storage.views.readView(1)],
    [
      'createView',
      () =>
        storage.views.createView(
          { name: `v${count++}`, query: '', shared: false, owner: 'ann' },
          audit,
        ),
    ],
    ['changeView', () => storage.views.changeView(1, { query: `q=${count++}` }, audit)],
    ['deleteView', () => storage.views.deleteView(-1, audit)],
    ['readRecord', () => records.readRecord(1)],
    [
      'listHistory',
      () => records.listHistory({ record_id: 1, limit: 5, maxBytes: 9, before: null }),
    ],
    [
      'listChanges',
      () =>
        storage.changes.listChanges({
          ...any,
          record_type: 'students',
          after: 0,
          limit: 5,
          maxBytes: 9,
        }),
    ],
    ['registerPlatform', () => platforms.registerPlatform(newPlatform(`p${count++}`), changeLog())],
    ['listPlatforms', () => platforms.listPlatforms()],
    ['listActive', () => platforms.listActive()],
    ['listModules', () => platforms.listModules({ platform: null, limit: 5, after: 0 })],
    ['listHealth', () => platforms.listHealth()],
    ['readPlatform', () => platforms.readPlatform(platform_id)],
    [
      'changePlatform',
      () =>
        platforms.changePlatform({
          platform_id,
          at: clock.text,
          source: {
            source_base_url: 'https://school.example',
            encrypted_source_key: 'an encrypted key',
            log: changeLog(),
          },
          modules: { record_types: ['students'], log: changeLog() },
          status: { status: 'active', log: changeLog() },
        }),
    ],
    [
      'renamePlatform',
      () =>
        platforms.renamePlatform(
          { platform_id, platform_name: 'school', at: clock.text },
          changeLog(),
        ),
    ],
    [
      'reserveManifestFetch',
      () => manifests.reserveManifestFetch(platform_id, { at: clock.text, notSince: clock.text }),
    ],
    [
      'saveManifest',
      () => manifests.saveManifest({ platform_id, manifest, at: clock.text }, () => changeLog()),
    ],
    ['readDrift', () => manifests.readDrift(platform_id)],
    ['listDrift', () => manifests.listDrift()],
    [
      'setDriftPolicy',
      () =>
        manifests.setDriftPolicy(
          { platform_id, record_type: 'students', drift_policy: 'accept', at: clock.text },
          changeLog(),
        ),
    ],
    [
      'listCompleteness',
      () => storage.completeness.listCompleteness({ platform: null, limit: 5, after: null }),
    ],
    ['findPlatformByKey', () => platforms.findPlatformByKey(school.key_hash, clock.text)],
    ['findFormerKey', () => platforms.findFormerKey(school.key_hash)],
    ['readHubKeys', () => storage.connections.readHubKeys(platform_id, clock.text)],
    ['readEncryptedHubKey', () => storage.connections.readEncryptedHubKey(platform_id)],
    [
      'rotateHubKey',
      () => {
        const hub_key = { key_hash: `h${count++}`, hint: 'rhk_…1', ciphertext: 'ciphertext' }
        const times = { old_expires_at: '2099-01-01T00:00:00.000Z', at: clock.text }
        return storage.connections.rotateHubKey({ platform_id, hub_key, ...times }, changeLog())
      },
    ],
    [
      'endOldHubKeys',
      () => storage.connections.endOldHubKeys({ platform_id, at: clock.text }, changeLog()),
    ],
    [
      'recordCertificate',
      () => {
        const certificate = { origin: 'https://school.example', expires_at: clock.text }
        return storage.connections.recordCertificate({ ...certificate, read_at: clock.text })
      },
    ],
    ['readSource', () => platforms.readSource(platform_id)],
    ['requestPull', () => requestPull(storage)],
    ['setNextMode', () => pulls.setNextMode(null, 'full')],
    [
      'acceptRejections',
      () =>
        storage.rejectedPushes.acceptRejections(
          { platform: 'school', cause: 'none', digest: null, by: 'ann' },
          () => changeLog(),
        ),
    ],
    ['startPull', () => pulls.startPull(pull_id, LEASE)],
    ['listSkipped', () => pulls.listSkipped(pull_id)],
    ['resumeSkipped', () => pulls.resumeSkipped(pull_id, platform_id)],
    ['renewLease', () => pulls.renewLease(pull_id, LEASE)],
    ['interruptAbandonedPulls', () => pulls.interruptAbandonedPulls()],
    ['listSettings', () => storage.settings.listSettings()],
    [
      'changeSettings',
      () => storage.settings.changeSettings({ a: `${count++}` }, 'ann', () => changeLog()),
    ],
    ['readPause', () => storage.schedule.readPause()],
    ['setPaused', () => storage.schedule.setPaused(true, 'ann', changeLog())],
    ['holdsLease', () => pulls.holdsLease(pull_id, LEASE.owner)],
    ['startTask', () => pulls.startTask(pull_id, task_number)],
    [
      'reportTask',
      () => pulls.reportTask(pull_id, task_number, { total: null, counts: taskResult().counts }),
    ],
    ['finishTask', () => pulls.finishTask(-1, task_number, taskResult(), null)],
    [
      'finishPull',
      () => pulls.finishPull(-1, { state: 'failed', unfinishedTasks: 'not_reached' }, line),
    ],
    ['readPull', () => pulls.readPull(pull_id)],
    ['listPulls', () => pulls.listPulls({ limit: 5, before: null })],
    ['listPlatformPulls', () => pulls.listPlatformPulls({ platform_id, limit: 5, before: null })],
    ['tallyTasks', () => pulls.tallyTasks(pull_id)],
    ['countPulledByMinute', () => pulls.countPulledByMinute('2000')],
    ['listTasks', () => pulls.listTasks({ pull_id, limit: 5, after: null })],
    ['countUnmarked', () => missing.countUnmarked(read.read)],
    ['wasRevertedSince', () => missing.wasRevertedSince('2000')],
    ['listMissing', () => listMissing(storage, read)],
    ['readSums', () => digests.readSums(read.read, 3)],
    ['readFinerSums', () => digests.readFinerSums(read.read, ['3f4'], 5)],
    ['listUnversioned', () => digests.listUnversioned(read.read, 3)],
    ['readTotals', () => digests.readTotals(read.read)],
    ['countAnonymised', () => digests.countAnonymised(read.read)],
    [
      'listBucketRecords',
      () => digests.listBucketRecords(read.read, { prefix: '3f4', after: null, limit: 5 }),
    ],
    ['listRemembered', () => digests.listRemembered(read.read)],
    ['remember', () => digests.remember(read.read, { save: [], delete: ['3f4'], epoch: 0 })],
    ['readDigest', () => digests.readDigest(read.read)],
    ['saveDigest', () => digests.saveDigest(read.read, { digest_ms: count++ })],
    ['listReviewed', () => missing.listReviewed(1)],
    ['findPresent', () => missing.findPresent(read.read, ['r-1'])],
    ['markMissing', () => markMissing(storage, read, ['r-none'])],
    ['readMissingState', () => missing.readMissingState(read.read)],
    ['listMarks', () => storage.inbox.listMarks()],
    ['saveMark', () => storage.inbox.saveMark({ ...MARK, occurrence: `${count++}` }, audit)],
    ['createReview', () => missing.createReview(missingReview(read), null, line)],
    ['updateReview', () => missing.updateReview(1, missingReview(read))],
    ['listReviews', () => missing.listReviews({ state: null, limit: 5, before: null })],
    ['readReview', () => missing.readReview(1)],
    [
      'decideReview',
      () =>
        missing.decideReview(
          { review_id: 1, state: 'approved', by: 'ann', at: clock.text },
          changeLog(),
        ),
    ],
    ['closeReview', () => missing.closeReview(-1, 'resolved', line)],
    ['saveCandidates', () => missing.saveCandidates(read.read, [count++])],
    [
      'removePlatform',
      () =>
        platforms.removePlatform(
          { platform_id: -1, platform_name: 'none', requested_by: 'ann', at: clock.text },
          changeLog(),
        ),
    ],
    ['previewPlatform', () => removals.previewPlatform(platform_id)],
    ['previewModule', () => removals.previewModule({ platform_id, record_type: 'students' })],
    [
      'removeModuleRecords',
      () =>
        removals.removeModuleRecords(
          { platform_id, record_type: 'ghosts', requested_by: 'ann' },
          changeLog(),
        ),
    ],
    ['runNextStep', () => removals.runNextStep()],
    ['listRemovals', () => removals.listRemovals({ limit: 5, before: null })],
    ['previewErasure', () => erasure.previewErasure(1)],
    [
      'eraseRecord',
      () => erasure.eraseRecord({ record_id: -1, mode: 'erase', actor: 'ann' }, changeLog()),
    ],
    ['listTombstones', () => erasure.listTombstones({ limit: 5, before: null })],
    ['readTombstone', () => erasure.readTombstone(-1)],
    ['deleteTombstone', () => erasure.deleteTombstone(-1, changeLog())],
    ['appendActivity', () => activity.appendActivity(line)],
    ['appendAudit', () => activity.appendAudit(audit)],
    [
      'listAudit',
      () =>
        activity.listAudit({
          ...{ actor: null, action: null, actions: null, target: null, from: null, until: null },
          ...{ limit: 5, before: null },
        }),
    ],
    ['countPushesByMinute', () => activity.countPushesByMinute({ since: clock.text })],
    [
      'listActivity',
      () => activity.listActivity({ platform: null, level: null, limit: 5, before: null }),
    ],
    [
      'saveRejectedPushes',
      () => rejectedPushes.saveRejectedPushes([rejected], { ...when, quotaBytes: 10_000 }),
    ],
    [
      'listRejectedPushes',
      () => rejectedPushes.listRejectedPushes({ ...ANY_REJECTED, limit: 5, before: null }),
    ],
    ['readRejectedPush', () => rejectedPushes.readRejectedPush(1)],
    ['listGroups', () => rejectedPushes.listGroups({ platform: null, limit: 5 })],
    ['readReplayable', () => rejectedPushes.readReplayable(1)],
    ['listReplayable', () => rejectedPushes.listReplayable(ALL_REJECTIONS)],
    [
      'dismissRejectedPushes',
      () =>
        rejectedPushes.dismissRejectedPushes(
          { ...ALL_REJECTIONS, id: -1, until: clock.text },
          clock.text,
          null,
        ),
    ],
    [
      'tryWrites',
      () => records.tryWrites({ ...when, maxRecordKeys: 1, writes: [pushWrite(school)] }),
    ],
    [
      'deleteOld',
      () => storage.retention.deleteOld('activity', { before: '2000', limit: 5, after: null }),
    ],
    ['trimActivity', () => storage.retention.trimActivity(1000, { limit: 5, after: null })],
    ['historyCompleteSince', () => storage.retention.historyCompleteSince()],
    ['listWatchedPlatforms', () => storage.alerts.listWatchedPlatforms()],
    ['readHours', () => storage.alerts.readHours('2026-03-10T08', '2026-03-10T09')],
    ['listOpenAlerts', () => storage.alerts.listOpenAlerts()],
    [
      'applyAlertChanges',
      () => storage.alerts.applyAlertChanges({ ...NO_CHANGES, raise: [alert] }),
    ],
    ['listAlerts', () => storage.alerts.listAlerts({ state: null, limit: 5, after: null })],
    ['readOpenAlerts', () => storage.alerts.readOpenAlerts(5)],
    ['acknowledgeAlert', () => storage.alerts.acknowledgeAlert(-1, 'ann', () => changeLog())],
    ['listUnmailed', () => storage.alerts.listUnmailed(5)],
    ['readLastAlertEventId', () => storage.alertEvents.readLastAlertEventId()],
    ['listAlertEvents', () => storage.alertEvents.listAlertEvents({ after: 0, limit: 5 })],
    ['readAlertFeed', () => storage.alertEvents.readAlertFeed(5)],
    ['hasOperators', () => operators.hasOperators()],
    [
      'createOperator',
      () =>
        operators.createOperator(
          { email: `${count++}@example.org`, name: 'Ann', role: 'viewer', password_hash: 'hash' },
          null,
        ),
    ],
    [
      'createFirstOperator',
      () =>
        operators.createFirstOperator({
          ...{ email: `${count++}@example.org`, name: 'Ann', role: 'admin', password_hash: 'hash' },
        }),
    ],
    ['acquire', () => storage.leases.acquire('a lease', 'owner', 30)],
    ['release', () => storage.leases.release('a lease', 'owner')],
    ['createToken', () => operators.createToken(token(), () => audit)],
    ['findToken', () => operators.findToken('no hash', clock.text)],
    ['listTokens', () => operators.listTokens(null)],
    ['revokeToken', () => operators.revokeToken(-1, null, () => audit)],
    ['revokeTokens', () => operators.revokeTokens('unknown', () => audit)],
    ['listOperators', () => operators.listOperators()],
    ['readOperator', () => operators.readOperator('unknown')],
    ['changeOperator', () => operators.changeOperator('unknown', { role: 'viewer' }, audit)],
    ['changeAccount', () => operators.changeAccount('unknown', { name: 'x' }, audit)],
    ['listAlertRecipients', () => operators.listAlertRecipients()],
    ['removeOperator', () => operators.removeOperator('unknown', audit)],
    ['setPassword', () => operators.setPassword('unknown', 'hash', audit)],
    ['removeSecondFactor', () => operators.removeSecondFactor('unknown', audit)],
    ['consumeCode', () => operators.consumeCode('unknown', 'hash')],
    ['markSessionStrong', () => operators.markSessionStrong('none')],
    ['touchSession', () => operators.touchSession('unknown', 'none', clock.text)],
    [
      'deleteEndedSessions',
      () => operators.deleteEndedSessions({ at: clock.text, seenBefore: clock.text }),
    ],
    ['listSessions', () => operators.listSessions('unknown')],
    ['endSession', () => operators.endSession('unknown', 'none', audit)],
    ['endSessions', () => operators.endSessions('unknown', null, audit)],
    ['countAttempt', () => storage.loginThrottle.countAttempt(['a'], clock.text, () => 0)],
    ['refundAttempt', () => storage.loginThrottle.refundAttempt({ reset: ['a'], refund: ['b'] })],
    [
      'createInvitation',
      () =>
        invitations.createInvitation(
          {
            email: `${count++}@example.org`,
            role: 'viewer',
            token_hash: `hash ${count++}`,
            invited_by: 'ann',
            operator_id: null,
            created_by_token_id: null,
            expires_at: clock.text,
          },
          audit,
        ),
    ],
    ['listInvitations', () => invitations.listInvitations()],
    ['findInvitation', () => invitations.findInvitation('no hash', clock.text)],
    ['findInvitationOf', () => invitations.findInvitationOf('unknown', clock.text)],
    ['acceptInvitation', () => invitations.acceptInvitation(-1, clock.text)],
    ['withdrawInvitation', () => invitations.withdrawInvitation(-1, () => audit)],
    ['recountRecords', () => storage.repairs.recountRecords(() => changeLog())],
    ['recountVersions', () => storage.repairs.recountVersions(() => changeLog())],
    ['recountRejectedBytes', () => storage.repairs.recountRejectedBytes(() => changeLog())],
    [
      'deleteLeases',
      () =>
        storage.repairs.deleteLeases({ before: '2000-01-01', after: '9999-01-01' }, () =>
          changeLog(),
        ),
    ],
    ['readEngine', () => storage.readEngine()],
    ['updatePlannerStatistics', () => storage.updatePlannerStatistics()],
    ['a query of Better Auth', () => runSql(storage, 'SELECT 1')],
    ['defineViews', () => Array.fromAsync(storage.sqlViews.defineViews(platform_id))],
    ['refreshViews', () => storage.sqlViews.refreshViews()],
    ['readVersion', () => snapshot.readVersion()],
    ['readFigures', () => storage.metricFigures.readFigures()],
    ['readSnapshot', () => snapshot.readSnapshot(clock.day)],
    ['checkWritable', () => storage.checkWritable()],
    // The last call, because it ends the pulls of the others.
    ['interruptPulls', () => pulls.interruptPulls()],
  ]
}
