/**
 * `npm run check:monitoring`: checks the metrics of a hub, the alert rules and the dashboard with Prometheus. Exits with
 * 1 if one of them is wrong, with 2 if Prometheus is not installed (Debian: prometheus).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WITH_METRICS } from '../helpers/hub/scrape.ts'
import { findFreePort } from '../helpers/process/free-port.ts'
import { signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { createPusher } from '../helpers/process/push.ts'
import { createSandbox, type RunningHub, type Sandbox } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'
import {
  listPanelExpressions,
  PROMETHEUS_FOLDER,
  RULES_FILE,
  RULES_TEST_FILE,
} from './monitoring-files.ts'

const TOKEN = WITH_METRICS.HUB_METRICS_TOKEN
const cleanUps: (() => unknown)[] = []
const t = { after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) }
let hasFailed = false

async function main(): Promise<number> {
  for (const program of ['promtool', 'prometheus']) {
    if (spawnSync(program, ['--version']).error) {
      process.stderr.write(`${program} is not installed: apt-get install prometheus\n`)
      return 2
    }
  }
  const sandbox = createSandbox(t)
  const hub = await startBusyHub(sandbox)
  const folder = join(sandbox.folder, 'prometheus')
  mkdirSync(folder)
  for (const file of [RULES_FILE, RULES_TEST_FILE, 'prometheus.yml']) {
    copyFileSync(join(PROMETHEUS_FOLDER, file), join(folder, file))
  }
  writeFileSync(join(folder, 'recordhub.token'), TOKEN, { mode: 0o600 })

  const metrics = await scrapeText(hub)
  print(`${metrics.split('\n').filter((line) => /^[a-z]/.test(line)).length} series in the scrape`)
  promtool(['check', 'metrics'], folder, metrics)
  promtool(['check', 'rules', RULES_FILE], folder)
  promtool(['check', 'config', 'prometheus.yml'], folder)
  promtool(['test', 'rules', RULES_TEST_FILE], folder)
  await checkServer(folder, hub)
  return hasFailed ? 1 : 0
}

/** Starts a hub with a platform that has pushed and was pulled. */
async function startBusyHub(sandbox: Sandbox): Promise<RunningHub> {
  const hub = await sandbox.startHub({ env: WITH_METRICS })
  const platform = await startPlatform(t, { name: 'hr', modules: [generateModule('staff', 500)] })
  const operator = await signIn(hub.address)
  const { hub_api_key } = await operator.registerModules(platform)
  await operator.pullAll()
  const pusher = createPusher({ address: hub.address, hubApiKey: hub_api_key })
  t.after(() => pusher.close())
  for (let number = 0; number < 50; number += 1) {
    const reference_number = `staff-${number}`
    await pusher.push({ method: 'PATCH', record_type: 'staff', reference_number, data: { number } })
  }
  return hub
}

async function scrapeText({ address }: RunningHub): Promise<string> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  return (await fetch(`${address}/metrics`, { headers })).text()
}

function promtool(args: string[], cwd: string, input = ''): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd, input, encoding: 'utf8' })
  const output = `${stdout}${stderr}`.trim().replaceAll('\n', '\n    ')
  report(`promtool ${args.join(' ')}`, status === 0, output)
}

/** Lets a real server scrape the hub, evaluate the rules and run every query of the dashboard. */
async function checkServer(folder: string, hub: RunningHub): Promise<void> {
  const port = await findFreePort()
  writeConfig(folder, hub.address)
  const server = spawn(
    'prometheus',
    [
      ...['--config.file=running.yml', '--storage.tsdb.path=data', '--log.level=error'],
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { cwd: folder, stdio: 'inherit' },
  )
  t.after(() => stopProcess(server))
  const query = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    return Object(Object(await response.json()).data)
  }
  const targetHealth = async () => {
    const { activeTargets } = await query('targets?state=active').catch(() => ({}) as never)
    return Object(Object(activeTargets)[0])
  }
  await until(async () => ((await targetHealth()).health === 'up' ? true : null), 'a scrape')
  report(
    'Prometheus scrapes the hub with its token',
    true,
    String((await targetHealth()).scrapeUrl),
  )

  const rules = await until(async () => {
    const { groups } = await query('rules')
    const all: Record<string, unknown>[] = Object(Object(groups)[0]).rules ?? []
    return all.length > 0 && all.every(({ health }) => health !== 'unknown') ? all : null
  }, 'the rules are evaluated')
  const failed = rules.filter(({ health }) => health !== 'ok').map(({ name }) => name)
  report(`Prometheus evaluates ${rules.length} rules`, failed.length === 0, failed.join(', '))
  const firing = rules.filter(({ state }) => state !== 'inactive').map(({ name }) => name)
  report('no rule raises an alert for a healthy hub', firing.length === 0, firing.join(', '))

  // The rates need two scrapes.
  await until(async () => {
    const counted = await query(`query?query=${encodeURIComponent('count_over_time(up[1m])')}`)
    return Number(Object(Object(counted['result'])[0]).value?.[1]) > 2 ? true : null
  }, 'three scrapes')
  const panels = listPanelExpressions()
  let withData = 0
  for (const { title, expr } of panels) {
    const runnable = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m')
    const { result } = await query(`query?query=${encodeURIComponent(runnable)}`)
    if (!Array.isArray(result)) report(`panel ${title}`, false, expr)
    else if (result.length > 0) withData += 1
    else print(`    empty, as nothing is wrong: ${title}`)
  }
  report(
    `Prometheus runs the ${panels.length} queries of the dashboard`,
    true,
    `${withData} with data`,
  )

  await hub.stop('SIGKILL')
  const isPending = async () => {
    const { alerts } = await query('alerts')
    const names = [alerts ?? []].flat().map((alert) => Object(alert).labels?.alertname)
    return names.includes('RecordhubDown') ? true : null
  }
  await until(isPending, 'an alert about the stopped hub')
  report('Prometheus raises RecordhubDown after the hub was killed', true, 'pending for 2 minutes')
}

/** The example, with the address of the hub and shorter intervals. */
function writeConfig(folder: string, address: string): void {
  const example = readFileSync(join(folder, 'prometheus.yml'), 'utf8')
  const config = example.replace('127.0.0.1:8080', new URL(address).host).replaceAll('15s', '1s')
  writeFileSync(join(folder, 'running.yml'), config)
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function report(name: string, isRight: boolean, detail: string): void {
  print(`${isRight ? 'OK' : 'WRONG'}: ${name}${detail === '' ? '' : `\n    ${detail}`}`)
  if (!isRight) hasFailed = true
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  process.exitCode = await main()
} finally {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp()
}
