/** Checks that the files and tests named in docs/security.md and SECURITY.md exist. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const ROOT = new URL('../../../', import.meta.url)
const PACKAGES = new URL('packages/', ROOT)
const FILE = /`((?:server|dashboard|protocol|platform-kit|platform-runner)\/[\w./-]+)`/g
/** A file, followed by the names of its tests. */
const NAMED_TESTS = /`([\w./-]+\.ts)`((?:,? \*[^*|]+\*)+)/g
const NAME = /\*([^*|]+)\*/g

const read = (path: string, base: URL) => readFileSync(new URL(path, base), 'utf8')
const document = read('docs/security.md', ROOT)

test('every file named in docs/security.md exists', () => {
  const files = [...document.matchAll(FILE)].map(([, file = '']) => file)
  assert.ok(files.length > 100, `${files.length} files`)
  const missing = files.filter((file) => !existsSync(new URL(file, PACKAGES)))
  assert.deepEqual([...new Set(missing)], [])
})

test('every test named in docs/security.md is in its file', () => {
  const tests = [...document.matchAll(NAMED_TESTS)].flatMap(([, file = '', names = '']) =>
    [...names.matchAll(NAME)].map(([, name = '']) => ({ file, name })),
  )
  assert.ok(tests.length > 60, `${tests.length} tests`)
  const missing = tests.filter(({ file, name }) => !read(file, PACKAGES).includes(name))
  assert.deepEqual(missing, [])
})

test('every link in docs/security.md and SECURITY.md leads to an existing page and heading', () => {
  for (const [path, base] of [
    ['docs/security.md', new URL('docs/', ROOT)],
    ['SECURITY.md', ROOT],
  ] as const) {
    const text = read(path, ROOT)
    for (const [, link = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      if (link.startsWith('https:')) continue
      const [page = '', heading] = link.split('#')
      const target = page === '' ? new URL(path, ROOT) : new URL(page, base)
      assert.ok(existsSync(target), `${path}: ${link}`)
      if (heading === undefined) continue
      const headings = readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)
      assert.ok(
        [...headings].map(([, text = '']) => slug(text)).includes(heading),
        `${path}: ${link}`,
      )
    }
  }
})

test('docs/security.md has every chapter of the standard, and each requirement once', () => {
  for (let number = 1; number <= 17; number++)
    assert.match(document, new RegExp(`^## V${number} `, 'm'))
  const numbers = [...document.matchAll(/^\| ([\d., to]+) \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', '),
  )
  assert.equal(new Set(numbers).size, numbers.length)
})

/** The anchor that GitHub generates for a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
}
