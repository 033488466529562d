/**
 * Texts for `pg_trgm`, which makes trigrams of what the database's locale calls letters and digits: in the
 * locale C those of ASCII. So every other character is written as four of them, whatever the locale.
 */
import { PREFIX_MARK } from '../../domain/search/search-text.ts'

/** A text that is part of another one is part of it in these letters too. */
export function toIndexLetters(text: string): string {
  return (
    text
      .replaceAll(PREFIX_MARK, 'q')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
      .replace(/[^\u0000-\u007f]/gu, (letter) =>
        (letter.codePointAt(0) ?? 0).toString(36).padStart(4, '0'),
      )
  )
}

/** Whether the index can look it up. */
export function hasTrigram(letters: string): boolean {
  return /[0-9a-z]{3}/.test(letters)
}

/** A pattern of LIKE for texts that hold it. */
export function containing(letters: string): string {
  return `%${letters.replace(/[\\%_]/g, '\\$&')}%`
}
