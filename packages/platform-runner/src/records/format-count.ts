/** A number with its noun, in the singular where there is one: `1 record`, `2 records`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
