/** File sources: unusual formats, and files that change while they are read. */
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Origin } from '../../settings/settings.ts'
import { type Source, SourceMisconfigured, SourceUnavailable } from '../source.ts'
import { openFolder } from './folder-source.ts'

function openWith(t: TestContext, files: Record<string, string | Buffer>) {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-files-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content)
  return { folder, source: openFolder(folder) }
}

const origin = (file: string, encoding: string | null = null): Origin => ({
  ...{ kind: 'file', file, delimiter: null, encoding },
})

async function rowsOf(source: Source, from: Origin) {
  const columns = await source.describe(from)
  const { signal } = new AbortController()
  return source.rows({ origin: from, columns, find: null, signal })
}

const readAll = async (source: Source, from: Origin) => Array.fromAsync(await rowsOf(source, from))

test('a CSV file is read with any supported delimiter', async (t) => {
  const files = Object.fromEntries(
    [',', ';', '\t', '|'].map((one, index) => [
      `${index}.csv`,
      `id${one}"a, b; c|d"\n1${one}"x""y\n${one}z"\n\n2${one}\n3\n`,
    ]),
  )
  const { folder, source } = openWith(t, files)
  for (const [index, one] of [',', ';', '\t', '|'].entries()) {
    assert.deepEqual(await readAll(source, origin(`${index}.csv`)), [
      ['1', `x"y\n${one}z`],
      ['2', null],
      ['3', null],
    ])
    writeFileSync(
      join(folder, 'quoted.csv'),
      `"id"${one}"name"${one}"at"\n"1"${one}"a,b;;;"${one}""\n`,
    )
    assert.deepEqual(await readAll(source, origin('quoted.csv')), [['1', 'a,b;;;', null]])
  }
})

test('the line sep=; of Excel sets the delimiter and is not the header', async (t) => {
  const { source } = openWith(t, {
    'excel.csv': 'sep=;\r\nid;"a, b, c"\r\n1;"x\r\ny"\r\n',
    'quoted.csv': '\uFEFF"sep=,"\nid,a;b;c\n1,x\n',
    'long.csv': 'sep=;\nid;name\n1;2;3\n',
  })
  const names = async (file: string) =>
    (await source.describe(origin(file))).map((column) => column.name)
  assert.deepEqual(await names('excel.csv'), ['id', 'a, b, c'])
  assert.deepEqual(await readAll(source, origin('excel.csv')), [['1', 'x\r\ny']])
  assert.deepEqual(await names('quoted.csv'), ['id', 'a;b;c'])
  assert.deepEqual(await readAll(source, origin('quoted.csv')), [['1', 'x']])
  await assert.rejects(readAll(source, origin('long.csv')), /on line 3/)
})

test('a file is read in its encoding with any line ending, and a wrong encoding is an error', async (t) => {
  const text = 'id,name\r\n1,Zoë\n2,"5 €"\r\n3,a\rb\n'
  const bytes = Buffer.from('id,name\n1,5 \x80 f\xfcr Jos\xe9\n', 'latin1')
  const { source } = openWith(t, {
    'plain.csv': text,
    'mac.csv': 'id,name\r1,Ann\r2,"Bob\rBobson"\r',
    'marked.csv': `\uFEFF${text}`,
    'wide.csv': Buffer.from(`\uFEFF${text}`, 'utf16le'),
    'old.csv': bytes,
    'old.ndjson': Buffer.from('{"id":"1","name":"\xe9"}', 'latin1'),
    'old.json': Buffer.from('[{"id":"1","name":"\xe9"}]', 'latin1'),
  })
  const rows = [
    ['1', 'Zoë'],
    ['2', '5 €'],
    ['3', 'a\rb'],
  ]
  assert.deepEqual(await readAll(source, origin('plain.csv')), rows)
  assert.deepEqual(await readAll(source, origin('marked.csv')), rows)
  assert.deepEqual(await readAll(source, origin('mac.csv')), [
    ['1', 'Ann'],
    ['2', 'Bob\rBobson'],
  ])
  assert.deepEqual(await readAll(source, origin('wide.csv', 'utf-16le')), rows)
  assert.deepEqual(await readAll(source, origin('old.csv', 'windows-1252')), [
    ['1', '5 € für José'],
  ])
  for (const file of ['old.ndjson', 'old.json']) {
    assert.deepEqual(await readAll(source, origin(file, 'latin1')), [['1', 'é']])
  }
  for (const file of ['old.csv', 'old.ndjson', 'old.json', 'wide.csv']) {
    await assert.rejects(readAll(source, origin(file)), (error) => {
      assert.ok(error instanceof SourceMisconfigured, file)
      assert.match(error.message, /is not in UTF-8: .*encoding: windows-1252/)
      return true
    })
  }
})

test('NDJSON lines end only at LF or CRLF', async (t) => {
  const names = ['a\u2028b', 'c\u2029d', '\u0085', 'x'.repeat(300_000)]
  const lines = names.map((name, id) => JSON.stringify({ id, name }))
  const { source } = openWith(t, {
    'unix.ndjson': `\uFEFF${lines.join('\n')}`,
    'windows.ndjson': `${lines.join('\r\n\r\n')}\r\n`,
    'endless.ndjson': Buffer.alloc(16 * 1024 * 1024 + 2, ' '),
  })
  for (const file of ['unix.ndjson', 'windows.ndjson']) {
    const rows = await readAll(source, origin(file))
    assert.deepEqual(
      rows.map(([, name]) => name),
      names,
    )
  }
  await assert.rejects(readAll(source, origin('endless.ndjson')), /has a line of more than/)
})

test('a CSV file without its header or a known column is an error, not an empty file', async (t) => {
  const { folder, source } = openWith(t, { 'people.csv': 'id,name\n1,Ann\n' })
  const from = origin('people.csv')
  const columns = await source.describe(from)
  const { signal } = new AbortController()
  const read = () => Array.fromAsync(source.rows({ origin: from, columns, find: null, signal }))
  writeFileSync(join(folder, 'people.csv'), 'name,id,new\nAnn,1,x\n')
  assert.deepEqual(await read(), [['1', 'Ann']])
  writeFileSync(join(folder, 'people.csv'), '')
  await assert.rejects(
    read(),
    (error) => error instanceof SourceMisconfigured && /empty/.test(error.message),
  )
  writeFileSync(join(folder, 'people.csv'), 'number,name\n1,Ann\n')
  await assert.rejects(read(), /no longer has the column "id"/)
  writeFileSync(join(folder, 'people.csv'), 'id,name\n')
  assert.deepEqual(await read(), [])
})

test('the error for an unreadable file names the location and contains no data', async (t) => {
  const { folder, source } = openWith(t, {
    'long.csv': 'a,b\n1,2\n1,secret,3\n',
    'quote.csv': 'a,b\n1,"secret\n',
    'empty.csv': '',
    'line.ndjson': '{"a":1}\n[secret]\n',
    'list.ndjson': '["secret"]\n',
    'object.json': '{"records":{"a":"secret"}}',
    'number.json': '[{"a":1},7]',
    'big.json': Buffer.alloc(32 * 1024 * 1024 + 1, ' '),
    'other.xml': '<a/>',
  })
  mkdirSync(join(folder, 'folder.csv'))
  mkdirSync(join(folder, 'folder.ndjson'))
  const messages: Record<string, RegExp> = {
    'long.csv': /long\.csv: .* on line 3/,
    'quote.csv': /quote\.csv: /,
    'empty.csv': /empty\.csv is empty/,
    'line.ndjson': /line\.ndjson:2 is not valid JSON/,
    'list.ndjson': /list\.ndjson:1 is not an object/,
    'object.json': /object\.json does not contain an array/,
    'number.json': /number\.json: element 2 is not an object/,
    'big.json': /NDJSON/,
    'other.xml': /does not end in any of/,
    'folder.csv': /folder\.csv cannot be read: /,
    'folder.ndjson': /folder\.ndjson cannot be read: /,
  }
  for (const [file, pattern] of Object.entries(messages)) {
    await assert.rejects(readAll(source, origin(file)), (error) => {
      assert.ok(error instanceof SourceMisconfigured, file)
      assert.match(error.message, pattern)
      assert.doesNotMatch(error.message, /secret/)
      return true
    })
  }
  await assert.rejects(source.describe(origin('missing.csv')), SourceUnavailable)
  await assert.rejects(source.describe(origin('../outside.csv')), SourceMisconfigured)
})

/** Several times as much as one read of the file returns. */
const LINES = 4000

for (const file of ['people.csv', 'people.ndjson']) {
  const text = 'x'.repeat(50)
  const line = (id: number) =>
    file.endsWith('csv') ? `${id},${text}\n` : `{"id":${id},"x":"${text}"}\n`
  const head = file.endsWith('csv') ? 'id,x\n' : ''
  const content = head + Array.from({ length: LINES }, (_, id) => line(id)).join('')

  test(`${file}: reading fails when the file is changed meanwhile`, async (t) => {
    const { folder, source } = openWith(t, { [file]: content })
    const rows = (await rowsOf(source, origin(file)))[Symbol.asyncIterator]()
    await rows.next()
    appendFileSync(join(folder, file), line(99_999))
    await assert.rejects(async () => {
      while (!(await rows.next()).done);
    }, SourceUnavailable)
  })

  test(`${file}: a file replaced while it is read is read completely in its old version`, async (t) => {
    const { folder, source } = openWith(t, { [file]: content, new: head + line(1) })
    const version = await source.version(origin(file), null)
    const rows = (await rowsOf(source, origin(file)))[Symbol.asyncIterator]()
    await rows.next()
    renameSync(join(folder, 'new'), join(folder, file))
    let count = 1
    while (!(await rows.next()).done) count += 1
    assert.equal(count, LINES)
    assert.equal((await readAll(source, origin(file))).length, 1)
    assert.notEqual(await source.version(origin(file), null), version)
  })
}
