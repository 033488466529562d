/** A hub that has pulled the records of a platform with versions and digests, for tests of pulls by digest. */
import assert from 'node:assert/strict'
import {
  CompletenessPage,
  type MissingReview,
  MissingReviewPage,
  type ModuleCompleteness,
  type PullMode,
  type PullTask,
  type StoredRecord,
} from '@recordhub/protocol'
import { isFullReadDue } from '../../../src/domain/pull/unchanged.ts'
import type { RegisteredPlatform } from '../operator.ts'
import { type DigestSource, serveDigest } from '../platform/digest-platform.ts'
import { type SimulatedPlatform, simulatePlatform } from '../platform/platform.ts'
import { only } from '../storage/fixtures.ts'
import type { TestHub } from './hub.ts'
import { expectBody } from './response.ts'

const HOUR_MS = 3_600_000
/** More than the modules that one hub of these tests registers, and more time than passes in them. */
const [MODULES, HOURS] = [100, 72]

/**
 * Settings with a period of full reads in which none is due while a test advances its clock. Each module has its own moment
 * in the period, and its id depends on the order of the tests.
 */
export function withoutFullReads(clock: { now: () => Date }): Record<string, string> {
  const full_read_at = clock.now().toISOString()
  const now = new Date(clock.now().getTime() + HOURS * HOUR_MS)
  const isQuiet = (fullPullHours: number) =>
    Array.from({ length: MODULES }, (_, index) => ({ module_id: index + 1, full_read_at })).every(
      (module) => !isFullReadDue(module, { now, fullPullHours }),
    )
  for (let hours = 8760; hours > 4380; hours--) {
    if (isQuiet(hours)) return { HUB_MISSING_GRACE_SECONDS: '0', HUB_FULL_PULL_HOURS: `${hours}` }
  }
  throw new Error('Every period has a module whose full read is due')
}

export type DigestKit = {
  hub: TestHub
  platform: SimulatedPlatform
  registered: RegisteredPlatform
  source: DigestSource
  /** Runs a pull and returns its only task. */
  pull: (mode?: PullMode) => Promise<PullTask>
  records: () => Promise<StoredRecord[]>
  /** The references of the records that are not marked as missing, sorted. */
  present: () => Promise<string[]>
  completeness: () => Promise<ModuleCompleteness>
  reviews: () => Promise<MissingReview[]>
  /** Unregisters the module and registers it again. Its records stay. */
  registerAgain: () => Promise<void>
  [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Adds the platform to a hub without other active platforms, and pulls its records once. Disposing of it deactivates it.
 * @param duringFirstList runs while the hub waits for the first list, with the hub API key.
 */
export async function addDigestPlatform(
  hub: TestHub,
  count: number,
  duringFirstList?: (hubApiKey: string) => Promise<unknown>,
): Promise<DigestKit> {
  const platform = await simulatePlatform()
  const source = serveDigest(platform, count)
  const registered = await hub.register(platform)
  const { platform_name } = platform
  const records = () => hub.records(platform_name)
  const kit: DigestKit = {
    ...{ hub, platform, registered, source, records },
    async pull(mode = 'auto') {
      const { pull } = await hub.requestPull({ mode })
      return only((await hub.untilPullEnds(pull.id)).tasks)
    },
    async present() {
      const present = (await records()).filter((record) => record.missing_since === null)
      return present.map((record) => record.reference_number).sort()
    },
    async completeness() {
      const url = `/api/v1/completeness?platform=${platform_name}`
      return only(expectBody(await hub.get(url), 200, CompletenessPage).modules)
    },
    async reviews() {
      const response = await hub.get('/api/v1/missing-reviews')
      const { missing_reviews } = expectBody(response, 200, MissingReviewPage)
      return missing_reviews.filter((review) => review.platform_name === platform_name)
    },
    async registerAgain() {
      const url = `/api/v1/platforms/${registered.id}`
      for (const record_types of [[], ['cases']]) {
        assert.equal((await hub.callAs('operator', 'PATCH', url, { record_types })).status, 200)
      }
    },
    [Symbol.asyncDispose]: () => hub.retire(registered, platform),
  }
  if (duringFirstList) {
    source.behaviour = { beforeList: () => duringFirstList(registered.hub_api_key) }
  }
  const first = await kit.pull()
  source.behaviour = {}
  assert.deepEqual([first.error, first.mode, first.full_because], [null, 'full', 'first'])
  source.takeRequests()
  return kit
}
