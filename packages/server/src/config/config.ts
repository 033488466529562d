/** Reads the settings from flags, the environment and the `.env` file. */
import { truncateCodePoints } from '../lib/text/code-points.ts'
import {
  type Config,
  isSettingName,
  isStorable,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type StorableSetting,
} from './settings.ts'

/** Code points of a message, which may contain any value or argument. */
const MAX_MESSAGE = 1000

/** An invalid setting or command. `message` is one line that names it. */
export class SettingError extends Error {
  constructor(message: string) {
    super(truncateCodePoints(message.replaceAll(/\s+/g, ' '), MAX_MESSAGE))
  }
}

/** The sources of values, in order of precedence: flags, environment, `.env` file. */
export type ConfigSources = {
  flags: Readonly<Record<string, string | undefined>>
  environment: Readonly<Record<string, string | undefined>>
  envFile: Readonly<Record<string, string | undefined>>
}

export type GivenSettings = ReadonlySet<SettingName>

/**
 * Reads every setting. An empty value counts as not set. `given` has the settings that a source contains, and `unknown`
 * the variables named `HUB_…` that are not settings, which are often typing errors.
 * @throws SettingError naming the first invalid setting.
 */
export function readConfig(sources: ConfigSources): {
  config: Config
  given: GivenSettings
  unknown: string[]
} {
  const { config, given, unknown, invalid } = readConfigLeniently(sources)
  const [first] = invalid
  if (first !== undefined) throw new SettingError(first)
  return { config, given, unknown }
}

/** As `readConfig`, but an invalid setting has its default, and `invalid` contains a message that names it. */
export function readConfigLeniently(sources: ConfigSources): {
  config: Config
  given: GivenSettings
  unknown: string[]
  invalid: string[]
} {
  const layers = [sources.flags, sources.environment, sources.envFile]
  const values: Record<string, unknown> = {}
  const given = new Set<SettingName>()
  const invalid: string[] = []
  for (const name of SETTING_NAMES) {
    const setting = SETTINGS[name]
    const text = layers.map((layer) => layer[name]).find((value) => value)
    if (text !== undefined) given.add(name)
    try {
      values[name] = text === undefined ? setting.default : parseSetting(name, text)
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      invalid.push(error.message)
      values[name] = setting.default
    }
  }
  if (!isConfig(values)) throw new SettingError('The table of settings is incomplete')
  // A setting that is invalid would be reported as missing, too.
  if (invalid.length === 0) invalid.push(...findIncomplete(values))
  const unknown = layers
    .flatMap((layer) => Object.keys(layer))
    .filter((name) => name.startsWith('HUB_') && !isSettingName(name))
  return { config: values, given, unknown: [...new Set(unknown)], invalid }
}

/**
 * Adds the stored values of the settings that no source contains. An invalid value, such as one that an older version
 * accepted, is left out, and `invalid` contains a message that names it.
 */
export function applyStored(
  { config, given }: { config: Config; given: GivenSettings },
  stored: readonly { name: string; value: string }[],
): { config: Config; applied: ReadonlySet<StorableSetting>; invalid: string[] } {
  const values: Record<string, unknown> = { ...config }
  const applied = new Set<StorableSetting>()
  const invalid: string[] = []
  for (const { name, value } of stored) {
    if (!isStorable(name) || given.has(name)) continue
    try {
      values[name] = parseSetting(name, value)
      applied.add(name)
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      invalid.push(error.message)
    }
  }
  if (!isConfig(values)) throw new SettingError('The table of settings is incomplete')
  return { config: values, applied, invalid }
}

/** @throws SettingError that names the setting. */
export function parseSetting(name: SettingName, value: string): unknown {
  try {
    return SETTINGS[name].parse(value)
  } catch (error) {
    throw new SettingError(`${name}: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

function isConfig(values: Record<string, unknown>): values is Config {
  return SETTING_NAMES.every((name) => name in values)
}

/** Returns messages about groups of which only some settings are set. */
function findIncomplete(config: Config): string[] {
  const { HUB_ADMIN_EMAIL, HUB_ADMIN_PASSWORD } = config
  const messages: string[] = []
  if (Boolean(HUB_ADMIN_EMAIL) !== Boolean(HUB_ADMIN_PASSWORD)) {
    messages.push('HUB_ADMIN_EMAIL and HUB_ADMIN_PASSWORD: set both or neither.')
  }
  if (Boolean(config.HUB_SMTP_URL) !== Boolean(config.HUB_ALERT_FROM)) {
    messages.push('HUB_SMTP_URL and HUB_ALERT_FROM: set both or neither.')
  } else if (config.HUB_ALERT_TO.length > 0 && !config.HUB_SMTP_URL) {
    messages.push('HUB_ALERT_TO: set HUB_SMTP_URL and HUB_ALERT_FROM, too.')
  }
  const { HUB_OIDC_ISSUER, HUB_OIDC_CLIENT_ID, HUB_OIDC_CLIENT_SECRET } = config
  const singleSignOn = [HUB_OIDC_ISSUER, HUB_OIDC_CLIENT_ID, HUB_OIDC_CLIENT_SECRET]
  if (singleSignOn.some(Boolean) && !singleSignOn.every(Boolean)) {
    messages.push(
      'HUB_OIDC_ISSUER, HUB_OIDC_CLIENT_ID and HUB_OIDC_CLIENT_SECRET: set all or none.',
    )
  }
  if (singleSignOn.some(Boolean) && config.HUB_PUBLIC_URL === '') {
    messages.push(
      'HUB_PUBLIC_URL: single sign-on requires it, because the provider redirects browsers there.',
    )
  }
  return messages
}
