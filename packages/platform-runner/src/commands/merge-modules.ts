/** Adds modules to the text of a `platform.yaml`, and changes no other line. */
import { isDeepStrictEqual } from 'node:util'
import { isMap, isSeq, parseDocument } from 'yaml'
import type { Origin } from '../settings/settings.ts'
import type { InferredModule } from './infer-module.ts'
import { writeModules, writeOrigin } from './write-starter.ts'

/** The inferred modules that the file does not contain, not even commented out. */
export function findNewModules(
  text: string,
  origins: readonly Origin[],
  inferred: readonly InferredModule[],
): InferredModule[] {
  const commented = text
    .split(/\r?\n/)
    .filter((line) => line.trimStart().startsWith('#'))
    .map((line) => line.replace(/^[\s#-]+/, '').trimEnd())
  const known = new Set([...origins.map(originLine), ...commented])
  return inferred.filter(({ origin }) => !known.has(originLine(origin)))
}

function originLine(origin: Origin): string {
  // The default schema of PostgreSQL is optional.
  const named =
    origin.kind === 'table' ? { ...origin, table: origin.table.replace(/^public\./, '') } : origin
  return writeOrigin(named)[0]
}

/** The text with the modules after the existing ones; null if `modules` is not a list of lines that start with "-". */
export function mergeModules(
  text: string,
  inferred: readonly InferredModule[],
  isFolder: boolean,
): string | null {
  const list = parseDocument(text).getIn(['modules'])
  if (!isSeq(list) || list.flow) return null
  const last = list.items.at(-1)
  if (!isMap(last) || last.flow || !last.range) return null
  const end = findEndOfModule(text, last.range[1])
  const before = text.slice(0, end)
  const indent = /^ *(?=- )/.exec(lineAt(text, list.range?.[0] ?? 0))?.[0]
  if (indent === undefined) return null
  const added = `\n${writeModules(inferred, { isFolder, indent })}`
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = before.endsWith('\n') ? '' : '\n'
  const merged = before + (gap + added).replaceAll('\n', lineEnd) + text.slice(end)
  return preservesModules(text, merged) ? merged : null
}

function lineAt(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n')[0] ?? ''
}

/** After the last value of the module, and the indented comments that follow it. */
function findEndOfModule(text: string, lastValue: number): number {
  let end = endOfLine(text, lastValue)
  for (let at = end; at < text.length; ) {
    const next = endOfLine(text, at + 1)
    const line = text.slice(at, next)
    if (/^[ \t]+#/.test(line)) end = next
    else if (line.trim() !== '') break
    at = next
  }
  return end
}

/** The position after the line that ends at or after a position. */
function endOfLine(text: string, from: number): number {
  if (text[from - 1] === '\n') return from
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at + 1
}

function preservesModules(before: string, after: string): boolean {
  const [old, merged] = [before, after].map((text) => parseDocument(text))
  if (!old || !merged || merged.errors.length > 0) return false
  const [{ modules: existing, ...rest }, { modules, ...others }] = [old, merged].map((one) =>
    Object(one.toJS()),
  )
  return (
    isDeepStrictEqual(rest, others) &&
    isDeepStrictEqual(existing, modules.slice(0, existing.length))
  )
}
