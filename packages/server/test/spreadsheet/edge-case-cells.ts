/** Values that spreadsheets often misinterpret, and the expected cells. */
import { type Cell, EMPTY } from './sheet-cells.ts'

export type EdgeCaseCell = {
  /** The value of the field, as JSON. */
  json: string
  /** The text of the cell in CSV. */
  csv: string
  xlsx: Cell
  /** Whether a spreadsheet would evaluate it as a formula. */
  isFormula?: boolean
}

const LONGEST = 32_767
const CUT = ' … [truncated: a cell holds 32,767 characters]'

/** Texts that must be shown unchanged. */
const TEXTS = [
  ...['plain', ' spaces around ', '  ', 'a,b', 'a;b', 'say "hi"', '"', '""', "'", "'=1+1"],
  ...[
    'two\nlines',
    'three\n\nlines\n',
    'a\tb',
    'back\\slash',
    '<b>&amp;</b>',
    '_x0041_',
    '_x000A_',
    '%41',
  ],
  ...['007', '-5', '-1.50', '0.10', '1e5', '12345678901234567890', '1,000.00', '$5', '50%'],
  ...['2026-03-10', '10/11/12', '1-2', 'MAR1', '3:45', '2026-03-10T08:00:00Z', '#N/A', '#REF!'],
  ...['TRUE', 'false', 'null', 'NaN', 'http://example.org/a?b=c', 'ann@example.org'],
  ...[
    'Zoë 王小明',
    'e\u0301',
    '😀👍🏽👨‍👩‍👧',
    'مرحبا بالعالم',
    '\u202eabc\u202c',
    'a\u00a0b',
    'a\u2028b',
  ],
  ...['x'.repeat(LONGEST), `${'x'.repeat(LONGEST - 2)}😀`, '王'.repeat(LONGEST)],
]

/** Texts that a spreadsheet would evaluate as formulas. */
const FORMULAS = [
  ...['=1+1', '=HYPERLINK("http://example.org","x")', '+1', '+49 30 123', '-1+1', '-', '@SUM(1,1)'],
  ...[
    '\ufeff=1+1',
    '\u200b=1+1',
    '\u0001=1+1',
    '=',
    '==',
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(1)',
    "=cmd|' /C calc'!A0",
  ],
]

const textCell = (text: string, csv = text): EdgeCaseCell => ({
  json: JSON.stringify(text),
  csv,
  xlsx: { text },
})

export const CELLS: EdgeCaseCell[] = [
  ...TEXTS.map((text) => textCell(text)),
  ...FORMULAS.map((text) => ({ ...textCell(text, `'${text}`), isFormula: true })),
  ...['\t', '\n'].map((start) => ({
    ...textCell(`${start}=1+1`, `'${start}'=1+1`),
    isFormula: true,
  })),
  ...[';', '|'].map((separator) => textCell(`a${separator}=1+1`, `a${separator}'=1+1`)),
  // LibreOffice removes the null character.
  { ...textCell('\u0000=1+1', "'=1+1"), isFormula: true },
  ...[
    ['0', '0'],
    ['-5', '-5'],
    ['1.10', '1.1'],
    ['1e2', '100'],
    ['0.1', '0.1'],
    ['123456789012345', '123456789012345'],
    ['true', 'TRUE'],
    ['false', 'FALSE'],
  ].map(([json = '', value = '']) => ({ json, csv: json, xlsx: { value } })),
  // Numbers with more digits than a spreadsheet can store.
  ...['9007199254740993', '0.12345678901234567', '1e400', '-123456789012345678'].map((json) => ({
    json,
    csv: json,
    xlsx: { text: json },
  })),
  // Characters that some formats cannot store.
  textCell('a\u0001b\u001fc\u007fd\u0085e'),
  textCell('a\u0000b', 'ab'),
  // LibreOffice has only one kind of line break.
  { json: '"a\\r\\nb\\rc"', ...sameText('a\nb\nc') },
  textCell('a\ufffeb\uffffc'),
  { json: '"a\\ud800b"', ...sameText('a\ufffdb') },
  { json: 'null', csv: '', xlsx: EMPTY },
  { json: '""', csv: '', xlsx: EMPTY },
  { json: '[1.10,"=1",null]', csv: '[1.10,"=1",null]', xlsx: { text: '[1.10,"=1",null]' } },
  { json: '{"a":{"b":9007199254740993}}', ...sameText('{"a":{"b":9007199254740993}}') },
  { json: JSON.stringify('y'.repeat(40_000)), ...longText('y', 40_000) },
]

function sameText(text: string): Pick<EdgeCaseCell, 'csv' | 'xlsx'> {
  return { csv: text, xlsx: { text } }
}

function longText(letter: string, length: number): Pick<EdgeCaseCell, 'csv' | 'xlsx'> {
  const cut = letter.repeat(LONGEST - CUT.length) + CUT
  return { csv: letter.repeat(length), xlsx: { text: cut } }
}
