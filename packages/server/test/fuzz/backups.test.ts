/** Any file in place of a backup: a damaged one is rejected with a clear error, and nothing is left of the attempt. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { HubError } from '../../src/errors.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { onEachEngineWhenDeep } from '../helpers/storage/engines.ts'
import { pushWrite, registerTestPlatform, write } from '../helpers/storage/fixtures.ts'
import { withStorage } from '../helpers/storage/kit.ts'
import { anyJson, bytesOf } from './arbitraries.ts'
import { fuzz } from './checks.ts'
import { NUMBERS, STRINGS } from './corpus.ts'

const PASSPHRASE = 'a passphrase of tests'

onEachEngineWhenDeep((engine) => {
  describe(`fuzzed backups, on ${engine.name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'recordhub-fuzz-backup-'))
    after(() => rmSync(folder, { recursive: true, force: true }))

    test(
      'a damaged backup is rejected, and a forged one is rejected or copied without a trace',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        for (const [index, text] of STRINGS.slice(0, 20).entries()) {
          await write(
            kit,
            pushWrite(school, { reference: `r-${index}`, data: JSON.stringify({ a: text }) }),
          )
        }
        const { backups } = kit.storage
        const files: Buffer[] = []
        for (const passphrase of [null, PASSPHRASE]) {
          const path = join(folder, `original-${files.length}`)
          await backups.writeBackup({
            path,
            passphrase,
            secretFingerprint: 'abcd',
            hubVersion: '1.0.0',
          })
          files.push(readFileSync(path))
          rmSync(path)
        }
        const [plain = Buffer.alloc(0), encrypted = Buffer.alloc(0)] = files
        const path = join(folder, 'fuzzed')
        const copies = join(folder, 'fuzzed-copies')

        /** @returns whether the backup is accepted. */
        async function check(bytes: Buffer, { isCopied }: { isCopied: boolean }): Promise<boolean> {
          writeFileSync(path, bytes)
          let isAccepted = false
          try {
            await backups.readBackupInfo(path)
            await backups.checkBackup({ path, passphrase: PASSPHRASE })
            if (isCopied) {
              const copy = await backups.openCopy({ path, folder: copies, passphrase: PASSPHRASE })
              await copy.close()
            }
            isAccepted = true
          } catch (error) {
            assert.ok(
              error instanceof HubError && /^(?:backup|restore)_/.test(error.code),
              error instanceof Error ? `${error.stack}` : String(error),
            )
            assert.ok(error.message.length < 2000, error.message)
          }
          const left = readdirSync(folder, { recursive: true, encoding: 'utf8' })
          assert.deepEqual(
            left.filter((name) => !['fuzzed', 'fuzzed-copies'].includes(name)),
            [],
          )
          return isAccepted
        }
        await assert.rejects(backups.readBackupInfo(folder), { code: 'backup_invalid' })
        if (engine.name === 'PostgreSQL') {
          const rows = Buffer.concat([contentOf(plain), Buffer.from('constructor\n{}\n')])
          await check(forgeContent(plain, rows), { isCopied: true })
        }
        const damaged = fc.oneof(
          bytesOf(fc.constant(''), { damaged: 1 }),
          bytesOf(anyJson),
          ...[plain, encrypted].map((file) => damage(file)),
        )
        await fuzz(damaged, {
          quick: 5,
          deep: 2000,
          async check(bytes) {
            const isAccepted = await check(bytes, { isCopied: false })
            // Some edits change nothing.
            assert.equal(
              isAccepted,
              files.some((file) => file.equals(bytes)),
            )
          },
        })

        // With a valid checksum, so that the content is read.
        const forged = fc.oneof(
          fc
            .tuple(
              fc.constantFrom(plain, encrypted),
              fc.nat({ max: 40 }),
              fc.oneof(
                fc.constantFrom(...NUMBERS),
                fc.constantFrom(...STRINGS).map((text) => JSON.stringify(text)),
                fc.constantFrom('null', '[]', '{}'),
              ),
            )
            .map(([file, index, value]) => forgeHeader(file, index, value)),
          damage(contentOf(plain)).map((content) => forgeContent(plain, content)),
        )
        await fuzz(forged, {
          quick: 2,
          deep: 500,
          check: async (bytes) => void (await check(bytes, { isCopied: true })),
        })
      }),
    )
  })
})

const HASH_BYTES = 32

/** Changes some bytes of a file at any position, or cuts it off. */
function damage(file: Buffer): fc.Arbitrary<Buffer> {
  const edit = fc.tuple(
    fc.nat({ max: file.length }),
    fc.constantFrom(0, 1, 4, 100),
    fc.uint8Array({ maxLength: 8 }),
  )
  return fc.oneof(
    fc
      .array(edit, { minLength: 1, maxLength: 3 })
      .map((edits) =>
        edits.reduce<Buffer>(
          (bytes, [at, removed, added]) =>
            Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]),
          file,
        ),
      ),
    fc.nat({ max: file.length }).map((length) => file.subarray(0, length)),
  )
}

/** Replaces a value of the header. */
function forgeHeader(file: Buffer, index: number, value: string): Buffer {
  const end = file.indexOf('\n')
  let position = -1
  const header = file
    .toString('utf8', 0, end)
    // The cost of the key is bounded by the header's schema; a test need not pay it.
    .replaceAll(/(?<="(?!log_n|r"|p")\w+":)("[^"]*"|\d+|null)/g, (one) =>
      ++position === index ? value : one,
    )
  return sign(Buffer.concat([Buffer.from(header), file.subarray(end, -HASH_BYTES)]))
}

/** The unpacked content of a backup that is not encrypted and has one chunk. */
function contentOf(file: Buffer): Buffer {
  const start = file.indexOf('\n') + 1
  const length = file.readUInt32BE(start)
  return zstdDecompressSync(file.subarray(start + 4, start + 4 + length))
}

function forgeContent(file: Buffer, content: Buffer): Buffer {
  const stated = file
    .toString('utf8', 0, file.indexOf('\n') + 1)
    .replace(/"payload_bytes":\d+/, `"payload_bytes":${content.length}`)
  const chunk = zstdCompressSync(content)
  const length = Buffer.alloc(8)
  length.writeUInt32BE(chunk.length)
  return sign(Buffer.concat([Buffer.from(stated), length.subarray(0, 4), chunk, Buffer.alloc(4)]))
}

function sign(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, createHash('sha256').update(bytes).digest()])
}
