import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GUIDE_LANGUAGES, isGuideLanguage } from '@recordhub/protocol/constants'
import { filterByLanguage } from './filter-by-language.ts'
import { readGuide } from './read-guide.ts'

const GUIDE = `## One

#### cURL

\`\`\`sh
# a comment
#### PHP
\`\`\`

#### PHP

Words.

\`\`\`php
### no heading
\`\`\`

### After

#### Something else
`

test('the examples of one language and all other text remain', () => {
  assert.equal(
    filterByLanguage(GUIDE, 'curl'),
    GUIDE.replace(/#### PHP\n\nWords[\s\S]*?(?=### After)/, ''),
  )
  assert.equal(
    filterByLanguage(GUIDE, 'php'),
    GUIDE.replace(/#### cURL[\s\S]*?(?=#### PHP\n\nWords)/, ''),
  )
})

test('every line of the guide remains for at least one language', () => {
  const guide = readGuide().join('\n')
  const languages = Object.keys(GUIDE_LANGUAGES).filter(isGuideLanguage)
  const filtered = languages.map(
    (language) => new Set(filterByLanguage(guide, language).split('\n')),
  )
  for (const line of guide.split('\n'))
    assert.ok(
      filtered.some((lines) => lines.has(line)),
      line,
    )
  for (const language of languages) {
    assert.equal(filterByLanguage(guide, language).match(/^#### .+$/gm)?.length, 2, language)
  }
})
