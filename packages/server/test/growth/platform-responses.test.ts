/** What a platform sends: no response costs more than in proportion to its size. */
import { after, before, describe, test } from 'node:test'
import { type PulledHub, startPulledHub } from '../helpers/hub/pulled-hub.ts'
import { respond } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { TEXTS, VALUES } from './families.ts'
import { expectLinear } from './growth.ts'

const HEADER_SIZE = 2 ** 13
const BODY_SIZE = rounds(2 ** 15, 2 ** 17)

/** Those that are parsed, and in the deep tier also those that are only stored or compared. */
const HEADERS = [
  ...['content-type', 'link', 'retry-after'],
  ...(isDeep ? ['content-encoding', 'date', 'etag', 'last-modified', 'location'] : []),
]

describe('the cost of a response of a platform', () => {
  let kit: PulledHub
  before(async () => {
    kit = await startPulledHub(sqliteEngine)
  })
  after(() => kit[Symbol.asyncDispose]())

  const RECORDS = '{"success":true,"record_type":"cases","records":[]}'

  test('grows with the length of a pulled element and of the members around it', (t) => {
    const pullBody = (body: string) => {
      kit.platform.setResponse('records/cases', (response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(body)
      })
      return kit.pull()
    }
    const record = (member: string, value: string) => {
      const members = { reference_number: '"R-1"', full_name: '"A"', data: '{}', [member]: value }
      const texts = Object.entries(members).map(([name, text]) => `"${name}":${text}`)
      return `{"success":true,"records":[{${texts.join()}}]}`
    }
    return expectLinear(
      t,
      [
        { name: 'an element', use: (text: string) => pullBody(`{"records":[${text}]}`) },
        { name: 'the envelope', use: (text: string) => pullBody(`{"a":${text},"records":[]}`) },
        {
          name: 'the end of the envelope',
          use: (text: string) => pullBody(`{"records":[],"total":${text}}`),
        },
        { name: 'the response', use: pullBody },
        { name: 'a value', use: (text: string) => pullBody(record('data', `{"a":${text}}`)) },
        ...['reference_number', 'full_name', 'data'].map((name) => ({
          name: `the member ${name}`,
          use: (text: string) => pullBody(record(name, text)),
        })),
      ]
        .filter(isSampled)
        .map((one) => ({ ...one, size: BODY_SIZE })),
      VALUES,
    )
  })

  test('grows with the length of a header', (t) =>
    expectLinear(
      t,
      HEADERS.map((name) => ({
        name: `the header ${name} of a pulled page`,
        size: HEADER_SIZE,
        use: (text: string) => {
          const status = name === 'location' ? 302 : name === 'retry-after' ? 429 : 200
          kit.platform.setResponse('records/cases', (response) => {
            response
              .writeHead(status, { 'content-type': 'application/json', [name]: toHeader(text) })
              .end(RECORDS)
          })
          return kit.pull()
        },
      })),
      TEXTS,
    ))

  test('grows with the length of a manifest and of a search response', (t) =>
    expectLinear(
      t,
      [
        ...MANIFESTS.map(([name, manifest]) => ({
          name,
          use: (text: string) => {
            kit.platform.setResponse('manifest', respond.text(manifest(text), 'application/json'))
            return kit.hub.callAs('operator', 'POST', '/api/v1/platforms/probe', {
              source_base_url: kit.platform.source_base_url,
              source_api_key: kit.platform.source_api_key,
            })
          },
        })),
        ...['', '{"records":', '{"records":[{"full_name":'].map((head) => ({
          name: `a search response ${head}…`,
          use: (text: string) => {
            const tail = head.endsWith(':') ? (head.includes('[') ? '}]}' : '}') : ''
            kit.platform.setResponse(
              'search',
              respond.text(`${head}${text}${tail}`, 'application/json'),
            )
            return kit.hub.get('/api/v1/search?query=abc')
          },
        })),
      ]
        .filter(isSampled)
        .map((one) => ({ ...one, size: BODY_SIZE })),
      VALUES,
    ))
})

const MANIFESTS: readonly [string, (text: string) => string][] = [
  ['a manifest', (text) => text],
  [
    'the title of a manifest',
    (text) => `{"success":true,"platform_name":"a","platform_title":${text},"modules":[]}`,
  ],
  ['the modules of a manifest', (text) => `{"success":true,"platform_name":"a","modules":${text}}`],
  [
    'a field of a manifest',
    (text) =>
      `{"success":true,"platform_name":"a","modules":[{"module_name":"M","record_type":"cases","fields":[{"key":${text},"label":${text},"type":"string"}]}]}`,
  ],
]

function toHeader(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
}

/** The quick tier tries every sixth interface: a pull takes longer than a request. */
function isSampled(_: unknown, index: number): boolean {
  return index % rounds(16, 1) === 0
}
