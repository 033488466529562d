import { email, emails, smtpUrl } from './config/mail-settings.ts'
import {
  atLeast,
  databaseUrl,
  days,
  headerName,
  httpUrl,
  integer,
  oneOf,
  password,
  pathSegment,
  schedule,
  text,
  timeZone,
  trustProxy,
} from './config/parsers.ts'
import { checkSignOn, domains } from './config/sign-on-settings.ts'

/** A setting that cannot be used. `message` is one line that names it. */
export class SettingError extends Error {}

type Setting<Value> = {
  parse: (text: string) => Value
  default: NoInfer<Value>
  /** What `--help` says the default is, where the value itself does not say it. */
  shownDefault?: string
  secret?: true
  help: string
}

const NOBODY: readonly string[] = []
const NO_PROXY_TRUSTED: ReturnType<typeof trustProxy> = false

const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition

/** Every setting of the hub, by the name of its environment variable. */
export const SETTINGS = {
  PORT: setting({
    parse: integer(0, 65_535),
    default: 8080,
    help: 'Port to listen on; 0 takes a free one.',
  }),
  HOST: setting({
    parse: text,
    default: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 for all.',
  }),
  HUB_DATA_DIR: setting({
    parse: text,
    default: './data',
    help: 'Folder of the database and the secret.',
  }),
  DATABASE_URL: setting({
    parse: databaseUrl,
    default: '',
    shownDefault: 'SQLite in HUB_DATA_DIR',
    secret: true,
    help: 'Where records are stored: sqlite:<path of a file>, or postgres://user:password@host/database.',
  }),
  HUB_SECRET: setting({
    parse: atLeast(32),
    default: '',
    shownDefault: 'a file in HUB_DATA_DIR; none with PostgreSQL',
    secret: true,
    help: 'Secret that seals keys and signs sessions; 32 characters or more.',
  }),
  HUB_SECRET_PREVIOUS: setting({
    parse: atLeast(32),
    default: '',
    shownDefault: 'none',
    secret: true,
    help: 'The secret before HUB_SECRET, while it is changed (recordhub secret rotate).',
  }),
  HUB_PUBLIC_URL: setting({
    parse: httpUrl,
    default: '',
    shownDefault: 'the address listened on',
    help: 'Address that operators and platforms use, e.g. https://hub.example.org.',
  }),
  HUB_ADMIN_EMAIL: setting({
    parse: email,
    default: '',
    shownDefault: 'none',
    help: 'E-mail of the first operator, for unattended set-up.',
  }),
  HUB_ADMIN_NAME: setting({
    parse: text,
    default: '',
    shownDefault: 'the e-mail',
    help: 'Name of the first operator, which the dashboard shows.',
  }),
  HUB_ADMIN_PASSWORD: setting({
    parse: password,
    default: '',
    shownDefault: 'none',
    secret: true,
    help: 'Password of the first operator; 12 characters or more, and none that many people use.',
  }),
  HUB_TIME_ZONE: setting({
    parse: timeZone,
    default: machineTimeZone(),
    shownDefault: "the machine's",
    help: 'Time zone of "today", e.g. Europe/Berlin.',
  }),
  HUB_PULL_SCHEDULE: setting({
    parse: schedule,
    default: '* * * * *',
    help: 'When to pull, as a cron pattern, or off.',
  }),
  HUB_PULL_TIMEOUT_SECONDS: setting({
    parse: integer(1, 86_400),
    default: 900,
    help: 'Longest time a pull may take.',
  }),
  HUB_PULL_CONCURRENCY: setting({
    parse: integer(1, 64),
    default: 4,
    help: 'Platforms pulled at a time.',
  }),
  HUB_MISSING_FUSE: setting({
    parse: integer(0, 100),
    default: 20,
    help: 'Where more percent of a module than this, and 10 records or more, did not come in a pull, an operator is asked before they are marked as missing; 100 never asks.',
  }),
  HUB_MISSING_GRACE_SECONDS: setting({
    parse: integer(0, 86_400),
    default: 300,
    help: 'A pull that began less than this many seconds after a record was pushed does not mark the record as missing.',
  }),
  HUB_BROADCAST: setting({
    parse: (value) => oneOf('on', 'off')(value) === 'on',
    default: false,
    shownDefault: 'off',
    help: 'Whether the dashboard is told at once that something has changed, by server-sent events: on or off. It asks every 10 s in any case.',
  }),
  HUB_PLATFORM_PATH: setting({
    parse: pathSegment,
    default: 'hub',
    help: "Word in the platforms' paths: /api/<word>/ping.",
  }),
  HUB_TUNNEL_HEADER: setting({
    parse: headerName,
    default: 'ngrok-skip-browser-warning',
    help: 'Header that tells a tunnel not to show its warning page.',
  }),
  HUB_SOURCE_NETWORKS: setting({
    parse: oneOf('any', 'public'),
    default: 'any',
    help: 'Which addresses platforms may have: any, or public ones only.',
  }),
  HUB_SOURCE_SCHEMES: setting({
    parse: oneOf('any', 'https'),
    default: 'any',
    help: 'How platforms are called: http or https as their address says (any), or https only.',
  }),
  HUB_MAX_BODY_BYTES: setting({
    parse: integer(1024, 512 * 1024 * 1024),
    default: 1024 * 1024,
    help: 'Largest body of a push, in bytes.',
  }),
  HUB_RATE_LIMIT: setting({
    parse: integer(0, 1_000_000),
    default: 0,
    help: 'Pushes a second that each process takes of a platform: of all nodes together as many times that as there are nodes; 0 for no limit.',
  }),
  HUB_API_RATE_LIMIT: setting({
    parse: integer(0, 1_000_000),
    default: 1000,
    help: 'Calls a second that each process takes of an operator, in however many sessions, and of a token; 0 for no limit.',
  }),
  HUB_RETENTION_ACTIVITY_DAYS: setting({
    parse: days,
    default: 90,
    help: 'Days that lines of activity, changes of manifests and alerts that are over are kept; 0 for ever.',
  }),
  HUB_RETENTION_ACTIVITY_LINES: setting({
    parse: integer(0, 1_000_000_000),
    default: 1_000_000,
    help: 'Lines of activity that are kept, the newest ones; 0 for any number.',
  }),
  HUB_RETENTION_HISTORY_DAYS: setting({
    parse: days,
    default: 365,
    help: 'Days that changes of records are kept in their history; 0 for ever.',
  }),
  HUB_RETENTION_PULLS_DAYS: setting({
    parse: days,
    default: 30,
    help: 'Days that pulls and their tasks are kept; 0 for ever.',
  }),
  HUB_RETENTION_REJECTED_DAYS: setting({
    parse: days,
    default: 30,
    help: 'Days that rejected pushes are kept after they last came, and the hourly counts of push errors; 0 for ever.',
  }),
  HUB_RETENTION_REVIEWS_DAYS: setting({
    parse: days,
    default: 90,
    help: 'Days that questions about missing records are kept after they were closed; 0 for ever.',
  }),
  HUB_RETENTION_COUNTERS_DAYS: setting({
    parse: days,
    default: 400,
    help: 'Days that the counters of each hour are kept, from which charts are drawn and alerts learn what is usual (28 days of them); 0 for ever.',
  }),
  HUB_RETENTION_AUDIT_DAYS: setting({
    parse: days,
    default: 730,
    help: 'Days that the audit is kept; 0 for ever.',
  }),
  HUB_SMTP_URL: setting({
    parse: smtpUrl,
    default: '',
    shownDefault: 'none',
    secret: true,
    help: 'Mail server for alerts: smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465.',
  }),
  HUB_ALERT_FROM: setting({
    parse: email,
    default: '',
    shownDefault: 'none',
    help: 'E-mail address that alerts come from.',
  }),
  HUB_ALERT_TO: setting({
    parse: emails,
    default: NOBODY,
    shownDefault: 'none',
    help: 'E-mail addresses that alerts go to, with commas between.',
  }),
  HUB_OIDC_ISSUER: setting({
    parse: httpUrl,
    default: '',
    shownDefault: 'none',
    help: 'Single sign-on: address of the OpenID Connect provider (its issuer, or its …/.well-known/openid-configuration).',
  }),
  HUB_OIDC_CLIENT_ID: setting({
    parse: text,
    default: '',
    shownDefault: 'none',
    help: 'Single sign-on: what the provider calls this hub.',
  }),
  HUB_OIDC_CLIENT_SECRET: setting({
    parse: text,
    default: '',
    shownDefault: 'none',
    secret: true,
    help: "Single sign-on: the hub's secret at the provider.",
  }),
  HUB_OIDC_NAME: setting({
    parse: text,
    default: 'single sign-on',
    help: 'Single sign-on: what the button says after "Sign in with".',
  }),
  HUB_OIDC_ROLE: setting({
    parse: oneOf('viewer', 'operator', 'admin'),
    default: 'viewer',
    help: 'Single sign-on: role of those who were not invited.',
  }),
  HUB_OIDC_DOMAINS: setting({
    parse: domains,
    default: NOBODY,
    shownDefault: 'none',
    help: 'Single sign-on: domains of e-mail addresses that get in without an invitation, with commas between.',
  }),
  HUB_SESSION_IDLE_MINUTES: setting({
    parse: integer(1, 525_600),
    default: 480,
    help: 'Minutes after which a session ends in which nobody has done anything; what a page asks for by itself does not count.',
  }),
  HUB_SESSION_DAYS: setting({
    parse: integer(1, 365),
    default: 7,
    help: 'Days after which a session ends in any case.',
  }),
  HUB_REQUIRE_SECOND_FACTOR: setting({
    parse: (value) => oneOf('on', 'off')(value) === 'on',
    default: false,
    shownDefault: 'off',
    help: 'Whether operators need more than a password: on or off. Who came by a password alone can do nothing but set up a code or a passkey. Tokens of programs go on.',
  }),
  HUB_TRUST_PROXY: setting({
    parse: trustProxy,
    default: NO_PROXY_TRUSTED,
    shownDefault: 'off',
    help: 'Proxies whose X-Forwarded-* headers count: off, on (the one that the hub is connected to), how many there are one behind the other, or their addresses (10.0.0.0/8,…).',
  }),
  HUB_LOG_LEVEL: setting({
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    help: 'How much the log says.',
  }),
  HTTP_PROXY: setting({
    parse: httpUrl,
    default: '',
    shownDefault: 'none',
    secret: true,
    help: 'Proxy for calls to http:// platforms.',
  }),
  HTTPS_PROXY: setting({
    parse: httpUrl,
    default: '',
    shownDefault: 'none',
    secret: true,
    help: 'Proxy for calls to https:// platforms.',
  }),
  NO_PROXY: setting({
    parse: text,
    default: '',
    shownDefault: 'none',
    help: 'Hosts that are called without the proxy, with commas between.',
  }),
}

type Settings = typeof SETTINGS
export type SettingName = keyof Settings
export type Config = { readonly [Name in SettingName]: Settings[Name]['default'] }

/** Where values come from; the first that has one wins: flags, environment, `.env` file. */
export type ConfigSources = {
  flags: Readonly<Record<string, string | undefined>>
  environment: Readonly<Record<string, string | undefined>>
  envFile: Readonly<Record<string, string | undefined>>
}

/**
 * Settles every setting; an empty value counts as not set. `unknown` names what looks like a
 * setting of the hub (`HUB_…`) and is none: often a slip of the pen.
 * @throws SettingError naming the first setting that cannot be used.
 */
export function readConfig(sources: ConfigSources): { config: Config; unknown: string[] } {
  const layers = [sources.flags, sources.environment, sources.envFile]
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const given = layers.map((layer) => layer[name]).find((value) => value)
    values[name] = given === undefined ? setting.default : parseSetting(name, setting.parse, given)
  }
  if (!isConfig(values)) throw new SettingError('The table of settings is incomplete')
  if (Boolean(values.HUB_ADMIN_EMAIL) !== Boolean(values.HUB_ADMIN_PASSWORD)) {
    throw new SettingError('HUB_ADMIN_EMAIL and HUB_ADMIN_PASSWORD: set both or none.')
  }
  const mail = [values.HUB_SMTP_URL, values.HUB_ALERT_FROM, values.HUB_ALERT_TO.join('')]
  if (mail.some(Boolean) && !mail.every(Boolean)) {
    throw new SettingError('HUB_SMTP_URL, HUB_ALERT_FROM and HUB_ALERT_TO: set all or none.')
  }
  try {
    checkSignOn({
      issuer: values.HUB_OIDC_ISSUER,
      clientId: values.HUB_OIDC_CLIENT_ID,
      clientSecret: values.HUB_OIDC_CLIENT_SECRET,
      publicUrl: values.HUB_PUBLIC_URL,
    })
  } catch (error) {
    throw new SettingError(error instanceof Error ? error.message : String(error))
  }
  const unknown = layers
    .flatMap((layer) => Object.keys(layer))
    .filter((name) => name.startsWith('HUB_') && !isSettingName(name))
  return { config: values, unknown: [...new Set(unknown)] }
}

/** The flag of a setting: `HUB_DATA_DIR` is `--data-dir`, `PORT` is `--port`. */
export function flagOf(name: SettingName): string {
  return name.replace(/^HUB_/, '').toLowerCase().replaceAll('_', '-')
}

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName)

/** One line for each setting, as `--help` and the documentation show them. */
export function describeSettings(): { name: SettingName; default: string; help: string }[] {
  return SETTING_NAMES.map((name) => {
    const { help, ...setting }: Setting<unknown> = SETTINGS[name]
    return { name, default: setting.shownDefault ?? String(setting.default), help }
  })
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

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

function machineTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
