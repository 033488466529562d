import { labelFromComment, toLabel } from '../records/kind.ts'
import type { Origin, SourceSettings } from '../settings/settings.ts'
import type { InferredModule } from './infer-module.ts'

/** A first `platform.yaml` with comments that explain each line. */
export function writeStarter(
  source: string,
  kind: SourceSettings['kind'],
  modules: readonly InferredModule[],
): string {
  const isFolder = kind === 'folder'
  return `# The settings of recordhub-platform. \${NAME} is replaced by a variable of the environment or of the
# file .env in this folder: put secrets there.

platform:
  name: my-platform            # the identifier: unique in the hub, never changed
  title: My platform           # the display name
  description: ""
  source_key: \${SOURCE_API_KEY}    # the key that the hub must send; at least 16 characters

listen:
  host: 127.0.0.1              # 0.0.0.0 allows other machines; use a proxy with HTTPS
  port: 8090

source:
  ${isFolder ? 'folder' : 'database'}: ${source}

modules:
${writeModules(modules, { isFolder, indent: '  ' })}
${isFolder ? '' : PUSH}`
}

const PUSH = `# Push changes of modules with updated_at as they happen. The hub shows the key when this platform is
# registered; put it into .env.
# push:
#   hub_url: https://hub.example.org
#   hub_api_key: \${HUB_API_KEY}
#   every_seconds: 5           # how often the database is polled for changes
#   overlap_seconds: 30        # how long after newer changes a change may become visible
#   existing: false            # true: push all existing rows at the first start
#   state_folder: recordhub-state
`

type Layout = {
  isFolder: boolean
  /** The indentation of the "-" of each module. */
  indent: string
}

/** The elements of `modules`, with an empty line between them. */
export function writeModules(modules: readonly InferredModule[], layout: Layout): string {
  return modules.map((module) => writeModule(module, layout)).join('\n')
}

function writeModule(module: InferredModule, { isFolder, indent }: Layout): string {
  const { origin, reference, fullName, leaveOut, search, updatedAt, columns } = module
  const lines = [
    `- record_type: ${scalar(module.recordType)}   # the identifier; never changed`,
    `  name: ${scalar(module.name)}`,
    ...writeOrigin(origin).map((line) => `  ${line}`),
    `  reference: ${scalar(reference ?? 'NAME THE COLUMN')}   # the column that identifies a record, or "{a}-{b}" for several columns`,
    `  full_name: ${scalar(fullName)}   # the name of the person or thing, such as "{first} {last}"`,
    leaveOut.length > 0 ? `  leave_out: ${list(leaveOut)}` : '  # leave_out: [column]',
    search.length > 0 ? `  search: ${list(search)}` : '  # search: [column]',
    ...(isFolder
      ? []
      : [updatedAt ? `  updated_at: ${scalar(updatedAt)}` : '  # updated_at: column']),
    '  # fields:                  # labels, types and required columns',
    ...columns
      .filter(({ kind }) => kind !== 'binary')
      .map((column) => {
        const label = labelFromComment(column.comment) ?? toLabel(column.name)
        return `  #   ${scalar(column.name)}: { label: ${scalar(label)} }`
      }),
  ]
  const isReady = reference !== null
  const text = lines.map((line) => (isReady ? `${indent}${line}` : `${indent}# ${line}`)).join('\n')
  return isReady
    ? `${text}\n`
    : `${indent}# No column identifies the rows of this module; set one, or remove the module.\n${text}\n`
}

/** The origin of the rows. The first line identifies the module. */
export function writeOrigin(origin: Origin): [string, ...string[]] {
  if (origin.kind === 'table') return [`table: ${scalar(origin.table)}`]
  if (origin.kind === 'query') return [`query: ${scalar(origin.query)}`]
  const { encoding } = origin
  const detected = `encoding: ${encoding}   # detected: check letters such as ü and é in the records`
  return [`file: ${scalar(origin.file)}`, ...(encoding === null ? [] : [detected])]
}

/** A YAML scalar: plain if it is unambiguous, otherwise quoted. */
export function scalar(text: string): string {
  const isPlain = /^[\p{L}_./][\p{L}\p{N}_./-]*(?: [\p{L}\p{N}_./-]+)*$/u.test(text)
  const isWord = /^(?:true|false|null|yes|no|on|off)$/i.test(text)
  return isPlain && !isWord ? text : JSON.stringify(text.replaceAll('${', () => '$${'))
}

function list(texts: readonly string[]): string {
  return `[${texts.map(scalar).join(', ')}]`
}
