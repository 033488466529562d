/**
 * Compares the list of a module with its digest and with reads of some prefixes, where the platform offers them. Memory
 * holds 4,096 buckets, and the records of one bucket that is read.
 */
import {
  createDigest,
  type DigestSums,
  MAX_DIGEST_DIGITS,
  readDigestResponse,
  readVersion,
} from '@recordhub/protocol'
import { isJsonObject, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { attempt, type CheckContext, sendRequest } from './check-context.ts'
import { type FirstRead, openModule } from './check-records.ts'
import type { RecordsPage } from './hub.ts'
import { findDifferingBuckets, LIST_DIGITS, type ListedVersions, md5 } from './listed-versions.ts'
import type { Section } from './section.ts'

/** A bucket may differ because of an edit, so more than one is examined. */
const MAX_EXAMINED_BUCKETS = 3

type Check = {
  context: CheckContext
  section: Section
  recordType: string
  /** The name in the manifest; null without one. */
  platformName: string | null
}

type Listed = { reference: string; version: string }

/** A platform without versions or without a digest gets no finding. */
export async function checkDigest(check: Check, first: FirstRead): Promise<void> {
  const { findings } = check.section
  const { versions, elements, isCut } = first
  const { records, missing, firstMissing } = versions
  if (missing > 0 && missing < records) {
    const params = { missing, records }
    findings.add('digest.version_missing', { params, reference: firstMissing })
  }
  // Elements without a reference are errors, and would only differ.
  if (isCut || records === 0 || missing > 0 || records < elements) return
  const digest = await requestDigest(check, LIST_DIGITS, null)
  if (!digest) return
  const differing = findDifferingBuckets(versions.buckets, digest)
  if (differing.length === 0) {
    check.section.addPassed(`List and digest agree: ${records} records have the same versions.`)
    return checkPrefix(check, versions)
  }
  let haveAllChanged = true
  for (const prefix of differing.slice(0, MAX_EXAMINED_BUCKETS)) {
    const found = await findDisagreement(check, prefix)
    if (found === 'changed') continue
    haveAllChanged = false
    if (found === 'unchecked') continue
    const total = new Set([...versions.buckets.keys(), ...digest.keys()]).size
    const params = { buckets: differing.length, total }
    findings.add('digest.disagrees', { params, ...found })
  }
  if (haveAllChanged) findings.add('digest.changed')
}

/** @returns null without a valid digest, which is a finding unless the platform offers none. */
async function requestDigest(
  { context, section, recordType, platformName }: Check,
  digits: number,
  prefix: string | null,
): Promise<DigestSums | null> {
  const query = `digits=${digits}${prefix === null ? '' : `&prefix=${prefix}`}`
  const path = `records/${encodeURIComponent(recordType)}/digest?${query}`
  const response = await attempt(context, section, () => sendRequest(context, path))
  if (!response || response.status === 404) return null
  if (response.status !== 200) {
    const params = { what: 'the digest', status: response.status }
    section.findings.add('digest.failed', { params })
    return null
  }
  const read = readDigestResponse(parse(response.text), {
    ...{ digits, prefixes: prefix === null ? null : [prefix] },
    ...{ record_type: recordType, platform_name: platformName },
  })
  if (read.outcome === 'digest') return read.buckets
  section.findings.add('digest.invalid', { params: { reason: read.reason } })
  return null
}

/** Reads one bucket that is known from the list. */
async function checkPrefix(check: Check, { buckets }: ListedVersions): Promise<void> {
  const { findings } = check.section
  const [first] = buckets
  if (!first) return
  const [prefix, expected] = first
  const records = await readPrefix(check, prefix)
  if (!records) return
  const got = sumOf(records, LIST_DIGITS).get(prefix) ?? { count: 0, sum: 0 }
  if (got.count === expected.count && got.sum === expected.sum) {
    check.section.addPassed(`The response to ?prefix=${prefix} has the records of that bucket.`)
    return
  }
  const params = { prefix, got: got.count, expected: expected.count }
  findings.add('digest.prefix_incomplete', { params })
}

/**
 * The records of a bucket, as the platform selects them.
 * @returns null if it does not, which is a finding, or if it sends only the first page of them.
 */
async function readPrefix(check: Check, prefix: string): Promise<Listed[] | null> {
  const { context, section, recordType } = check
  const { findings } = section
  const path = `records/${encodeURIComponent(recordType)}?prefix=${prefix}`
  const response = await attempt(context, section, () => sendRequest(context, path))
  if (!response) return null
  if (response.status !== 200) {
    const params = { what: `?prefix=${prefix}`, status: response.status }
    findings.add('digest.failed', { params })
    return null
  }
  const body = parse(response.text)
  const envelope = isJsonObject(body) ? body : {}
  const elements = envelope['records']
  // A response that is cut at the size limit is that of a platform that ignores the parameter.
  const listed = Array.isArray(elements) ? elements.flatMap((one) => toListed(context, one)) : null
  const foreign = listed?.find(({ reference }) => !md5(reference).startsWith(prefix))
  if (!listed || foreign) {
    const reference = foreign?.reference ?? null
    findings.add('digest.prefix_ignored', { params: { prefix }, reference })
    return null
  }
  if (envelope['prefix'] !== prefix) {
    findings.add('digest.prefix_not_repeated', { params: { prefix } })
  }
  return /\brel="?next\b/i.test(response.header('link')) ? null : listed
}

/**
 * Compares a bucket of list and digest record by record.
 * @returns the first record on which they disagree twice; `changed` if they agree now or were edited meanwhile; `unchecked`
 * if the platform did not return what is compared.
 */
async function findDisagreement(
  check: Check,
  prefix: string,
): Promise<{ reference: string | null; found: string } | 'changed' | 'unchecked'> {
  const before = await requestDigest(check, MAX_DIGEST_DIGITS, prefix)
  const { context, section } = check
  const records =
    (await readPrefix(check, prefix)) ??
    (await attempt(context, section, () => readFromList(check, prefix)))
  const after = await requestDigest(check, MAX_DIGEST_DIGITS, prefix)
  if (!records || !before || !after) return 'unchecked'
  // A bucket that differs between the two digests was edited meanwhile.
  const moving = new Set(findDifferingBuckets(before, after))
  const [bucket] = findDifferingBuckets(sumOf(records, MAX_DIGEST_DIGITS), after).filter(
    (one) => !moving.has(one),
  )
  if (bucket === undefined) return 'changed'
  const disagreeing = records.find(({ reference }) => md5(reference).startsWith(bucket))
  if (disagreeing) {
    return { reference: disagreeing.reference, found: `version ${disagreeing.version}` }
  }
  const count = after.get(bucket)?.count ?? 0
  return { reference: null, found: `bucket ${bucket}: ${count} in the digest, none in the list` }
}

/** Reads the whole list for the records of a bucket, if the platform cannot select them. */
async function readFromList({ context, recordType }: Check, prefix: string): Promise<Listed[]> {
  const listed: Listed[] = []
  let received = 0
  let page: RecordsPage | null = await openModule(context, recordType, { asksForGzip: true })
  while (page) {
    for await (const { elements, error } of page.batches()) {
      if (error !== null) throw error
      received += elements.length
      for (const { value } of elements) {
        const [one] = toListed(context, value)
        if (one && md5(one.reference).startsWith(prefix)) listed.push(one)
      }
    }
    page = await page.next({ received, references: received, total: null }, () => undefined)
  }
  return listed
}

function toListed({ rules }: Pick<CheckContext, 'rules'>, element: JsonValue): Listed[] {
  const reference = rules.referenceOf(element)
  if (reference === null || !isJsonObject(element)) return []
  return [{ reference, version: readVersion(element['version']) ?? '' }]
}

function sumOf(records: readonly Listed[], digits: number): DigestSums {
  const digest = createDigest({ digits, prefixes: null }, md5)
  for (const { reference, version } of records) digest.add(reference, version)
  return digest.buckets
}

/** Null for a text that is not JSON. */
function parse(text: string): JsonValue {
  try {
    return parseLossless(text)
  } catch {
    return null
  }
}
