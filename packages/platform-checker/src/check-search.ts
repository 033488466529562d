import { randomBytes } from 'node:crypto'
import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import {
  attempt,
  type CheckContext,
  sendRequest,
  toPlatformError,
  withRetry,
} from './check-context.ts'
import { checkKeys } from './check-keys.ts'
import { validateResponse } from './check-manifest.ts'
import type { Sample } from './check-records.ts'
import type { Section } from './section.ts'

/** Characters that searches often handle incorrectly. */
const SPECIAL_QUERY = `O'Brien "50% of_it" \\ ; -- <b>&amp;</b> ü 漢 😀`
const MAX_RESULTS = 100

type Search = (query: string) => Promise<JsonValue | null>

/** Checks the optional search: with a random word, with a listed record, and with special characters. */
export async function checkSearch(
  context: CheckContext,
  section: Section,
  sample: Sample | null,
): Promise<void> {
  const { findings } = section
  const randomWord = `random${randomBytes(9).toString('hex')}`
  const path = `search?query=${randomWord}`
  const response = await attempt(context, section, () => sendRequest(context, path))
  if (!response) return
  if (response.status === 404) return findings.add('search.absent')
  const search: Search = (query) => context.client.search(context.target, query, context.signal)
  const result = await attempt(context, section, () => search(randomWord))
  if (result === null) return
  validateResponse(section, response)
  const found = countResults(context, section, result)
  if (found !== null && found > 0) findings.add('search.ignores_query', { params: { found } })
  await searchForSample(context, section, sample, search)
  await searchForSpecialCharacters(context, section, search)
  await checkKeys(context, section, path)
}

/** @returns the number of records in a response; null if the hub does not understand the response. */
function countResults(
  { rules }: CheckContext,
  { findings }: Section,
  response: JsonValue,
): number | null {
  if (isJsonObject(response) && response['success'] !== true) findings.add('search.success')
  const found = rules.countSearchResults(response)
  if (found === null) findings.add('search.not_understood')
  else if (found > MAX_RESULTS) findings.add('search.many', { params: { found } })
  return found
}

async function searchForSample(
  context: CheckContext,
  section: Section,
  sample: Sample | null,
  search: Search,
): Promise<void> {
  if (!sample) return
  for (const query of [sample.name, sample.reference]) {
    const response = await attempt(context, section, () => search(query))
    const found = response === null ? null : countResults(context, section, response)
    if (found === null) return
    if (found > 0) return section.addPassed('The search finds a listed record.')
  }
  section.findings.add('search.misses')
}

async function searchForSpecialCharacters(
  context: CheckContext,
  section: Section,
  search: Search,
): Promise<void> {
  try {
    await withRetry(context, section, () => search(SPECIAL_QUERY))
  } catch (error) {
    const { message } = toPlatformError(context, error)
    section.findings.add('search.special', { params: { reason: message } })
  }
}
