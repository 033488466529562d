/** Reads the settings from flags, the environment and the `.env` file. */
import { type Config, isSettingName, SETTING_NAMES, SETTINGS } from './settings.ts'

/** An invalid setting. `message` is one line that names it. */
export class SettingError extends Error {}

/** The sources of values, in order of precedence: flags, environment, `.env` file. */
export type ConfigSources = {
  flags: Readonly<Record<string, string | undefined>>
  environment: Readonly<Record<string, string | undefined>>
  envFile: Readonly<Record<string, string | undefined>>
}

/**
 * Reads every setting. An empty value counts as not set. `unknown` lists the variables named `HUB_…` that are not
 * settings, which are often typing errors.
 * @throws SettingError naming the first invalid setting.
 */
export function readConfig(sources: ConfigSources): { config: Config; unknown: string[] } {
  const { config, unknown, invalid } = readConfigLeniently(sources)
  const [first] = invalid
  if (first !== undefined) throw new SettingError(first)
  return { config, unknown }
}

/** As `readConfig`, but an invalid setting has its default, and `invalid` contains a message that names it. */
export function readConfigLeniently(sources: ConfigSources): {
  config: Config
  unknown: string[]
  invalid: string[]
} {
  const layers = [sources.flags, sources.environment, sources.envFile]
  const values: Record<string, unknown> = {}
  const invalid: string[] = []
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const given = layers.map((layer) => layer[name]).find((value) => value)
    try {
      values[name] =
        given === undefined ? setting.default : parseSetting(name, setting.parse, given)
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
  return { config: values, unknown: [...new Set(unknown)], invalid }
}

function parseSetting(name: string, parse: (text: string) => unknown, value: string): unknown {
  try {
    return parse(value)
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
  const mail = [config.HUB_SMTP_URL, config.HUB_ALERT_FROM, config.HUB_ALERT_TO.join('')]
  if (mail.some(Boolean) && !mail.every(Boolean)) {
    messages.push('HUB_SMTP_URL, HUB_ALERT_FROM and HUB_ALERT_TO: set all or none.')
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
