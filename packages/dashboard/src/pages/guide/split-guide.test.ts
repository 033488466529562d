import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitGuide } from './split-guide.ts'

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

test('a guide is split into title, lead and sections', () => {
  const { title, lead, sections } = splitGuide(GUIDE)
  assert.equal(title, 'Integration guide for a_b & c.')
  assert.equal(lead, 'The lead.')
  assert.deepEqual(
    sections.map(({ id }) => id),
    ['what-you-build', 'in-use'],
  )
})

test('a heading inside a code block is not a heading', () => {
  const [first] = splitGuide(GUIDE).sections
  assert.equal(first?.parts.length, 1)
  const [part] = first?.parts ?? []
  assert.ok(part?.kind === 'text')
  assert.match(part.markdown, /### A part[\s\S]+## nor this/)
})

test('an example ends at the next heading', () => {
  const [, second] = splitGuide(GUIDE).sections
  const [before, example, after] = second?.parts ?? []
  assert.ok(before?.kind === 'text' && example?.kind === 'example' && after?.kind === 'text')
  assert.equal(example.language, 'curl')
  assert.match(example.markdown, /#### PHP[\s\S]+Text\.\n/)
  assert.match(after.markdown, /^### After\n\n#### Something else/)
})

test('an empty guide has no title, lead or sections', () => {
  assert.deepEqual(splitGuide(''), { title: '', lead: '', sections: [] })
})
