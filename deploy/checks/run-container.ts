/** Starts the image, and shows what deploy/README.md says about it: records, restart, stop, isolation, health. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../packages/server/test/helpers/postgres/server.ts'
import { signIn } from '../../packages/server/test/helpers/process/operator.ts'
import {
  generateModule,
  startPlatform,
} from '../../packages/server/test/helpers/process/platform.ts'
import { pushOnce } from '../../packages/server/test/helpers/process/push.ts'
import {
  isAcknowledged,
  registerPusher,
  startPushing,
} from '../../packages/server/test/helpers/process/push-loop.ts'
import { untilTrue } from '../../packages/server/test/helpers/time/until.ts'
import { type Cleanup, withCleanup } from './cleanup.ts'
import type { Engine } from './container-engine.ts'
import { startContainer } from './container-hub.ts'
import { checkedUnless, type Outcome, ran } from './outcome.ts'

const PULLED = 1000
const CONNECTIONS = 8
/** The hub's own grace period is 5 s; the container's is 30 s. */
const MAX_STOP_SECONDS = 25

export type ContainerDeps = { engine: Engine; options: readonly string[] }

/** The first records, by a pull and a push; they are still there in a new container with the same volume. */
export function runFirstRecords({ engine, options }: ContainerDeps): Promise<Outcome> {
  return withCleanup(async (t) => {
    const started = performance.now()
    const hub = await startContainer(t, engine, { name: 'recordhub-first', options })
    const operator = await signIn(hub.address)
    const platform = await startPlatform(t, {
      name: 'hr',
      modules: [generateModule('employee', PULLED)],
    })
    const { hub_api_key: hubApiKey } = await operator.registerModules(platform)
    const pulled = await operator.pullAll()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const push = {
      method: 'POST',
      record_type: 'employee',
      reference_number: 'new',
      data: {},
    } as const
    const pushed = await pushOnce({ address: hub.address, hubApiKey }, push)
    const before = await operator.records()
    await hub.stop()
    // A new container, as after an upgrade of the image.
    await engine.podman('rm', hub.name)
    const next = await startContainer(t, engine, { name: hub.name, options })
    const after = await operator.at(next.address).records()
    const issues = [
      ...(pulled.pull.state === 'succeeded' ? [] : [`The pull is ${pulled.pull.state}`]),
      ...(pushed.kind === 'response' && pushed.status === 201 ? [] : ['The push was not accepted']),
      ...(before.length === PULLED + 1 ? [] : [`${before.length} records were stored`]),
      ...(JSON.stringify(after) === JSON.stringify(before)
        ? []
        : ['The records differ after the restart']),
    ]
    const detail = `${PULLED} records pulled ${seconds} s after podman run, and one pushed; all ${after.length} are unchanged in a new container with the same volume and session`
    return issues.length === 0 ? ran(detail) : checkedUnless(issues, detail)
  })
}

/** The user, the capabilities and the file system as the process in the container sees them. */
export function runIsolation({ engine, options }: ContainerDeps): Promise<Outcome> {
  return withCleanup(async (t) => {
    const hub = await startContainer(t, engine, { name: 'recordhub-isolation', options })
    const script = `
      const fs = require('node:fs')
      const write = (path) => { try { fs.writeFileSync(path, ''); fs.rmSync(path); return 'written' } catch (error) { return error.code } }
      const status = fs.readFileSync('/proc/1/status', 'utf8')
      const field = (name) => new RegExp('^' + name + ':\\\\s+(\\\\S+)', 'm').exec(status)[1]
      console.log(JSON.stringify({
        uid: field('Uid'), capabilities: field('CapEff'), noNewPrivileges: field('NoNewPrivs'), seccomp: field('Seccomp'),
        root: write('/opt/recordhub/file'), data: write('/var/lib/recordhub/file'), tmp: write('/tmp/file'),
        shell: fs.existsSync('/bin/sh'),
      }))`
    const seen = await hub.evaluate(script)
    const expected = JSON.stringify({
      ...{ uid: '65532', capabilities: '0000000000000000', noNewPrivileges: '1', seccomp: '2' },
      ...{ root: 'EROFS', data: 'written', tmp: 'written', shell: false },
    })
    if (seen !== expected) return { state: 'failed', why: `${seen}, expected ${expected}` }
    return ran(
      'user 65532, no capabilities, seccomp, read-only root, writable volume and /tmp, no shell',
    )
  })
}

/** SIGTERM while platforms push: the hub stops in time, and no acknowledged push is lost; then the same with SIGKILL. */
export function runStops({ engine, options }: ContainerDeps): Promise<Outcome> {
  return withCleanup(async (t) => {
    const hub = await startContainer(t, engine, { name: 'recordhub-stops', options })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const work = { name: 'stops', hubApiKey, connections: CONNECTIONS }
    const pushing = startPushing(t, [hub], ledger, work)
    await pushing.untilAttempts(300, isAcknowledged)
    const { seconds, code } = await hub.stop()
    await hub.start()
    await pushing.untilAttempts(300, isAcknowledged)
    await hub.kill()
    await engine.podman('wait', hub.name)
    await hub.start()
    await pushing.untilAttempts(300, isAcknowledged)
    await pushing.finish()
    await ledger.assertStored(operator)
    const issues = [
      ...(code === 0 ? [] : [`SIGTERM ended the hub with exit code ${code}`]),
      ...(seconds < MAX_STOP_SECONDS ? [] : [`The hub stopped after ${seconds} s`]),
    ]
    const detail = `${CONNECTIONS} connections pushed; SIGTERM ended the hub after ${seconds.toFixed(1)} s with exit code ${code}, then SIGKILL: all ${ledger.acknowledged()} acknowledged pushes are stored`
    return issues.length === 0 ? ran(detail) : checkedUnless(issues, detail)
  })
}

/** The health check of the image, while PostgreSQL runs, stops and runs again. Secrets are files. */
export function runHealth({ engine, options }: ContainerDeps): Promise<Outcome> {
  return withCleanup(async (t) => {
    const postgres = await startPostgres()
    t.after(() => postgres.remove())
    const files = secretFiles(t, { hub_secret: 'x'.repeat(44), database_url: postgres.url })
    const env = {
      HUB_SECRET_FILE: '/run/secrets/hub_secret',
      DATABASE_URL_FILE: '/run/secrets/database_url',
    }
    const name = 'recordhub-health'
    const hub = await startContainer(t, engine, { name, options, env, files })
    const healthy = [await hub.isHealthy()]
    await postgres.stop()
    const isReady = async () => (await fetch(`${hub.address}/readyz`)).ok
    // Responses within a second share their result.
    await untilTrue('the hub notices', async () => !(await isReady()))
    healthy.push(await hub.isHealthy())
    await postgres.start()
    await untilTrue('the hub has reconnected', isReady)
    healthy.push(await hub.isHealthy())
    if (healthy.join() !== 'true,false,true') return { state: 'failed', why: healthy.join() }
    return ran('healthy with PostgreSQL, unhealthy without it, healthy again; secrets from files')
  })
}

/** Files that the user of the container can read, in a folder that only root can read. */
function secretFiles(t: Cleanup, secrets: Record<string, string>): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-secrets-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = Object.entries(secrets).map(([name, value]) => {
    writeFileSync(join(folder, name), `${value}\n`, { mode: 0o644 })
    return [`/run/secrets/${name}`, join(folder, name)]
  })
  return Object.fromEntries(files)
}
