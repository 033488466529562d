/** At each moment at which the hub says that a module is verified, its copy equals the source. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { CompletenessPage } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addPulledPlatform } from '../helpers/hub/pulled-hub.ts'
import { expectBody } from '../helpers/hub/response.ts'
import type { Responder } from '../helpers/platform/platform.ts'
import { createSeededRandom } from '../helpers/random/seed.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'

const EDITS = rounds(16, 10_000)
const MAX_EDITS_BETWEEN_PULLS = rounds(3, 40)
const MAX_RECORDS = 30

type Row = { value: number; updated_at: number }
type Copy = Record<string, unknown>

/** A table whose transactions take their time when they begin, as `CURRENT_TIMESTAMP` does, and may commit later. */
function createSource(random: () => number) {
  const rows = new Map<string, Row>()
  const open = new Map<string, Row>()
  /** Microseconds. Several edits may be in the same second. */
  let now = Date.parse('2026-03-10T08:00:00Z') * 1000
  let value = 0
  const nextRow = () => {
    now += 1 + Math.floor(random() * 60_000)
    value += 1
    return { value, updated_at: now }
  }
  const edits = [
    (reference: string) => rows.set(reference, nextRow()),
    (reference: string) => open.set(reference, nextRow()),
    (reference: string) => rows.delete(reference),
    () => {
      const [[reference, row] = []] = open
      if (reference === undefined || !row) return
      open.delete(reference)
      rows.set(reference, row)
    },
  ]
  return {
    edit() {
      const reference = `R-${Math.floor(random() * MAX_RECORDS)}`
      // An open transaction has locked its row.
      if (open.has(reference)) return
      edits[Math.floor(random() * edits.length)]?.(reference)
    },
    copy: (): Copy => Object.fromEntries([...rows].map(([name, row]) => [name, row.value])),
    /** `SELECT count(*), max(updated_at)`, with a time of whole seconds. */
    secondsTag() {
      const newest = Math.max(0, ...[...rows.values()].map((row) => row.updated_at))
      return `"${rows.size}-${Math.floor(newest / 1_000_000)}"`
    },
    /** The recipe of the guide: count, maximum, and the sum of a hash of reference and time. */
    sumTag() {
      let sum = 0
      for (const [reference, { updated_at }] of rows) sum += hash(`${reference} ${updated_at}`)
      return `"${rows.size}-${sum}"`
    },
  }
}

function hash(text: string): number {
  let value = 0
  for (const char of text) value = (Math.imul(value, 31) + (char.codePointAt(0) ?? 0)) >>> 0
  return value
}

describeHub(
  'verified copies',
  { env: { HUB_MISSING_GRACE_SECONDS: '0', HUB_MISSING_FUSE: '100' } },
  (hub) => {
    for (const recipe of ['secondsTag', 'sumTag'] as const) {
      test(`a verified copy equals the source, whatever the ETag hides (${recipe})`, async () => {
        await using kit = await addPulledPlatform(hub)
        const { platform_name } = kit.platform
        const random = createSeededRandom()
        const source = createSource(random)
        /** What the source contained when it was last read, and whether it responded with a body. */
        let served = { copy: source.copy(), hasBody: false }
        const respondAndEdit: Responder = (response, { headers }) => {
          const ETag = source[recipe]()
          const copy = source.copy()
          const hasBody = headers['if-none-match'] !== ETag
          served = { copy, hasBody }
          const records = Object.entries(copy).map(([reference_number, value]) => {
            return { reference_number, full_name: '', data: { value } }
          })
          const members = { success: true, platform_name, record_type: 'cases' }
          const body = JSON.stringify({ ...members, total: records.length, records })
          response.writeHead(hasBody ? 200 : 304, { 'Content-Type': 'application/json', ETag })
          response.end(hasBody ? body : undefined)
          if (random() < 0.3) source.edit()
        }
        kit.platform.setResponse('records/cases', respondAndEdit)
        const readCopy = async (): Promise<Copy> => {
          const stored = (await kit.records()).filter(({ missing_since }) => missing_since === null)
          return Object.fromEntries(
            stored.map(({ reference_number, data }) => [reference_number, data['value']]),
          )
        }
        let verified: string | null = null
        let verifications = 0
        let hidden = 0
        for (let edits = 0; edits < EDITS; ) {
          const count = Math.floor(random() * MAX_EDITS_BETWEEN_PULLS)
          for (let index = 0; index < count; index++) source.edit()
          edits += count + 1
          const isFull = random() < 0.2
          const task = await kit.pull(isFull ? { mode: 'full' } : undefined)
          assert.equal(task.state, 'succeeded')
          const url = `/api/v1/completeness?platform=${platform_name}`
          const { modules } = expectBody(await kit.hub.get(url), 200, CompletenessPage)
          const { complete_at, confirmed_at, incomplete_reasons } = only(modules)
          const isVerified: boolean = complete_at !== verified
          verified = complete_at
          assert.deepEqual([isVerified, incomplete_reasons], [served.hasBody, []])
          assert.equal(confirmed_at !== null, !served.hasBody)
          if (isFull) assert.ok(isVerified)
          if (isVerified) verifications += 1
          const stored = await readCopy()
          if (isVerified || recipe === 'sumTag') assert.deepEqual(stored, served.copy)
          else if (!isDeepStrictEqual(stored, served.copy)) hidden += 1
        }
        assert.ok(verifications > 0)
        if (isDeep && recipe === 'secondsTag') assert.ok(hidden > 0, 'the ETag hid changes')
      })
    }
  },
)
