import { type Rotation, rotateSecret as rotate } from '../app/rotate-secret.ts'
import { type Config, SettingError } from '../config.ts'
import { openStorage } from '../storage/open.ts'
import {
  createSecret,
  loadSecrets,
  readSecretFile,
  type Secrets,
  writeSecretFile,
} from './load-secret.ts'

/** `recordhub secret rotate`: seals everything under another secret, while no hub runs. */
export async function rotateSecret(config: Config, print: (line: string) => void): Promise<void> {
  checkSettings(config)
  const storage = await openStorage({
    url: config.DATABASE_URL,
    dataDir: config.HUB_DATA_DIR,
    // On SQLite it holds the place of the hub, of which there is one.
    asHub: true,
    mustExist: true,
    timeZone: config.HUB_TIME_ZONE,
    // What goes wrong ends the command and is told then.
    warn: () => undefined,
  })
  try {
    const [next, ...previous] = prepareSecrets(config)
    const rotation = await rotate(storage, { next, previous })
    if (!config.HUB_SECRET) writeSecretFile(config, [next])
    for (const line of describe(rotation)) print(line)
  } finally {
    await storage.close()
  }
}

function checkSettings(config: Config): void {
  const { HUB_SECRET: secret, HUB_SECRET_PREVIOUS: previous } = config
  if (secret && !previous && !readSecretFile(config)) {
    throw new SettingError('HUB_SECRET_PREVIOUS: set it to the secret that is to be replaced.')
  }
}

/** The new secret, then what it replaces. A file holds both until everything is sealed under the new one. */
function prepareSecrets(config: Config): Secrets {
  const { HUB_SECRET: secret, HUB_SECRET_PREVIOUS: previous } = config
  if (secret && !previous) return [secret, ...(readSecretFile(config) ?? [])]
  if (secret || previous) return loadSecrets(config)
  const held = loadSecrets(config)
  // One that was broken off is gone on with.
  if (held.length > 1) return held
  const both: Secrets = [createSecret(), ...held]
  writeSecretFile(config, both)
  return both
}

function describe({ outcome, resealed, unreadable }: Rotation): string[] {
  return [
    outcome === 'rotated'
      ? `${resealed} sealed texts are under the new secret now. Every operator signs in again.`
      : `All ${resealed} sealed texts were under the new secret already.`,
    ...unreadable.map(({ of, id }) => `No secret opens the ${of} ${id}: it stays as it is.`),
    'Start the hub with the new secret alone. Backups from before open with the old one.',
  ]
}
