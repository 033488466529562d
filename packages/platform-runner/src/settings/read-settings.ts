/** From the text of `platform.yaml` to settings, or to all that is wrong with it. */
import { resolve } from 'node:path'
import { readModule } from './read-module.ts'
import { openSection, type Section } from './section.ts'
import type { PushSettings, Settings, SourceSettings } from './settings.ts'

export type ReadSettings =
  | { outcome: 'valid'; settings: Settings }
  | { outcome: 'faulty'; faults: string[] }

const SHORTEST_KEY = 16

/**
 * @param file its name as people know it, and the folder that paths in it begin at.
 */
export function readSettings(
  text: string,
  file: { name: string; folder: string },
  environment: Readonly<Record<string, string | undefined>>,
): ReadSettings {
  const faults: string[] = []
  const root = openSection(text, file.name, environment, faults)
  if (!root) return { outcome: 'faulty', faults }
  const platform = readPlatform(root)
  const listen = readListen(root.section('listen'))
  const source = readSource(root, file.folder)
  const push = readPush(root.section('push'), file.folder)
  const known = faults.length
  const sections = root.sections('modules')
  const modules = sections.map((section) => readModule(section, source?.kind ?? null))
  if (sections.length === 0 && faults.length === known) {
    root.fault('modules', root.has('modules') ? 'names none' : 'is missing')
  }
  for (const [index, module] of modules.entries()) {
    const first = modules.findIndex(({ recordType }) => recordType === module.recordType)
    if (first < index) {
      sections[index]?.fault(
        'record_type',
        `"${module.recordType}" is that of modules[${first}], too`,
      )
    }
  }
  if (push && !modules.some((module) => module.updatedAt !== null)) {
    root.fault('push', 'needs a module with updated_at: what has changed cannot be told else')
  }
  root.end()
  if (faults.length > 0 || !platform || !source) return { outcome: 'faulty', faults }
  return { outcome: 'valid', settings: { platform, listen, source, modules, push } }
}

function readPlatform(root: Section): Settings['platform'] | null {
  const section = root.section('platform')
  if (!section) {
    if (!root.has('platform')) root.fault('platform', 'is missing')
    return null
  }
  const sourceKeys = section.texts('source_key')
  if (sourceKeys.length === 0)
    section.fault('source_key', 'is missing: the key that the hub must send')
  if (sourceKeys.some((key) => key.length < SHORTEST_KEY)) {
    section.fault('source_key', `is shorter than ${SHORTEST_KEY} characters`)
  }
  const name = section.need('name')
  const platform = {
    name,
    title: section.text('title') || name,
    description: section.text('description') ?? '',
    sourceKeys,
    pathWord: section.text('path_word') ?? 'hub',
  }
  if (!/^[\w.~-]+$/.test(platform.pathWord)) {
    section.fault('path_word', 'may hold letters, digits, "-" and "_" only')
  }
  section.end()
  return platform
}

function readListen(section: Section | null): Settings['listen'] {
  const listen = {
    host: section?.text('host') ?? '127.0.0.1',
    port: section?.number('port', { least: 0, most: 65_535 }) ?? 8090,
  }
  section?.end()
  return listen
}

const SCHEMES: Record<string, 'postgres' | 'mysql'> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
}

function readSource(root: Section, folder: string): SourceSettings | null {
  const section = root.section('source')
  if (!section) {
    if (!root.has('source')) root.fault('source', 'is missing: where the records are')
    return null
  }
  const database = section.text('database')
  const files = section.text('folder')
  section.end()
  if (section.has('database') === section.has('folder')) {
    section.fault(null, 'needs either database or folder')
    return null
  }
  if (files !== null) return { kind: 'folder', path: resolve(folder, files) }
  const source = database === null ? null : parseSource(database, folder)
  if (!source && database !== null) section.fault('database', whyNoAddress(database))
  return source
}

function whyNoAddress(text: string): string {
  const [, scheme = ''] = /^([a-z]+):\/\//.exec(text) ?? []
  return Object.hasOwn(SCHEMES, scheme)
    ? `is no address: write ${scheme}://user:password@host:port/database, and in the password %40 for @, %2F for /, %23 for #`
    : 'has to begin with postgres://, mysql://, mariadb:// or sqlite:'
}

/** `postgres://…`, `mysql://…`, `mariadb://…`, `sqlite:<path>`; null for anything else. */
export function parseSource(address: string, folder: string): SourceSettings | null {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(address) ?? []
  if (scheme === 'sqlite')
    return { kind: 'sqlite', path: resolve(folder, rest.replace(/^\/\//, '')) }
  const kind = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined
  return kind && URL.canParse(address) ? { kind, url: address } : null
}

function readPush(section: Section | null, folder: string): PushSettings | null {
  if (!section) return null
  const push = {
    hubUrl: section.need('hub_url'),
    hubApiKey: section.need('hub_api_key'),
    everySeconds: section.number('every_seconds', { least: 0.1, most: 86_400 }) ?? 5,
    overlapSeconds: section.number('overlap_seconds', { least: 0, most: 86_400 }) ?? 30,
    pushesExisting: section.flag('existing') ?? false,
    stateFolder: resolve(folder, section.text('state_folder') ?? 'recordhub-state'),
  }
  if (push.hubUrl !== '' && !/^https?:\/\/[^/]/.test(push.hubUrl)) {
    section.fault('hub_url', 'has to begin with https:// or http://')
  }
  section.end()
  return push
}
