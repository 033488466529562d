import assert from 'node:assert/strict'
import { parseRecordQuery } from '../../../src/domain/record/record-query.ts'
import { parseSearch } from '../../../src/domain/search/search-text.ts'
import { searchRecords } from '../../../src/features/records/search-records.ts'
import type { RecordQuery } from '../../../src/storage/port/record-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { fc } from '../../helpers/random/fast-check.ts'
import { test } from '../../helpers/storage/engines.ts'
import { listPage, listRecords, pushWrite, recordQuery } from '../../helpers/storage/fixtures.ts'
import { listMissing } from '../../helpers/storage/missing.ts'
import { expectedList, listInPages } from '../../helpers/storage/search.ts'
import { rounds } from '../../helpers/time/tier.ts'

const findReferences = async (storage: Storage, query: string) =>
  (await listRecords(storage, toQuery(query))).map((row) => row.reference_number)

test('every filter and sort order matches the model, for any page size and direction', async (kit) => {
  const { storage, clock } = kit
  const school = await kit.register({ modules: ['students', 'staff'] })
  const clinic = await kit.register({ name: 'clinic', modules: ['staff'] })
  const fields = '[{"key":"m","type":"decimal"},{"key":"d","type":"date"}]'
  const kinds = new Map([
    ['data.m', 'number'],
    ['data.d', 'date'],
    ...NESTED.map((path) => [`data.${path}`, 'by_value'] as const),
  ] as const)
  await kit.runSql(`UPDATE modules SET fields = '${fields}'`)
  await kit.setIndexedFields(school, ['n', 't', 'm', 'd', 'o.m'])
  for (let batch = 0; batch < 6; batch++) {
    clock.advance(3600)
    const pushes = [school, school, clinic].flatMap((platform, index) =>
      sample(batch * 10 + index, 12).map((record) =>
        pushWrite(platform, { ...record, record_type: index === 0 ? 'students' : 'staff' }),
      ),
    )
    await kit.write(...pushes)
  }
  const read = await school.startRead()
  const missing = (await listMissing(storage, read)).slice(0, 5)
  await kit.markMissing(
    read,
    missing.map((one) => one.reference_number),
  )
  await kit.finishPull(read.read.pull_id)
  await kit.indexAll(7)
  const all = await kit.records()
  assert.ok(all.length > 60)
  await fc.assert(
    fc.asyncProperty(anyQuery, fc.integer({ min: 5, max: 30 }), async (text, limit) => {
      const query = toQuery(text)
      const expected = expectedList(all, query, kinds).map((row) => row.record_id)
      for (const backwards of [false, true]) {
        const rows = await listInPages(storage, query, limit, backwards)
        assert.deepEqual(
          rows.map((row) => row.record_id),
          expected,
          text,
        )
      }
      const whole = await listPage(storage, query)
      assert.deepEqual([whole.estimated_total, whole.is_estimate], [expected.length, false])
    }),
    // Some records have no value in these columns.
    {
      numRuns: rounds(4, 200),
      examples: [
        ['&sort=data.n', 7],
        ['&sort=-data.u', 7],
        ['&sort=data.o.m&platform=school&record_type=students&filter[o.m][in]=12', 7],
        ['&sort=data.l[].m&filter[l[].r][ne]=open', 7],
      ],
    },
  )
})

test('pages list every record once and in order while other records are written concurrently', async (kit) => {
  const { storage } = kit
  const school = await kit.register({ modules: ['students', 'staff'] })
  const identities = Array.from({ length: 40 }, (_, n) => ({
    reference: `r-${String((n * 7) % 40).padStart(2, '0')}`,
    record_type: n % 3 === 0 ? 'staff' : 'students',
  }))
  const pushes = identities.map((identity, n) =>
    pushWrite(school, {
      ...identity,
      full_name: `Ann ${n % 5}`,
      data: `{"k":${n % 4 === 0 ? null : n % 4},"x":0}`,
    }),
  )
  await kit.write(...pushes)
  await kit.setIndexedFields(school, ['k'])
  await kit.indexAll()
  let step = 0
  const writeBetweenPages = async () => {
    step += 1
    const identity = identities[step % identities.length]
    const data = `{"x":${step},"k":9}`
    const patch = pushWrite(school, { ...identity, source: 'PATCH', data: `{"x":${step}}` })
    // A record is added only sometimes, so that a reader with small pages reaches the end.
    const isNew = step % 8 === 0
    const reference = `new-${step}`
    const added = pushWrite(school, { reference, full_name: `Ann ${step % 7}`, data })
    await kit.write(patch, ...(isNew ? [added] : []))
    await storage.searchIndex.indexFields(step % 5)
    await storage.searchIndex.indexTexts(step % 5)
  }
  await fc.assert(
    fc.asyncProperty(stableQuery, fc.integer({ min: 2, max: 15 }), async (text, limit) => {
      const query = toQuery(text)
      const before = (await kit.records(query)).map((row) => row.record_id)
      for (const backwards of [false, true]) {
        const concurrent = { ...query, between: writeBetweenPages }
        const rows = await listInPages(storage, concurrent, limit, backwards)
        const listed = rows.map((row) => row.record_id)
        assert.equal(new Set(listed).size, listed.length, 'a record is on two pages')
        const known = new Set(before)
        const existing = listed.filter((id) => known.has(id))
        assert.deepEqual(existing, before, `${text}, ${limit} per page`)
      }
    }),
    { numRuns: rounds(2, 40) },
  )
})

test('a record is found by its current content once it is indexed', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  await school.post({ full_name: 'Ann Müller', data: '{"city":"Lyon"}' })
  assert.equal((await storage.searchIndex.readSearchIndex()).lag, 1)
  assert.equal(await kit.indexAll(), 1)
  assert.deepEqual(await storage.searchIndex.readSearchIndex(), {
    lag: 0,
    behind_since: null,
  })
  assert.deepEqual(await findReferences(storage, 'q=lyon muller'), ['r-1'])
  await school.post({ full_name: 'Bea Noir', data: '{"city":"Nice"}' })
  assert.deepEqual(await findReferences(storage, 'q=lyon'), [], 'not found by its previous content')
  await kit.indexAll()
  assert.deepEqual(await findReferences(storage, 'q=nice noir'), ['r-1'])
  assert.deepEqual(await findReferences(storage, 'q=lyon'), [])
  assert.equal(await kit.indexAll(), 0)
})

test('unusual scripts and special characters are found, and injections have no effect', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const names = [
    '王小明',
    'Li Wei',
    'مُحَمَّد علي',
    '😀 😃 smile',
    'Zoe\u0301 O\'Hara "Q"',
    '100% a_b\\c *',
    'x\ufffdy',
    'NEAR(a b) OR AND',
    `${'long '.repeat(3000)}end`,
    'Wałęsa O’Connor co\u00adop محـمد',
    "D'Arcy Jean-Luc Walesa 👨‍👩‍👧 می‌خواهم",
  ]
  const pushes = names.map((full_name, n) =>
    pushWrite(school, { reference: `r-${n}`, full_name, data: '{"a":"\\u0000\\ud83d"}' }),
  )
  await kit.write(...pushes)
  await kit.indexAll()
  for (const [query, expected] of [
    ['王小明', ['r-0']],
    ['王', ['r-0']],
    ['小明', ['r-0']],
    ['小明 王小明', ['r-0']],
    ['明小', []],
    ['Li', ['r-1']],
    ['we', ['r-1']],
    ['محمد', ['r-2', 'r-9']],
    ['عل', ['r-2']],
    ['😀', ['r-3']],
    ['😀 smile', ['r-3']],
    ['zoe', ['r-4']],
    ['o\'hara "q"', ['r-4']],
    ['100%', ['r-5']],
    ['a_b', ['r-5']],
    ['a%b', []],
    ['b\\c', ['r-5']],
    ['*', ['r-5']],
    ['x\ud800y', ['r-6']],
    ['"near(a b) or"', ['r-7']],
    ['"long long end"', ['r-8']],
    ['x\u0000y', []],
    ["'; DROP TABLE records; --", []],
    ['r-3 r-4', []],
    ['walesa', ['r-9', 'r-10']],
    ['Wałęsa', ['r-9', 'r-10']],
    ["o'connor coop", ['r-9']],
    ['co-op', []],
    ['d’arcy jean‑luc', ['r-10']],
    ['👨‍👩‍👧', ['r-10']],
    ['می‌خواهم', ['r-10']],
  ] as const) {
    const params = new URLSearchParams({ q: query })
    assert.deepEqual(await findReferences(storage, `${params}&sort=record_id`), expected, query)
  }
})

test('words of values are found from their beginning, and parts of names and references anywhere', async (kit) => {
  const school = await kit.register()
  const data = `{"mail":"ann@example.org","price":12.50,"tags":["Blue door",{"x":"東京都庁"}],
          "url":"https://example.org/Path_to?q=1","long":"${'w'.repeat(300)}"}`
  await kit.write(
    pushWrite(school, { reference: 'INV-2026/0071', full_name: 'Grünewald', data }),
    pushWrite(school, { reference: 'r-2', full_name: 'Other', data: '{"price":12.51}' }),
  )
  await kit.indexAll()
  for (const [query, isFound] of [
    ['gru', true],
    ['newal', true],
    ['2026/00', true],
    ['071', true],
    ['"blue do"', true],
    ['lue', false],
    ['12.50', true],
    ['12.5', true],
    ['ann@example.org', true],
    ['nn@example.org', false],
    ['path_to', true],
    ['東京都', true],
    ['京都庁', true],
    ['東都庁', false],
    ['w'.repeat(100), true],
    ['inv 2026 blue', true],
    ['inv 2026 green', false],
    ['... newal', false],
  ] as const) {
    const rows = await kit.records({ search: parseSearch(query) })
    const found = rows.map((row) => row.reference_number).includes('INV-2026/0071')
    assert.equal(found, isFound, query)
  }
})

test('a search of the maximum length finds a record, whatever its number of terms', async (kit) => {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789')
  const pairs = letters.flatMap((first) => letters.slice(0, 3).map((next) => first + next))
  const words = letters.map((letter) => letter.repeat(3))
  const full_name = [...letters, ...pairs, ...words].join(' ')
  await kit.write(pushWrite(await kit.register(), { full_name }))
  await kit.indexAll()
  for (const search of [letters, pairs, words, [words.join(' ')]]) {
    assert.equal((await kit.records({ search })).length, 1, search.join(' '))
  }
})

test('a search finds a word of every record, and a rare word beside it', async (kit) => {
  const school = await kit.register()
  const pushes = Array.from({ length: 600 }, (_, n) =>
    pushWrite(school, {
      reference: `r-${n}`,
      data: `{"a":"frequent","b":"${n === 7 ? 'rare' : 'other'}"}`,
    }),
  )
  await kit.write(...pushes)
  await kit.indexAll(600)
  const count = async (query: string) => (await kit.records(toQuery(query))).length
  assert.equal(await count('q=frequ'), 600)
  assert.equal(await count('q=rare'), 1)
  assert.equal(await count('q=frequ rare'), 1)
})

test('a scan that exceeds its time limit returns its position, and the next page continues there', async (kit) => {
  const { storage } = kit
  const school = await kit.register({ modules: ['students', 'staff'] })
  const pushes = Array.from({ length: 900 }, (_, n) =>
    pushWrite(school, {
      reference: `r-${n}`,
      record_type: n % 3 === 0 ? 'staff' : 'students',
      data: `{"n":"${n}","rare":"${n % 150 === 149}"}`,
    }),
  )
  await kit.write(...pushes)
  const sorts = ['-updated_at', 'full_name', 'record_id', '-reference_number']
  for (const sort of sorts.slice(0, rounds(1, 4))) {
    for (const scope of ['', '&platform=school', '&record_type=staff']) {
      const query = toQuery(`filter[rare]=true&sort=${sort}${scope}`)
      const whole = await kit.records(query)
      assert.equal(whole.length, scope.includes('staff') ? 0 : 6)
      const first = await listPage(storage, { ...query, limit: 50, scan_ms: 0 })
      assert.ok(
        first.stopped_at !== null || scope.includes('staff'),
        'the scan was not interrupted',
      )
      for (const backwards of [false, true]) {
        const rows = await listInPages(storage, { ...query, scan_ms: 0 }, 50, backwards)
        assert.deepEqual(rows, whole, `${sort} ${scope}`)
      }
    }
  }
  const unsorted = recordQuery({ sort: 'data.n', scan_ms: 0 })
  assert.deepEqual(await storage.records.listRecords(unsorted), { outcome: 'too_slow' })
})

test('a search by relevance lists the best first, then the last changed, page by page', async (kit) => {
  const { storage } = kit
  const school = await kit.register({ modules: ['students', 'staff'] })
  const names = ['Ann Lee', 'Bob', 'lee', 'Leeann', 'Zoe', 'Lee', 'Sue Lee', 'LEE-2']
  const pushes = names.map((full_name, n) =>
    pushWrite(school, {
      full_name,
      reference: n === 4 ? 'lee' : `r-${n}`,
      record_type: n % 2 === 0 ? 'staff' : 'students',
      data: n === 1 ? '{"boss":"Lee"}' : '{}',
    }),
  )
  await kit.write(...pushes)
  const expected = ['Lee', 'Zoe', 'lee', 'LEE-2', 'Leeann', 'Sue Lee', 'Bob', 'Ann Lee']
  await kit.indexAll()
  const query = toQuery('q=lee&sort=relevance')
  for (const backwards of [false, true]) {
    const rows = await listInPages(storage, query, 3, backwards)
    assert.deepEqual(
      rows.map((row) => row.full_name),
      expected,
    )
  }
})

test('a search that finds too many records to rank lists those whose name begins with it, then the last changed', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const names = ['Lee', 'lee ann', ...Array.from({ length: 30 }, (_, n) => `Sue Lee ${n}`)]
  const pushes = names.map((full_name, n) =>
    pushWrite(school, { full_name, reference: n === 2 ? 'LEE-2' : `r-${n}` }),
  )
  await kit.write(...pushes)
  await kit.indexAll()
  const records = {
    ...storage.records,
    listRecords: async (query: RecordQuery) =>
      query.sort === 'relevance'
        ? ({ outcome: 'too_slow' } as const)
        : storage.records.listRecords(query),
  }
  const found = await searchRecords({ records, searchIndex: storage.searchIndex }, { q: 'lee' }, 5)
  assert.deepEqual(
    found.records.map(({ rank, full_name }) => `${rank} ${full_name}`),
    [
      'equal Lee',
      'beginning lee ann',
      'beginning Sue Lee 0',
      'words Sue Lee 29',
      'words Sue Lee 28',
    ],
  )
  assert.ok(found.estimated_total >= 5)
})

test('a rare word is found together with words of most and of many records', async (kit) => {
  const school = await kit.register()
  const pushes = Array.from({ length: 300 }, (_, n) =>
    pushWrite(school, {
      reference: `r-${n}`,
      data: `{"a":"common ${n % 4 === 0 ? 'many' : 'others'} rare${n}"}`,
    }),
  )
  await kit.write(...pushes)
  await kit.indexAll()
  const find = async (search: string) => {
    const found = await kit.records(toQuery(`q=${search}&sort=record_id`))
    return found.map(({ reference_number }) => reference_number)
  }
  assert.deepEqual(await find('common rare8'), ['r-8', ...range(80, 90)])
  assert.deepEqual(await find('common many rare8'), ['r-8', 'r-80', 'r-84', 'r-88'])
  assert.deepEqual(await find('common others rare8 rare81'), ['r-81'])
  assert.deepEqual(await find('common rare8 absent'), [])
})

test('a name or reference is found by its index, whatever the time limit', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const long = '王'.repeat(300)
  const pushes = Array.from({ length: 300 }, (_, n) =>
    pushWrite(school, {
      reference: `r-${n}`,
      record_type: n % 3 === 0 ? 'staff' : 'students',
      full_name: n < 3 ? `${long}${n}` : `Person ${n}`,
    }),
  )
  await kit.write(...pushes)
  for (const [condition, count] of [
    [`filter[hub_full_name]=${long}1`, 1],
    [`filter[hub_full_name][starts]=${long}`, 3],
    [`filter[hub_full_name][starts]=Person 10`, 11],
    ['filter[hub_full_name]=person 5', 0],
    ['filter[hub_full_name]=%00', 0],
    ['filter[hub_reference_number]=r-2', 1],
    ['filter[hub_reference_number][starts]=r-20', 11],
  ] as const) {
    const scopes = ['', 'platform=school', 'record_type=staff', 'record_type=students']
    const [all, ofPlatform, ...ofModules] = await Promise.all(
      scopes.map(async (scope) => {
        const query = toQuery(`${condition}&${scope}`)
        const page = await listPage(kit.storage, { ...query, scan_ms: 0 })
        assert.equal(page.stopped_at, null, `${condition} ${scope}`)
        return page.records.length
      }),
    )
    assert.deepEqual([all, ofPlatform], [count, count], condition)
    assert.equal(
      ofModules.reduce((sum, found) => sum + found, 0),
      count,
      condition,
    )
  }
})

test('totals are exact after a full scan and estimated otherwise', async (kit) => {
  const school = await kit.register()
  const pushes = Array.from({ length: 1000 }, (_, n) =>
    pushWrite(school, { reference: `r-${n}`, data: `{"half":"${n % 2}"}` }),
  )
  await kit.write(...pushes)
  const total = async (query: string, limit: number) => {
    const page = await listPage(kit.storage, { ...toQuery(query), limit })
    return [page.estimated_total, page.is_estimate]
  }
  assert.deepEqual(await total('', 10), [1000, false])
  assert.deepEqual(await total('sort=data.half', 10), [1000, false])
  assert.deepEqual(await total('filter[half]=1', 1000), [500, false])
  assert.deepEqual(await total('filter[half]=none', 10), [0, false])
  const [estimate, isEstimate] = await total('filter[half]=1', 100)
  assert.ok(isEstimate && Number(estimate) > 450 && Number(estimate) < 550)
})

const range = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, index) => `r-${first + index}`)

function toQuery(text: string): RecordQuery {
  const parsed = parseRecordQuery(new URLSearchParams(text))
  assert.ok(parsed.ok, JSON.stringify(parsed))
  return recordQuery(parsed.query)
}

const NAMES = ['Ann Lee', 'ann lee', 'Bob', 'Zoë 王小明', '王', '😀 Li', '\uffee', 'Leeann']
const TEXTS = ['"open"', '"Open"', '"ópen door"', '""', 'null', '12', '12.0', '9007199254740993']
const MORE = ['["x"]', '"a\\u0000b"', '"\\ud800"', '"\\u738b\\u5c0f"', 'true', '"2026-03-10"']

const NUMBERS = ['12', '"12.0"', '-3', '1e1', '"x"', '""', 'null', '9007199254740993', '0.5', '"1"']

const DATES = [
  ...[
    '"2026-03-10"',
    '"2026-03-10T23:30:00Z"',
    '"2026-03-11 01:30:00.5"',
    '"2026-03-11T01:30+02:00"',
  ],
  ...['"2026-03-10T20:00:00-05:00"', '"2026-03-12"', '"soon"', '""', 'null'],
]

/** Records that differ in every property; some are incomplete and some are updates. */
function sample(seed: number, count: number) {
  return Array.from({ length: count }, (_, n) => {
    const number = seed * 31 + n * 7
    const pick = <Item>(items: Item[], by: number) => items[(number * by) % items.length]
    const text = pick([...TEXTS, ...MORE], 3) ?? '""'
    return {
      reference: `R-${number % 40}`,
      full_name: pick(NAMES, 5) ?? '',
      source: number % 5 === 0 ? ('PATCH' as const) : ('POST' as const),
      data: `{${nestedMembers(number)}"d":${pick(DATES, 4)},"t":${text}${number % 4 === 0 ? '' : `,"n":"${number % 9}"`},"u":"${number % 3}","m":${pick(NUMBERS, 2)}}`,
    }
  })
}

/** Paths that no manifest names. Of some records, a key is the same text as a path, or has its special characters. */
const NESTED = ['o.k', 'o.m', 'o.d', 'o.x', 'l[].r', 'l[].m', '\\o.k', 'o.p\\.q[]', 'o.k]', 'l[]']

function nestedMembers(number: number): string {
  const pick = (items: string[], by: number) => items[(number * by) % items.length] ?? 'null'
  const object = `{"k":${pick(TEXTS, 5)},"m":${pick(NUMBERS, 3)},"d":${pick(DATES, 5)},"p.q":[${pick(MORE, 7)},12]}`
  const list = `[{"r":${pick(TEXTS, 7)},"m":${pick(NUMBERS, 9)}},${pick(['{"r":"open"}', '7', '[]', 'null'], 3)}]`
  const own = pick(['', '"o.k":"open",', '"o":7,"o.k]":"a",', '"l[].r":12,"o\\u002em":1,'], 11)
  return `"o":${object},"l":${list},${own}`
}

const value = fc.constantFrom(
  'open',
  'Open',
  'OPEN',
  '',
  '12',
  '1',
  '王',
  'a',
  'true',
  '2026',
  '2026-03-10',
  '2026-03-10T23:30-02:00',
  '\ufffd',
)
const column = fc.constantFrom(
  ...['t', 'n', 'u', 'm', 'd', 'absent', 'hub_full_name', 'hub_updated_at'],
  ...['o', 'l', 'o\\.k', ...NESTED],
)
const testName = fc.constantFrom('is', 'ne', 'in', 'contains', 'starts', 'before', 'after')
const filter = fc.oneof(
  fc.tuple(column, testName, value).map(([key, name, text]) => [`filter[${key}][${name}]`, text]),
  fc
    .tuple(column, fc.constantFrom('true', 'false'))
    .map(([key, yes]) => [`filter[${key}][empty]`, yes]),
  fc.constantFrom(
    ['incomplete', 'true'],
    ['incomplete', 'false'],
    ['missing', 'true'],
    ['reference_number', 'R-7'],
    ['changed_since', '2026-03-10T11:00:00Z'],
    ['q', 'lee'],
    ['q', 'li'],
    ['q', 'open 王'],
    ['q', '"open door"'],
    ['q', 'r-1'],
  ),
)
const sortName = fc.constantFrom(
  ...['record_id', 'reference_number', 'full_name', 'created_at', 'updated_at'],
  ...['data.t', 'data.n', 'data.u', 'data.m', 'data.d', 'data.absent'],
  ...NESTED.map((path) => `data.${path}`),
)
/** Queries whose sort and filter columns the concurrent writes do not change. */
const stableQuery = fc
  .tuple(
    fc.constantFrom(
      ...['record_id', '-record_id', 'created_at', 'reference_number', '-reference_number'],
      ...['full_name', '-full_name', 'data.k', '-data.k', 'data.y'],
    ),
    fc.constantFrom('', '&filter[k][empty]=false', '&q=ann', '&q=r-1', '&filter[k][before]=3'),
    fc.constantFrom('', '&platform=school', '&platform=school&record_type=students'),
  )
  .map(([sort, condition, where]) => `sort=${sort}${condition}${where}`)

const scope = fc.constantFrom(
  ...['', '&platform=school', '&record_type=staff', '&platform=school&record_type=students'],
  '&platform=nowhere',
)
const anyQuery = fc
  .tuple(fc.array(filter, { maxLength: 2 }), sortName, fc.boolean(), scope)
  .map(([filters, sort, descending, where]) => {
    const entries = new Map(filters.map(([name = '', text = '']) => [name, text]))
    return `${new URLSearchParams([...entries])}&sort=${descending ? '-' : ''}${sort}${where}`
  })
