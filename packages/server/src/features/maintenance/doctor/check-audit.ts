/**
 * Whether a restored database lacks reverts, by an export of the audit log that is newer than the backup. Without them and
 * their holds, the next pull sets again what they have taken back.
 */
import { createReadStream } from 'node:fs'
import { RevertScope } from '@recordhub/protocol'
import { Compile } from 'typebox/compile'
import type { DiagnosticsStore } from '../../../storage/port/diagnostics-store.ts'
import { type Finding, info, problem } from './check-database.ts'

const isScope = Compile(RevertScope)
/** A longer line is no entry of a revert. */
const MAX_LINE = 1 << 20
const COLUMNS = 'id,at,actor,action,target,address,details'
const REPEAT = 'Plan it again, compare the plan, and start it: '

/** The start of a revert in the audit log. */
export type StartedRevert = { id: number; at: string; revert_id: number; scope: RevertScope }

type Database = Pick<
  DiagnosticsStore,
  'findLostAudit' | 'readPullTime' | 'readChangeTime' | 'readRevertTime'
>

/**
 * @param path an export of the audit log, as CSV or NDJSON.
 * @throws Error if the file cannot be read, or is no export.
 */
export async function checkAudit(path: string, database: Database): Promise<Finding[]> {
  const started = await readStartedReverts(createReadStream(path, 'utf8'))
  const lostIds = new Set(await database.findLostAudit(started))
  const lost = started.filter(({ id }) => lostIds.has(id))
  if (lost.length === 0) return [info(`${started.length} reverts, and the database has them all`)]
  const findings: Finding[] = []
  for (const revert of withoutUndone(lost)) {
    findings.push(describeLost(revert, await isScopeKnown(revert, database)))
  }
  return findings.length > 0
    ? findings
    : [info(`${lost.length} reverts are lost, which have taken back each other`)]
}

/** The reverts to repeat, oldest first: without those that took back each other. */
export function withoutUndone(lost: readonly StartedRevert[]): StartedRevert[] {
  const open = new Map<number, StartedRevert>()
  /** By the number of the revert that took it back. */
  const undone = new Map<number, StartedRevert>()
  for (const revert of lost.toSorted((one, other) => one.id - other.id)) {
    const { scope, revert_id } = revert
    const target = 'revert_id' in scope ? scope.revert_id : 0
    const takenBack = open.get(target)
    if (takenBack) {
      open.delete(target)
      undone.set(revert_id, takenBack)
    } else {
      open.set(revert_id, undone.get(target) ?? revert)
    }
  }
  return [...open.values()]
}

/** Numbers that were given after the backup are given again after its restore, to something else. */
async function isScopeKnown({ scope, at }: StartedRevert, database: Database): Promise<boolean> {
  if ('pull_id' in scope) return isBefore(await database.readPullTime(scope.pull_id), at)
  if ('record_id' in scope) return isBefore(await database.readChangeTime(scope), at)
  if ('revert_id' in scope) return isBefore(await database.readRevertTime(scope.revert_id), at)
  return true
}

const isBefore = (time: string | null, at: string) => time !== null && time < at

function describeLost({ revert_id, scope, at }: StartedRevert, isKnown: boolean): Finding {
  const what = `Revert ${revert_id}, started at ${at}, is not in this database`
  return isKnown
    ? problem(`${what}.`, `${REPEAT}recordhub revert plan ${argumentsOf(scope)} --reason "…"`)
    : problem(
        `${what}, and neither is what it took back (${argumentsOf(scope)}).`,
        'The next pull may set the same values again: revert that pull then.',
      )
}

function argumentsOf(scope: RevertScope): string {
  const words = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name} ${/^[\w.:-]+$/.test(`${value}`) ? value : quote(value)}`]
  if ('pull_id' in scope) {
    const { pull_id, platform, record_type } = scope
    return [
      ...words('pull', pull_id),
      ...words('platform', platform),
      ...words('module', record_type),
    ].join(' ')
  }
  if ('from' in scope) {
    const { platform, from, to } = scope
    return [...words('platform', platform), ...words('from', from), ...words('to', to)].join(' ')
  }
  if ('record_id' in scope) {
    return [...words('record', scope.record_id), ...words('change', scope.version)].join(' ')
  }
  return words('revert', scope.revert_id).join(' ')
}

/** As one word of a shell. */
const quote = (value: string | number) => `'${`${value}`.replaceAll("'", `'\\''`)}'`

/**
 * The starts of reverts in an export of the audit log, each of them once.
 * @throws Error if the text is no export.
 */
export async function readStartedReverts(chunks: AsyncIterable<string>): Promise<StartedRevert[]> {
  const found = new Map<number, StartedRevert>()
  let parse: ((line: string) => unknown) | null = null
  for await (const { line, isCsv } of splitLines(chunks)) {
    if (parse === null && isCsv && line.trimEnd() !== COLUMNS) {
      throw new Error('It is no export of the audit log.')
    }
    if (parse === null && !isCsv && typeof Object(parseJson(line)).action !== 'string') {
      throw new Error('It is no export of the audit log.')
    }
    parse ??= isCsv ? parseCsvEntry : parseJson
    if (!line.includes('revert.start')) continue
    const revert = toStartedRevert(parse(line))
    if (revert) found.set(revert.id, revert)
  }
  if (parse === null) throw new Error('It is no export of the audit log: it is empty.')
  return [...found.values()]
}

/** Lines of NDJSON, or else of CSV, where a line end within quotes ends no line. */
async function* splitLines(
  chunks: AsyncIterable<string>,
): AsyncGenerator<{ line: string; isCsv: boolean }> {
  let parts: string[] = []
  let length = 0
  let isCsv: boolean | null = null
  let isQuoted = false
  const add = (text: string) => {
    if (length <= MAX_LINE) parts.push(text)
    length += text.length
  }
  const take = () => {
    const line = length > MAX_LINE ? '' : parts.join('')
    parts = []
    length = 0
    return { line, isCsv: isCsv ?? false }
  }
  for await (const chunk of chunks) {
    isCsv ??= !chunk.startsWith('{')
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk.charCodeAt(at)
      if (character === QUOTE && isCsv) isQuoted = !isQuoted
      if (character !== LINE_END || isQuoted) continue
      add(chunk.slice(start, at))
      start = at + 1
      yield take()
    }
    add(chunk.slice(start))
  }
  if (length > 0) yield take()
}

const QUOTE = 0x22
const LINE_END = 0x0a

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // A file that was cut off.
    return null
  }
}

/** An entry from its line of CSV. Commas within quotes separate no cells. */
function parseCsvEntry(line: string): unknown {
  const cells = ['']
  const parts = line.trimEnd().split('"')
  for (const [index, part] of parts.entries()) {
    const [first = '', ...others] = index % 2 === 0 ? part.split(',') : [part]
    // Two quotes within quotes are one.
    const isBetween = index > 0 && index < parts.length - 1
    const isEscaped = index % 2 === 0 && isBetween && part === ''
    cells.push(`${cells.pop()}${isEscaped ? '"' : first}`, ...others)
  }
  const [id, at, , action, target, , details = ''] = cells
  return { id: Number(id), at, action, target, details: parseJson(details) }
}

function toStartedRevert(entry: unknown): StartedRevert | null {
  const { id, at, action, target, details }: Record<string, unknown> = Object(entry)
  const { scope }: { scope?: unknown } = Object(details)
  const [, number] = /^revert ([1-9]\d{0,14})$/.exec(String(target)) ?? []
  const isEntry = action === 'revert.start' && typeof id === 'number' && typeof at === 'string'
  if (!isEntry || !Number.isSafeInteger(id) || number === undefined) return null
  if (!isScope.Check(scope)) return null
  return { id, at, revert_id: Number(number), scope }
}
