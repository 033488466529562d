/** HTML text: values inserted into a template are escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template tag that escapes all values except `Html`. */
export function html(
  strings: TemplateStringsArray,
  ...values: (string | number | Html | Html[])[]
): Html {
  const pieces = strings.map((piece, index) => {
    const value = values[index]
    return piece + (value === undefined ? '' : toText(value))
  })
  return new Html(pieces.join(''))
}

function toText(value: string | number | Html | Html[]): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map((one) => one.text).join('')
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}
