/** Reads sections of a YAML file and collects all issues with their positions. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml'

/** A mapping of the file. */
export type Section = {
  /** The path in the file: `modules[0]`. */
  path: string
  keys: readonly string[]
  has: (key: string) => boolean
  /** A text, even if it looks like a number; null if it is missing. */
  text: (key: string) => string | null
  /** A required text; "" and an issue if it is missing. */
  requiredText: (key: string) => string
  oneOf: <Value extends string>(key: string, values: readonly Value[]) => Value | null
  number: (key: string, bounds: { min: number; max: number }) => number | null
  boolean: (key: string) => boolean | null
  /** A list of texts, or a single text. Empty if it is missing. */
  texts: (key: string) => string[]
  section: (key: string) => Section | null
  /** A required section; null and an issue if it is missing, empty or not a mapping. */
  requiredSection: (key: string, missing?: string) => Section | null
  sections: (key: string) => Section[]
  /** Adds an issue of a key, or of the section itself. */
  addIssue: (key: string | null, issue: string) => void
  /** The position of a key: `platform.yaml:12: modules[0].table`. */
  positionOf: (key: string | null) => string
  /** Adds an issue for every key that was not read. */
  rejectUnknownKeys: () => void
}

type File = {
  name: string
  lines: LineCounter
  document: Document.Parsed
  environment: Readonly<Record<string, string | undefined>>
  issues: string[]
}

/**
 * The parser compares each key with all others, and quotes the text before each error: both take a time that grows with
 * the square of the size. {@link toSection} finds repeated keys.
 */
const OPTIONS = { uniqueKeys: false, prettyErrors: false }
/** Further errors mostly follow from the first ones. */
const MAX_ERRORS = 20

/** A common mistake in references of two columns. */
const NEEDS_QUOTES = ' (a text that starts with { needs quotes: "{a}-{b}")'

/**
 * @param environment the values of `${NAME}` in texts.
 * @param issues a line is added for each issue.
 * @returns null if the file is not a YAML mapping.
 */
export function openSection(
  text: string,
  name: string,
  environment: File['environment'],
  issues: string[],
): Section | null {
  const lines = new LineCounter()
  const document = parseDocument(text, { ...OPTIONS, lineCounter: lines })
  const rows = text.split('\n')
  for (const { code, message, pos } of document.errors.slice(0, MAX_ERRORS)) {
    const [reason = ''] = message.split(/ at line \d|\n/)
    const { line } = lines.linePos(pos[0])
    const isBare = /:\s+\{/.test(rows[line - 1] ?? '')
    const issue = code === 'MULTIPLE_DOCS' ? 'the file ends here; remove "---"' : reason.trim()
    issues.push(`${name}:${line}: ${issue}${isBare ? NEEDS_QUOTES : ''}`)
  }
  if (document.errors.length > 0) return null
  const file = { name, lines, document, environment, issues }
  return toSection(file, '', document.contents)
}

function toSection(file: File, path: string, given: unknown): Section | null {
  const node = resolve(file, given)
  if (!isMap(node)) {
    addIssueAt(file, node, path || 'the file', 'must be a mapping (key: value)')
    return null
  }
  const members = new Map<string, unknown>()
  const keyNodes = new Map<string, unknown>()
  const pathOf = (key: string) => (path === '' ? key : `${path}.${key}`)
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : String(key)
    if (members.has(name)) addIssueAt(file, key, pathOf(name), 'is given twice')
    members.set(name, value)
    keyNodes.set(name, key)
  }
  const readKeys = new Set<string>()

  function find(key: string): unknown {
    readKeys.add(key)
    const value = resolve(file, members.get(key))
    return isScalar(value) && value.value === null ? undefined : (value ?? undefined)
  }

  const addIssue = (key: string | null, issue: string) =>
    addIssueAt(
      file,
      key === null ? node : (keyNodes.get(key) ?? node),
      key === null ? path : pathOf(key),
      issue,
    )

  function text(key: string): string | null {
    const value = find(key)
    return value === undefined ? null : toText(file, pathOf(key), value)
  }

  return {
    path,
    keys: [...members.keys()],
    has(key) {
      readKeys.add(key)
      return members.has(key)
    },
    text,
    requiredText(key) {
      const value = text(key)
      if (value === null && find(key) === undefined) addIssue(key, 'is missing')
      else if (value?.trim() === '') addIssue(key, 'is empty')
      return value ?? ''
    },
    oneOf(key, values) {
      const value = text(key)
      const known = values.find((one) => one === value)
      if (value !== null && known === undefined) {
        addIssue(key, `must be one of ${values.join(', ')}`)
      }
      return known ?? null
    },
    number(key, { min, max }) {
      const value = text(key)
      if (value === null) return null
      const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
      if (number >= min && number <= max) return number
      addIssue(key, `must be a number from ${min} to ${max}`)
      return null
    },
    boolean(key) {
      const value = text(key)
      if (value === null) return null
      if (value !== 'true' && value !== 'false') addIssue(key, 'must be true or false')
      return value === 'true'
    },
    texts(key) {
      const value = find(key)
      if (value === undefined) return []
      if (!isSeq(value)) return [toText(file, pathOf(key), value) ?? ''].filter((one) => one !== '')
      return value.items.flatMap((item, index) => {
        const one = toText(file, `${pathOf(key)}[${index}]`, resolve(file, item))
        return one === null ? [] : [one]
      })
    },
    section(key) {
      const value = find(key)
      return value === undefined ? null : toSection(file, pathOf(key), value)
    },
    requiredSection(key, missing = 'is missing') {
      const value = find(key)
      if (value !== undefined) return toSection(file, pathOf(key), value)
      addIssue(key, members.has(key) ? 'is empty' : missing)
      return null
    },
    sections(key) {
      const value = find(key)
      if (value === undefined) return []
      if (!isSeq(value)) {
        addIssue(key, 'must be a list (lines that start with "-")')
        return []
      }
      return value.items.flatMap((item, index) => {
        const one = toSection(file, `${pathOf(key)}[${index}]`, item)
        return one === null ? [] : [one]
      })
    },
    addIssue,
    positionOf: (key) =>
      `${positionIn(file, key === null ? node : (keyNodes.get(key) ?? node))}: ${key === null ? path : pathOf(key)}`,
    rejectUnknownKeys() {
      for (const key of members.keys()) {
        if (readKeys.has(key)) continue
        addIssue(key, `is unknown; known keys are ${[...readKeys].join(', ')}`)
      }
    },
  }
}

/** The text of a scalar as written: a plain `007` is not a number. */
function toText(file: File, path: string, node: unknown): string | null {
  if (!isScalar(node) || node.value === null) {
    addIssueAt(file, node, path, `must be a text${isMap(node) ? NEEDS_QUOTES : ''}`)
    return null
  }
  const written = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
  let isComplete = true
  const text = written.replaceAll(
    /\$(\$?)\{([^{}]*)\}/g,
    (match, escaped: string, name: string) => {
      if (escaped) return match.slice(1)
      const value = file.environment[name.trim()]
      if (value === undefined) {
        isComplete = false
        addIssueAt(file, node, path, `needs the variable ${name.trim()}, which is not set`)
      }
      return value ?? ''
    },
  )
  return isComplete ? text : null
}

function resolve(file: File, node: unknown): unknown {
  return isAlias(node) ? node.resolve(file.document) : node
}

function addIssueAt(file: File, node: unknown, path: string, issue: string): void {
  file.issues.push(`${positionIn(file, node)}: ${path} ${issue}.`)
}

function positionIn(file: File, node: unknown): string {
  const at = isNode(node) ? node.range?.[0] : undefined
  return `${file.name}:${at === undefined ? 1 : file.lines.linePos(at).line}`
}

function isNode(node: unknown): node is Node {
  return typeof node === 'object' && node !== null && 'range' in node
}
