import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameCodeBlocks, splitGuide, splitPlaceholders } from './split-guide.ts'

const GUIDE = `# Integration guide for a\\_b \\& c\\.

The lead.

## What you build

First.

### A part

\`\`\`sh
# no heading
## nor this
\`\`\`

## In use

Before.

#### cURL

\`\`\`sh
#### PHP / Laravel
\`\`\`

Text.

### After

#### Something else
`

test('a guide is split into sections, without its title and lead', () => {
  assert.deepEqual(
    splitGuide(GUIDE).map(({ id, parts }) => [id, ...parts.map((part) => part.title)]),
    [
      ['what-you-build', 'A part'],
      ['in-use', 'After'],
    ],
  )
})

test('a heading inside a code block is not a heading', () => {
  const [first] = splitGuide(GUIDE)
  assert.match(first?.markdown ?? '', /### A part[\s\S]+## nor this/)
})

test('what must be replaced in code is marked', () => {
  const code = `// Replace with your records.
call({ key: "$HUB_API_KEY" }, <your address>, a < b, '<p>')`
  assert.deepEqual(
    splitPlaceholders(code).filter((_, index) => index % 2 === 1),
    ['Replace with your records.', '$HUB_API_KEY', '<your address>', '<p>'],
  )
})

test('a code block has the name of its file, also in a list', () => {
  const named = '```js hub.mjs\nlet one\n```'
  assert.equal(nameCodeBlocks(named.replace('```js hub.mjs', '`hub.mjs`:\n\n```js')), named)
  assert.equal(nameCodeBlocks('1. Save\n\n   `a.sh`:\n\n   ```sh'), '1. Save\n\n   ```sh a.sh')
})

test('an empty guide has no sections', () => {
  assert.deepEqual(splitGuide(''), [])
})
