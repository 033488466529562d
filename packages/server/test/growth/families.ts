/** Families of hostile inputs. Each makes an input of any size, at which careless code takes time that grows faster. */
import { seed } from '../helpers/random/seed.ts'
import { rounds } from '../helpers/time/tier.ts'

/** `make` returns an input of about this number of characters. */
export type Family = { name: string; make: (size: number) => string }

/** Characters and short texts that formats use as separators, quotes, digits, paths, escapes or marks. */
const UNITS: readonly string[] = [
  ...[
    '/',
    ' ',
    '0',
    '"',
    '\\',
    '.',
    '-',
    '=',
    ',',
    ';',
    ':',
    '%',
    '(',
    '[',
    '<',
    '@',
    '*',
    '#',
    '_',
    'a',
    'A',
  ],
  ...['\t', '\n', '\r\n', '\0', '\u00a0', '\u200b', '\ufeff', '\u202e'],
  ...['é', 'ß', 'İ', '\u0300', '\u0345', '\ud800', '\udc00', '😀', '각', '\u1100\u1161', '\ufdfa'],
  ...['a ', 'a,', 'a.', 'a=', 'a;', '&a=', '-a', 'a:', '"a"', "''", '""', '\\"', 'W/"'],
  ...[
    '../',
    './',
    '//',
    '%2f',
    '%25',
    '%00',
    '=?',
    '{a}',
    '${',
    '<!--',
    '<a ',
    '&#',
    '0.',
    '1e',
    '* ',
    '1,',
    'aA0',
  ],
]

const runs = UNITS.map(
  (unit): Family => ({
    name: `a run of ${JSON.stringify(unit)}`,
    make: (size) => unit.repeat(Math.ceil(size / unit.length)),
  }),
)
/** Expressions that match a run up to its end try again at each of its positions if another character follows. */
const interrupted = ['/', '0', '"', ' ', '=', '-', '.', '\n', '\t', 'a', ',', '\u0300'].map(
  (unit): Family => ({
    name: `a run of ${JSON.stringify(unit)} before another character`,
    make: (size) => `${unit.repeat(size)}!`,
  }),
)
/** Normalization sorts the marks after a character by their class. */
const marks: Family = {
  name: 'marks in the opposite of their canonical order',
  make: (size) => `a${'\u0315'.repeat(size / 2)}${'\u0300'.repeat(size / 2)}`,
}
const alternatingMarks: Family = {
  name: 'marks of alternating classes',
  make: (size) => `a${'\u0315\u0300\u0316'.repeat(size / 3)}`,
}
const words: Family = {
  name: 'many different words',
  make: (size) =>
    Array.from({ length: size / 6 }, (_, index) => index.toString(36).padStart(5, 'w')).join(' '),
}

/** Texts; the first {@link KNOWN} have been defects. */
export const TEXTS: readonly Family[] = [marks, ...interrupted, alternatingMarks, words, ...runs]

/** Numbers in JSON. */
const NUMBERS: readonly Family[] = [
  { name: 'a number of many digits', make: (size) => '7'.repeat(size) },
  { name: 'a number that ends with zeros', make: (size) => `1${'0'.repeat(size)}` },
  { name: 'a fraction that ends with zeros', make: (size) => `0.1${'0'.repeat(size)}` },
  { name: 'a number with a long exponent', make: (size) => `1e${'0'.repeat(size)}1` },
  { name: 'a number with an exponent of many digits', make: (size) => `1e-${'9'.repeat(size)}` },
]

function list(name: string, item: (index: number) => string, length: number): Family {
  return {
    name,
    make: (size) => `[${Array.from({ length: size / length }, (_, index) => item(index)).join()}]`,
  }
}

function members(name: string, member: (index: number) => string, length: number): Family {
  return {
    name,
    make: (size) =>
      `{${Array.from({ length: size / length }, (_, index) => member(index)).join()}}`,
  }
}

/** Values in JSON: deep, wide, and with strings and keys of {@link TEXTS}; the first {@link KNOWN} have been defects. */
export const VALUES: readonly Family[] = [
  { name: 'a number with zeros before its last digit', make: (size) => `1.${'0'.repeat(size)}1` },
  list('a list of numbers', () => '1', 2),
  members('many members', (index) => `"k${index}":1`, 10),
  { name: `a text with ${marks.name}`, make: (size) => JSON.stringify(marks.make(size)) },
  ...NUMBERS,
  { name: 'deep lists', make: (size) => '['.repeat(size / 2) + ']'.repeat(size / 2) },
  { name: 'lists that do not end', make: (size) => '['.repeat(size) },
  { name: 'deep objects', make: (size) => `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}` },
  list('a list of empty objects', () => '{}', 3),
  list('a list of objects', (index) => `{"a":${index}}`, 12),
  list('a list of texts', (index) => `"${index}"`, 8),
  members('many members with the same key', () => '"a":1', 6),
  members(
    'many members with long common beginnings',
    (index) => `"${'x'.repeat(60)}${index}":1`,
    70,
  ),
  members('keys that are array indexes', (index) => `"${4_000_000_000 - index}":1`, 15),
  members('texts of hidden characters', (index) => `"k${index}":"\\u200b"`, 18),
  ...TEXTS.slice(1).map(
    ({ name, make }): Family => ({
      name: `a text with ${name}`,
      make: (size) => JSON.stringify(make(size)),
    }),
  ),
  ...[marks, ...interrupted.slice(0, 3)].map(
    ({ name, make }): Family => ({
      name: `a key with ${name}`,
      make: (size) => `{${JSON.stringify(make(size))}:1}`,
    }),
  ),
]

/**
 * The families that an interface is tried with: those that have been defects, and a part of the others, which differs
 * between interfaces. The part is larger in the deep tier, and its seed decides which one it is.
 */
export function familiesFor(all: readonly Family[], index: number): readonly Family[] {
  const known = all.slice(0, KNOWN)
  const others = all.slice(KNOWN)
  return [...known, ...others.filter((_, number) => number % STRIDE === (index + OFFSET) % STRIDE)]
}
const KNOWN = 4
const STRIDE = rounds(61, 4)
const OFFSET = rounds(0, seed)
