/**
 * Boots a small Debian with systemd in a namespace (systemd-nspawn), installs the released package as deploy/README.md
 * describes, and runs the unit: the restrictions, the credentials and the stop are those of a real systemd.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath, getuid } from 'node:process'
import { startPostgres } from '../../packages/server/test/helpers/postgres/server.ts'
import { findFreePort } from '../../packages/server/test/helpers/process/free-port.ts'
import { signIn } from '../../packages/server/test/helpers/process/operator.ts'
import {
  generateModule,
  startPlatform,
} from '../../packages/server/test/helpers/process/platform.ts'
import { OPERATOR } from '../../packages/server/test/helpers/process/sandbox.ts'
import { untilTrue } from '../../packages/server/test/helpers/time/until.ts'
import { type Cleanup, withCleanup } from './cleanup.ts'
import { checkedUnless, type Outcome, ran, unavailable } from './outcome.ts'
import { findMissing, run, runToEnd } from './programs.ts'

const PACKAGES = 'passwd,systemd,systemd-sysv,libstdc++6,ca-certificates'

export function runService(deploy: string, packagePath: string): Promise<Outcome> {
  return withCleanup(async (t) => {
    if (getuid?.() !== 0) return unavailable('systemd-nspawn needs root')
    const missing = findMissing('systemd-nspawn', 'mmdebstrap', 'nsenter')
    if (missing.length > 0) return unavailable(`${missing.join(', ')} not installed`)
    const postgres = await startPostgres()
    t.after(() => postgres.remove())
    const port = await findFreePort()
    const root = await installSystem(t, deploy, packagePath)
    writeSettings(root, port, postgres.url)

    const started = performance.now()
    const machine = await boot(t, root)
    await untilTrue('the service is ready', async () => {
      if (machine.exitCode !== null)
        throw new Error(`systemd-nspawn exited with ${machine.exitCode}`)
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
      return response?.ok === true
    })
    const inside = (...command: string[]) => enter(machine, command)
    const operator = await signIn(`http://127.0.0.1:${port}`)
    const platform = await startPlatform(t, {
      name: 'hr',
      modules: [generateModule('employee', 100)],
    })
    await operator.registerModules(platform)
    const { pull } = await operator.pullAll()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const status = readFileSync(`/proc/${await findHub(port)}/status`, 'utf8')
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1]

    const program = '/opt/recordhub/bin/recordhub'
    await inside('runuser', '--user', 'recordhub', '--', program, '--version')
    await inside('systemctl', 'stop', 'recordhub')
    const result = await inside(
      'systemctl',
      'show',
      'recordhub',
      '--property=Result,ExecMainStatus',
    )

    const issues = [
      ...(pull.state === 'succeeded' ? [] : [`The pull is ${pull.state}`]),
      ...(field('Uid') === '0' ? ['The hub runs as root'] : []),
      ...(field('CapEff') === '0000000000000000'
        ? []
        : [`The capabilities are ${field('CapEff')}`]),
      ...(field('Seccomp') === '2' ? [] : ['There is no system call filter']),
      ...(field('NoNewPrivs') === '1' ? [] : ['The hub may gain privileges']),
      ...(result.trim() === 'Result=success\nExecMainStatus=0'
        ? []
        : [`The stop: ${result.trim()}`]),
    ]
    const detail = `recordhub.service with postgres.conf in a Debian booted by systemd-nspawn: 100 records pulled ${seconds} s after the boot began; user ${field('Uid')}, no capabilities, ${field('Seccomp_filters')} system call filters, secrets by LoadCredential, stopped with success`
    return issues.length === 0 ? ran(detail) : checkedUnless(issues, detail)
  })
}

async function installSystem(t: Cleanup, deploy: string, packagePath: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-service-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'root')
  mkdirSync(root)
  const archive = join(folder, 'system.tar')
  const options = ['--quiet', '--variant=essential', '--mode=root', `--include=${PACKAGES}`]
  await run('mmdebstrap', [...options, 'bookworm', archive])
  await run('tar', ['--extract', '--file', archive, '--directory', root])
  cpSync(execPath, join(root, 'usr/bin/node'))
  const prefix = ['--global', '--prefix', join(root, 'opt/recordhub')]
  await run('npm', ['install', ...prefix, '--no-audit', '--no-fund', packagePath])
  await run('chroot', [
    root,
    'useradd',
    '--system',
    '--home-dir',
    '/var/lib/recordhub',
    'recordhub',
  ])
  const units = join(root, 'etc/systemd/system')
  mkdirSync(join(units, 'recordhub.service.d'), { recursive: true })
  mkdirSync(join(units, 'multi-user.target.wants'), { recursive: true })
  cpSync(join(deploy, 'systemd/recordhub.service'), join(units, 'recordhub.service'))
  cpSync(join(deploy, 'systemd/postgres.conf'), join(units, 'recordhub.service.d/postgres.conf'))
  symlinkSync('../recordhub.service', join(units, 'multi-user.target.wants/recordhub.service'))
  return root
}

function writeSettings(root: string, port: number, databaseUrl: string): void {
  const folder = join(root, 'etc/recordhub')
  mkdirSync(folder)
  const settings = {
    ...{ PORT: `${port}`, HUB_PULL_SCHEDULE: 'off' },
    ...{ HUB_ADMIN_EMAIL: OPERATOR.email, HUB_ADMIN_PASSWORD: OPERATOR.password },
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`)
  writeFileSync(join(folder, 'settings.env'), lines.join(''))
  writeFileSync(join(folder, 'hub-secret'), `${'x'.repeat(44)}\n`, { mode: 0o600 })
  writeFileSync(join(folder, 'database-url'), `${databaseUrl}\n`, { mode: 0o600 })
}

/** Starts systemd with the network of this machine. It ends with this check. */
async function boot(t: Cleanup, root: string): Promise<ChildProcess> {
  const options = ['--quiet', '--boot', '--register=no', '--keep-unit', '--console=pipe']
  const machine = spawn('systemd-nspawn', [...options, `--directory=${root}`], { stdio: 'ignore' })
  t.after(async () => {
    if (machine.exitCode !== null) return
    const ended = new Promise((resolve) => machine.once('exit', resolve))
    // systemd-nspawn passes the signal on, and kills every process in the namespace when its first one ends.
    for (const init of await childrenOf(machine)) process.kill(init, 'SIGKILL')
    await ended
  })
  return machine
}

async function enter(machine: ChildProcess, command: string[]): Promise<string> {
  const [init] = await childrenOf(machine)
  return run('nsenter', [`--target=${init}`, '--all', ...command])
}

async function childrenOf({ pid }: ChildProcess): Promise<number[]> {
  const { stdout } = await runToEnd('ps', ['--ppid', String(pid), '--format', 'pid='])
  return stdout.split(/\s+/).filter(Boolean).map(Number)
}

/** The process that listens on a port, as this machine sees it. */
async function findHub(port: number): Promise<number> {
  const output = await run('ss', [
    '--tcp',
    '--listening',
    '--numeric',
    '--processes',
    `sport = :${port}`,
  ])
  return Number(/pid=(\d+)/.exec(output)?.[1])
}
