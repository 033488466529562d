/** What ends a line, hides, or turns the direction of writing round. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu

/** Words of somebody else's as one line of at most so many characters, safe in a header and beside other text. */
export function toSingleLine(text: string, most: number): string {
  const line = [...text.toWellFormed().replace(UNSEEN, ' ').trim()]
  return line.length <= most ? line.join('') : `${line.slice(0, most - 1).join('')}…`
}
