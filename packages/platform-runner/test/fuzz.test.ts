/** Any platform.yaml and any source file: it is read, or rejected with an error for the owner that names the position. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import {
  anyText,
  bytesOf,
  jsonObject,
  jsonString,
  jsonValue,
} from '../../server/test/fuzz/arbitraries.ts'
import { fuzz, sampleOf } from '../../server/test/fuzz/checks.ts'
import { JSON_TEXTS, STRINGS } from '../../server/test/fuzz/corpus.ts'
import { readReferenceBytes } from '../../server/test/fuzz/reference-json.ts'
import { fc } from '../../server/test/helpers/random/fast-check.ts'
import { readSettings } from '../src/settings/read-settings.ts'
import type { Origin } from '../src/settings/settings.ts'
import { openFolder } from '../src/sources/files/folder-source.ts'
import { openSource } from '../src/sources/open-source.ts'
import { type Source, SourceMisconfigured, SourceUnavailable } from '../src/sources/source.ts'

const folder = mkdtempSync(join(tmpdir(), 'recordhub-fuzz-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** The rows of an origin, or the error for the owner. */
async function readAll(source: Source, origin: Origin): Promise<unknown[][] | SourceMisconfigured> {
  try {
    const columns = await source.describe(origin)
    const { signal } = new AbortController()
    const rows: unknown[][] = []
    for await (const row of source.rows({ origin, columns, find: null, signal }))
      rows.push([...row])
    return rows
  } catch (error) {
    assert.ok(
      error instanceof SourceMisconfigured || error instanceof SourceUnavailable,
      `${error instanceof Error ? error.stack : error}`,
    )
    assert.ok(error.message.length > 5 && error.message.length < 5000, error.message.slice(0, 500))
    return error
  }
}

describe('fuzzed settings of a platform', () => {
  const scalar = fc.oneof(
    anyText,
    jsonString,
    fc.constantFrom(
      '~',
      'null',
      'true',
      '007',
      '1e3',
      '0x1F',
      '*a',
      '&a b',
      '!!str 1',
      '!!binary x',
      '!x y',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a text that a program might interpret
      '${HOME}',
      '${',
      '$${A}',
      '|',
      '>-',
      '- a',
      '[a, b]',
      '{a}',
      '{a: b}',
      '"a',
      '? a',
      '<<',
      '{a}-{b}',
      '2026-01-01',
    ),
  )
  const line = (...keys: string[]) =>
    fc.tuple(fc.constantFrom(...keys), scalar).map(([key, text]) => `${key}: ${text}`)
  const indented = (lines: fc.Arbitrary<string>) =>
    fc.array(lines, { maxLength: 4 }).map((all) => all.map((one) => `  ${one}`).join('\n'))
  const VALID = [
    'platform:\n  name: school\n  source_key: 0123456789abcdef',
    'source:\n  folder: data',
    'modules:\n  - record_type: students\n    file: a.csv\n    reference: id\n    full_name: "{a} {b}"\n    fields:\n      id: { label: Id, type: number }',
    'push:\n  hub_url: https://hub.example\n  hub_api_key: k',
    'listen: &l { port: 1, host: "::1" }',
  ]
  const section = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...VALID) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom(
            'platform',
            'source',
            'push',
            'listen',
            'modules',
            'x',
            '__proto__',
            '? [a]',
            '<<',
          ),
          indented(
            line(
              'name',
              'source_key',
              'database',
              'folder',
              'port',
              '- record_type',
              'file',
              'fields',
              'constructor',
              '__proto__',
            ),
          ),
        )
        .map(([key, content]) => `${key}:\n${content}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'a: &a [*a]',
        'platform: &p { name: *p }',
        'x: &x {a: 1, b: *x}',
        '--- a',
        '%YAML 9.9',
        '? {a: b}: c',
        '? *x',
        'modules: *missing',
        'a: 1\na: 2',
        '\t- a',
      ),
    },
  )
  const text = fc.array(section, { maxLength: 5 }).map((sections) => sections.join('\n'))

  test('an empty section is an issue', () => {
    for (const key of ['platform', 'source', 'modules']) {
      const others = VALID.filter((one) => !one.startsWith(key))
      const text = [...others, `${key}:`].join('\n')
      const result = readSettings(text, { name: 'platform.yaml', folder }, {})
      assert.equal(result.outcome, 'invalid')
      assert.match(result.issues.join('\n'), new RegExp(`: ${key} is empty`))
    }
    for (const key of ['database', 'folder']) {
      const text = VALID.join('\n').replace('folder: data', `${key}:`)
      const result = readSettings(text, { name: 'platform.yaml', folder }, {})
      assert.equal(result.outcome, 'invalid')
      assert.match(result.issues.join('\n'), new RegExp(`source.${key} is missing`))
    }
  })

  test('a file is valid, or each issue names its line', async () => {
    await fuzz(bytesOf(text), {
      quick: 80,
      deep: 30_000,
      check(bytes) {
        const result = readSettings(
          bytes.toString('utf8'),
          { name: 'platform.yaml', folder },
          { HOME: '/root' },
        )
        if (result.outcome === 'valid') {
          assert.ok(result.settings.modules.length > 0)
          return
        }
        assert.ok(result.issues.length > 0)
        for (const issue of result.issues) assert.match(issue, /^platform\.yaml:\d+: /)
      },
    })
    assert.deepEqual(Object.keys(Object.prototype), [])
  })
})

describe('fuzzed source files', () => {
  const source = openFolder(folder)
  const origin = (
    file: string,
    options: { delimiter?: string | null; encoding?: string | null } = {},
  ): Origin => ({ kind: 'file', file, delimiter: null, encoding: null, ...options })

  test('each text of the corpus in a JSON file is read, or rejected, as RFC 8259 says', async () => {
    for (const { text } of JSON_TEXTS) {
      const bytes = Buffer.from(`[{"a":${text}}]`)
      writeFileSync(join(folder, 'a.json'), bytes)
      const rows = await readAll(source, origin('a.json'))
      if (readReferenceBytes(bytes) === null) assert.ok(rows instanceof SourceMisconfigured, text)
      else assert.equal(rows instanceof Error ? rows.message : rows.length, 1, text)
    }
  })

  test('JSON and NDJSON files', async () => {
    const list = fc.array(
      fc.oneof({ weight: 5, arbitrary: jsonObject }, { weight: 1, arbitrary: jsonValue }),
      { maxLength: 5 },
    )
    const content = fc
      .tuple(list, fc.constantFrom('\n', '\r\n', ',', '\n\n'))
      .map(([texts, separator]) => texts.join(separator))
    const cases = fc.tuple(
      fc.constantFrom('a.json', 'a.ndjson', 'a.jsonl'),
      bytesOf(
        fc.oneof(
          content,
          content.map((one) => `[${one}]`),
          content.map((one) => `{"records":[${one}]}`),
        ),
      ),
    )
    await fuzz(cases, {
      quick: 40,
      deep: 10_000,
      async check([file, bytes]) {
        writeFileSync(join(folder, file), bytes)
        const rows = await readAll(source, origin(file))
        const value = readReferenceBytes(bytes)
        if (file === 'a.json' && value === null) assert.ok(rows instanceof SourceMisconfigured)
        if (
          file === 'a.json' &&
          value?.kind === 'array' &&
          value.items.every(({ kind }) => kind === 'object')
        ) {
          assert.equal(rows instanceof Error ? rows.message : rows.length, value.items.length)
        }
      },
    })
  })

  test('CSV files', async () => {
    const plain = fc.oneof(
      anyText,
      fc.constantFrom('a', 'b', '"a"', '"', '""', '"a\nb"', '"a""b"', "a'b"),
    )
    const quoted = anyText.map((text) => `"${text.replaceAll('"', '""')}"`)
    const row = fc.array(
      fc.oneof({ weight: 2, arbitrary: quoted }, { weight: 1, arbitrary: plain }),
      { minLength: 1, maxLength: 4 },
    )
    const content = fc
      .tuple(
        fc.constantFrom(',', ';', '\t', '|'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.constantFrom('', '\ufeff', 'sep=;\n', 'sep=,\r\n'),
        fc.array(row, { maxLength: 5 }),
      )
      .map(
        ([delimiter, end, start, rows]) =>
          start + rows.map((cells) => cells.join(delimiter)).join(end),
      )
    const options = fc.record({
      delimiter: fc.oneof(
        { weight: 5, arbitrary: fc.constant(null) },
        {
          weight: 2,
          arbitrary: fc.constantFrom(',', '"', '\n', '\r', ' ', 'é', '\u0000', '\ud800', '\\'),
        },
      ),
      encoding: fc.oneof(
        { weight: 5, arbitrary: fc.constant(null) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('windows-1252', 'utf-16le', 'shift_jis', 'gb18030', 'utf-8'),
        },
      ),
    })
    await fuzz(fc.tuple(bytesOf(content), options), {
      quick: 40,
      deep: 10_000,
      async check([bytes, chosen]) {
        writeFileSync(join(folder, 'a.csv'), bytes)
        await readAll(source, origin('a.csv', chosen))
      },
    })
  })

  test('file names of the corpus', async () => {
    for (const text of STRINGS) await readAll(source, origin(`${text}.csv`))
  })

  test('tables with any names and values', async () => {
    const path = join(folder, 'a.sqlite')
    const database = new DatabaseSync(path)
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF')
    const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
    const usable = STRINGS.filter(
      (one) =>
        one !== '' && one.isWellFormed() && !one.includes('\0') && !one.startsWith('sqlite_'),
    )
    // SQLite compares names without case, for ASCII letters only.
    const all = [
      ...new Map(
        usable.map((one) => [one.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()), one]),
      ).values(),
    ]
    const names = sampleOf(all, 40)
    const opened = await openSource({ kind: 'sqlite', path })
    for (const [index, name] of names.entries()) {
      const other = names[(index + 1) % names.length] ?? ''
      database.exec(`CREATE TABLE ${quote(name)} (${quote(name)} TEXT, ${quote(other)})`)
      const insert = database.prepare(`INSERT INTO ${quote(name)} VALUES (?, ?)`)
      for (const value of [other, 1.5, 9_007_199_254_740_993n, null, Buffer.from([0, 255])])
        insert.run(name, value)
      const rows = await readAll(opened, { kind: 'table', table: name })
      // A dot in the name of a table separates its schema.
      if (!name.includes('.'))
        assert.equal(rows instanceof Error ? rows.message : rows.length, 5, name)
      await readAll(opened, { kind: 'query', query: name })
    }
    database.close()
  })
})
