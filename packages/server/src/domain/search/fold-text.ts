/**
 * Folds texts for comparison: case, accents and compatible forms of letters do not matter. The database does no
 * folding, so that every engine finds the same records.
 */
import { truncateCodePoints } from '../../lib/text/code-points.ts'

/** Accents of Latin, Greek and Cyrillic, Hebrew points and Arabic vowels. */
const MARKS =
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/g
const PLAIN = /^[\x20-\x7e]*$/
/** `[\p{Cc}\s]`, which takes forty times as long: 10 µs for a hundred characters. */
const CONTROLS_AND_SPACES =
  /[\0-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+/g

/** Longer sequences of marks are no text. */
const MAX_MARKS = 30
/** The halfwidth sound marks are letters that normalisation turns into marks. */
const MARK_RUN = /[\p{M}\uff9e\uff9f]+/gu
/** A mark, or half a character that may be one. */
const MARK_UNIT = /[\p{M}\uff9e\uff9f\ud800-\udfff]/u

/** Whether a text has only the printable characters of ASCII. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

/**
 * Removes marks from sequences of more than 30 (Stream-Safe Text Format, UAX #15). Normalisation sorts the marks of a
 * sequence by insertion, so its time grows with the square of their number.
 */
function limitMarks(text: string): string {
  return hasExcessMarks(text)
    ? text.replace(MARK_RUN, (marks) => truncateCodePoints(marks, MAX_MARKS))
    : text
}

/** Whether a text may have too many marks in a row. Tests few of its units, since the expressions are slow. */
function hasExcessMarks(text: string): boolean {
  const isMark = (at: number) => MARK_UNIT.test(text.charAt(at))
  for (let at = MAX_MARKS; at < text.length; at += MAX_MARKS + 1) {
    let [start, end] = [at, at]
    while (isMark(start) && at - start <= MAX_MARKS) start--
    while (isMark(end) && end - start <= MAX_MARKS + 1) end++
    // Neither end is part of the sequence.
    if (end - start - 1 > MAX_MARKS) return true
  }
  return false
}

/** Returns the form in which texts are compared. Its time grows with the length of the text. */
export function foldText(text: string): string {
  if (isPlain(text)) return text.toLowerCase()
  const decomposed = limitMarks(text.toWellFormed()).normalize('NFKD')
  return (
    // A mark may have become two, which are sorted again below.
    limitMarks(decomposed)
      .replace(MARKS, '')
      // Lower, upper, then lower case again turns both ß and ẞ into ss.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFC')
      .replace(CONTROLS_AND_SPACES, ' ')
  )
}

/** As {@link foldText}, with single spaces between words. */
export function foldLine(text: string): string {
  const folded = foldText(text)
  return (folded.includes('  ') ? folded.replace(/ {2,}/g, ' ') : folded).trim()
}
