/** The secret of a data folder: of a new hub, of a rotation, and of a folder that cannot be used. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../config/config.ts'
import { HubError } from '../errors.ts'
import { verifySecret } from '../features/maintenance/verify-secret.ts'
import { openStorage } from '../storage/open.ts'
import { loadSecrets, readSecretFile, withSecrets } from './load-secret.ts'
import { rollback } from './rollback.ts'
import { rotateSecret } from './rotate-secret.ts'

const SECRET = 'the secret of the database, 32 characters'
const OTHER = 'the secret of another database, 32 characters'
const print = () => undefined

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-secrets-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

function configOf(flags: Record<string, string>) {
  return readConfig({ flags, environment: {}, envFile: {} }).config
}

test('a rollback fails without its database, and without the configured folder of backups', async (t) => {
  const HUB_DATA_DIR = createFolder(t)
  const HUB_BACKUP_DIR = join(HUB_DATA_DIR, 'absent')
  const lines: string[] = []
  const printLine = (line: string) => void lines.push(line)
  await assert.rejects(
    rollback({ config: configOf({ HUB_DATA_DIR }), print: printLine }),
    /There is no database at/,
  )
  assert.match(lines[0] ?? '', /^The database cannot be read/)
  await assert.rejects(
    rollback({ config: configOf({ HUB_DATA_DIR, HUB_BACKUP_DIR }), print }),
    /^Error: HUB_BACKUP_DIR: the folder .*absent cannot be read \(ENOENT\)\.$/,
  )
})

test('without the secret of the database, neither a rotation nor a start leaves a new file', async (t) => {
  const HUB_DATA_DIR = createFolder(t)
  const options = { url: '', timeZone: 'UTC', warn: () => undefined }
  const storage = await openStorage({ ...options, dataDir: HUB_DATA_DIR, asHub: true })
  await verifySecret(storage, [SECRET])
  await storage.close()
  const before = readdirSync(HUB_DATA_DIR)
  await assert.rejects(
    rotateSecret({ config: configOf({ HUB_DATA_DIR }), print }),
    /HUB_SECRET_PREVIOUS/,
  )
  const HUB_SECRET_PREVIOUS = OTHER
  await assert.rejects(
    rotateSecret({ config: configOf({ HUB_DATA_DIR, HUB_SECRET_PREVIOUS }), print }),
    {
      code: 'secret_wrong',
    },
  )
  await assert.rejects(
    withSecrets(configOf({ HUB_DATA_DIR }), async () => {
      throw new HubError('secret_wrong')
    }),
    { code: 'secret_wrong' },
  )
  assert.deepEqual(readdirSync(HUB_DATA_DIR), before)

  await rotateSecret({ config: configOf({ HUB_DATA_DIR, HUB_SECRET_PREVIOUS: SECRET }), print })
  assert.equal(readSecretFile(configOf({ HUB_DATA_DIR }))?.length, 1)
})

test('a data folder that is a file is named', (t) => {
  const HUB_DATA_DIR = join(createFolder(t), 'file')
  writeFileSync(HUB_DATA_DIR, '')
  for (const read of [loadSecrets, readSecretFile]) {
    assert.throws(() => read(configOf({ HUB_DATA_DIR })), {
      code: 'data_folder_unusable',
      message: new RegExp(`^HUB_DATA_DIR: cannot use the folder ${HUB_DATA_DIR} `),
    })
  }
})
