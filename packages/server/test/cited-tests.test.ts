/** Checks that the files and tests named in docs/security.md and docs/reliability.md exist. `documents.test.ts` checks their links. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const ROOT = new URL('../../../', import.meta.url)
/** A path of the documents is relative to the first of these folders that has the file. */
const BASES = ['packages/server/test/', 'packages/server/src/', 'packages/'].map(
  (folder) => new URL(folder, ROOT),
)
const FILE = /`([\w./-]+\.tsx?)`/g
/** A file, followed by the names of its tests. */
const NAMED_TESTS = /`([\w./-]+\.ts)`((?:,?\s+\*[^*|]+\*)+)/g
const NAME = /\*([^*|]+)\*/g

const read = (path: string, base: URL) => readFileSync(new URL(path, base), 'utf8')
const findBase = (path: string) => BASES.find((base) => existsSync(new URL(path, base)))
const document = read('docs/security.md', ROOT)

/** Each document, and the files and tests that it must name at least: a changed notation would hide them. */
for (const [path, minFiles, minTests] of [
  ['docs/security.md', 100, 60],
  ['docs/reliability.md', 20, 20],
] as const) {
  const text = read(path, ROOT)

  test(`every file named in ${path} exists`, () => {
    const files = [...text.matchAll(FILE)].map(([, file = '']) => file)
    assert.ok(files.length > minFiles, `${files.length} files`)
    const missing = files.filter((file) => !findBase(file))
    assert.deepEqual([...new Set(missing)], [])
  })

  test(`every test named in ${path} is in its file`, () => {
    const tests = [...text.matchAll(NAMED_TESTS)].flatMap(([, file = '', names = '']) =>
      [...names.matchAll(NAME)].map(([, name = '']) => ({ file, name: name.replace(/\s+/g, ' ') })),
    )
    assert.ok(tests.length > minTests, `${tests.length} tests`)
    const missing = tests.filter(({ file, name }) => {
      const base = findBase(file)
      return !base || !read(file, base).includes(name)
    })
    assert.deepEqual(missing, [])
  })
}

test('docs/security.md has every chapter of the standard, and each requirement once', () => {
  for (let number = 1; number <= 17; number++)
    assert.match(document, new RegExp(`^## V${number} `, 'm'))
  const numbers = [...document.matchAll(/^\| ([\d., to]+) \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', '),
  )
  assert.equal(new Set(numbers).size, numbers.length)
})
