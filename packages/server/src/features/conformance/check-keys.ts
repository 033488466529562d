import { judgeRefusal } from '../../domain/conformance/judge-refusal.ts'
import { createRandomKey } from '../../lib/crypto/random-key.ts'
import { attempt, type CheckContext, exchange, shortly } from './context.ts'
import type { Section } from './section.ts'

/** So much of a refusal tells whether it holds what it must not. */
const MAX_BYTES = 64 * 1024

/** Whether an endpoint opens for nobody but who has the key. */
export async function checkKeys(
  context: CheckContext,
  section: Section,
  path: string,
): Promise<void> {
  const { target, signal } = context
  const { source_api_key: key } = target
  const tries = [
    { without: 'without a key', sent: null },
    { without: 'with a wrong key', sent: createRandomKey('wrong-') },
    ...(swapCase(key) === key
      ? []
      : [{ without: 'with the key in swapped upper and lower case', sent: swapCase(key) }]),
  ]
  let isWell = true
  for (const { without, sent } of tries) {
    const options = {
      ...{ method: 'GET' as const, key: sent, headers: {}, maxBytes: MAX_BYTES },
      signal: shortly(signal),
    }
    const answer = await attempt(context, section, () => exchange(context, path, options))
    if (!answer) return
    isWell = judgeRefusal(answer, { without, key }, section.findings) && isWell
    // Where any key opens it, there is nothing to be learnt from another one.
    if (!isWell && sent !== null) break
  }
  if (isWell)
    section.passed('Without the key, and with a wrong one, it answers 401 and tells nothing.')
}

/** A key that is compared without regard to case is guessed sooner: databases often do. */
function swapCase(key: string): string {
  return key.replace(/[a-z]+|[A-Z]+/g, (letters) =>
    letters === letters.toUpperCase() ? letters.toLowerCase() : letters.toUpperCase(),
  )
}
