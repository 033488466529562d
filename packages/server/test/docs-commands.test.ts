/** Executes the commands of the documents that belong to the tier. `npm run check:docs` executes all of them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listBlocks } from './docs/blocks.ts'
import { parseMarkdown, readMarkdownFiles } from './docs/markdown.ts'
import { type BlockRunner, startBlockRunner } from './docs/run-blocks.ts'
import { PROCESS_TEST } from './helpers/process/sandbox.ts'
import { isDeep } from './helpers/time/tier.ts'

const { blocks, issues } = listBlocks(readMarkdownFiles())

test('every command of the documents is executed, or listed with the reason why it is not', () => {
  assert.ok(blocks.length > 30, `${blocks.length} blocks`)
  assert.deepEqual(
    issues,
    [],
    'add each block to packages/server/test/docs/blocks.ts: how it is run, or notRun(reason)',
  )
})

test('the check of the list detects new, changed and removed blocks', () => {
  const file = parseMarkdown('a.md', '# A\n```sh\nnew\n```\n```sh\nlisted 1\n```\n```json\n{}\n```')
  const quick = { run: 'quick' } as const
  const found = listBlocks([file], {
    'a.md': [
      ['listed', quick],
      ['removed', quick],
    ],
    'b.md': [],
  })
  assert.deepEqual(found.issues, [
    'b.md does not exist',
    'a.md:2: "new" is not listed',
    'a.md: there is no block "removed"',
  ])
  assert.deepEqual(found.blocks, [{ path: 'a.md', line: 5, text: 'listed 1\n', treatment: quick }])
})

describe('the commands of the documents work', () => {
  const chosen = blocks.filter(
    ({ treatment }) =>
      'run' in treatment && (treatment.run === 'quick' || (isDeep && treatment.inTests === true)),
  )
  const cleanUps: (() => unknown)[] = []
  let runner: BlockRunner
  before(async () => {
    runner = await startBlockRunner({ after: (cleanUp) => void cleanUps.push(cleanUp) })
  }, PROCESS_TEST)
  after(async () => {
    for (const cleanUp of cleanUps) await cleanUp()
  }, PROCESS_TEST)

  for (const [path, ofDocument] of Map.groupBy(chosen, (block) => block.path)) {
    test(`those of ${path}`, PROCESS_TEST, () => runner.run(ofDocument))
  }
})
