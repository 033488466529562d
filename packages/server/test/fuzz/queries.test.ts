/** Any query, path and cursor of every GET route: both engines respond alike, with a success or a clear error. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { pushHeaders } from '../helpers/hub/platform-requests.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { rounds } from '../helpers/time/tier.ts'
import { anyText } from './arbitraries.ts'
import { expectHandled, expectUnharmed, fuzz, sampleOf } from './checks.ts'
import { NUMBERS, STRINGS } from './corpus.ts'
import { type Operation, parameterValue, pathOf, readOperations, TIMES } from './routes.ts'
import { comparable, sendToBoth, shareTwoHubs, untilIndexed } from './two-hubs.ts'

/** Streams that do not end, and figures of the process. */
const EXCLUDED = new Set([
  '/dashboard/events',
  '/api/v1/alerts/events',
  '/metrics',
  '/readyz',
  '/healthz',
])
/** Routes whose responses differ between hubs: versions, times, figures of the database, random keys. */
const INDIVIDUAL =
  /about|requests|backups|conformance|webhook\/check|auth|session|tokens|guide|instructions|audit|activity|statistics|realtime|alerts|schedule|removals|export|erasure|drift|account|operators|invitations|records\?.*(changed_since|hub_(created|updated)_at)/

const KEYS = ['a', 'é', 'n', 'when', 'flag', 'constructor']
const FIELDS = [
  ...['a', 'é', 'constructor'].map((key) => ({ key, type: 'string' })),
  ...[
    { key: 'n', type: 'number' },
    { key: 'when', type: 'date' },
    { key: 'flag', type: 'boolean' },
  ],
].map((field) => ({ ...field, label: `Label ${field.key}`, required: false }))

describe('fuzzed queries', () => {
  const hubs = shareTwoHubs(
    {
      platform_name: 'fuzzed',
      modules: [simulatedModule('cases', { fields: FIELDS }), simulatedModule('people')],
    },
    { clock: new TestClock() },
  )
  let operations: Operation[] = []
  before(async () => {
    for (const { hub, registered } of hubs()) {
      for (const [index, text] of sampleOf(STRINGS, 60).entries()) {
        const number = NUMBERS[index % NUMBERS.length]
        const data = `{"a":${JSON.stringify(text)},"é":${number},"n":${number},"when":"${TIMES[index % TIMES.length]}","flag":${index % 3 === 0},"constructor":[${JSON.stringify(text)}]}`
        const names = JSON.stringify({
          module_name: 'm',
          record_type: index % 4 ? 'cases' : 'people',
          reference_number: `${index} ${text.slice(0, 50)}`.toWellFormed().replaceAll('\0', ''),
          full_name: text.toWellFormed().replaceAll('\0', ''),
        })
        const response = await hub.push(
          registered.hub_api_key,
          `${names.slice(0, -1)},"data":${data}}`,
        )
        assert.equal(response.status, 201, response.text)
      }
      for (const text of STRINGS.slice(0, rounds(5, 40))) {
        const response = await hub.send({
          method: 'POST',
          url: '/api/webhook/receive',
          headers: pushHeaders(registered.hub_api_key),
          body: JSON.stringify({ record_type: text, reference_number: text, data: text }),
        })
        assert.equal(response.status, 422, response.text)
      }
    }
    await untilIndexed(hubs().map(({ hub }) => hub))
    operations = (await readOperations(hubs()[0].hub)).filter(
      ({ method, path }) => method === 'GET' && !EXCLUDED.has(path),
    )
  })

  const get = async (url: string) => {
    const [response] = await sendToBoth(
      hubs(),
      ({ hub }) => ({
        url,
        headers: { authorization: hub.authorization('admin'), accept: 'application/json' },
      }),
      { compare: (one) => (INDIVIDUAL.test(url) ? String(one.status) : comparable(one)) },
    )
    expectHandled(response)
    return response
  }

  const column = fc.oneof(
    fc.constantFrom(
      ...KEYS.map((key) => `data.${key}`),
      ...KEYS,
      'hub_full_name',
      'hub_reference_number',
      'hub_created_at',
      'hub_missing_since',
    ),
    anyText,
  )
  const value = fc.oneof(
    anyText,
    fc.constantFrom(...NUMBERS),
    fc.constantFrom(...TIMES),
    fc.constantFrom('true', 'false'),
  )

  test('record lists with any filter, order and search', async () => {
    const filter = fc
      .tuple(
        column,
        fc.constantFrom(
          '',
          '[is]',
          '[contains]',
          '[starts]',
          '[empty]',
          '[before]',
          '[after]',
          '[x]',
        ),
        value,
      )
      .map(([key, check, text]): [string, string] => [`filter[${key}]${check}`, text])
    const other = fc.oneof(
      fc.tuple(
        fc.constant('q'),
        fc.oneof(
          value,
          fc.tuple(value, value).map((parts) => parts.join(' ')),
          value.map((text) => `"${text}"`),
        ),
      ),
      fc.tuple(
        fc.constant('sort'),
        fc.oneof(
          fc.tuple(fc.constantFrom('', '-'), column).map((parts) => parts.join('')),
          fc.constantFrom(
            'full_name',
            '-full_name',
            'reference_number',
            '-reference_number',
            'record_id',
            'created_at',
            '-updated_at',
          ),
        ),
      ),
      fc.tuple(
        fc.constantFrom('platform', 'record_type', 'reference_number'),
        fc.oneof(fc.constantFrom('fuzzed', 'cases', 'people'), value),
      ),
      fc.tuple(
        fc.constantFrom(
          'missing',
          'incomplete',
          'missing_review',
          'changed_since',
          'limit',
          'cursor',
          'x',
        ),
        value,
      ),
    )
    const query = fc.array(fc.oneof(filter, other), { minLength: 1, maxLength: 4 })
    const cases = fc.tuple(
      fc.constantFrom('records', 'records', 'records/export'),
      query,
      fc.constantFrom('csv', 'xlsx', 'ndjson', 'x'),
    )
    await fuzz(cases, {
      quick: 14,
      deep: 5000,
      check: async ([path, parameters, format]) => {
        const all: [string, string][] =
          path === 'records' ? parameters : [['format', format], ...parameters]
        await get(`/api/v1/${path}?${new URLSearchParams(all)}`)
      },
    })
    expectUnharmed(...hubs().map(({ hub }) => hub))
  })

  test('every page of a list in any order has each record once, in the same order on both engines', async () => {
    const sort = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(
          fc.constantFrom(...KEYS.map((key) => `data.${key}`)),
          fc.constantFrom('full_name', 'reference_number', 'record_id'),
        ),
      )
      .map((parts) => parts.join(''))
    await fuzz(fc.tuple(sort, fc.constantFrom(7, 50), fc.constantFrom('cases', 'people')), {
      quick: 2,
      deep: 60,
      async check([order, limit, record_type]) {
        const references: string[] = []
        for (const { hub } of hubs()) {
          const own: string[] = []
          let cursor: string | null = null
          do {
            const query: Record<string, string> = {
              sort: order,
              limit: String(limit),
              platform: 'fuzzed',
              record_type,
              ...(cursor === null ? {} : { cursor }),
            }
            const response = await hub.get(`/api/v1/records?${new URLSearchParams(query)}`)
            assert.equal(response.status, 200, response.text)
            const page: { records: { reference_number: string }[]; next_cursor: string | null } =
              JSON.parse(response.text)
            own.push(...page.records.map((record) => record.reference_number))
            cursor = page.next_cursor
          } while (cursor !== null)
          assert.equal(new Set(own).size, own.length)
          references.push(JSON.stringify(own))
        }
        assert.equal(references[1], references[0])
      },
    })
  })

  test('any path and parameters of every GET route', async () => {
    const ids = ['1', '2', 'cases', 'people', 'fuzzed']
    const cases = fc.constantFrom(...operations).chain((operation) => {
      const given = operation.query.map(({ name, schema }) =>
        fc.oneof(
          { weight: 2, arbitrary: fc.constant<[string, string][]>([]) },
          {
            weight: 2,
            arbitrary: parameterValue(schema, ownValues(name)).map((text): [string, string][] => [
              [name, text],
            ]),
          },
        ),
      )
      const extra = fc.oneof(
        { weight: 9, arbitrary: fc.constant<[string, string][]>([]) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(
              fc.oneof(
                fc.constantFrom('__proto__', 'constructor', 'limit', 'as_of', 'filter[a]'),
                anyText,
              ),
              value,
            )
            .map((pair): [string, string][] => [pair]),
        },
      )
      return fc.tuple(pathOf(operation.path, ids), fc.tuple(...given), extra)
    })
    await fuzz(cases, {
      quick: 14,
      deep: 5000,
      check: async ([path, given, extra]) => {
        const query = new URLSearchParams([...given.flat(), ...extra])
        await get(query.size > 0 ? `${path}?${query}` : path)
      },
    })
    expectUnharmed(...hubs().map(({ hub }) => hub))
  })

  test('any cursor of every list', async () => {
    const lists = operations.filter(
      ({ query, path }) => query.some(({ name }) => name === 'cursor') && !path.includes('{'),
    )
    const real: string[] = ['1']
    for (const { path } of lists) {
      for (const sort of path === '/api/v1/records'
        ? ['', '&sort=full_name', '&sort=-data.n', '&sort=data.a']
        : ['']) {
        const { text } = await hubs()[0].hub.get(`${path}?limit=1${sort}`)
        const { next_cursor } = Object(JSON.parse(text))
        if (typeof next_cursor === 'string') real.push(next_cursor)
      }
    }
    assert.ok(real.length > 5, 'The lists are too short for cursors')
    const genuine = fc.constantFrom(...real)
    const cursor = fc.oneof(
      genuine,
      fc.tuple(genuine, fc.nat({ max: 40 })).map(([text, length]) => text.slice(0, length)),
      fc
        .tuple(genuine, fc.nat({ max: 80 }), anyText)
        .map(([text, at, added]) => text.slice(0, at) + added + text.slice(at)),
      // The content of a cursor with another value.
      fc
        .tuple(
          genuine,
          fc.nat({ max: 5 }),
          fc.oneof(
            fc.constantFrom(...NUMBERS),
            value.map((text) => JSON.stringify(text)),
            fc.constantFrom('null', '[]', '{}'),
          ),
        )
        .map(([text, index, changed]) => {
          let position = -1
          const content = Buffer.from(text, 'base64url').toString()
          const edited = content.replaceAll(
            /"(?:[^"\\]|\\.)*"(?!:)|-?\d+|true|false|null/g,
            (one) => (++position === index ? changed : one),
          )
          return Buffer.from(edited).toString('base64url')
        }),
      fc.constantFrom(...NUMBERS),
      value,
      value.map((text) => Buffer.from(text).toString('base64url')),
      fc.constant('A'.repeat(10_000)),
    )
    const sort = fc.constantFrom(
      '',
      '',
      'full_name',
      '-data.n',
      'data.a',
      'created_at',
      '-updated_at',
    )
    await fuzz(fc.tuple(fc.constantFrom(...lists), cursor, sort, fc.constantFrom('', '1', '500')), {
      quick: 15,
      deep: 5000,
      check: async ([{ path }, text, order, limit]) => {
        const isSorted = order !== '' && path === '/api/v1/records'
        const query = new URLSearchParams({
          cursor: text,
          ...(isSorted ? { sort: order } : {}),
          ...(limit === '' ? {} : { limit }),
        })
        await get(`${path}?${query}`)
      },
    })
    expectUnharmed(...hubs().map(({ hub }) => hub))
  })
})

/** Values that occur in the hub, by the name of the parameter. */
function ownValues(name: string): readonly string[] {
  if (name === 'platform') return ['fuzzed']
  if (name === 'record_type') return ['cases', 'people']
  if (/since|until|_at$|as_of|^at$/.test(name)) return TIMES
  if (name === 'sort') return ['full_name', '-data.a', 'data.n']
  return name === 'cursor' ? NUMBERS : []
}
