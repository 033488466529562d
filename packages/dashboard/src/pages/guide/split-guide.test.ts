import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitGuide, splitPlaceholders } from './split-guide.ts'

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

test('a guide is split into lead and sections, without its title', () => {
  const { lead, sections } = splitGuide(GUIDE)
  assert.equal(lead, 'The lead.')
  assert.deepEqual(
    sections.map(({ id, parts }) => [id, ...parts.map((part) => part.title)]),
    [
      ['what-you-build', 'A part'],
      ['in-use', 'After'],
    ],
  )
})

test('a heading inside a code block is not a heading', () => {
  const [first] = splitGuide(GUIDE).sections
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

test('an empty guide has no lead or sections', () => {
  assert.deepEqual(splitGuide(''), { lead: '', sections: [] })
})
