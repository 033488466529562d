/** Reads parts of a YAML file and remembers every fault with its place. */
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
  /** Where it is: `modules[0]`. */
  path: string
  keys: readonly string[]
  has: (key: string) => boolean
  /** A text, also where it looks like a number; null where it is left out. */
  text: (key: string) => string | null
  /** A text that must be there; "" beside a fault. */
  need: (key: string) => string
  oneOf: <Word extends string>(key: string, words: readonly Word[]) => Word | null
  number: (key: string, bounds: { least: number; most: number }) => number | null
  flag: (key: string) => boolean | null
  /** Texts; a single one is a list of one. Empty where it is left out. */
  texts: (key: string) => string[]
  section: (key: string) => Section | null
  sections: (key: string) => Section[]
  /** Remembers a fault of a key, or of the section itself. */
  fault: (key: string | null, words: string) => void
  /** Where a key is, for faults that show later: `platform.yaml:12: modules[0].table`. */
  placeOf: (key: string | null) => string
  /** Remembers a fault for every key that was never asked for. */
  end: () => void
}

type File = {
  name: string
  lines: LineCounter
  document: Document.Parsed
  environment: Readonly<Record<string, string | undefined>>
  faults: string[]
}

/** What people write first for a reference of two columns. */
const NEEDS_QUOTES = ' (a text that begins with { needs quotes: "{a}-{b}")'

/**
 * @param environment what `${NAME}` in a text stands for.
 * @param faults grows by a line for each fault that is found.
 * @returns null where the file is no YAML with a mapping.
 */
export function openSection(
  text: string,
  name: string,
  environment: File['environment'],
  faults: string[],
): Section | null {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  for (const { code, message, pos } of document.errors) {
    const [words = ''] = message.split(/ at line \d|\n/)
    const { line } = lines.linePos(pos[0])
    const isBare = /:\s+\{/.test(text.split('\n')[line - 1] ?? '')
    const known = code === 'MULTIPLE_DOCS' ? 'the file ends here; take "---" out' : words.trim()
    faults.push(`${name}:${line}: ${known}${isBare ? NEEDS_QUOTES : ''}`)
  }
  if (document.errors.length > 0) return null
  const file = { name, lines, document, environment, faults }
  return toSection(file, '', document.contents)
}

function toSection(file: File, path: string, given: unknown): Section | null {
  const node = resolve(file, given)
  if (!isMap(node)) {
    faultAt(file, node, path || 'the file', 'has to be a mapping (key: value)')
    return null
  }
  const members = new Map<string, unknown>(
    node.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : String(key), value]),
  )
  const keyNodes = new Map(
    node.items.map(({ key }) => [isScalar(key) ? String(key.value) : String(key), key]),
  )
  const asked = new Set<string>()
  const pathOf = (key: string) => (path === '' ? key : `${path}.${key}`)

  function find(key: string): unknown {
    asked.add(key)
    const value = resolve(file, members.get(key))
    return isScalar(value) && value.value === null ? undefined : (value ?? undefined)
  }

  const fault = (key: string | null, words: string) =>
    faultAt(
      file,
      key === null ? node : (keyNodes.get(key) ?? node),
      key === null ? path : pathOf(key),
      words,
    )

  function text(key: string): string | null {
    const value = find(key)
    return value === undefined ? null : toText(file, pathOf(key), value)
  }

  return {
    path,
    keys: [...members.keys()],
    has(key) {
      asked.add(key)
      return members.has(key)
    },
    text,
    need(key) {
      const value = text(key)
      if (value === null && find(key) === undefined) fault(key, 'is missing')
      else if (value?.trim() === '') fault(key, 'is empty')
      return value ?? ''
    },
    oneOf(key, words) {
      const value = text(key)
      const word = words.find((one) => one === value)
      if (value !== null && word === undefined) fault(key, `has to be one of ${words.join(', ')}`)
      return word ?? null
    },
    number(key, { least, most }) {
      const value = text(key)
      if (value === null) return null
      const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
      if (number >= least && number <= most) return number
      fault(key, `has to be a number from ${least} to ${most}`)
      return null
    },
    flag(key) {
      const value = text(key)
      if (value === null) return null
      if (value !== 'true' && value !== 'false') fault(key, 'has to be true or false')
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
    sections(key) {
      const value = find(key)
      if (value === undefined) return []
      if (!isSeq(value)) {
        fault(key, 'has to be a list (lines that begin with "-")')
        return []
      }
      return value.items.flatMap((item, index) => {
        const one = toSection(file, `${pathOf(key)}[${index}]`, item)
        return one === null ? [] : [one]
      })
    },
    fault,
    placeOf: (key) =>
      `${placeIn(file, key === null ? node : (keyNodes.get(key) ?? node))}: ${key === null ? path : pathOf(key)}`,
    end() {
      for (const key of members.keys()) {
        if (asked.has(key)) continue
        fault(key, `is not known here; there are ${[...asked].join(', ')}`)
      }
    },
  }
}

/** A plain `007` is meant as it is written. */
function toText(file: File, path: string, node: unknown): string | null {
  if (!isScalar(node) || node.value === null) {
    faultAt(file, node, path, `has to be a text${isMap(node) ? NEEDS_QUOTES : ''}`)
    return null
  }
  const written = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
  let isWhole = true
  const text = written.replaceAll(/\$(\$?)\{([^}]*)\}/g, (whole, escaped: string, name: string) => {
    if (escaped) return whole.slice(1)
    const value = file.environment[name.trim()]
    if (value === undefined) {
      isWhole = false
      faultAt(file, node, path, `needs ${name.trim()}, which the environment does not have`)
    }
    return value ?? ''
  })
  return isWhole ? text : null
}

function resolve(file: File, node: unknown): unknown {
  return isAlias(node) ? node.resolve(file.document) : node
}

function faultAt(file: File, node: unknown, path: string, words: string): void {
  file.faults.push(`${placeIn(file, node)}: ${path} ${words}.`)
}

function placeIn(file: File, node: unknown): string {
  const at = isNode(node) ? node.range?.[0] : undefined
  return `${file.name}:${at === undefined ? 1 : file.lines.linePos(at).line}`
}

function isNode(node: unknown): node is Node {
  return typeof node === 'object' && node !== null && 'range' in node
}
