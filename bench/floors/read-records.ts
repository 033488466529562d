import { request } from 'undici'
import { fingerprintOf } from '../../packages/server/src/domain/pull/unchanged.ts'
import { scanPulled } from '../../packages/server/src/domain/record/record-input.ts'
import { JsonArrayScanner } from '../../packages/server/src/lib/json/json-array-scanner.ts'
import { elementBytes, type JsonChunk } from '../../packages/server/src/lib/json/json-chunk.ts'
import {
  peekReference,
  toBuffer,
} from '../../packages/server/src/platform-client/records/records-chunk.ts'
import type { FloorRecord } from './store.ts'

/** Chunks of 64 KB per commit: a megabyte. */
const CHUNKS_PER_BATCH = 16
const LIMITS = { maxElementBytes: 16 * 1024 * 1024, maxEnvelopeBytes: 1024 * 1024 }

/** Reads the document with the scanner of the hub, and calls a function with about a megabyte of it at a time. */
export async function readDocument(url: string, onBatch: (chunks: JsonChunk[]) => Promise<void>) {
  const scanner = new JsonArrayScanner({ member: 'records', ...LIMITS })
  const { body } = await request(url)
  let batch: JsonChunk[] = []
  let storing: Promise<void> = Promise.resolve()
  const store = async () => {
    const chunks = batch
    batch = []
    // The next batch is read while this one is stored.
    await storing
    storing = onBatch(chunks).then(() => {
      for (const chunk of chunks) scanner.release(chunk)
    })
  }
  for await (const bytes of body) {
    for (const chunk of scanner.push(bytes)) {
      batch.push(chunk)
      if (batch.length >= CHUNKS_PER_BATCH) await store()
    }
  }
  scanner.end()
  await store()
  await storing
}

/** The records of chunks, scanned and hashed. */
export function readRecords(chunks: readonly JsonChunk[]): FloorRecord[] {
  return chunks.flatMap((chunk) => {
    const buffer = toBuffer(chunk)
    return chunk.starts.map((start, position) => {
      const record = scanPulled(buffer, start, chunk.ends[position] ?? 0)
      if (record === null || typeof record.data === 'string')
        throw new Error('A record of the bench is not in the stored form')
      const { reference_number, full_name, data } = record
      const fingerprint = fingerprintOf('00000000', elementBytes(chunk, position))
      return { reference_number, full_name, data, fingerprint }
    })
  })
}

/** The references and fingerprints of the records of chunks, which are not scanned. */
export function hashRecords(chunks: readonly JsonChunk[]) {
  return chunks.flatMap((chunk) => {
    const buffer = toBuffer(chunk)
    return chunk.starts.map((_, position) => ({
      reference_number: peekReference(buffer, chunk, position) ?? '',
      fingerprint: fingerprintOf('00000000', elementBytes(chunk, position)),
    }))
  })
}
