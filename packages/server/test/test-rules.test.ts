/** Checks that no test can fail by chance or in a way that cannot be repeated. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PATTERNS = ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.ts']

/** The files that may wait for a time, with the reason. */
const WAITS: Readonly<Record<string, string>> = {
  'packages/platform-kit/src/servers.test.ts':
    '200 ms between two checks whether a server has stopped reading ahead, for which there is no event',
  'packages/server/test/conformance/pushes.test.ts': '1 s without a retry is the rule under test',
  'packages/server/test/contract/postgres/unresponsive-server.deep.test.ts':
    'a time limit for closing while the server is silent; ends when it has closed',
  'packages/server/test/e2e/polling.deep.test.ts': 'a page that polls by the real clock',
  'packages/server/test/helpers/platform/raw-server.ts':
    'an attacker that sends a byte at intervals',
  'packages/server/test/helpers/platform/respond.ts': 'a platform that responds late',
  'packages/server/test/helpers/postgres/cluster.ts': 'a time limit; ends when the server is ready',
  'packages/server/test/helpers/process/push-loop.ts': 'a client that retries after a pause',
  'packages/server/test/helpers/time/until.ts': 'the pause of until(), 1 to 25 ms',
  'packages/server/test/http/pull-concurrency.test.ts':
    '20 ms in which an additional request would arrive; a shorter wait can only hide a defect',
  'packages/server/test/process/secret-rotation.deep.test.ts': 'kills a process at a given moment',
  'packages/server/test/runner/end-process.ts':
    'a time limit; ends with the process whose tests have ended',
  'packages/server/test/screenshot.ts': 'not a test',
  'packages/server/test/simulation/defects.ts': 'virtual time',
  'packages/server/test/simulation/virtual-globals.ts': 'replaces the timers by virtual ones',
  'packages/server/test/spreadsheet/office.ts': 'a time limit; ends when LibreOffice has ended',
}

/** Files with loops that yield to the event loop instead of pausing, with the end of the loop. */
const LOOPS: Readonly<Record<string, string>> = {
  'packages/platform-kit/src/handler.test.ts': 'one yield, so that a stream starts',
  'packages/server/test/http/pull-timeouts.test.ts':
    'a pull that reads ahead until its buffer is full',
  'packages/server/test/http/receiver-limits.test.ts': 'some pushes are rejected immediately',
  'packages/server/src/lib/files/xlsx.test.ts':
    'a generator that ends when the stream is destroyed',
}

/** Files with random values that do not select test cases and must differ in each run. */
const RANDOM_VALUES: Readonly<Record<string, string>> = {
  'packages/platform-runner/test/helpers/engines.ts': 'names of databases',
  'packages/server/test/helpers/hub/software-passkey.ts': 'ids of passkeys',
  'packages/server/test/helpers/postgres/database.ts': 'names of databases and runs',
  'packages/server/test/helpers/postgres/server.ts': 'a password',
  'packages/server/test/helpers/process/engine.ts': 'the secret of a hub',
  'packages/server/test/helpers/process/free-port.ts': 'candidates for free ports',
  'packages/server/test/helpers/random/seed.ts': 'the seed of a file that runs without the runner',
  'packages/server/test/process/secret-rotation.ts': 'the secrets of a hub',
  'packages/server/test/runner/options.ts': 'the seed of a run',
  'packages/server/test/simulation/virtual-globals.ts': 'replaces Math.random by a seeded one',
}

/** Files with programs that wait at their top level. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'packages/server/test/helpers/process/kit.child.ts': 'a program',
  'packages/server/test/helpers/process/upgrade.child.ts': 'a program',
  'packages/server/test/process/package.deep.test.ts': 'the text of a program',
  'packages/server/test/process/platform-kit.deep.test.ts': 'the text of a program',
  'packages/server/test/screenshot.ts': 'a program',
}

type Rule = {
  name: string
  pattern: RegExp
  instead: string
  allowed: Readonly<Record<string, string>>
}

const RULES: readonly Rule[] = [
  {
    name: 'no test sleeps',
    pattern: /(?<![.'])\bsetTimeout\b/,
    instead: 'wait for an event, or use until() of helpers/time/until.ts',
    allowed: WAITS,
  },
  {
    name: 'no test polls without the shared helper',
    pattern: /new Promise\(setImmediate\)|waitForTimeout/,
    instead: 'use until() of helpers/time/until.ts',
    allowed: LOOPS,
  },
  {
    name: 'no browser test waits by eval, which the content security policy of the page forbids',
    pattern: /\.waitForFunction\(/,
    instead: 'use untilTrueInPage() of helpers/browser/browser.ts',
    allowed: {},
  },
  {
    name: 'no assertion reads the clock',
    pattern: /\bassert\b.*\b(?:Date|performance)\.now\(\)/,
    instead: 'inject a clock',
    allowed: {},
  },
  {
    name: 'no test listens on a fixed port',
    pattern: /\.listen\(\s*[1-9]|\bPORT: '?[1-9]/,
    instead: 'listen on port 0, or use helpers/process/free-port.ts',
    allowed: {},
  },
  {
    name: 'no property test imports fast-check directly',
    pattern: /from 'fast-check'/,
    instead: 'import fc from helpers/random/fast-check.ts, which sets the seed of the run',
    allowed: {
      'packages/server/test/helpers/random/fast-check.ts': 'sets the seed',
    },
  },
  {
    name: 'no test selects its cases with values that the seed does not repeat',
    pattern: /\bMath\.random\b|\brandom(?:Bytes|Int)\(|\bgetRandomValues\b/,
    instead: 'use createSeededRandom() of helpers/random/seed.ts',
    allowed: RANDOM_VALUES,
  },
  {
    // Hooks of the process may run while it waits, if all earlier tests have ended. Later tests then do not run.
    name: 'no test file waits before its first test',
    pattern: /^(?:(?:const|let) .*= )?await /,
    instead: 'wait in a hook of its suite',
    allowed: PROGRAMS,
  },
]

const files = globSync(PATTERNS, { cwd: ROOT })
  .filter((path) => !path.endsWith('test-rules.test.ts'))
  .map((path) => ({ path, lines: readFileSync(`${ROOT}${path}`, 'utf8').split('\n') }))

for (const { name, pattern, instead, allowed } of RULES) {
  test(name, () => {
    const violations = files
      .filter(({ path }) => allowed[path] === undefined)
      .flatMap(({ path, lines }) =>
        lines.flatMap((line, index) =>
          pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()} (${instead})`] : [],
        ),
      )
    assert.deepEqual(violations, [])
  })

  test(`${name}: each exception is still needed`, () => {
    const unused = Object.keys(allowed).filter((path) => {
      const file = files.find((one) => one.path === path)
      return !file?.lines.some((line) => pattern.test(line))
    })
    assert.deepEqual(unused, [])
  })
}
