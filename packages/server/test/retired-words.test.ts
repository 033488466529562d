/** Names and phrases that the project no longer uses, so that they do not come back (docs/glossary.md). */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Each retired name or phrase, and what to write instead. */
const RETIRED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/letOthersWork|let-others-work/, 'yieldToEventLoop'],
  [/askAgain\b|ask-again/, 'retry: requestWithRetry, withRetry'],
  [/createTurns|take-turns/, 'semaphore'],
  [/GroupQueue|group-queue/, 'batcher'],
  [/\bloadOnce\b|load-once/, 'memoizeAsync'],
  [/repeatDespiteErrors|abortable-loop/, 'runPeriodically, sleep'],
  [/PaceMeter|pace-meter|watch-pace|\bwatchPace\b/, 'throughput monitor'],
  [/\bIdSet\b|id-set\.ts/, 'IdBitset'],
  [/addressGroup|address-group/, 'clientSubnet'],
  [/\bcutPage\b/, 'paginate'],
  [/BrokenDocument/, 'MalformedJsonError'],
  [/ArrayMemberScanner/, 'JsonArrayScanner'],
  [/ElementSlice|SliceBuilder|element-slice/, 'JsonChunk, ChunkBuilder'],
  [/[pP]atience\b|PATIENCE/, 'timeouts'],
  [/PageTrail/, 'paginator'],
  [/guessReference/, 'peekReference'],
  [/hidingKey|hide-key/, 'withRedactedKey, redact-key'],
  [/PlatformAnswer|RawAnswer|short-answer|answer-body/, 'response'],
  [/\bmarkGone\b|mark-gone/, 'detectMissing'],
  [/ElementReader|element-recogniser/, 'UnchangedFilter, find-unchanged'],
  [/StoreAhead|store-ahead/, 'WriteBuffer'],
  [/keepSqlViews|keep-sql-views/, 'syncSqlViews'],
  [/notingChanges|note-changes/, 'publish changes'],
  [/GuessLimits|limit-guesses|guess-limit/, 'login throttle'],
  [/KnownDevices|known-device/, 'trusted device'],
  [/confirmIdentity|confirm-identity/, 'reauthenticate'],
  [/readUnseen|read-unseen/, 'promptSecret'],
  [/besideHub|beside-hub/, 'withStorage'],
  [/storage\/portable/, 'storage/shared'],
  [/host-fault|error-answers|refusal-log|limit-callers/, 'names of http/ in docs/ARCHITECTURE.md'],
]

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PATTERNS = [
  'packages/*/{src,test}/**/*.{ts,tsx,mjs}',
  'bench/**/*.ts',
  'docs/**/*.md',
  '*.md',
]

test('no file uses a retired name or phrase', () => {
  const files = PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/retired-words\.test\.ts$|^CHANGELOG\.md$/.test(path))
  const found = files.flatMap((path) => {
    const texts = [path, ...readFileSync(`${ROOT}${path}`, 'utf8').split('\n')]
    return texts.flatMap((text, line) =>
      RETIRED.filter(([pattern]) => pattern.test(text)).map(
        ([pattern, instead]) => `${path}:${line} has ${pattern.exec(text)?.[0]}; write ${instead}`,
      ),
    )
  })
  assert.deepEqual(found, [])
})
