import { parseSearchResponse } from '../../domain/search/search-response.ts'
import { HubError } from '../../errors.ts'
import { createRandomKey } from '../../lib/crypto/random-key.ts'
import { isJsonObject, type JsonValue } from '../../lib/json/lossless-json.ts'
import { checkKeys } from './check-keys.ts'
import { noteAnswer } from './check-manifest.ts'
import type { Sample } from './check-records.ts'
import { attempt, type CheckContext, look, waitAsAsked } from './context.ts'
import type { Section } from './section.ts'

/** What has broken searches before. */
const SPECIAL = `O'Brien "50% of_it" \\ ; -- <b>&amp;</b> ü 漢 😀`
const MANY = 100

/** Tries the search, which is optional, with nonsense, with a record that is listed, and with awkward characters. */
export async function checkSearch(
  context: CheckContext,
  section: Section,
  sample: Sample | null,
): Promise<void> {
  const { findings } = section
  const nonsense = createRandomKey('nobody').slice(0, 24)
  const path = `search?query=${nonsense}`
  const answer = await attempt(context, section, () => look(context, path))
  if (!answer) return
  if (answer.status === 404) return findings.add('search.absent')
  const search = (query: string) => context.client.search(context.target, query, context.signal)
  const nothing = await attempt(context, section, () => search(nonsense))
  if (nothing === null) return
  noteAnswer(section, answer)
  const found = judgeAnswer(section, nothing)
  if (found !== null && found > 0) findings.add('search.ignores_query', { params: { found } })
  await tryName(section, sample, (query) => attempt(context, section, () => search(query)))
  await trySpecial(context, section, search)
  await checkKeys(context, section, path)
}

/** @returns how many it found; null where that cannot be told. */
function judgeAnswer({ findings }: Section, value: JsonValue): number | null {
  if (isJsonObject(value) && value['success'] !== true) findings.add('search.success')
  const read = parseSearchResponse(value, 0)
  if (read.outcome === 'raw') {
    findings.add('search.not_understood')
    return null
  }
  if (read.found > MANY) findings.add('search.many', { params: { found: read.found } })
  return read.found
}

async function tryName(
  section: Section,
  sample: Sample | null,
  search: (query: string) => Promise<JsonValue | null>,
): Promise<void> {
  if (!sample) return
  for (const query of [sample.name, sample.reference]) {
    const value = await search(query)
    const found = value === null ? null : judgeAnswer(section, value)
    if (found === null) return
    if (found > 0) return section.passed('A record that is listed is found.')
  }
  section.findings.add('search.misses')
}

async function trySpecial(
  { signal }: CheckContext,
  section: Section,
  search: (query: string) => Promise<JsonValue | null>,
): Promise<void> {
  try {
    await waitAsAsked(signal, section, () => search(SPECIAL))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof HubError)) throw error
    section.findings.add('search.special', { params: { reason: error.message } })
  }
}
