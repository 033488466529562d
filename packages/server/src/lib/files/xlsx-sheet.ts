/** Cells of a spreadsheet as XML (ECMA-376, part 1, 18.3). */
import {
  type JsonValue,
  significantDigits,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'

/** A row of a sheet, numbered from 1. */
export function sheetRow(number: number, cells: readonly JsonValue[]): string {
  return `<row r="${number}">${cells.map(sheetCell).join('')}</row>`
}

function sheetCell(value: JsonValue): string {
  if (value === null || value === '') return '<c/>'
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`
  if (typeof value === 'string') return textCell(value)
  const text = stringifyLossless(value)
  const isNumber = typeof value === 'number' || JSON.isRawJSON(value)
  return isNumber && isShownExactly(text) ? `<c><v>${text}</v></c>` : textCell(text)
}

const MAX_CHARACTERS = 32_767
/** Older records have longer numbers than the hub accepts today. */
const MAX_NUMBER_LENGTH = 400
const TRUNCATED = ' … [truncated: a cell holds 32,767 characters]'

function textCell(text: string): string {
  const isLong = text.length > MAX_CHARACTERS
  const shown = isLong ? truncate(text, MAX_CHARACTERS - TRUNCATED.length) + TRUNCATED : text
  return `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(shown)}</t></is></c>`
}

/** Does not split a surrogate pair. */
function truncate(text: string, length: number): string {
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(length - 1))
  return text.slice(0, splitsPair ? length - 1 : length)
}

/** Spreadsheets store 15 digits and replace the others with zeros, so longer numbers are written as text. */
function isShownExactly(token: string): boolean {
  if (token.length > MAX_NUMBER_LENGTH) return false
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e')
  const size = Math.abs(Number(exponent)) + mantissa.length
  return size < 300 && significantDigits(token).length <= 15
}

/** Characters that XML does not allow or that need escapes, and texts that look like an escape. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  /[&<>]|[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)/g

/** A lone surrogate becomes U+FFFD: LibreOffice would discard the rest of the cell after its escape. */
function escapeXml(text: string): string {
  return text.toWellFormed().replace(UNSAFE, (character) => {
    if (character === '&') return '&amp;'
    if (character === '<') return '&lt;'
    if (character === '>') return '&gt;'
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    return `_x${code}_`
  })
}
