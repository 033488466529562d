/** Line ends, invisible characters and characters that change the text direction. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu

/** Shortens untrusted text to one line of at most `max` characters, safe in a header and next to other text. */
export function toSingleLine(text: string, max: number): string {
  const line = [...text.toWellFormed().replace(INVISIBLE, ' ').trim()]
  return line.length <= max ? line.join('') : `${line.slice(0, max - 1).join('')}…`
}
