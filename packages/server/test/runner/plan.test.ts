import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNeeds, isDeepFile, planJobs, planParts, selectFiles, shuffle } from './plan.ts'
import { createRandom } from './random.ts'

const FILES = [
  ...Array.from({ length: 20 }, (_, index) => `packages/server/src/lib/unit-${index}.test.ts`),
  ...Array.from({ length: 12 }, (_, index) => `packages/server/test/http/topic-${index}.test.ts`),
  'packages/server/test/e2e/records.test.ts',
  'packages/server/test/faults/kill.test.ts',
  'packages/server/test/faults/stop.test.ts',
  'packages/server/test/process/start.test.ts',
  'packages/server/test/architecture.test.ts',
  'packages/server/test/runner/plan.test.ts',
  'packages/server/test/fuzz/bytes.test.ts',
  'packages/server/test/fuzz/search.test.ts',
  'packages/platform-kit/src/outbox.test.ts',
]

test('a plan runs each file exactly once, in the given order or in a shuffled one', () => {
  for (const random of [null, createRandom(1), createRandom(2)]) {
    const planned = planJobs(FILES, random).flatMap(({ files }) => files)
    assert.deepEqual(planned.toSorted(), FILES.toSorted())
  }
})

test('files share a few processes, so that most do not load the code again', () => {
  const jobs = planJobs(FILES)
  assert.equal(jobs.filter(({ name }) => name.startsWith('unit-')).length, 2)
  assert.equal(jobs.filter(({ name }) => name.startsWith('http-')).length, 3)
  assert.equal(jobs.filter(({ name }) => name.includes('faults')).length, 2)
})

test('the deep tier has a part for each long file, and without a time limit all checks', () => {
  const namesOf = (isLimited: boolean) =>
    planParts(FILES, createRandom(3), { isLimited }).map(({ name }) => name)
  const all = namesOf(false)
  for (const file of ['fuzz/bytes', 'faults/kill', 'process/start', 'e2e/records']) {
    assert.ok(all.includes(`packages/server/test/${file}.test.ts`), file)
  }
  assert.ok(all.includes('project-1') && all.includes('unit-2') && !all.includes('unit-3'))
  assert.ok(all.includes('check:defects') && all.includes('check:licenses'))
  assert.deepEqual(
    namesOf(true).toSorted(),
    all.filter((name) => name !== 'check:defects').toSorted(),
  )
  const files = planParts(FILES, createRandom(3)).flatMap((part) =>
    part.kind === 'tests' ? part.job.files : [],
  )
  assert.deepEqual(files.toSorted(), FILES.toSorted())
})

test('the same seed results in the same order, another seed in another order', () => {
  const order = (seed: number) => shuffle(FILES, createRandom(seed))
  assert.deepEqual(order(7), order(7))
  assert.notDeepEqual(order(7), order(8))
})

test('only browser tests need a browser, unit tests need nothing, and the deep tier needs no bundle', () => {
  const needsOf = (...words: string[]) => findNeeds(selectFiles(FILES, words), false)
  const none = { postgres: false, browser: false, bundle: false, typescript: false }
  const all = { postgres: true, browser: true, bundle: true, typescript: true }
  assert.deepEqual(needsOf(), all)
  assert.deepEqual(needsOf('/e2e/', '/src/'), { ...none, browser: true })
  assert.deepEqual(needsOf('/http/'), { ...none, postgres: true })
  assert.deepEqual(needsOf('/process/'), { ...all, browser: false })
  assert.equal(needsOf('/src/'), null)
  assert.deepEqual(findNeeds(FILES, true), { ...all, bundle: false })
})

test('words select files by their path', () => {
  assert.equal(selectFiles(FILES, []).length, FILES.length)
  assert.deepEqual(selectFiles(FILES, ['outbox', 'e2e/']), [
    'packages/server/test/e2e/records.test.ts',
    'packages/platform-kit/src/outbox.test.ts',
  ])
})

test('the name of a file says that its tests are only in the deep tier', () => {
  assert.equal(isDeepFile('packages/server/test/process/backup.deep.test.ts'), true)
  assert.equal(isDeepFile('packages/server/test/process/backup.test.ts'), false)
  assert.equal(isDeepFile('packages/server/test/process/deep.test.ts'), false)
})
