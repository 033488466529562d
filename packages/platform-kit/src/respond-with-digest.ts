/** The digest endpoint: the number of records and the sum over their versions, by bucket. */
import {
  createDigest,
  type DigestRequest,
  parseDigestRequest,
  readVersion,
  SUM_MODULUS,
} from '@recordhub/protocol/digest'
import { md5 } from './md5.ts'
import type { DigestBucket } from './platform.ts'
import { type ModuleCall, readAllRecords } from './respond-with-records.ts'
import { fail, json } from './responses.ts'

/** Responds with 404 where a record has no version, since the hub could not notice its changes. */
export async function respondWithDigest(call: ModuleCall): Promise<Response> {
  const { platform, module, url, stop } = call
  const parsed = parseDigestRequest({
    digits: url.searchParams.get('digits'),
    prefix: url.searchParams.get('prefix'),
  })
  if ('issue' in parsed) return fail(400, parsed.issue)
  const buckets = module.digest
    ? await module.digest({ ...parsed.value, signal: stop.signal })
    : await sumRecords(call, parsed.value)
  if (buckets === null) return fail(404, 'There is no digest: not every record has a version.')
  const written: (string | number)[][] = []
  for await (const bucket of buckets) written.push(toWire(bucket, module.recordType))
  return json({
    success: true,
    platform_name: platform.name,
    record_type: module.recordType,
    digits: parsed.value.digits,
    buckets: written,
  })
}

/** Reads all records of the module; null at the first one without a version. */
async function sumRecords(
  { module, stop }: ModuleCall,
  request: DigestRequest,
): Promise<DigestBucket[] | null> {
  const digest = createDigest(request, md5)
  for await (const record of readAllRecords(module, { signal: stop.signal })) {
    const version = readVersion(record.version)
    if (version === null) return null
    digest.add(String(record.reference_number), version)
  }
  return Array.from(digest.buckets, ([prefix, { count, sum }]) => [prefix, count, sum])
}

/** Numbers as JSON numbers: drivers return the results of `count` and `sum` as texts or BigInts. */
function toWire([prefix, count, sum]: DigestBucket, recordType: string): (string | number)[] {
  const isRounded = typeof sum === 'number' && !Number.isSafeInteger(sum)
  const reduced = isRounded ? Number.NaN : Number(BigInt(sum) % BigInt(SUM_MODULUS))
  const numbers = [Number(count), reduced]
  if (!numbers.every((one) => Number.isSafeInteger(one) && one >= 0)) {
    throw new TypeError(
      `The digest of ${recordType} has a bucket ${prefix} with the count ${count} and the sum ${sum}.`,
    )
  }
  return [prefix, ...numbers]
}
