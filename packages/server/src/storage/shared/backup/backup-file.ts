/** Writes and reads backups as streams, in constant memory. The format is described in backup-header.ts. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { HubError, messageOf } from '../../../errors.ts'
import { makeFolder } from '../../../lib/files/durable-files.ts'
import {
  type ChunkCipher,
  createDecrypter,
  createEncrypter,
  createKey,
  findKey,
} from './backup-cipher.ts'
import { type BackupHeader, deleteAbandoned, encodeHeader, readHeader } from './backup-header.ts'

/** The size of a chunk before it is encrypted. */
const CHUNK_BYTES = 262_144
const MAX_STORED_CHUNK = CHUNK_BYTES + 64
const CHECKSUM_BYTES = 32

type NewBackup = {
  path: string
  header: Omit<BackupHeader, 'file' | 'format' | 'encryption'>
  payload: AsyncIterable<Buffer>
  passphrase: string | null
}

/**
 * Writes a backup and syncs it to the disk.
 * @throws the error of the payload or of the file system. The caller deletes the incomplete file.
 */
export async function writeBackupFile({ path, header, payload, passphrase }: NewBackup) {
  const key = passphrase === null ? null : await createKey(passphrase)
  const bytes = encodeHeader({ ...header, encryption: key?.encryption ?? null })
  const encrypt = key ? createEncrypter(key, bytes) : keepChunk
  const file = await open(path, 'wx', 0o600)
  try {
    const checksum = createHash('sha256')
    const write = async (part: Buffer) => {
      checksum.update(part)
      await writeAll(file, part)
    }
    await write(bytes)
    for await (const [chunk, isLast] of inChunks(compress(payload))) {
      const stored = encrypt(chunk, isLast)
      await write(Buffer.concat([lengthOf(stored), stored]))
    }
    await write(lengthOf(Buffer.alloc(0)))
    await writeAll(file, checksum.digest())
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Gives a complete file its name. The rename is on the disk when it resolves. */
export async function publishFile(from: string, to: string): Promise<void> {
  await rename(from, to)
  const folder = await open(dirname(to))
  await folder.sync().finally(() => folder.close())
}

/**
 * Reads the payload of a backup. Reading it to its end verifies the whole file.
 * @throws HubError `backup_passphrase_missing`, `backup_passphrase_wrong`, `backup_damaged`, and those of `readHeader`.
 */
export async function readPayload(
  path: string,
  passphrase: string | null,
): Promise<{ header: BackupHeader; payload: AsyncGenerator<Buffer> }> {
  const { header, bytes } = await readHeader(path)
  const { encryption } = header
  if (encryption && passphrase === null) throw new HubError('backup_passphrase_missing')
  const key = encryption && passphrase !== null ? await findKey(passphrase, encryption) : null
  const decrypt = key ? createDecrypter(key, bytes) : keepChunk
  return { header, payload: decompress(readChunks(path, bytes, decrypt), header.payload_bytes) }
}

const keepChunk: ChunkCipher = (chunk) => chunk

function lengthOf(chunk: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(chunk.length)
  return length
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at)
    at += bytesWritten
  }
}

function compress(payload: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const params = { [constants.ZSTD_c_compressionLevel]: 1 }
  const zstd = createZstdCompress({ params, chunkSize: CHUNK_BYTES })
  return pipeline(Readable.from(payload, { objectMode: false }), zstd, () => undefined)
}

/** Chunks of equal size; the last one is smaller, and may be empty. */
async function* inChunks(
  parts: AsyncIterable<Buffer>,
): AsyncGenerator<[chunk: Buffer, isLast: boolean]> {
  let pending: Buffer = Buffer.alloc(0)
  for await (const part of parts) {
    pending = pending.length === 0 ? part : Buffer.concat([pending, part])
    // A chunk is yielded only when more follows, because the last one is marked.
    while (pending.length > CHUNK_BYTES) {
      yield [pending.subarray(0, CHUNK_BYTES), false]
      pending = pending.subarray(CHUNK_BYTES)
    }
  }
  yield [pending, true]
}

async function* readChunks(
  path: string,
  header: Buffer,
  decrypt: ChunkCipher,
): AsyncGenerator<Buffer> {
  const checksum = createHash('sha256').update(header)
  const source = new ByteReader(
    createReadStream(path, { start: header.length, highWaterMark: CHUNK_BYTES }),
  )
  let stored: Buffer | null = null
  for (;;) {
    const prefix = await source.read(4)
    checksum.update(prefix)
    const length = prefix.readUInt32BE()
    if (length > MAX_STORED_CHUNK) throw damaged('a chunk is too large')
    if (length === 0) break
    if (stored) yield decrypt(stored, false)
    stored = await source.read(length)
    checksum.update(stored)
  }
  if (!stored) throw damaged('it is empty')
  const expected = await source.read(CHECKSUM_BYTES)
  if (!(await source.isAtEnd())) throw damaged('bytes follow its end')
  if (!checksum.digest().equals(expected)) throw damaged('its checksum is wrong')
  yield decrypt(stored, true)
}

/** @param expected the size of the payload, which protects the disk from content that expands without limit. */
async function* decompress(
  chunks: AsyncGenerator<Buffer>,
  expected: number | null,
): AsyncGenerator<Buffer> {
  const zstd = createZstdDecompress({ chunkSize: CHUNK_BYTES })
  const source = Readable.from(chunks, { objectMode: false })
  let failure: unknown = null
  source.on('error', (error) => {
    failure = error
  })
  const parts = pipeline(source, zstd, () => undefined)
  let size = 0
  try {
    for await (const part of parts) {
      size += part.length
      if (expected !== null && size > expected) throw damaged('it is larger than stated')
      yield part
    }
  } catch (error) {
    const cause = failure ?? error
    if (cause instanceof HubError) throw cause
    throw new HubError('backup_damaged', { reason: messageOf(cause) }, { cause })
  }
  if (expected !== null && size < expected) throw damaged('it is smaller than stated')
}

function damaged(reason: string): HubError {
  return new HubError('backup_damaged', { reason })
}

class ByteReader {
  readonly #parts: AsyncIterator<Buffer>
  #pending: Buffer = Buffer.alloc(0)

  constructor(source: Readable) {
    this.#parts = source[Symbol.asyncIterator]()
  }

  async read(length: number): Promise<Buffer> {
    while (this.#pending.length < length) {
      const next = await this.#parts.next()
      if (next.done) throw damaged('it is incomplete')
      this.#pending =
        this.#pending.length === 0 ? next.value : Buffer.concat([this.#pending, next.value])
    }
    const read = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    return read
  }

  async isAtEnd(): Promise<boolean> {
    return this.#pending.length === 0 && (await this.#parts.next()).done === true
  }
}

/** Deletes files, if they exist. */
export async function deleteFiles(...paths: string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true })
}

/**
 * Writes a backup to a path that does not exist, after deleting what killed processes have left in its folder.
 * @param partials the incomplete files, which a failure deletes.
 * @throws HubError `backup_failed`.
 */
export async function writeNewBackup<Written>(
  { path, signal, partials }: { path: string; signal: AbortSignal | undefined; partials: string[] },
  write: () => Promise<Written>,
): Promise<Written> {
  try {
    signal?.throwIfAborted()
    makeFolder(dirname(path))
    await deleteAbandoned(dirname(path))
    if (existsSync(path)) throw new Error(`${path} already exists`)
    return await write()
  } catch (cause) {
    await deleteFiles(...partials)
    throw new HubError('backup_failed', { reason: messageOf(cause) }, { cause })
  }
}
