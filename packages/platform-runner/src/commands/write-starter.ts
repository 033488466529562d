import { labelFromComment, labelOf } from '../records/label.ts'
import type { Origin, SourceSettings } from '../settings/settings.ts'
import type { Guess } from './guess-module.ts'

/** A first `platform.yaml` that says of each line what it is for. */
export function writeStarter(
  source: string,
  kind: SourceSettings['kind'],
  guesses: readonly Guess[],
): string {
  const isFolder = kind === 'folder'
  return `# What recordhub-platform serves, and how. \${NAME} stands for a variable of the environment,
# or of the file .env beside this one: secrets belong there.

platform:
  name: my-platform            # how programs call it: unique in the hub, never changed
  title: My platform           # how people call it
  description: ""
  source_key: \${SOURCE_KEY}    # the key that the hub has to send; at least 16 characters

listen:
  host: 127.0.0.1              # 0.0.0.0 lets other machines in; put HTTPS before it
  port: 8090

source:
  ${isFolder ? 'folder' : 'database'}: ${source}

modules:
${writeModules(guesses, { isFolder, indent: '  ' })}
${isFolder ? '' : PUSH}`
}

const PUSH = `# Push what changes at once, from modules with updated_at. The hub shows its key when this platform is
# registered; put it into .env.
# push:
#   hub_url: https://hub.example.org
#   hub_api_key: \${HUB_API_KEY}
#   every_seconds: 5           # how often the database is asked what changed
#   overlap_seconds: 30        # how late a change may show after newer ones
#   existing: false            # true pushes everything at the first start
#   state_folder: recordhub-state
`

type Layout = {
  isFolder: boolean
  /** What stands before the "-" of each module. */
  indent: string
}

/** The elements of `modules`, with an empty line between them. */
export function writeModules(guesses: readonly Guess[], layout: Layout): string {
  return guesses.map((guess) => writeModule(guess, layout)).join('\n')
}

function writeModule(guess: Guess, { isFolder, indent }: Layout): string {
  const { origin, reference, fullName, leaveOut, search, updatedAt, columns } = guess
  const lines = [
    `- record_type: ${scalar(guess.recordType)}   # how programs call it; never changed`,
    `  name: ${scalar(guess.name)}`,
    ...writeOrigin(origin).map((line) => `  ${line}`),
    `  reference: ${scalar(reference ?? 'NAME THE COLUMN')}   # what tells records apart, as "{a}-{b}" for several columns`,
    `  full_name: ${scalar(fullName)}   # whom or what it is about, as "{first} {last}"`,
    leaveOut.length > 0 ? `  leave_out: ${list(leaveOut)}` : '  # leave_out: [column]',
    search.length > 0 ? `  search: ${list(search)}` : '  # search: [column]',
    ...(isFolder
      ? []
      : [updatedAt ? `  updated_at: ${scalar(updatedAt)}` : '  # updated_at: column']),
    '  # fields:                  # the columns that are sent, and what you may say of them',
    ...columns
      .filter(({ kind }) => kind !== 'binary')
      .map((column) => {
        const label = labelFromComment(column.comment) ?? labelOf(column.name)
        return `  #   ${scalar(column.name)}: { label: ${scalar(label)} }`
      }),
  ]
  const isReady = reference !== null
  const text = lines.map((line) => (isReady ? `${indent}${line}` : `${indent}# ${line}`)).join('\n')
  return isReady
    ? `${text}\n`
    : `${indent}# No column tells the rows of this one apart; name one, or leave it out.\n${text}\n`
}

/** Where the rows come from. The first line tells modules apart. */
export function writeOrigin(origin: Origin): [string, ...string[]] {
  if (origin.kind === 'table') return [`table: ${scalar(origin.table)}`]
  if (origin.kind === 'query') return [`query: ${scalar(origin.query)}`]
  const { encoding } = origin
  const guessed = `encoding: ${encoding}   # guessed: check letters such as ü and é in the records`
  return [`file: ${scalar(origin.file)}`, ...(encoding === null ? [] : [guessed])]
}

/** Plain where nobody could take it for something else. */
export function scalar(text: string): string {
  const isPlain = /^[\p{L}_./][\p{L}\p{N}_./-]*(?: [\p{L}\p{N}_./-]+)*$/u.test(text)
  const isWord = /^(?:true|false|null|yes|no|on|off)$/i.test(text)
  return isPlain && !isWord ? text : JSON.stringify(text.replaceAll('${', () => '$${'))
}

function list(texts: readonly string[]): string {
  return `[${texts.map(scalar).join(', ')}]`
}
