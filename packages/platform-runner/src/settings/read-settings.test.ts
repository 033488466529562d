import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from './read-settings.ts'

/** The issues of a settings file. */
function issuesOf(text: string): string[] {
  const read = readSettings(text, { name: 'platform.yaml', folder: '.' }, {})
  return read.outcome === 'invalid' ? read.issues : []
}

test('each error in the settings file is reported in one line with its location', () => {
  const issues = issuesOf(`platform:
  title: 5
  source_key: short
  colour: red
listen: { port: 99999 }
source: { database: "oracle://x" }
modules:
  - table: a
    query: b
    reference: id
  - { record_type: ., table: a, reference: id, full_name: "\${NOT_THERE}", fields: { x: { type: int } } }
push: { hub_url: ftp://x }
more: 1
`)
  assert.deepEqual(issues.toSorted(), [
    'platform.yaml:11: modules[1].fields.x.type must be one of string, number, boolean, date, datetime, json.',
    'platform.yaml:11: modules[1].full_name needs the variable NOT_THERE, which is not set.',
    'platform.yaml:11: modules[1].record_type cannot be used in a URL.',
    'platform.yaml:12: push needs a module with updated_at, by which changes are detected.',
    'platform.yaml:12: push.hub_api_key is missing.',
    'platform.yaml:12: push.hub_url must start with https:// or http://.',
    'platform.yaml:13: more is unknown; known keys are platform, listen, source, push, modules.',
    'platform.yaml:2: platform.name is missing.',
    'platform.yaml:3: platform.source_key is shorter than 16 characters.',
    'platform.yaml:4: platform.colour is unknown; known keys are source_key, name, title, description, path_word.',
    'platform.yaml:5: listen.port must be a number from 0 to 65535.',
    'platform.yaml:6: source.database must start with postgres://, mysql://, mariadb:// or sqlite:.',
    'platform.yaml:8: modules[0] needs either table or query.',
    'platform.yaml:8: modules[0].full_name is missing.',
    'platform.yaml:8: modules[0].record_type is missing.',
  ])
})

const HEAD = 'platform: { name: x, source_key: 0123456789abcdef }\n\nsource: { folder: . }\n'

for (const [rest, message] of [
  ['modules:\n', /^platform\.yaml:4: modules is empty\.$/],
  ['modules: []\n', /^platform\.yaml:4: modules is empty\.$/],
  ['', /^platform\.yaml:1: modules is missing\.$/],
  [
    'modules: [{ record_type: a, file: a.csv, full_name: a, reference: a }]\npush: { hub_url: http://h, hub_api_key: k }\n',
    /:5: push needs a database: the hub reads changes of files by its pulls/,
  ],
  ['---\nmodules: []\n', /^platform\.yaml:4: the file ends here; remove "---"$/],
  [
    'modules: [{ record_type: a, file: a.csv, full_name: a, reference: {id} }]\n',
    /:4: modules\[0\]\.reference must be a text \(.* needs quotes/,
  ],
  ['modules:\n  - reference: {a}-{b}\n', /:5: .* needs quotes: "\{a\}-\{b\}"/],
  [
    'modules: [{ record_type: a, file: a.csv, full_name: a, reference: a, encoding: utf-9 }]\n',
    /:4: modules\[0\]\.encoding is unknown/,
  ],
  [
    'modules: [{ record_type: a, file: a.csv, full_name: a, reference: a, more: 1 }]\n',
    /more is unknown; known keys are .*\bcolumns\b/,
  ],
] as const) {
  test(`the settings ${JSON.stringify(rest)} are rejected`, () => {
    assert.match(issuesOf(HEAD + rest).join('\n'), message)
  })
}

test('a key that is given twice is an issue, and of many errors in the syntax the first 20 are', () => {
  assert.match(
    issuesOf(`${HEAD}platform:\n  name: other\n`).join('\n'),
    /^platform\.yaml:\d+: platform is given twice\.$/m,
  )
  assert.equal(issuesOf('a: "b" "c"\n'.repeat(50)).length, 20)
})

test('an address with a character that must be escaped, and a file that is not a mapping, are rejected', () => {
  assert.match(
    issuesOf(HEAD.replace('folder: .', 'database: "postgres://u:p/w@h/d"')).join('\n'),
    /source\.database is not a valid address: .*%2F for \//,
  )
  assert.match(issuesOf('platform: [\n  name: x\n').join('\n'), /^platform\.yaml:\d+: .+/)
  assert.match(issuesOf('just text').join('\n'), /^platform\.yaml:1: the file must be a mapping/)
})
