/** HTML with everything escaped that is put into it. */
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

/** A template whose values are escaped, unless they are HTML made by this function. */
export function html(
  strings: TemplateStringsArray,
  ...values: (string | number | Html | Html[])[]
): Html {
  const parts = strings.map((part, index) => {
    const value = values[index]
    return part + (value === undefined ? '' : toText(value))
  })
  return new Html(parts.join(''))
}

function toText(value: string | number | Html | Html[]): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map((one) => one.text).join('')
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}
