import { dictionary } from '@zxcvbn-ts/language-common'

const COMMON = new Set(dictionary['passwords-common'])

/** Whether many people have chosen it: one of some 49,000 words, or two of them side by side. In lower case. */
export function isCommonPassword(text: string): boolean {
  if (COMMON.has(text)) return true
  return Array.from(text).some((_, index) => {
    return index > 0 && COMMON.has(text.slice(0, index)) && COMMON.has(text.slice(index))
  })
}
