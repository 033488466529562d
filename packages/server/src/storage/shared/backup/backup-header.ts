/**
 * The first line of a backup says what the backup is. It is not encrypted, but every encrypted chunk is bound to it.
 *
 * A backup is: the header line, chunks (a length of four bytes, then that number of bytes), a length of 0, and the SHA-256 of
 * everything before. The chunks contain the payload, compressed with zstd and possibly encrypted.
 */

import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BackupInfo } from '@recordhub/protocol'
import type { Static } from 'typebox'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { HubError, messageOf } from '../../../errors.ts'
import type { Row } from '../schema/databases.ts'

const NAME = 'recordhub-backup'
const BACKUP_FORMAT = 1
/** Maximum size of the header line, in bytes. */
const MAX_HEADER = 262_144

const Encryption = Type.Object({
  log_n: Type.Integer({ minimum: 10, maximum: 20 }),
  r: Type.Integer({ minimum: 1, maximum: 16 }),
  p: Type.Integer({ minimum: 1, maximum: 16 }),
  salt: Type.String(),
  /** Recognises a wrong passphrase before anything is decrypted. */
  key_check: Type.String(),
})

const BackupHeader = Type.Object({
  file: Type.Literal(NAME),
  format: Type.Literal(BACKUP_FORMAT),
  info: BackupInfo,
  /** The size of the payload in bytes; null if it was not known in advance. */
  payload_bytes: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  /** The SHA-256 of a sample of the records. */
  sample: Type.Object({ records: Type.Integer(), sha256: Type.String() }),
  encryption: Type.Union([Encryption, Type.Null()]),
})

export type BackupHeader = Static<typeof BackupHeader>
export type Encryption = Static<typeof Encryption>
export type RecordSample = BackupHeader['sample']

const headerCheck = Compile(BackupHeader)

export function encodeHeader(header: Omit<BackupHeader, 'file' | 'format'>): Buffer {
  return Buffer.from(`${JSON.stringify({ file: NAME, format: BACKUP_FORMAT, ...header })}\n`)
}

/**
 * Reads the header of a file.
 * @returns the header and its bytes, which are the first ones of the file.
 * @throws HubError `backup_invalid`, `backup_unsupported`.
 */
export async function readHeader(path: string): Promise<{ header: BackupHeader; bytes: Buffer }> {
  const toError = (cause: unknown): never => {
    throw new HubError('backup_invalid', { reason: messageOf(cause) }, { cause })
  }
  const file = await open(path).catch(toError)
  try {
    const buffer = Buffer.alloc(MAX_HEADER)
    // A folder can be opened, but not read.
    const { bytesRead } = await file.read(buffer, 0, MAX_HEADER, 0).catch(toError)
    const end = buffer.subarray(0, bytesRead).indexOf(10)
    if (end < 0) throw notABackup()
    const bytes = buffer.subarray(0, end + 1)
    return { header: parseHeader(bytes.toString('utf8')), bytes }
  } finally {
    await file.close()
  }
}

const END_BYTES = 36

/**
 * Reads what a backup says about itself, and whether it has its end.
 * @throws HubError `backup_damaged` if it is incomplete, and those of `readHeader`.
 */
export async function readBackupInfo(path: string): Promise<BackupInfo> {
  const { header, bytes } = await readHeader(path)
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const end = Buffer.alloc(END_BYTES, 1)
    await file.read(end, 0, END_BYTES, Math.max(bytes.length, size - END_BYTES))
    // A length of 0, then the checksum.
    if (end.readUInt32BE() !== 0)
      throw new HubError('backup_damaged', { reason: 'it is incomplete' })
  } finally {
    await file.close()
  }
  return header.info
}

function parseHeader(line: string): BackupHeader {
  const parsed = parseJson(line)
  if (headerCheck.Check(parsed)) return parsed
  const { file, format } = Object(parsed)
  if (file === NAME && Number.isInteger(format) && format > BACKUP_FORMAT) {
    throw new HubError('backup_unsupported', { reason: `it has the format ${format}` })
  }
  throw notABackup()
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw notABackup()
  }
}

function notABackup(): HubError {
  return new HubError('backup_invalid', { reason: 'it is not a backup of Recordhub' })
}

export const BACKUP_SUFFIX = '.recordhub-backup'
const PARTIAL_SUFFIX = '.partial'
/** Incomplete files that are older than this, or from a clock that was ahead, belong to a process that was killed. */
const ABANDONED_MS = 3_600_000

/** Returns a path beside a file, for its incomplete content. */
export function partialPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomUUID()}${PARTIAL_SUFFIX}`)
}

/** Deletes incomplete files that killed processes have left in a folder. They contain records. */
export async function deleteAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (!name.startsWith('.') || !name.includes(PARTIAL_SUFFIX)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found && Math.abs(Date.now() - found.mtimeMs) > ABANDONED_MS)
      await rm(path, { force: true, recursive: true })
  }
}

const SAMPLE = 1000

/** Returns record ids that are evenly distributed between the lowest and the highest one. */
export function sampleIds(lowest: number, highest: number): number[] {
  const count = Math.min(SAMPLE, highest - lowest + 1)
  const step = count > 1 ? (highest - lowest) / (count - 1) : 0
  return Array.from({ length: count }, (_, index) => Math.round(lowest + index * step))
}

/** Hashes rows, whatever the order of their columns. */
export function hashRows(rows: Iterable<Row>): RecordSample {
  const hash = createHash('sha256')
  let records = 0
  for (const row of rows) {
    hash.update(rowText(row))
    records += 1
  }
  return { records, sha256: hash.digest('base64url') }
}

export function rowText(row: Row): string {
  return `${JSON.stringify(Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1)))}\n`
}
