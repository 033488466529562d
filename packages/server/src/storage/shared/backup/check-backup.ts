/** Checks of a backup before its restore: engine, format, passphrase and the key of references. */
import type { BackupInfo } from '@recordhub/protocol'
import { REFERENCES_PURPOSE } from '../../../domain/platform/api-key.ts'
import { createHashReference, type HashReference } from '../../../domain/record/erasure.ts'
import { HubError } from '../../../errors.ts'
import { createSecretBox, secretFingerprint } from '../../../lib/crypto/secret-box.ts'
import type { RestoreRequest } from '../../port/backup-store.ts'
import { readPayload } from './backup-file.ts'

const ENGINE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

/** @throws HubError `backup_other_engine`. */
export function assertEngine(info: BackupInfo, engine: BackupInfo['engine']): void {
  if (info.engine === engine) return
  const [backup, hub] = [ENGINE_NAMES[info.engine], ENGINE_NAMES[engine]]
  throw new HubError('backup_other_engine', { backup, hub })
}

/**
 * Reads a whole backup, which verifies its checksum and, if it is encrypted, its encryption.
 * @param engine the engine that the backup must be of; null for any.
 * @throws HubError `backup_other_engine`, and those of `readPayload`.
 */
export async function checkBackup(
  request: Pick<RestoreRequest, 'path' | 'passphrase' | 'onProgress'>,
  engine: BackupInfo['engine'] | null = null,
): Promise<void> {
  const { header, payload } = await readPayload(request.path, request.passphrase)
  if (engine) assertEngine(header.info, engine)
  let done = 0
  for await (const part of payload) {
    done += part.length
    request.onProgress?.({ phase: 'verify', done, total: header.payload_bytes })
  }
}

type Candidates = { secrets: readonly string[]; fingerprint: string | null }

/**
 * Checks that one of the secrets is the one that a backup needs, by its fingerprint.
 * @throws HubError `backup_secret_wrong`, which states both.
 */
export function assertSecretKnown({ secrets, fingerprint }: Candidates): void {
  if (fingerprint === null) return
  const given = secrets.map((secret) => secretFingerprint(createSecretBox(secret)))
  if (!given.includes(fingerprint)) throw wrongSecret(fingerprint, given)
}

/**
 * Decrypts the key of a backup that hashes the references of erased records.
 * @param ciphertext null if the database has no key, because no hub has used it yet.
 * @throws HubError `backup_secret_wrong` if none of the secrets decrypts it.
 */
export function findReferencesKey(
  ciphertext: string | null,
  { secrets, fingerprint }: Candidates,
): HashReference | null {
  if (ciphertext === null) return null
  for (const secret of secrets) {
    const key = tryDecrypt(secret, ciphertext)
    if (key !== null) return createHashReference(Buffer.from(key, 'base64url'))
  }
  const given = secrets.map((secret) => secretFingerprint(createSecretBox(secret)))
  throw wrongSecret(fingerprint ?? 'unknown', given)
}

function tryDecrypt(secret: string, ciphertext: string): string | null {
  try {
    return createSecretBox(secret).decrypt(ciphertext, REFERENCES_PURPOSE)
  } catch {
    return null
  }
}

function wrongSecret(needed: string, found: string[]): HubError {
  const given = found.length === 0 ? 'no secret is set' : `the hub has ${found.join(', ')}`
  return new HubError('backup_secret_wrong', { needed, given })
}
