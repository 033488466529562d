import assert from 'node:assert/strict'
import type { Field } from '@recordhub/protocol'
import {
  isJsonObject,
  type JsonValue,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { dedupeNames } from '../../../src/lib/text/dedupe-names.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  newPlatform,
  only,
  pushWrite,
  type TestPlatform,
} from '../../helpers/storage/fixtures.ts'
import type { StorageKit, TestKit } from '../../helpers/storage/kit.ts'
import { readSqlViews } from '../../helpers/storage/sql.ts'

const HUB_COLUMNS = [
  ...['hub_record_id', 'hub_platform_name', 'hub_module_name', 'hub_record_type'],
  ...['hub_reference_number', 'hub_full_name', 'hub_incomplete', 'hub_missing_since'],
  ...['hub_created_at', 'hub_updated_at', 'hub_data'],
]
const KEYS = [
  ...[
    'a',
    'A',
    'hub_data',
    'created_at',
    'a b',
    "o'clock",
    'say "hi"',
    'back\\slash',
    'a.b',
    '$.a',
  ],
  ...['[0]', '0', '', '王', '?', '$1', 'x'.repeat(100), `${'x'.repeat(100)}y`, 'tab\t', '%s --'],
]

async function readView(kit: TestKit, view: string): Promise<Record<string, unknown>[]> {
  return (await readSqlViews(kit.storage)).get(view) ?? assert.fail(`no view ${view}`)
}

test('a view returns the same values as the API for any key name', async (kit) => {
  const school = await registerWithFields(kit, 'school', KEYS)
  const values = [
    ...['"text"', 'null', 'true', 'false', '-5', '1.5', '12345678901234', '""', '"a\\"b"'],
    ...['{"b":[1,"x"]}', '[]', '"👍"', '"2026-01-01"', '0', '"0"', '"\\n"', '12', '"%"', '"?"'],
  ]
  for (let shift = 0; shift < 3; shift++) {
    const members = KEYS.map(
      (key, index) => `${JSON.stringify(key)}:${values[(index + shift * 7) % values.length]}`,
    )
    // Later records omit some keys.
    const data = `{${members.slice(shift).join(',')}}`
    await kit.write(pushWrite(school, { reference: `r-${shift}`, data }))
  }
  const rows = await readView(kit, 'v_school_students')
  const records = await kit.records()
  assert.equal(rows.length, 3)
  for (const [index, row] of rows.entries()) {
    const record = records[index]
    assert.ok(record)
    const columns = dedupeNames([...HUB_COLUMNS, ...KEYS], 63)
    assert.deepEqual(Object.keys(row).toSorted(), columns.toSorted())
    assert.deepEqual(
      [Number(row['hub_record_id']), row['hub_reference_number'], row['hub_full_name']],
      [record.record_id, record.reference_number, 'Ann'],
    )
    assert.equal(row['hub_data'], record.data)
    assert.deepEqual([row['hub_platform_name'], row['hub_record_type']], ['school', 'students'])
    const data = parseLossless(record.data)
    assert.ok(isJsonObject(data))
    for (const [index, key] of KEYS.entries()) {
      const column = columns[HUB_COLUMNS.length + index] ?? ''
      const value: JsonValue = Object.hasOwn(data, key) ? (data[key] ?? null) : null
      assert.equal(asText(row[column]), asText(value), `${key} as ${column}`)
    }
  }
})

test('a number beyond double precision has all its digits', async (kit) => {
  const school = await registerWithFields(kit, 'school', ['a'])
  await kit.write(pushWrite(school, { data: '{"a":9007199254740993}' }))
  assert.equal(String(only(await readView(kit, 'v_school_students'))['a']), '9007199254740993')
})

test('there is one view per registered module and none for other modules', async (kit) => {
  await kit.register({ modules: ['students', 'staff'], offered: ['rooms'] })
  const names = async () => [...(await readSqlViews(kit.storage)).keys()]
  assert.deepEqual(await names(), ['v_school_staff', 'v_school_students'])
  await kit.runSql(`UPDATE modules SET registered_at = NULL WHERE record_type = 'staff'`)
  await kit.runSql(`UPDATE modules SET registered_at = '2026-01-01' WHERE record_type = 'rooms'`)
  assert.deepEqual(await names(), ['v_school_rooms', 'v_school_students'])
})

test('the views of one platform have the same names as among all', async (kit) => {
  await kit.register({ name: 'a b' })
  const { platform_id } = await kit.register({ name: 'a-b' })
  const defined = await Array.fromAsync(kit.storage.sqlViews.defineViews(platform_id))
  assert.deepEqual(
    defined.map(({ view_name }) => view_name),
    ['v_a_b_students_2'],
  )
})

test('a changed manifest changes the columns', async (kit) => {
  const school = await registerWithFields(kit, 'school', ['a'])
  await kit.write(pushWrite(school, { data: '{"a":"1","b":"2"}' }))
  assert.ok('a' in only(await readView(kit, 'v_school_students')))
  await kit.runSql(`UPDATE modules SET fields = '${fieldsText(['b', 'c'])}'`)
  const row = only(await readView(kit, 'v_school_students'))
  assert.deepEqual(Object.keys(row).slice(HUB_COLUMNS.length), ['b', 'c'])
  assert.deepEqual([row['b'], row['c']], ['2', null])
})

test('platforms and modules whose names are not valid identifiers have views', async (kit) => {
  const names = ['a-b', 'a b', 'A_B', 'platform"; DROP TABLE records; --', '學校', 'x'.repeat(90)]
  for (const name of names) {
    const school = await kit.register({ name, modules: ['s t', 's-t'] })
    await school.post({ record_type: 's t' })
  }
  const views = await readSqlViews(kit.storage)
  assert.equal(views.size, 2 * names.length)
  assert.ok(views.has('v_學校_s_t') && views.has('v_a_b_s_t'))
  assert.equal([...views.values()].flat().length, names.length)
})

test('a view of a module with too many fields contains the first fields only', async (kit) => {
  const keys = Array.from({ length: 3000 }, (_, index) => `field_${index}`)
  const school = await registerWithFields(kit, 'school', keys)
  await kit.write(pushWrite(school, { data: '{"field_1499":"last","field_1500":"beyond"}' }))
  const row = only(await readView(kit, 'v_school_students'))
  assert.equal(row['field_1499'], 'last')
  assert.equal('field_1500' in row, false)
  assert.match(String(row['hub_data']), /beyond/)
})

test('refreshing the views repeatedly or concurrently succeeds and deletes no view', async (kit) => {
  await kit.register({ modules: ['students', 'staff'] })
  const { refreshViews } = kit.storage.sqlViews
  assert.deepEqual(await Promise.all([refreshViews(), refreshViews()]), [[], []])
  const reopened = await kit.reopen()
  assert.deepEqual(await reopened.sqlViews.refreshViews(), [])
  assert.deepEqual(await readView(kit, 'v_school_staff'), [])
})

/** Normalises a value so that both engines and the API can be compared. */
function asText(value: unknown): string | null {
  if (value === null) return null
  if (typeof value === 'string') {
    // Each engine formats JSON with its own whitespace.
    return /^[[{]/.test(value) ? JSON.stringify(JSON.parse(value)) : value
  }
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return stringifyLossless(isJson(value) ? value : null)
}

function isJson(value: unknown): value is JsonValue {
  return typeof value === 'boolean' || typeof value === 'object'
}

function toFields(keys: string[]): Field[] {
  return keys.map((key) => ({ key, label: key, type: 'string', required: false }))
}

function fieldsText(keys: string[]): string {
  return JSON.stringify(toFields(keys))
}

async function registerWithFields(
  kit: StorageKit,
  name: string,
  keys: string[],
): Promise<TestPlatform> {
  const base = newPlatform(name)
  const modules = base.modules.map((module) => ({ ...module, fields: toFields(keys) }))
  await kit.storage.platforms.registerPlatform({ ...base, modules }, changeLog())
  const { key_hash } = base.hub_key
  const platform = await kit.storage.platforms.findPlatformByKey(key_hash, kit.clock.text)
  assert.ok(platform)
  return { ...platform, key_hash }
}
