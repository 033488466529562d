/**
 * Compares the files in deploy/ with the code: settings, ports, paths, users and time limits. Needs no other program,
 * so it is also part of `npm test`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { readConfig, SettingError } from '../../packages/server/src/config/config.ts'
import { readSecretFiles } from '../../packages/server/src/config/environment.ts'
import {
  isSettingName,
  SECRET_SETTINGS,
  SETTINGS,
} from '../../packages/server/src/config/settings.ts'
import { ACCESS } from '../../packages/server/src/http/access.ts'

/** The files that describe deployments. */
export const FILES = [
  'Containerfile',
  'compose/Caddyfile',
  'compose/sqlite.yaml',
  'compose/postgres.yaml',
  'compose/settings.env',
  'compose/.env.example',
  'kubernetes/base/kustomization.yaml',
  'kubernetes/base/settings.env',
  'kubernetes/base/service.yaml',
  'kubernetes/base/ingress.yaml',
  'kubernetes/base/network-policy.yaml',
  'kubernetes/base/pod.yaml',
  'kubernetes/sqlite/kustomization.yaml',
  'kubernetes/sqlite/stateful-set.yaml',
  'kubernetes/postgres/kustomization.yaml',
  'kubernetes/postgres/deployment.yaml',
  'kubernetes/postgres/pod-disruption-budget.yaml',
  'systemd/recordhub.service',
  'systemd/postgres.conf',
] as const

export type Files = Readonly<Record<(typeof FILES)[number], string>>

/** The hub gives running requests 5 s; closing the database and a running pull needs more on a busy machine. */
const MIN_GRACE_SECONDS = 20
const POD = ['spec', 'template', 'spec'] as const
const HUB_CONTAINER = [...POD, 'containers', 0] as const

export function readFiles(folder: string): Files {
  const texts = FILES.map((path) => [path, readFileSync(join(folder, path), 'utf8')])
  return Object.fromEntries(texts)
}

/** @returns what differs, one sentence an issue. */
export function findDisagreements(files: Files, version: string): string[] {
  return [
    ...findUnknownSettings(files),
    ...findInvalidSettings(files),
    ...findWrongPaths(files),
    ...comparePorts(files),
    ...compareUsers(files),
    ...compareGracePeriods(files),
    ...compareReplicas(files),
    ...compareVersions(files, version),
  ]
}

/** The member at a path of keys and indexes; undefined if there is none. */
export function memberAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((parent, key) => {
    if (typeof parent !== 'object' || parent === null) return undefined
    return Object.entries(parent).find(([name]) => name === String(key))?.[1]
  }, value)
}

/** The first document of a YAML file. */
export function readYaml(text: string): unknown {
  const [document] = parseAllDocuments(text, { merge: true })
  return document?.toJS()
}

function findUnknownSettings(files: Files): string[] {
  const known = new Set(SECRET_SETTINGS.map((name) => `${name}_FILE`))
  return FILES.flatMap((path) =>
    [...new Set(files[path].match(/\bHUB_[A-Z_]+\b/g))]
      .filter((name) => !isSettingName(name) && !known.has(name))
      .map((name) => `${path}: ${name} is not a setting`),
  )
}

/** Reads the settings of each deployment as the hub does. */
function findInvalidSettings(files: Files): string[] {
  const image = variablesIn(files['Containerfile'], /^(?:ENV )? *([A-Z_]+)=(\S+)/gm)
  const compose = variablesIn(files['compose/settings.env'])
  const service = variablesIn(files['systemd/recordhub.service'], /^Environment=([A-Z_]+)=(.*)$/gm)
  const hubOf = (path: 'compose/sqlite.yaml' | 'compose/postgres.yaml', name: string) =>
    toVariables(memberAt(readYaml(files[path]), 'services', name, 'environment'))
  const deployments: Record<string, Record<string, string>> = {
    Containerfile: image,
    'compose/sqlite.yaml': { ...image, ...compose, ...hubOf('compose/sqlite.yaml', 'hub') },
    'compose/postgres.yaml': { ...image, ...compose, ...hubOf('compose/postgres.yaml', 'hub-1') },
    'kubernetes/base/settings.env': {
      ...image,
      ...variablesIn(files['kubernetes/base/settings.env']),
    },
    'systemd/recordhub.service': service,
  }
  return Object.entries(deployments).flatMap(([path, variables]) => {
    try {
      const { unknown } = readConfig({
        flags: {},
        environment: withoutFiles(variables),
        envFile: {},
      })
      return unknown.map((name) => `${path}: ${name} is not a setting`)
    } catch (error) {
      if (error instanceof SettingError) return [`${path}: ${error.message}`]
      throw error
    }
  })
}

/** The files of secrets are not here. */
function withoutFiles(variables: Record<string, string>): Record<string, string | undefined> {
  const names = new Set(SECRET_SETTINGS.map((name) => `${name}_FILE`))
  return readSecretFiles(
    Object.fromEntries(Object.entries(variables).filter(([name]) => !names.has(name))),
  )
}

function findWrongPaths(files: Files): string[] {
  const pod = readYaml(files['kubernetes/base/pod.yaml'])
  const probe = (name: string) => memberAt(pod, ...HUB_CONTAINER, name, 'httpGet', 'path')
  const paths: [string, unknown, string][] = [
    [
      'Containerfile, HEALTHCHECK',
      /\$\{process\.env\.PORT\}(\/\w+)/.exec(files['Containerfile'])?.[1],
      '/readyz',
    ],
    [
      'compose/Caddyfile, health_uri',
      /health_uri (\S+)/.exec(files['compose/Caddyfile'])?.[1],
      '/readyz',
    ],
    ['kubernetes/base/pod.yaml, startupProbe', probe('startupProbe'), '/healthz'],
    ['kubernetes/base/pod.yaml, livenessProbe', probe('livenessProbe'), '/healthz'],
    ['kubernetes/base/pod.yaml, readinessProbe', probe('readinessProbe'), '/readyz'],
  ]
  return paths.flatMap(([where, path, expected]) => [
    ...expectEqual(where, path, expected),
    ...(ACCESS[`GET ${path}`] === 'anyone'
      ? []
      : [`${where}: GET ${path} is not an open route of the hub`]),
  ])
}

function comparePorts(files: Files): string[] {
  const port = SETTINGS.PORT.default
  const pod = readYaml(files['kubernetes/base/pod.yaml'])
  const compose = (path: 'compose/sqlite.yaml' | 'compose/postgres.yaml') =>
    memberAt(readYaml(files[path]), 'services', 'caddy', 'environment', 'UPSTREAMS')
  return [
    ...expectEqual(
      'Containerfile, PORT',
      /\bPORT=(\d+)/.exec(files['Containerfile'])?.[1],
      `${port}`,
    ),
    ...expectEqual(
      'Containerfile, EXPOSE',
      /^EXPOSE (\d+)/m.exec(files['Containerfile'])?.[1],
      `${port}`,
    ),
    ...expectEqual(
      'kubernetes, containerPort',
      memberAt(pod, ...HUB_CONTAINER, 'ports', 0, 'containerPort'),
      port,
    ),
    ...expectEqual('compose/sqlite.yaml, UPSTREAMS', compose('compose/sqlite.yaml'), `hub:${port}`),
    ...expectEqual(
      'compose/postgres.yaml, UPSTREAMS',
      compose('compose/postgres.yaml'),
      [1, 2, 3].map((hub) => `hub-${hub}:${port}`).join(' '),
    ),
  ]
}

/** The owner of the data is the same everywhere, and the volumes are at the data folder. */
function compareUsers(files: Files): string[] {
  const image = files['Containerfile']
  const user = /^USER (\d+):\1$/m.exec(image)?.[1]
  const folder = /HUB_DATA_DIR=(\S+)/.exec(image)?.[1]
  const pod = readYaml(files['kubernetes/base/pod.yaml'])
  const security = (name: string) => memberAt(pod, ...POD, 'securityContext', name)
  const sqlite = memberAt(readYaml(files['compose/sqlite.yaml']), 'services', 'hub', 'volumes', 0)
  const postgres = memberAt(
    readYaml(files['compose/postgres.yaml']),
    'services',
    'hub-1',
    'volumes',
    0,
  )
  return [
    ...(user === undefined || user === '0'
      ? ['Containerfile: USER must be a user other than root']
      : []),
    ...expectEqual('Containerfile, VOLUME', /^VOLUME (\S+)/m.exec(image)?.[1], folder),
    ...expectEqual(
      'Containerfile, owner of the volume',
      /--chown=(\d+):\d+ \/volume/.exec(image)?.[1],
      user,
    ),
    ...['runAsUser', 'runAsGroup', 'fsGroup'].flatMap((name) =>
      expectEqual(`kubernetes, ${name}`, String(security(name)), user),
    ),
    ...expectEqual(
      'kubernetes, mountPath',
      memberAt(pod, ...HUB_CONTAINER, 'volumeMounts', 0, 'mountPath'),
      folder,
    ),
    ...expectEqual('compose/sqlite.yaml, volume', sqlite, `data:${folder}`),
    ...expectEqual('compose/postgres.yaml, volume', postgres, `backups:${folder}`),
  ]
}

/** Every way to stop a hub sends the signal that it handles, and waits long enough before it kills the hub. */
function compareGracePeriods(files: Files): string[] {
  const pod = readYaml(files['kubernetes/base/pod.yaml'])
  const compose = (path: 'compose/sqlite.yaml' | 'compose/postgres.yaml', name: string) =>
    Number.parseInt(
      String(memberAt(readYaml(files[path]), 'services', name, 'stop_grace_period')),
      10,
    )
  const preStop = memberAt(pod, ...HUB_CONTAINER, 'lifecycle', 'preStop', 'exec', 'command', 2)
  const preStopSeconds = Number(/(\d+)\)$/.exec(String(preStop))?.[1]) / 1000
  const seconds: Record<string, number> = {
    'compose/sqlite.yaml': compose('compose/sqlite.yaml', 'hub'),
    'compose/postgres.yaml': compose('compose/postgres.yaml', 'hub-1'),
    'systemd/recordhub.service': Number(
      /^TimeoutStopSec=(\d+)$/m.exec(files['systemd/recordhub.service'])?.[1],
    ),
    kubernetes: Number(memberAt(pod, ...POD, 'terminationGracePeriodSeconds')) - preStopSeconds,
  }
  return [
    ...Object.entries(seconds)
      .filter(([, grace]) => !(grace >= MIN_GRACE_SECONDS))
      .map(([where, grace]) => `${where}: ${grace} s to stop are less than ${MIN_GRACE_SECONDS} s`),
    ...expectEqual(
      'Containerfile, STOPSIGNAL',
      /^STOPSIGNAL (\w+)/m.exec(files['Containerfile'])?.[1],
      'SIGTERM',
    ),
    ...expectEqual(
      'systemd/recordhub.service, KillSignal',
      /^KillSignal=(\w+)/m.exec(files['systemd/recordhub.service'])?.[1],
      'SIGTERM',
    ),
  ]
}

/** Only one hub may open an SQLite database. */
function compareReplicas(files: Files): string[] {
  const sqlite = readYaml(files['kubernetes/sqlite/stateful-set.yaml'])
  const postgres = readYaml(files['kubernetes/postgres/deployment.yaml'])
  const budget = readYaml(files['kubernetes/postgres/pod-disruption-budget.yaml'])
  return [
    ...expectEqual('kubernetes/sqlite, kind', memberAt(sqlite, 'kind'), 'StatefulSet'),
    ...expectEqual('kubernetes/sqlite, replicas', memberAt(sqlite, 'spec', 'replicas'), 1),
    ...expectEqual('kubernetes/postgres, replicas', memberAt(postgres, 'spec', 'replicas'), 3),
    ...expectEqual(
      'kubernetes/postgres, PodDisruptionBudget',
      memberAt(budget, 'spec', 'maxUnavailable'),
      1,
    ),
  ]
}

function compareVersions(files: Files, version: string): string[] {
  return (['kubernetes/sqlite', 'kubernetes/postgres'] as const).flatMap((path) => {
    const tag = memberAt(readYaml(files[`${path}/kustomization.yaml`]), 'images', 0, 'newTag')
    return expectEqual(`${path}/kustomization.yaml, newTag`, tag, version)
  })
}

function expectEqual(where: string, actual: unknown, expected: unknown): string[] {
  return actual === expected ? [] : [`${where} is ${actual}, expected ${expected}`]
}

/** The variables of a text, by default of a file with NAME=value lines. */
function variablesIn(text: string, pattern = /^([A-Z_]+)=(.*)$/gm): Record<string, string> {
  const pairs = [...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value])
  return Object.fromEntries(pairs.filter(([name]) => name !== 'NODE_ENV'))
}

/** The values of a Compose file, with the variable of the site replaced. */
function toVariables(environment: unknown): Record<string, string> {
  const entries = Object.entries(environment ?? {}).map(([name, value]) => [
    name,
    String(value).replace(/\$\{SITE_HOST[^}]*\}/, 'hub.example.org'),
  ])
  return Object.fromEntries(entries)
}
