/**
 * JSON whose numbers stay as they were written: one that a double would write otherwise (1.10, 2^53+1, 1e2)
 * is held as `JSON.rawJSON`, which `JSON.stringify` writes back verbatim. Browsers without it round.
 */
declare global {
  interface JSON {
    rawJSON?(text: string): object
    parse(
      text: string,
      reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
    ): unknown
  }
}

/** @throws SyntaxError where the text is no JSON. */
export function parseExact(text: string) {
  return JSON.parse(text, (_key, value, context) => {
    const source = context?.source
    if (typeof value !== 'number' || source === undefined || source === JSON.stringify(value)) {
      return value
    }
    return JSON.rawJSON?.(source) ?? value
  })
}

/** The text of a value that {@link parseExact} gave, on lines of its own where it is to be read. */
export function writeExact(value: unknown, isPretty: boolean): string {
  return JSON.stringify(value, null, isPretty ? 2 : undefined) ?? ''
}
