/** Reads the text of `platform.yaml` as settings, or as a list of all its issues. */
import { resolve } from 'node:path'
import { readModule } from './read-module.ts'
import { openSection, type Section } from './section.ts'
import type { PushSettings, Settings, SourceSettings } from './settings.ts'

type ReadSettings =
  | { outcome: 'valid'; settings: Settings }
  | { outcome: 'invalid'; issues: string[] }

const MIN_KEY_LENGTH = 16

/**
 * @param file its name for messages, and the folder to which paths in it are relative.
 */
export function readSettings(
  text: string,
  file: { name: string; folder: string },
  environment: Readonly<Record<string, string | undefined>>,
): ReadSettings {
  const issues: string[] = []
  const root = openSection(text, file.name, environment, issues)
  if (!root) return { outcome: 'invalid', issues }
  const platform = readPlatform(root)
  const listen = readListen(root.section('listen'))
  const source = readSource(root, file.folder)
  const push = readPush(root.section('push'), file.folder)
  const issuesBefore = issues.length
  const sections = root.sections('modules')
  const modules = sections.map((section) => readModule(section, source?.kind ?? null))
  if (sections.length === 0 && issues.length === issuesBefore) {
    root.addIssue('modules', root.has('modules') ? 'is empty' : 'is missing')
  }
  for (const [index, module] of modules.entries()) {
    const first = modules.findIndex(({ recordType }) => recordType === module.recordType)
    if (first < index) {
      sections[index]?.addIssue(
        'record_type',
        `"${module.recordType}" is also used by modules[${first}]`,
      )
    }
  }
  if (push && source?.kind === 'folder') {
    root.addIssue('push', 'needs a database: the hub reads changes of files by its pulls')
  } else if (push && !modules.some((module) => module.updatedAt !== null)) {
    root.addIssue('push', 'needs a module with updated_at, by which changes are detected')
  }
  root.rejectUnknownKeys()
  if (issues.length > 0 || !platform || !source) return { outcome: 'invalid', issues }
  return { outcome: 'valid', settings: { platform, listen, source, modules, push } }
}

function readPlatform(root: Section): Settings['platform'] | null {
  const section = root.requiredSection('platform')
  if (!section) return null
  const sourceKeys = section.texts('source_key')
  if (sourceKeys.length === 0)
    section.addIssue('source_key', 'is missing: it is the key that the hub must send')
  if (sourceKeys.some((key) => key.length < MIN_KEY_LENGTH)) {
    section.addIssue('source_key', `is shorter than ${MIN_KEY_LENGTH} characters`)
  }
  const name = section.requiredText('name')
  const platform = {
    name,
    title: section.text('title') || name,
    description: section.text('description') ?? '',
    sourceKeys,
    pathWord: section.text('path_word') ?? 'hub',
  }
  if (!/^[\w.~-]+$/.test(platform.pathWord)) {
    section.addIssue('path_word', 'may contain only letters, digits, "-" and "_"')
  }
  section.rejectUnknownKeys()
  return platform
}

function readListen(section: Section | null): Settings['listen'] {
  const listen = {
    host: section?.text('host') ?? '127.0.0.1',
    port: section?.number('port', { min: 0, max: 65_535 }) ?? 8090,
  }
  section?.rejectUnknownKeys()
  return listen
}

const SCHEMES: Record<string, 'postgres' | 'mysql'> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
}

function readSource(root: Section, folder: string): SourceSettings | null {
  const section = root.requiredSection(
    'source',
    'is missing: it is the database or folder with the records',
  )
  if (!section) return null
  const isFolder = section.has('folder')
  if (section.has('database') === isFolder) {
    section.rejectUnknownKeys()
    section.addIssue(null, 'needs either database or folder')
    return null
  }
  const address = section.requiredText(isFolder ? 'folder' : 'database')
  section.rejectUnknownKeys()
  if (address === '') return null
  if (isFolder) return { kind: 'folder', path: resolve(folder, address) }
  const source = parseSource(address, folder)
  if (!source) section.addIssue('database', explainInvalidAddress(address))
  return source
}

function explainInvalidAddress(text: string): string {
  const [, scheme = ''] = /^([a-z]+):\/\//.exec(text) ?? []
  return Object.hasOwn(SCHEMES, scheme)
    ? `is not a valid address: write ${scheme}://user:password@host:port/database, and in the password %40 for @, %2F for /, %23 for #`
    : 'must start with postgres://, mysql://, mariadb:// or sqlite:'
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
    hubUrl: section.requiredText('hub_url'),
    hubApiKey: section.requiredText('hub_api_key'),
    everySeconds: section.number('every_seconds', { min: 0.1, max: 86_400 }) ?? 5,
    overlapSeconds: section.number('overlap_seconds', { min: 0, max: 86_400 }) ?? 30,
    pushesExisting: section.boolean('existing') ?? false,
    stateFolder: resolve(folder, section.text('state_folder') ?? 'recordhub-state'),
  }
  if (push.hubUrl !== '' && !/^https?:\/\/[^/]/.test(push.hubUrl)) {
    section.addIssue('hub_url', 'must start with https:// or http://')
  }
  section.rejectUnknownKeys()
  return push
}
