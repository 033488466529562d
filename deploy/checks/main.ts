/** `deploy/check`: validates the files in deploy/, and runs what this machine can run. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, exit, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findDisagreements, readFiles } from './agreement.ts'
import { type BuiltImage, buildImage, findPackage, IMAGE } from './build-image.ts'
import { createEngine, findEngineIssue, findRunOptions } from './container-engine.ts'
import {
  parseCompose,
  validateCaddyfile,
  validateSchemas,
  validateService,
} from './descriptions.ts'
import { checkedUnless, formatOutcome, type Outcome, ran, unavailable } from './outcome.ts'
import { run } from './programs.ts'
import { runFirstRecords, runHealth, runIsolation, runStops } from './run-container.ts'
import { runService } from './run-service.ts'
import { runThreeHubs } from './run-three-hubs.ts'

const HELP = `Usage: deploy/check [--quick] [--release <folder>] [--work <folder>]

Validates the files in deploy/, and builds and runs what they describe as far as this machine can. Each line says
"checked", "run" or "not available here". The exit code is 1 if a check failed.

  --quick             Only validate the files.
  --release <folder>  Use the recordhub-<version>.tgz in this folder instead of npm run release.
  --work <folder>     Keep the images in this folder, so that the next run need not build the base images again.
`

const DEPLOY = fileURLToPath(new URL('..', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

let hasFailed = false

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: argv.slice(2),
    options: {
      help: { type: 'boolean' },
      quick: { type: 'boolean' },
      release: { type: 'string' },
      work: { type: 'string' },
    },
  })
  if (values.help) return void stdout.write(HELP)
  await validateFiles()
  if (values.quick) return
  const temporary = mkdtempSync(join(tmpdir(), 'recordhub-check-'))
  try {
    const release = values.release ?? (await createRelease(join(temporary, 'release')))
    const { path } = findPackage(release)
    await report('service', () => runService(DEPLOY, path))
    await report('three hubs', () => runThreeHubs(DEPLOY, path))
    await runContainers(values.work ?? join(temporary, 'containers'), release)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

async function validateFiles(): Promise<void> {
  const files = readFiles(DEPLOY)
  const manifest = readFileSync(join(ROOT, 'packages/server/package.json'), 'utf8')
  const { version }: { version: string } = JSON.parse(manifest)
  const composeFiles = [files['compose/sqlite.yaml'], files['compose/postgres.yaml']]
  await report('agreement with the code', async () =>
    checkedUnless(
      findDisagreements(files, version),
      `settings, ports, paths, users, time limits and versions of ${Object.keys(files).length} files`,
    ),
  )
  await report('Caddyfile', () => validateCaddyfile(DEPLOY))
  await report('systemd unit', () => validateService(DEPLOY))
  await report('Compose files', () => parseCompose(DEPLOY))
  await report('schemas', () => validateSchemas(DEPLOY, composeFiles))
}

async function createRelease(folder: string): Promise<string> {
  await run('npm', ['run', 'release', '--', '--out', folder, '--no-executable', '--allow-dirty'], {
    cwd: ROOT,
  })
  return folder
}

async function runContainers(work: string, release: string): Promise<void> {
  const issue = findEngineIssue()
  const engine = createEngine(work)
  let built: BuiltImage | null = null
  await report('image', async () => {
    if (issue !== null) return unavailable(issue)
    built = await buildImage(engine, DEPLOY, release)
    const { megabytes, seconds, baseSeconds } = built
    return ran(
      `${megabytes} MB, built by buildah in ${seconds.toFixed(0)} s (and its base images from Debian's packages in ${baseSeconds.toFixed(0)} s)`,
    )
  })
  const checks = [runFirstRecords, runIsolation, runStops, runHealth]
  if (built === null) {
    for (const check of checks)
      await report(nameOf(check), async () => unavailable('there is no image'))
    return
  }
  const { options, reasons } = await findRunOptions(engine, IMAGE)
  for (const reason of reasons) await report('container options', async () => unavailable(reason))
  for (const check of checks) {
    await report(nameOf(check), async () =>
      options === null
        ? unavailable('no container can be started')
        : check({ engine, options: options }),
    )
  }
}

/** "runFirstRecords" is "container: first records". */
function nameOf(check: { name: string }): string {
  return `container:${check.name.replace('run', '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`
}

async function report(name: string, check: () => Promise<Outcome>): Promise<void> {
  const outcome = await check().catch(
    (error: unknown): Outcome => ({
      state: 'failed',
      why: error instanceof Error ? error.message : String(error),
    }),
  )
  if (outcome.state === 'failed') hasFailed = true
  stdout.write(`${formatOutcome(name, outcome)}\n`)
}

await main()
// Servers of checks that failed must not keep this process alive.
exit(hasFailed ? 1 : 0)
