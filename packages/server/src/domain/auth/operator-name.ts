/** In characters. */
export const MAX_NAME_LENGTH = 200

/**
 * White space, and invisible characters, with which a name could pass for another text in a log. The two that join and
 * separate letters belong to the spelling of names, as in Persian and Sinhala.
 */
const BETWEEN_WORDS = /(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s])+/gu
const JOINERS = /[\u200c\u200d]/g

/** The name of an operator as it is stored: one line. Empty if nothing of it is visible. */
export function toOperatorName(text: string): string {
  const name = text.toWellFormed().replace(BETWEEN_WORDS, ' ').trim()
  if (name.replace(JOINERS, '').trim() === '') return ''
  return [...name].slice(0, MAX_NAME_LENGTH).join('')
}
