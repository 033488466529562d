/** Which `sh` blocks of the documents are executed, and why the others are not. */
import type { MarkdownFile } from './markdown.ts'

/**
 * `run`: executed with a hub, in `npm test` (`quick`) or only by `npm run check:docs` (`deep`), with `inTests` also by the
 * deep tier of the tests. `until`: the block runs
 * until it prints this, or with `untilFile` until it writes a file; then it gets SIGINT. `notRun`: the reason.
 */
export type Treatment =
  | {
      run: 'quick' | 'deep'
      until?: RegExp
      untilFile?: string
      needsInstall?: boolean
      inTests?: true
    }
  | { notRun: string }

/** The blocks of a document in their order: the beginning of each, and what happens with it. */
type Blocks = readonly (readonly [start: string, Treatment])[]

const QUICK: Treatment = { run: 'quick' }
/** For commands that a test of the quick tier runs too. */
const DEEP: Treatment = { run: 'deep', inTests: true }
const notRun = (reason: string): Treatment => ({ notRun: reason })
const IN_GUIDE = notRun('the integration guide is followed by npm run check:examples and its tests')
const PACKAGED = notRun(
  'installs a package from a published hub; process/downloads.deep.test.ts installs the same package',
)

const RELEASED = notRun(
  'installs the files of a release; process/package.deep.test.ts and npm run check:nodes install the same files',
)

const DEPLOYED = notRun(
  'needs root, an image registry or a cluster; deploy/check builds and starts the image, the service and three hubs',
)

/** By the path of the document. Examples of platforms in other languages are matched by their folder. */
export const BLOCKS: Readonly<Record<string, Blocks>> = {
  'README.md': [
    ['npm ci && npm run demo', { run: 'deep', until: /^ {2}Password/m, needsInstall: true }],
    [
      'npm ci\nnpm start',
      { run: 'deep', until: /^Create the first operator/m, needsInstall: true },
    ],
    [
      '(umask 077; echo "HUB_SECRET=',
      notRun(
        'requires a PostgreSQL server; process/postgres-start.deep.test.ts starts hubs on one',
      ),
    ],
    ['TOKEN=$(npm run --silent recordhub', QUICK],
    ["curl -X POST 'http://127.0.0.1:8080/api/webhook/receive'", QUICK],
  ],
  'docs/reliability.md': [
    ['npm run test:faults', notRun('these are tests, which run for half an hour')],
  ],
  'CONTRIBUTING.md': [['npm ci ', notRun('a list of all scripts; they run for hours')]],
  'packages/server/test/README.md': [
    ['npm test ', notRun('these are the tests themselves')],
    ['npm run simulate', notRun('simulation/simulation.test.ts runs the same simulations')],
    ['npm run power-cut', notRun('needs the recording of a failed test')],
  ],
  'docs/operations.md': [
    // process/operator-commands.deep.test.ts
    ['recordhub operator list', DEEP],
    ['HUB_SMTP_URL=', notRun('settings for .env, not commands')],
  ],
  'docs/install.md': [
    ['npx ./recordhub-', RELEASED],
    ['npm install --omit=dev', RELEASED],
    ['chmod +x recordhub-', RELEASED],
    ['sha256sum --check', RELEASED],
    [
      'source <(recordhub completion bash)',
      notRun('lines for the files of three shells; process/completion.test.ts runs each of them'),
    ],
    [
      'npm ci\nnpm run release',
      notRun('process/package.deep.test.ts builds and installs the package'),
    ],
  ],
  'deploy/README.md': [
    ['npm run release', DEPLOYED],
    ['cd deploy/compose\ncp .env.example .env     ', DEPLOYED],
    ['cd deploy/compose\ncp .env.example .env\n', DEPLOYED],
    ['npm install --global', DEPLOYED],
    ['(umask 077; openssl rand', DEPLOYED],
    ['runuser --user recordhub', DEPLOYED],
    ['kubectl create namespace', DEPLOYED],
    ['kubectl --namespace recordhub create secret', DEPLOYED],
    ['deploy/check ', notRun('takes minutes; its comparison of files is deploy/agreement.test.ts')],
  ],
  'packages/server/package/README.md': [['npx recordhub demo', RELEASED]],
  'docs/backup.md': [
    // process/backup.test.ts
    ['recordhub backup  ', DEEP],
    ['recordhub backup --encrypt', notRun('asks for a passphrase, as in process/backup.test.ts')],
  ],
  'docs/doctor.md': [
    [
      'recordhub doctor',
      notRun('fails while a platform is unreachable; process/doctor.test.ts runs each command'),
    ],
  ],
  'docs/monitoring.md': [
    [
      '(umask 077; echo "HUB_METRICS_TOKEN=',
      notRun('a setting for .env; npm run check:monitoring scrapes a hub with its token'),
    ],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT=',
      notRun('requires a collector; http/traces.test.ts starts hubs with one'),
    ],
  ],
  'docs/alerts.md': [
    // process/alerts-list.deep.test.ts
    ['recordhub token create --name pager', DEEP],
    ['curl -fsS -u "reader:$RECORDHUB_TOKEN"', QUICK],
    ['curl -fsS -H "Authorization', QUICK],
    ['curl -fsSN -m 3', DEEP],
    ['recordhub alerts', DEEP],
  ],
  'docs/reading.md': [
    ['#!/bin/sh', { run: 'deep', untilFile: 'cursor' }],
    ['curl -fsS -H', QUICK],
  ],
  'docs/sql-access.md': [
    [
      'recordhub sql-views',
      notRun('requires the program sqlite3; process/sql-views.deep.test.ts runs both commands'),
    ],
  ],
  'docs/platform-guide/1-what-you-build.md': [
    ['SOURCE_API_KEY=', notRun('has a placeholder; process/guide.deep.test.ts runs the file')],
    ['curl -X PATCH', notRun('pushes a record of that file; 3-pushing.md runs pushes')],
    ['# recordhub-platform, for Node.js', PACKAGED],
  ],
  'docs/platform-guide/2-endpoints.md': [['export SOURCE_API_KEY=', QUICK]],
  'docs/platform-guide/3-pushing.md': [['export HUB_API_KEY=', QUICK]],
  'docs/platform-guide/5-checking.md': [
    ['export SOURCE_API_KEY=', PACKAGED],
    ['npx --yes', PACKAGED],
    ['curl --fail-with-body -sS "https://hub.example.org/api/webhook/check"', QUICK],
    ['curl --fail-with-body -sS "https://hub.example.org/api/webhook/guide"', QUICK],
    ['curl -sS -o /dev/null -w', QUICK],
    ['curl -sS -o /dev/null -D -', QUICK],
  ],
  'docs/platform-guide/reference.md': [["curl -X POST 'https://hub.example.org", QUICK]],
  'packages/platform-kit/README.md': [
    ['npm init -y && npm install', PACKAGED],
    ['SOURCE_API_KEY=choose-a-long-secret node', IN_GUIDE],
    ['SOURCE_API_KEY=choose-a-long-secret HUB_URL=', IN_GUIDE],
  ],
  'packages/platform-runner/README.md': [
    ['npm install https://hub.example.org', PACKAGED],
    ['npx recordhub-platform check', IN_GUIDE],
    ['npx recordhub-platform', IN_GUIDE],
  ],
  'packages/platform-checker/package/README.md': [['export SOURCE_API_KEY=', PACKAGED]],
}

const EXAMPLES = 'docs/platform-guide/examples/'

export type DocumentedBlock = { path: string; line: number; text: string; treatment: Treatment }

/**
 * Finds the treatment of each block.
 * @returns `issues`: one line for each block that is not listed, or that is listed but not in the document.
 */
export function listBlocks(
  files: readonly MarkdownFile[],
  table: Readonly<Record<string, Blocks>> = BLOCKS,
): { blocks: DocumentedBlock[]; issues: string[] } {
  const issues: string[] = []
  const paths = new Set(files.map(({ path }) => path))
  for (const path of Object.keys(table)) {
    if (!paths.has(path)) issues.push(`${path} does not exist`)
  }
  const blocks = files.flatMap(({ path, blocks: all }) => {
    const commands = all.filter(({ language }) => ['sh', 'bash', 'shell'].includes(language))
    if (path.startsWith(EXAMPLES)) {
      return commands.map(({ line, text }) => ({ path, line, text, treatment: IN_GUIDE }))
    }
    const listed = [...(table[path] ?? [])]
    const found = commands.flatMap(({ line, text }) => {
      const index = listed.findIndex(([start]) => text.startsWith(start))
      const [entry] = index < 0 ? [] : listed.splice(0, index + 1).slice(-1)
      if (entry) return [{ path, line, text, treatment: entry[1] }]
      const [first = ''] = text.split('\n')
      issues.push(`${path}:${line}: "${first}" is not listed`)
      return []
    })
    for (const [start] of listed) issues.push(`${path}: there is no block "${start}"`)
    return found
  })
  return { blocks, issues }
}
