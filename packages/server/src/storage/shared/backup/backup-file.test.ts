import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createSeededRandom } from '../../../../test/helpers/random/seed.ts'
import { readPayload, writeBackupFile } from './backup-file.ts'
import { readHeader } from './backup-header.ts'

const folder = mkdtempSync(join(tmpdir(), 'recordhub-backup-file-'))

const INFO = {
  engine: 'sqlite' as const,
  hub_version: '1.2.3',
  migrations: ['0001-initial-schema'],
  created_at: '2026-11-23T18:00:00.000Z',
  secret_fingerprint: null,
  position: 7,
  tables: { records: 3 },
  encrypted: false,
}
const PASSPHRASE = 'a passphrase of tests'
const DAMAGED = { name: 'HubError', code: 'backup_damaged' }

let files = 0

async function write(payload: Buffer, passphrase: string | null, stated = payload.length) {
  const path = join(folder, `${files}.backup`)
  files += 1
  const header = { info: INFO, payload_bytes: stated, sample: { records: 0, sha256: '' } }
  await writeBackupFile({ path, header, payload: inParts(payload), passphrase })
  return path
}

async function* inParts(payload: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < payload.length; at += 100_000) yield payload.subarray(at, at + 100_000)
}

async function read(path: string, passphrase: string | null): Promise<Buffer> {
  const { payload } = await readPayload(path, passphrase)
  const parts: Buffer[] = []
  for await (const part of payload) parts.push(part)
  return Buffer.concat(parts)
}

/** Bytes that cannot be compressed, so that the file has several chunks. */
function randomPayload(size: number): Buffer {
  const random = createSeededRandom()
  const words = Uint32Array.from({ length: Math.ceil(size / 4) }, () => random() * 2 ** 32)
  return Buffer.from(words.buffer, 0, size)
}

const SECRET = Buffer.concat([Buffer.from('personal data '.repeat(1000)), randomPayload(600_000)])

describe('a backup file', () => {
  /** Deriving the key of an encrypted file takes longer than reading it, so tests share one. */
  let encrypted: string
  before(async () => {
    encrypted = await write(SECRET, PASSPHRASE)
  })
  after(() => rmSync(folder, { recursive: true }))

  test('contains its payload, encrypted or not', async () => {
    for (const size of [0, 1, 262_143, 262_144, 1_000_000]) {
      const payload = randomPayload(size)
      assert.ok((await read(await write(payload, null), null)).equals(payload))
    }
    assert.ok((await read(encrypted, PASSPHRASE)).equals(SECRET))
  })

  for (const passphrase of [null, PASSPHRASE]) {
    const name = passphrase ? 'encrypted' : 'plain'

    test(`that was cut off, extended or changed anywhere is damaged (${name})`, async () => {
      const path = join(folder, `damaged-${name}`)
      copyFileSync(passphrase ? encrypted : await write(SECRET, null), path)
      const whole = await readFile(path)
      const { bytes: header } = await readHeader(path)
      const random = createSeededRandom()
      const count = passphrase ? 1 : 20
      const position = () => header.length + Math.floor(random() * (whole.length - header.length))
      const cuts = [header.length, header.length + 4, whole.length - 1, whole.length - 32]
      const ends = passphrase ? [] : cuts
      for (const end of [...ends, ...Array.from({ length: count }, position)]) {
        await writeFile(path, whole.subarray(0, end))
        await assert.rejects(read(path, passphrase), DAMAGED, `cut off at ${end}`)
      }
      for (const at of Array.from({ length: count }, position)) {
        const changed = Buffer.from(whole)
        changed[at] = (changed[at] ?? 0) ^ 1
        await writeFile(path, changed)
        await assert.rejects(read(path, passphrase), DAMAGED, `changed at ${at}`)
      }
      await writeFile(path, Buffer.concat([whole, Buffer.of(0)]))
      await assert.rejects(read(path, passphrase), DAMAGED)
    })
  }

  test('that expands to more than it states is damaged', async () => {
    const path = await write(Buffer.alloc(2_000_000), null, 1_000_000)
    await assert.rejects(read(path, null), DAMAGED)
    const shorter = await write(Buffer.alloc(10), null, 11)
    await assert.rejects(read(shorter, null), DAMAGED)
  })

  test('needs its passphrase, and its content reveals nothing', async () => {
    await assert.rejects(read(encrypted, null), { code: 'backup_passphrase_missing' })
    await assert.rejects(read(encrypted, `${PASSPHRASE}!`), { code: 'backup_passphrase_wrong' })
    assert.ok(!(await readFile(encrypted)).includes('personal data'))
  })

  test('whose header was exchanged does not decrypt', async () => {
    const path = join(folder, 'exchanged')
    const whole = await readFile(encrypted)
    const { header, bytes } = await readHeader(encrypted)
    const other = { ...header, info: { ...header.info, position: 8 } }
    const changed = Buffer.concat([
      Buffer.from(`${JSON.stringify(other)}\n`),
      whole.subarray(bytes.length),
    ])
    await writeFile(path, changed)
    await assert.rejects(read(path, PASSPHRASE), DAMAGED)
  })

  test('is recognised by its first line', async () => {
    const path = join(folder, 'other')
    for (const text of ['', 'SQLite format 3\0', '{}\n', '{"file":"recordhub-backup"}\n']) {
      writeFileSync(path, text)
      await assert.rejects(readHeader(path), { code: 'backup_invalid' }, text)
    }
    writeFileSync(path, '{"file":"recordhub-backup","format":2}\n')
    await assert.rejects(readHeader(path), { code: 'backup_unsupported' })
    await assert.rejects(readHeader(join(folder, 'absent')), { code: 'backup_invalid' })
  })
})
