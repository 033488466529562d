/**
 * A reader of JSON that shares no code with the hub, to compare with: RFC 8259, with every number as it was written.
 * It is simple rather than fast.
 */

export type ReferenceValue =
  | { kind: 'literal'; text: string }
  | { kind: 'string'; value: string }
  | { kind: 'array'; items: ReferenceValue[] }
  /** `members` has the last value of a repeated member, `first` the first one. */
  | {
      kind: 'object'
      members: Map<string, ReferenceValue>
      first: Map<string, ReferenceValue>
    }

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: strings must not contain them
  /[ \t\n\r]*(?:([{}[\],:])|(null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"))/uy
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const END = /[ \t\n\r]*$/y

/** Reads bytes; null if they are not a JSON text in UTF-8. One byte order mark is allowed at the beginning. */
export function readReferenceBytes(bytes: Uint8Array): ReferenceValue | null {
  const text = Buffer.from(bytes).toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(bytes)) return null
  return readReference(text.startsWith('\ufeff') ? text.slice(1) : text)
}

/** Reads a text; null if it is not JSON. */
export function readReference(text: string): ReferenceValue | null {
  const tokens: { sign?: string; value?: ReferenceValue }[] = []
  let at = 0
  for (;;) {
    TOKEN.lastIndex = at
    const [token, sign, literal, string] = TOKEN.exec(text) ?? []
    if (token === undefined) break
    if (sign !== undefined) tokens.push({ sign })
    else if (literal !== undefined) tokens.push({ value: { kind: 'literal', text: literal } })
    else tokens.push({ value: { kind: 'string', value: decodeString(String(string)) } })
    at += token.length
  }
  END.lastIndex = at
  if (!END.test(text)) return null
  let position = 0
  const take = (sign: string) => tokens[position]?.sign === sign && ++position > 0

  function readValue(): ReferenceValue | null {
    if (take('[')) return readArray()
    if (take('{')) return readObject()
    const value = tokens[position]?.value ?? null
    position += 1
    return value
  }
  function readArray(): ReferenceValue | null {
    const items: ReferenceValue[] = []
    if (take(']')) return { kind: 'array', items }
    do {
      const item = readValue()
      if (!item) return null
      items.push(item)
    } while (take(','))
    return take(']') ? { kind: 'array', items } : null
  }
  function readObject(): ReferenceValue | null {
    const members = new Map<string, ReferenceValue>()
    const first = new Map<string, ReferenceValue>()
    if (take('}')) return { kind: 'object', members, first }
    do {
      const key = tokens[position]?.value
      position += 1
      if (key?.kind !== 'string' || !take(':')) return null
      const value = readValue()
      if (!value) return null
      members.set(key.value, value)
      if (!first.has(key.value)) first.set(key.value, value)
    } while (take(','))
    return take('}') ? { kind: 'object', members, first } : null
  }

  const value = readValue()
  return position === tokens.length ? value : null
}

function decodeString(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(/\\(?:u(.{4})|(.))/gs, (_, hex: string | undefined, sign: string) =>
      hex === undefined ? (ESCAPES[sign] ?? sign) : String.fromCharCode(Number.parseInt(hex, 16)),
    )
}

/** The text that the hub stores for a value (decision 19). */
export function storedText(value: ReferenceValue): string {
  switch (value.kind) {
    case 'literal':
      return value.text
    case 'string':
      return JSON.stringify(value.value)
    case 'array':
      return `[${value.items.map(storedText).join()}]`
    case 'object': {
      const members = inStoredOrder([...value.members.keys()]).map(
        (key) => `${JSON.stringify(key)}:${storedText(memberOf(value, key))}`,
      )
      return `{${members.join()}}`
    }
  }
}

/** Array indexes first, in numerical order, as JavaScript orders the keys of an object. */
function inStoredOrder(keys: string[]): string[] {
  const isIndex = (key: string) => /^(?:0|[1-9]\d*)$/.test(key) && Number(key) < 4_294_967_295
  const indexes = keys.filter(isIndex).sort((one, other) => Number(one) - Number(other))
  return [...indexes, ...keys.filter((key) => !isIndex(key))]
}

function memberOf(value: ReferenceValue, key: string): ReferenceValue {
  const member = value.kind === 'object' ? value.members.get(key) : undefined
  if (!member) throw new Error(`No member ${key}`)
  return member
}

/** The string of a member; null if the value has no such string. */
export function stringOf(value: ReferenceValue | null, key: string): string | null {
  const member = value?.kind === 'object' ? value.members.get(key) : undefined
  return member?.kind === 'string' ? member.value : null
}

/** Whether a value has more levels of objects and arrays than this. */
export function isDeeperThan(maxDepth: number, value: ReferenceValue): boolean {
  if (value.kind !== 'array' && value.kind !== 'object') return false
  return maxDepth === 0 || childrenOf(value).some((child) => isDeeperThan(maxDepth - 1, child))
}

/** Whether an object at any level has the key. */
export function hasKey(value: ReferenceValue, key: string): boolean {
  const own = value.kind === 'object' && value.members.has(key)
  return own || childrenOf(value).some((child) => hasKey(child, key))
}

function childrenOf(value: ReferenceValue): ReferenceValue[] {
  if (value.kind === 'array') return value.items
  return value.kind === 'object' ? [...value.members.values()] : []
}
