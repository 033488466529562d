/** Templates of references and names: the name of a column, or `{first_name} {last_name}`. */

export type Template = readonly (string | { column: string })[]

export function parseTemplate(text: string): Template {
  if (!/\{[^{}]+\}/.test(text)) return [{ column: text }]
  return text
    .split(/(\{[^{}]+\})/)
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith('{') && part.endsWith('}') ? { column: part.slice(1, -1).trim() } : part,
    )
}

export function columnsOf(template: Template): string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part.column]))
}

/** Returns null if a column is empty, since the rest may be the reference of another record. */
export function renderReference(
  template: Template,
  read: (column: string) => string | null,
): string | null {
  const parts = template.map((part) => (typeof part === 'string' ? part : read(part.column)))
  return parts.some((part) => part === null || part === '') ? null : parts.join('')
}

/** Renders a name; empty columns leave no gaps. */
export function renderName(template: Template, read: (column: string) => string | null): string {
  const [only] = template
  if (template.length === 1 && typeof only === 'object') return read(only.column) ?? ''
  const parts = template.map((part) =>
    typeof part === 'string' ? part : (read(part.column) ?? ''),
  )
  return parts.join('').replaceAll(/\s+/g, ' ').trim()
}
