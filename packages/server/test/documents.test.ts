/** The documents: generated ones match the code, links lead somewhere, and the site contains every page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findBrokenLinks, listExternalLinks } from './docs/links.ts'
import { listRepositoryFiles, parseMarkdown, readMarkdownFiles } from './docs/markdown.ts'
import { makeNavigation } from './docs/navigation.ts'
import { makeDocuments } from './documents.ts'

for (const [file, text] of makeDocuments()) {
  test(`${file.pathname.split('/').at(-1)} matches the code (if not, run: npm run docs)`, () => {
    assert.equal(readFileSync(file, 'utf8'), text)
  })
}

const files = readMarkdownFiles()

test('every link, anchor and image in the Markdown files leads to an existing file and heading', () => {
  assert.ok(files.length > 40, `${files.length} files`)
  assert.deepEqual(findBrokenLinks(files, listRepositoryFiles()), [])
})

test('links to other sites use https', (t) => {
  const external = listExternalLinks(files)
  t.diagnostic(external.join('\n'))
  const insecure = external.filter((link) => !/^(?:https|mailto):/.test(link))
  assert.deepEqual(insecure, [])
})

test('the navigation of the docs site has every Markdown file under docs/ and every README of a package', () => {
  const paths = files.map(({ path }) => path)
  const { groups, unknown } = makeNavigation(paths)
  assert.deepEqual(unknown, [], 'entries of test/docs/navigation.ts without a file')
  const listed = new Set(groups.flatMap(({ pages }) => pages))
  const missing = paths.filter((path) => !listed.has(path))
  assert.deepEqual(
    missing,
    [],
    'add these files to a group in packages/server/test/docs/navigation.ts',
  )
  for (const { path, title } of files) assert.ok(title !== '', `${path} has no heading`)
})

test('the checks of links and anchors detect errors', () => {
  const texts = {
    'a.md': '# A `b`: c & d\n[x](b/c.md#one) ![y](b/no.webp) [z](#a-b-c--d)\n`[n](code.md)`',
    'b/c.md':
      '# One\n# One\n[x](../a.md#no) [y](#one-1) [z](/a.md) [f](..)\n```sh\n[n](no.md)\n```',
    'd.md': '# D\n<img src="no.png"> [e](https://example.org/x.md) [b](b) [t](a.md "title")',
  }
  const parsed = Object.entries(texts).map(([path, text]) => parseMarkdown(path, text))
  assert.deepEqual(findBrokenLinks(parsed, [...Object.keys(texts), 'b/image.webp']), [
    'a.md:2: b/no.webp does not exist',
    'b/c.md:3: ../a.md#no has no such heading',
    'b/c.md:3: /a.md is not relative, so it does not work in the repository',
    'b/c.md:3: .. does not exist',
    'd.md:2: no.png does not exist',
  ])
  assert.deepEqual(listExternalLinks(parsed), ['https://example.org/x.md'])
  assert.deepEqual(parsed[1]?.blocks, [{ language: 'sh', text: '[n](no.md)\n', line: 4 }])
})
