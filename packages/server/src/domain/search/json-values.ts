/** The end of a number or literal in JSON. */
const END = /[\s,\]}]/g

/**
 * Returns the texts of the values in a JSON text, without keys and nulls: numbers verbatim, strings decoded. Parsing
 * the text and visiting its values takes five times as long.
 * @param maxLength of all texts together, in UTF-16 units, with one more for each. The text that reaches it is the last one.
 */
export function listJsonValues(json: string, maxLength: number): string[] {
  const values: string[] = []
  let left = maxLength
  const add = (text: string) => {
    values.push(text)
    left -= 1 + text.length
  }
  for (let at = 0; at < json.length && left > 0; ) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) {
      const end = findClosingQuote(json, at)
      const next = skipSpaces(json, end + 1)
      if (json.charCodeAt(next) === COLON) at = next + 1
      else {
        const text = json.slice(at + 1, end)
        add(text.includes('\\') ? decodeString(json.slice(at, end + 1)) : text)
        at = next
      }
    } else if (unit <= SPACE || STRUCTURE.has(unit)) at += 1
    else {
      END.lastIndex = at
      const end = END.exec(json)?.index ?? json.length
      const token = json.slice(at, end)
      if (token !== 'null') add(token)
      at = end
    }
  }
  return values
}

const QUOTE = 0x22
const COLON = 0x3a
const SPACE = 0x20
const BACKSLASH = 0x5c
const STRUCTURE: ReadonlySet<number> = new Set(Array.from(',[]{}', (one) => one.charCodeAt(0)))

function findClosingQuote(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end - 1
    while (json.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
  }
  return json.length
}

function skipSpaces(json: string, start: number): number {
  let at = start
  while (json.charCodeAt(at) <= SPACE) at += 1
  return at
}

function decodeString(json: string): string {
  const decoded: unknown = JSON.parse(json)
  return String(decoded)
}
