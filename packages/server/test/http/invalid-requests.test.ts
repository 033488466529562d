/** Requests with invalid parameters or bodies are rejected, with the name of the parameter, and store nothing. */
import { before } from 'node:test'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL } from '../helpers/hub/hub.ts'
import { type Scenario, testScenarios } from '../helpers/hub/scenarios.ts'

const INVALID = { status: 400, code: 'invalid_request' } as const
const NOT_FOUND = { status: 404, code: 'not_found' } as const

/** Invalid queries of each list. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/records': [
    ...['limit=0', 'limit=501', 'limit=-1', 'limit=abc', 'limit=1.5', 'limit=1&limit=2'],
    ...['sort=nothing', 'sort=', 'sort=--record_id', 'sort=record_id,full_name', 'unknown=1'],
    ...['cursor=', 'cursor=abc', 'cursor=bnVsbA', 'q=a&q=b'],
  ],
  '/api/v1/records/facets': [
    ...['', 'facet=', 'facet=a&sort=nothing', 'facet=a&limit=5', 'facet=a&filter[a][like]=1'],
    `${'facet=a&'.repeat(3)}${Array.from({ length: 11 }, (_, n) => `facet=${n}`).join('&')}`,
  ],
  '/api/v1/records/export': [
    ...['', 'format=pdf', 'format=csv&format=json', 'format=csv&limit=5', 'format=csv&bom=yes'],
    ...['format=json&columns=a', 'format=xlsx&bom=true', 'format=ndjson&header=label'],
    ...['format=json&raw=true', 'format=csv&sort=nothing'],
    ...['format=csv&filter[a][like]=1', 'format=csv&nothing=1', 'format=csv&q=a&q=b'],
  ],
  '/api/v1/changes': ['since=x', 'since=-1', 'since=1.5', 'limit=0', 'limit=501', 'a=1'],
  '/api/v1/activity': [
    ...['level=loud', 'kind=Push', 'kind=push.', "kind=push'", 'record=0', 'record=x'],
    ...['since=yesterday', 'until=2026-02-30T00:00:00Z', `q=${'x'.repeat(201)}`, 'colour=red'],
    ...['cursor=x', 'limit=501'],
  ],
  '/api/v1/activity/export': ['format=xlsx', 'since=yesterday', 'limit=3'],
  '/api/v1/rejected-pushes': ['cursor=x', 'limit=0', 'unknown=1'],
  '/api/v1/statistics': ['hours=0', 'hours=100000', 'hours=x', 'days=1'],
  '/api/v1/audit': ['from=yesterday'],
  '/api/v1/audit/export': [
    ...['format=xlsx', 'from=yesterday', 'until=9999-12-31T23:59:59-12:00', 'limit=3'],
  ],
}

/** Invalid queries of the list of records, and the parameter that the error names. */
const NAMED: readonly (readonly [query: string, name: string])[] = [
  ['filter[status][like]=x', 'filter[status][like]'],
  ['filter[status][empty]=x', 'filter[status][empty]'],
  ['filter[hub_created_at][after]=yesterday', 'filter[hub_created_at][after]'],
  ['nothing=1', 'nothing'],
  ['__proto__=1', '__proto__'],
  ['changed_since=yesterday', 'changed_since'],
  ['incomplete=yes', 'incomplete'],
  [`q=${'x'.repeat(10_000)}`, 'q'],
  ['sort=data.', 'sort'],
]

const UNKNOWN_IDS = ['999999', '9007199254740991']
const INVALID_IDS = ['abc', '0', '-1', '1.5']
const ofRecord = (id: string) => [`/api/v1/records/${id}`, `/api/v1/records/${id}/history`]

const post = (url: string, body: object) => ({ method: 'POST', url, body }) as const
const invite = (body: object) => post('/api/v1/invitations', body)
const createToken = (body: object) => post('/api/v1/tokens', body)
const pull = (body: object, id = 1) => post(`/api/v1/platforms/${id}/pull`, body)
const indexFields = (body: object, module = '1/modules/cases') =>
  ({ method: 'PUT', url: `/api/v1/platforms/${module}/indexed-fields`, body }) as const

const LISTS: readonly Scenario[] = [
  ...Object.entries(QUERIES).flatMap(([url, queries]) =>
    queries.map((query) => ({
      name: get(url, query),
      request: { url: `${url}?${query}` },
      ...INVALID,
    })),
  ),
  ...NAMED.map(([query, name]) => ({
    name: `${get('/api/v1/records', query)}, named in the error,`,
    request: { url: `/api/v1/records?${query}` },
    ...INVALID,
    errors: [name],
  })),
  ...INVALID_IDS.flatMap(ofRecord).map((url) => ({ name: get(url), request: { url }, ...INVALID })),
  ...UNKNOWN_IDS.flatMap(ofRecord).map((url) => ({
    name: get(url),
    request: { url },
    ...NOT_FOUND,
  })),
]

const CHANGES: readonly Scenario[] = [
  {
    name: 'an invitation of a known operator',
    request: invite({ email: EMAIL, role: 'viewer' }),
    role: 'access',
    status: 422,
    code: 'invalid_operator',
  },
  {
    name: 'an invitation with an invalid e-mail address',
    request: invite({ email: 'bob', role: 'viewer' }),
    role: 'access',
    status: 422,
    code: 'invalid_operator',
  },
  {
    name: 'an invitation with an unknown role',
    request: invite({ email: 'a@b.org', role: 'god' }),
    ...INVALID,
  },
  {
    name: 'an invitation for 999 days',
    request: invite({ email: 'a@b.org', role: 'viewer', expires_in_days: 999 }),
    ...INVALID,
  },
  {
    name: 'a token without a name and a role',
    request: createToken({}),
    ...INVALID,
    errors: ['name', 'role'],
  },
  {
    name: 'a token with an empty name',
    request: createToken({ name: '', role: 'viewer' }),
    ...INVALID,
  },
  ...(
    [
      ['of two lines', 'a\nb'],
      ['with a control character', 'a\u0007b'],
      ['that changes the text direction', 'a\u202eb'],
      ['with an invisible character', 'a\u200bb'],
    ] as const
  ).map(([what, name]) => ({
    name: `a token with a name ${what}`,
    request: createToken({ name, role: 'viewer' }),
    role: 'access' as const,
    ...INVALID,
  })),
  {
    name: 'a token with an unknown role',
    request: createToken({ name: 'x', role: 'god' }),
    ...INVALID,
  },
  {
    name: 'a token that expires at once',
    request: createToken({ name: 'x', role: 'viewer', expires_in_days: 0 }),
    ...INVALID,
  },
  {
    name: 'a token of another operator',
    request: createToken({ name: 'x', role: 'viewer', operator_id: 'someone' }),
    ...INVALID,
  },
  {
    name: 'a pull of a module that is not registered',
    request: pull({ record_types: ['nonsense'] }),
    status: 422,
    code: 'module_not_registered',
  },
  { name: 'a pull of no modules', request: pull({ record_types: [] }), ...INVALID },
  {
    name: 'a pull with a module as a string',
    request: pull({ record_types: 'cases' }),
    ...INVALID,
  },
  { name: 'a pull with an unknown member', request: pull({ modules: ['cases'] }), ...INVALID },
  { name: 'a pull of an unknown platform', request: pull({}, 1001), ...NOT_FOUND },
  {
    name: 'a pull of a platform by a viewer',
    request: pull({}),
    role: 'viewer',
    status: 403,
    code: 'forbidden',
  },
  {
    name: 'a pull of a deactivated platform',
    request: pull({}, 2),
    status: 409,
    code: 'platform_inactive',
  },
  {
    name: 'an index of six fields',
    request: indexFields({ fields: ['a', 'b', 'c', 'd', 'e', 'f'] }),
    ...INVALID,
  },
  { name: 'an index of an empty key', request: indexFields({ fields: [''] }), ...INVALID },
  { name: 'an index of a key with U+0000', request: indexFields({ fields: ['a\0'] }), ...INVALID },
  { name: 'an index without a list of fields', request: indexFields({}), ...INVALID },
  {
    name: 'an index in an unknown module',
    request: indexFields({ fields: ['a'] }, '1/modules/nothing'),
    ...NOT_FOUND,
  },
  {
    name: 'an index in a module of an unknown platform',
    request: indexFields({ fields: ['a'] }, '999/modules/cases'),
    ...NOT_FOUND,
  },
  {
    name: 'an index by a viewer',
    request: indexFields({ fields: ['a'] }),
    role: 'viewer',
    status: 403,
    code: 'forbidden',
  },
]

/** The name of a scenario that reads a list. Long values are shortened. */
function get(url: string, query?: string): string {
  return `GET ${url}${query === undefined ? '' : `?${query.slice(0, 60)}`}`
}

describeHub('invalid requests', { withOperator: true }, (hub) => {
  before(async () => {
    // Registers the platforms with the ids 1 and 2.
    await hub.registerPushing()
    await hub.setStatus((await hub.registerPushing()).id, 'inactive')
  })
  testScenarios(hub, LISTS)
  testScenarios(hub, CHANGES)
})
