/** Platforms that echo keys: the hub does not store, log or return them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { addPulledPlatform, type PulledHub } from '../helpers/hub/pulled-hub.ts'
import { readTables } from '../helpers/hub/raw-requests.ts'
import { expectAbsent } from '../helpers/hub/response.ts'
import {
  manifestOf,
  type Responder,
  recordsResponse,
  respond,
} from '../helpers/platform/platform.ts'
import { rounds } from '../helpers/time/tier.ts'

const KEY = 'S3CR3T-k3y/of+the=platform-0123456789'
/** The beginning of the key in each encoding, which finds truncated copies too. */
const START = Buffer.from(KEY.slice(0, 12))
const KEY_STARTS = [START.toString(), START.toString('base64'), START.toString('hex')]

const BASE64 = Buffer.from(KEY).toString('base64')
const HEX = Buffer.from(KEY).toString('hex')
const filler = (length: number) => 'x'.repeat(length)

type Row = {
  name: string
  endpoint: 'ping' | 'manifest' | 'search' | 'records/cases'
  behaviour: (kit: PulledHub) => Responder
}

const row = (name: string, endpoint: Row['endpoint'], behaviour: Row['behaviour']): Row => ({
  ...{ name, endpoint, behaviour },
})

/** The quick tier has the first eight: each place where a text of a response is read, or quoted in an error. */
const ROWS: readonly Row[] = [
  row('the ping message', 'ping', ({ platform: { platform_name } }) =>
    respond.json({ success: true, message: `Hello ${KEY}`, platform_name }),
  ),
  row('every text of the manifest', 'manifest', ({ platform: { platform_name, modules } }) => {
    const manifest = manifestOf(platform_name, modules)
    const [module] = manifest.modules
    assert.ok(module)
    return respond.json({
      ...manifest,
      platform_title: `Title ${KEY}`,
      platform_description: `${BASE64} ${HEX}`,
      modules: [
        {
          ...module,
          module_name: `Module ${encodeURIComponent(KEY)}`,
          description: KEY,
          fields: [
            ...module.fields,
            { key: KEY, label: `Label ${KEY}`, type: KEY, required: false },
          ],
        },
      ],
    })
  }),
  row('the Content-Type, truncated', 'records/cases', (kit) =>
    respond.text(recordsOf(kit), `text/x; ${filler(170)}${KEY}`),
  ),
  row('a redirect target, truncated', 'records/cases', () =>
    respond.redirect(`https://elsewhere.example/${filler(150)}${KEY}`),
  ),
  row('the URL of the next page', 'records/cases', (kit) =>
    respond.text(recordsOf(kit), 'application/json', {
      Link: `<https://elsewhere.example/${KEY}/${HEX}>; rel="next"`,
    }),
  ),
  row('a failure message, truncated', 'records/cases', () =>
    respond.json({ success: false, message: `${filler(280)}${KEY}` }),
  ),
  row('the field names of a rejected record', 'records/cases', () =>
    respond.json({ records: [{ ...newRecord('R-9'), data: { [KEY]: 1, [BASE64]: 2 } }] }),
  ),
  row('search results', 'search', () =>
    respond.json({ records: [{ note: KEY, [BASE64]: HEX }], more: KEY }),
  ),
  row('the platform name', 'ping', () =>
    respond.json({ success: true, message: 'Hello', platform_name: KEY }),
  ),
  row('an unknown member', 'manifest', ({ platform: { platform_name, modules } }) =>
    respond.json({ ...manifestOf(platform_name, modules), requested_with: KEY }),
  ),
  row('the Content-Type', 'records/cases', (kit) =>
    respond.text(recordsOf(kit), `text/${Buffer.from(KEY).toString('base64url')}`),
  ),
  row('the ETag', 'records/cases', (kit) =>
    respond.text(recordsOf(kit), 'application/json', { ETag: `"${KEY}"` }),
  ),
  row('a different platform name, truncated', 'records/cases', () =>
    respond.json({ success: true, platform_name: `${filler(180)}${KEY}`, records: [] }),
  ),
  row('a different record_type, truncated', 'records/cases', () =>
    respond.json({ success: true, record_type: `${filler(180)}${BASE64}`, records: [] }),
  ),
  row('a rejected record', 'records/cases', () =>
    respond.json({ records: [{ reference_number: '', data: { [KEY]: [KEY, BASE64, HEX] } }] }),
  ),
  row('an invalid search response', 'search', () => respond.json({ note: BASE64 })),
]

describeHub('keys that platforms echo', (hub) => {
  for (const { name, endpoint, behaviour } of ROWS.slice(0, rounds(8, ROWS.length))) {
    test(`a key in ${endpoint} (${name}) is not stored, logged or returned`, async () => {
      await using kit = await startKit(hub)
      const { platform } = kit
      platform.setResponse(endpoint, behaviour(kit))
      const texts = [
        await callPlatformRoute(kit, '/test', 'POST', { check_everything: true }),
        await callPlatformRoute(kit, '/manifest/refresh'),
        await callPlatformRoute(kit, '/test', 'POST', { check_everything: true }),
        await send(kit, 'POST', '/api/v1/platforms/probe', {
          ...{ source_base_url: platform.source_base_url, source_api_key: KEY },
        }),
        await callPlatformRoute(kit, '/conformance'),
        JSON.stringify([await kit.pull(), await kit.pull()]),
        await send(kit, 'GET', '/api/v1/search?query=ann'),
      ]
      await expectNoKey(kit, [...texts, await callPlatformRoute(kit, '', 'GET')], [])
    })
  }

  const pushes: [string, Record<string, unknown>][] = [
    ['a value', { data: 7, note: { deep: [`with ${KEY}`, BASE64, HEX] } }],
    ['a member name', { data: 7, [KEY]: 1 }],
    ['the record_type', { record_type: KEY }],
    ['a field name', { data: { [KEY]: 1 } }],
  ]
  for (const [name, overrides] of pushes.slice(0, rounds(2, pushes.length))) {
    test(`a key in a rejected push (${name}) is not stored, logged or returned`, async () => {
      await using kit = await startKit(hub)
      const { hub_api_key } = kit.registered
      for (const key of [KEY, hub_api_key]) {
        const text = JSON.stringify({ ...newRecord('R-1'), ...overrides }).replaceAll(KEY, key)
        const response = await kit.hub.push(hub_api_key, JSON.parse(text))
        assert.equal(response.status, 422, response.text)
      }
      await expectNoKey(kit, [JSON.stringify(await kit.rejected())], [hub_api_key])
    })
  }
})

/** Adds a platform whose module rejects unknown fields, since that error quotes field names. */
async function startKit(hub: TestHub): Promise<PulledHub> {
  const kit = await addPulledPlatform(hub, { source_api_key: KEY })
  const path = `/api/v1/platforms/${kit.registered.id}/modules/cases`
  await send(kit, 'PATCH', path, { drift_policy: 'reject' })
  return kit
}

function recordsOf({ platform: { platform_name, modules } }: PulledHub): string {
  const [module] = modules
  assert.ok(module)
  return JSON.stringify(recordsResponse(platform_name, module))
}

function callPlatformRoute(
  kit: PulledHub,
  path: string,
  method: 'GET' | 'POST' = 'POST',
  body: object = {},
): Promise<string> {
  return send(kit, method, `/api/v1/platforms/${kit.registered.id}${path}`, body)
}

async function send(
  { hub }: PulledHub,
  method: 'GET' | 'POST' | 'PATCH',
  url: string,
  body: object = {},
): Promise<string> {
  return (await hub.callAs('admin', method, url, method === 'GET' ? undefined : body)).text
}

async function expectNoKey(kit: PulledHub, responses: string[], keys: string[]): Promise<void> {
  const { hub } = kit
  const tables = await readTables(hub.storage)
  const read = ['activity', 'platforms', 'rejected-pushes', 'alerts', 'audit']
  const lists = await Promise.all(read.map((path) => hub.get(`/api/v1/${path}`)))
  const stored = [...tables].map(([name, text]) => `${name}: ${text}`)
  expectAbsent(
    [...KEY_STARTS, ...keys],
    [...responses, ...stored, ...lists.map(({ text }) => text)],
  )
  expectAbsent([...KEY_STARTS, ...keys], [hub.log()])
}
