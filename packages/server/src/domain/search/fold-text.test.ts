import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { foldLine, foldText } from './fold-text.ts'

test('folding removes case, accents and the forms of letters and punctuation, and nothing else', () => {
  for (const [text, folded] of [
    ['Müller', 'muller'],
    ['STRASSE', foldText('straße')],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', foldText('οδος')],
    ['İstanbul', 'istanbul'],
    ['ﬁnance Ⅳ ２', 'finance iv 2'],
    ['مُحَمَّد', 'محمد'],
    ['محـمــد', 'محمد'],
    ['\ufe71', ''],
    ['Wałęsa Đặng ØRESUND', 'walesa dang oresund'],
    ['encyclopædia Œuvre Þór Ħal ŋ ƒ ı', 'encyclopaedia oeuvre thor hal ng f i'],
    ['O’Connor O‘Connor Oʼ´`′＇ ŉ', "o'connor o'connor o''''' 'n"],
    ['‐‑‒–—−－', '-------'],
    ['“a” „b‟ צה״ל', '"a" "b" צה"ל'],
    ['co\u00adop\u200be\u200c\u200d\u2060\ufeffr\ufe0f\u{e0067}', 'cooper'],
    ['❤️ 👨‍👩‍👧 می‌خواهم क्‍ष', '❤ 👨👩👧 میخواهم क्ष'],
    ['コーヒー・々 〃«»', 'コーヒー・々 〃«»'],
    ['か\u3099', 'が'],
    ['कि', 'कि'],
    ['한국', '한국'],
    ['e\u0301', 'e'],
    ['a\u0000b\n\tc', 'a b c'],
    ['\ud800x', '\ufffdx'],
  ] as const) {
    assert.equal(foldText(text), folded, text)
  }
  assert.equal(foldLine('  São \n  Paulo '), 'sao paulo')
})

test('folding a folded text changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      assert.equal(foldText(foldText(text)), foldText(text))
    }),
    { numRuns: 500, examples: [['ẞ'], ['x\u0301ẞ'], ['\u0301\u200b\u0315\ufe71']] },
  )
  // Each character alone: any-ascii knows U+A7D3, but not its capital letter U+A7D2.
  const characters = [range(0, 0xd7ff), range(0xe000, 0x1ffff)].flat()
  const folded = foldText(characters.map((point) => String.fromCodePoint(point)).join('x'))
  assert.ok(foldText(folded) === folded)
  assert.equal(foldText('\ua7d2 \ua7d4'), foldText('\ua7d3 \ua7d5'))
})

test('every control character and every space becomes a space', () => {
  const units = Array.from({ length: 0xd800 }, (_, unit) => String.fromCharCode(unit)).join('')
  const characters = [...units.matchAll(/[\p{Cc}\s]/gu)].map(([character]) => character)
  assert.ok(characters.length > 80)
  assert.equal(foldText(`é${characters.join('x')}x`), `e${' x'.repeat(characters.length)}`)
})

test('marks beyond 30 in a row are ignored, whatever form they have before they are normalised', () => {
  const planes = [range(0x300, 0x1ffff), range(0xe0000, 0xe01ff)].flat()
  const marks = planes.map((point) => String.fromCodePoint(point)).filter(beginsWithSortedMark)
  assert.ok(marks.length > 800, `${marks.length} marks`)
  for (const mark of marks) {
    const [some, many] = [31, 90].map((count) => foldText(`漢${mark.repeat(count)}b`))
    assert.equal(many, some, mark.codePointAt(0)?.toString(16))
  }
  assert.equal(foldText(`漢${'\u20d0'.repeat(30)}`).length, 31)
})

/** Whether the normalised form begins with a mark that normalisation moves before or after another one. */
function beginsWithSortedMark(character: string): boolean {
  const [first = ''] = character.normalize('NFKD')
  const pairs = ['\u0315', '\u0334'].flatMap((mark) => [first + mark, mark + first])
  return pairs.some((pair) => pair.normalize('NFD') !== pair)
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}
