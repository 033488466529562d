/**
 * Folds texts for comparison: case, accents, strokes, ligatures, compatible forms of letters, the form of apostrophes, quotes and
 * hyphens, and invisible characters do not matter. The database does no folding, so that every engine finds the same
 * records. Whoever changes the result, or the version of any-ascii, changes `TOKENS_VERSION`.
 */
import anyAscii from 'any-ascii'
import { truncateCodePoints } from '../../lib/text/code-points.ts'

/** Accents of Latin, Greek and Cyrillic, Hebrew points and Arabic vowels. */
const MARKS =
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/g
const PLAIN = /^[\x20-\x7e]*$/
/** `[\p{Cc}\s]`, which takes forty times as long: 10 µs for a hundred characters. */
const CONTROLS_AND_SPACES = /[\0-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g

/** The characters of the basic plane. An expression searches one text much faster than many. */
const CHARACTERS = new TextDecoder('utf-16le').decode(
  Uint16Array.from({ length: 0x10000 }, (_, unit) => unit),
)
/** What replaces characters of the basic plane, by the numbers of {@link REPLACEMENT_OF}. */
const REPLACEMENTS = ['']
/** The number of the replacement of each character, plus one; 0 for a character that stays. */
const REPLACEMENT_OF = new Uint8Array(0x10000)

// Invisible by default, such as the soft hyphen, the zero-width space and variation selectors.
replaceEach(/\p{Default_Ignorable_Code_Point}/gu, () => '')
// They lengthen a join of letters, such as the tatweel: Joining_Type=Join_Causing without the invisible joiner.
replaceEach(/[\u0640\u07fa\u0883-\u0885\u180a]/g, () => '')
// Characters that people type as an apostrophe or a quotation mark: punctuation, accents that stand alone, and letters.
replaceEach(/[[\p{P}[[\p{Sk}\p{Lm}]&&\p{sc=Zyyy}]]--[\p{scx=Hira}\p{scx=Kana}]]/gv, (character) => {
  const ascii = anyAscii(character)
  if (ascii === "'" || ascii === '`') return "'"
  return ascii === '"' || ascii === "''" ? '"' : null
})
// Hyphens, dashes and minus signs.
replaceEach(/\p{Dash}/gu, () => '-')
// Latin letters without a decomposition: with a stroke or a hook, ligatures, and letters such as the dotless i.
replaceEach(/[\p{L}&&\p{sc=Latn}]/gv, (character) => {
  // any-ascii lacks the capital letter of some pairs.
  const ascii = anyAscii(character.toLowerCase()).toLowerCase()
  return character > '\x7f' && /^[a-z]+$/.test(ascii) ? ascii : null
})

/** @param replace returns what replaces a character; null if it stays. */
function replaceEach(characters: RegExp, replace: (character: string) => string | null): void {
  for (const character of CHARACTERS.match(characters) ?? []) {
    const replacement = replace(character)
    if (replacement === null || replacement === character) continue
    if (!REPLACEMENTS.includes(replacement)) REPLACEMENTS.push(replacement)
    REPLACEMENT_OF[character.charCodeAt(0)] = REPLACEMENTS.indexOf(replacement) + 1
  }
}

/** An expression takes several times as long, because it would contain hundreds of characters. */
function replaceCharacters(text: string): string {
  let replaced = ''
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const number = REPLACEMENT_OF[text.charCodeAt(at)]
    if (!number) continue
    replaced += text.slice(start, at) + REPLACEMENTS[number - 1]
    start = at + 1
  }
  return start === 0 ? text : replaced + text.slice(start)
}

/** Accents that stand alone, and of which normalisation makes a space and a mark. */
const LONE_ACCENTS = /[\u00a8\u00b4\u02dd]/g
/** Invisible characters outside of the basic plane: tags, variation selectors, controls of shorthand and of musical symbols. */
const INVISIBLE_PAIRS =
  /[\udb40-\udb43][\udc00-\udfff]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]/g

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
  if (isPlain(text)) {
    const lower = text.toLowerCase()
    return lower.includes('`') ? lower.replaceAll('`', "'") : lower
  }
  const wellFormed = text.toWellFormed().replace(LONE_ACCENTS, replaceCharacters)
  const decomposed = limitMarks(wellFormed).normalize('NFKD').replace(INVISIBLE_PAIRS, '')
  return (
    // A mark may have become two, and invisible characters may have divided many, which are sorted again below.
    limitMarks(replaceCharacters(decomposed))
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
