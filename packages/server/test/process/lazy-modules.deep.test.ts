/** The packages that a hub loads only when it needs them. The coverage data of a process lists its modules. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { enginesForTier, type ProcessEngine, sqlite } from '../helpers/process/engine.ts'
import { HUB_SOURCE, OPERATOR, type Sandbox, test } from '../helpers/process/sandbox.ts'
import { isDeep } from '../helpers/time/tier.ts'

/** Packages of sign-ins, checks of passwords and platforms, mails, spreadsheets and the API reference. */
const LAZY = [
  ...['better-auth', '@better-auth/passkey', 'zod', '@zxcvbn-ts/language-common'],
  ...['nodemailer', 'yazl', '@fastify/swagger', '@scalar/fastify-api-reference'],
]
const CHECKER = 'packages/platform-checker/src/check-platform.ts'
const TRACES = 'src/lib/tracing/otlp-tracer.ts'
const OF_OTHER_ENGINE: Record<ProcessEngine['name'], string[]> = {
  SQLite: ['node_modules/pg/', 'node_modules/pg-boss/', 'src/storage/postgres/'],
  PostgreSQL: ['src/storage/sqlite/'],
}

const OPERATOR_SETTINGS = {
  HUB_ADMIN_EMAIL: OPERATOR.email,
  HUB_ADMIN_PASSWORD: OPERATOR.password,
}

for (const engine of enginesForTier(sqlite)) {
  test(`an idle hub on ${engine.name} has loaded no package that it does not need yet`, async (t) => {
    const { sandbox } = await engine.createSandbox(t)
    if (isDeep) {
      const first = await loadedModules(sandbox, 'first', OPERATOR_SETTINGS)
      // The first start creates the operator of the settings.
      assert.ok(hasModule(first, 'node_modules/better-auth/'))
    }
    const second = await loadedModules(sandbox, 'second', isDeep ? OPERATOR_SETTINGS : {})
    assert.ok(hasModule(second, 'node_modules/fastify/'))
    const unwanted = [
      ...LAZY.map((name) => `node_modules/${name}/`),
      ...[CHECKER, TRACES],
      ...OF_OTHER_ENGINE[engine.name],
    ]
    assert.deepEqual(
      unwanted.filter((path) => hasModule(second, path)),
      [],
    )
    if (!isDeep) return
    // Nothing listens there.
    const traced = await loadedModules(sandbox, 'traced', {
      ...OPERATOR_SETTINGS,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    })
    assert.ok(hasModule(traced, TRACES))
  })
}

/** Starts and stops a hub. @returns the URLs of its modules. */
async function loadedModules(
  sandbox: Sandbox,
  name: string,
  settings: Record<string, string> = {},
): Promise<string[]> {
  const folder = join(sandbox.folder, name)
  const env = { PORT: '0', HUB_PULL_SCHEDULE: 'off', ...settings, NODE_V8_COVERAGE: folder }
  // The bundle of the test run has no modules.
  const hub = sandbox.spawn(['start'], { env, program: HUB_SOURCE })
  await hub.untilPrinted(/^Recordhub listens at /)
  assert.equal((await hub.stop()).code, 0)
  return readdirSync(folder).flatMap((file) => {
    const { result }: { result: { url: string }[] } = JSON.parse(
      readFileSync(join(folder, file), 'utf8'),
    )
    return result.map(({ url }) => url)
  })
}

function hasModule(urls: readonly string[], path: string): boolean {
  return urls.some((url) => url.includes(path))
}
