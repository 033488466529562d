/** The table of all settings: it produces the type `Config`, the validation, `--help` and docs/configuration.md. */
import { SAMPLERS } from '../lib/tracing/tracer.ts'
import {
  cronPattern,
  databaseUrl,
  days,
  domains,
  email,
  emails,
  headerName,
  httpUrl,
  integer,
  minLength,
  namedValues,
  oneOf,
  onOrOff,
  password,
  pathSegment,
  portOrOff,
  share,
  siteUrl,
  smtpUrl,
  text,
  timeZone,
  trustProxy,
} from './parsers.ts'

type Setting<Value> = {
  /** @throws Error whose message completes the sentence "HUB_… must be …". */
  parse: (text: string) => Value
  default: NoInfer<Value>
  /** The default as `--help` shows it, if that does not follow from the value. */
  shownDefault?: string
  secret?: true
  help: string
}

const EMPTY_LIST: readonly string[] = []
const NO_VALUES: Readonly<Record<string, string>> = {}
const NO_PORT: number | null = null
const NO_TRUSTED_PROXY: ReturnType<typeof trustProxy> = false

const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition

/** Every setting of the hub, by the name of its environment variable. */
export const SETTINGS = {
  PORT: setting({
    parse: integer(0, 65_535),
    default: 8080,
    help: 'Port to listen on; 0 chooses a free port.',
  }),
  HOST: setting({
    parse: text,
    default: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 for all interfaces.',
  }),
  HUB_DATA_DIR: setting({
    parse: text,
    default: './data',
    help: 'Folder of the SQLite database and the secret file.',
  }),
  DATABASE_URL: setting({
    parse: databaseUrl,
    default: '',
    shownDefault: 'SQLite in HUB_DATA_DIR',
    secret: true,
    help: 'Database: sqlite:<path of a file>, or postgres://user:password@host/database.',
  }),
  HUB_SECRET: setting({
    parse: minLength(32),
    default: '',
    shownDefault: 'a file in HUB_DATA_DIR; none with PostgreSQL',
    secret: true,
    help: 'Secret that encrypts stored keys and signs sessions; at least 32 characters.',
  }),
  HUB_SECRET_PREVIOUS: setting({
    parse: minLength(32),
    default: '',
    secret: true,
    help: 'The secret that HUB_SECRET replaces, during a rotation (recordhub secret rotate).',
  }),
  HUB_PUBLIC_URL: setting({
    parse: siteUrl,
    default: '',
    shownDefault: 'the address listened on',
    help: 'URL at which operators and platforms reach the hub, such as https://hub.example.org.',
  }),
  HUB_HSTS_SUBDOMAINS: setting({
    parse: onOrOff,
    default: false,
    help: 'Whether browsers that have reached the hub over TLS also require TLS for all subdomains of its host: on or off. Only with an https HUB_PUBLIC_URL.',
  }),
  HUB_ADMIN_EMAIL: setting({
    parse: email,
    default: '',
    help: 'E-mail address of the first operator, for unattended setup.',
  }),
  HUB_ADMIN_NAME: setting({
    parse: text,
    default: '',
    shownDefault: 'the e-mail address',
    help: 'Name of the first operator, as shown in the dashboard.',
  }),
  HUB_ADMIN_PASSWORD: setting({
    parse: password,
    default: '',
    secret: true,
    help: 'Password of the first operator; at least 12 characters, and not a common password.',
  }),
  HUB_TIME_ZONE: setting({
    parse: timeZone,
    default: Intl.DateTimeFormat().resolvedOptions().timeZone,
    shownDefault: "the machine's",
    help: 'Time zone that defines "today", such as Europe/Berlin.',
  }),
  HUB_PULL_SCHEDULE: setting({
    parse: cronPattern,
    default: '* * * * *',
    help: 'Cron pattern (five fields) of the scheduled pulls in HUB_TIME_ZONE, or off.',
  }),
  HUB_PULL_TIMEOUT_SECONDS: setting({
    parse: integer(1, 86_400),
    default: 900,
    help: 'Maximum duration of a pull, in seconds.',
  }),
  HUB_PULL_CONCURRENCY: setting({
    parse: integer(1, 64),
    default: 4,
    help: 'Number of platforms to pull concurrently.',
  }),
  HUB_FULL_PULL_HOURS: setting({
    parse: integer(1, 8760),
    default: 24,
    help: 'Hours within which each module is read at least once without its ETag and Last-Modified. Each module has its own moment within this period.',
  }),
  HUB_MISSING_FUSE: setting({
    parse: integer(0, 100),
    default: 20,
    help: 'Missing threshold, in percent of a module: if a pull did not contain more than this share of the records, and at least 10 records, an operator must review them before they are marked as missing; 100 disables the review.',
  }),
  HUB_MISSING_GRACE_SECONDS: setting({
    parse: integer(0, 86_400),
    default: 300,
    help: 'A pull that started less than this many seconds after a record was pushed does not mark the record as missing.',
  }),
  HUB_BROADCAST: setting({
    parse: onOrOff,
    default: true,
    help: 'Whether the hub sends changes to dashboards immediately, by server-sent events: on or off. Dashboards also poll every 10 s.',
  }),
  HUB_PLATFORM_PATH: setting({
    parse: pathSegment,
    default: 'hub',
    help: "Segment in the paths of the platforms' endpoints: /api/<segment>/ping.",
  }),
  HUB_TUNNEL_HEADER: setting({
    parse: headerName,
    default: 'ngrok-skip-browser-warning',
    help: 'Request header that makes a tunnel skip its warning page.',
  }),
  HUB_SOURCE_NETWORKS: setting({
    parse: oneOf('any', 'public'),
    default: 'any',
    help: 'Allowed addresses of platforms: any, or public (no private networks).',
  }),
  HUB_SOURCE_SCHEMES: setting({
    parse: oneOf('any', 'https'),
    default: 'any',
    help: 'Allowed schemes of the base URLs of platforms: any (http and https), or https.',
  }),
  HUB_MAX_BODY_BYTES: setting({
    parse: integer(1024, 512 * 1024 * 1024),
    default: 1024 * 1024,
    help: 'Maximum size of the body of a push, in bytes.',
  }),
  HUB_MAX_RECORD_KEYS: setting({
    parse: integer(100, 1_000_000),
    default: 5000,
    help: 'Maximum number of keys at the top level of the data of a record. The time for a push grows with it.',
  }),
  HUB_RATE_LIMIT: setting({
    parse: integer(0, 1_000_000),
    default: 0,
    help: 'Pushes per second that a process accepts from one platform; 0 for no limit. Each node counts separately.',
  }),
  HUB_API_RATE_LIMIT: setting({
    parse: integer(0, 1_000_000),
    default: 1000,
    help: 'API requests per second that a process accepts from one operator (all sessions and tokens together); 0 for no limit.',
  }),
  HUB_RETENTION_ACTIVITY_DAYS: setting({
    parse: days,
    default: 90,
    help: 'Days to keep activity, changes of manifests and resolved alerts; 0 to keep them forever.',
  }),
  HUB_RETENTION_ACTIVITY_LINES: setting({
    parse: integer(0, 1_000_000_000),
    default: 1_000_000,
    help: 'Maximum number of activity entries to keep, newest first; 0 for no limit.',
  }),
  HUB_RETENTION_HISTORY_DAYS: setting({
    parse: days,
    default: 365,
    help: 'Days to keep the history of records; 0 to keep it forever.',
  }),
  HUB_RETENTION_PULLS_DAYS: setting({
    parse: days,
    default: 30,
    help: 'Days to keep pulls and their tasks, and the lists of records of ended reverts; 0 to keep them forever.',
  }),
  HUB_RETENTION_REJECTED_DAYS: setting({
    parse: days,
    default: 30,
    help: 'Days to keep rejected pushes after they were last received, and the hourly counts of push errors; 0 to keep them forever.',
  }),
  HUB_REQUEST_LOG_BYTES: setting({
    parse: integer(0, 1_000_000_000_000),
    default: 256 * 1024 * 1024,
    help: 'Maximum size of the request log of the receiver, which has the last 24 hours, in bytes; the oldest requests are deleted first; 0 for no request log.',
  }),
  HUB_RETENTION_REVIEWS_DAYS: setting({
    parse: days,
    default: 90,
    help: 'Days to keep closed reviews of missing records; 0 to keep them forever.',
  }),
  HUB_RETENTION_COUNTERS_DAYS: setting({
    parse: days,
    default: 400,
    help: 'Days to keep the hourly counters behind charts and alerts; alerts need 28 days; 0 to keep them forever.',
  }),
  HUB_RETENTION_AUDIT_DAYS: setting({
    parse: days,
    default: 730,
    help: 'Days to keep the audit log; 0 to keep it forever.',
  }),
  HUB_BACKUP_DIR: setting({
    parse: text,
    default: '',
    shownDefault: 'the folder backups in HUB_DATA_DIR',
    help: 'Folder of the backups.',
  }),
  HUB_BACKUP_SCHEDULE: setting({
    parse: cronPattern,
    default: 'off',
    help: 'Cron pattern (five fields) of the scheduled backups in HUB_TIME_ZONE, such as 30 2 * * *, or off.',
  }),
  HUB_BACKUP_KEEP: setting({
    parse: integer(0, 10_000),
    default: 7,
    help: 'Number of scheduled backups to keep, newest first; 0 to keep them all. Other backups are never deleted.',
  }),
  HUB_BACKUP_DRILL: setting({
    parse: onOrOff,
    default: false,
    help: 'Whether the restore of each scheduled backup is tested: on or off.',
  }),
  HUB_BACKUP_PASSPHRASE_FILE: setting({
    parse: text,
    default: '',
    help: 'File with the passphrase that encrypts the backups, in its first line. The environment variable RECORDHUB_BACKUP_PASSPHRASE takes precedence.',
  }),
  HUB_UPGRADE_BACKUP: setting({
    parse: onOrOff,
    default: true,
    help: 'Whether a hub writes a backup before it migrates the database of an older version: on or off.',
  }),
  HUB_SMTP_URL: setting({
    parse: smtpUrl,
    default: '',
    secret: true,
    help: 'Mail server for alerts: smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465.',
  }),
  HUB_ALERT_FROM: setting({
    parse: email,
    default: '',
    help: 'Sender address of alert mails.',
  }),
  HUB_ALERT_TO: setting({
    parse: emails,
    default: EMPTY_LIST,
    help: 'Recipients of alert mails besides the operators who chose to get them, separated by commas.',
  }),
  HUB_OIDC_ISSUER: setting({
    parse: httpUrl,
    default: '',
    help: 'Single sign-on: issuer URL of the OpenID Connect provider, or the URL of its …/.well-known/openid-configuration.',
  }),
  HUB_OIDC_CLIENT_ID: setting({
    parse: text,
    default: '',
    help: 'Single sign-on: client ID of the hub at the provider.',
  }),
  HUB_OIDC_CLIENT_SECRET: setting({
    parse: text,
    default: '',
    secret: true,
    help: 'Single sign-on: client secret of the hub at the provider.',
  }),
  HUB_OIDC_NAME: setting({
    parse: text,
    default: 'single sign-on',
    help: 'Single sign-on: name of the provider on the button "Continue with …".',
  }),
  HUB_OIDC_ROLE: setting({
    parse: oneOf('viewer', 'operator', 'admin'),
    default: 'viewer',
    help: 'Single sign-on: role of new operators without an invitation.',
  }),
  HUB_OIDC_DOMAINS: setting({
    parse: domains,
    default: EMPTY_LIST,
    help: 'Single sign-on: e-mail domains that are admitted without an invitation, separated by commas.',
  }),
  HUB_SESSION_IDLE_MINUTES: setting({
    parse: integer(1, 525_600),
    default: 480,
    help: 'Minutes without activity after which a session ends. Polling by the page is not activity.',
  }),
  HUB_SESSION_DAYS: setting({
    parse: integer(1, 365),
    default: 7,
    help: 'Maximum duration of a session, in days.',
  }),
  HUB_REQUIRE_SECOND_FACTOR: setting({
    parse: onOrOff,
    default: false,
    help: 'Whether operators need a second factor: on or off. An operator who signs in with a password alone can only set up an authenticator app or a passkey. API tokens are not affected.',
  }),
  HUB_TRUST_PROXY: setting({
    parse: trustProxy,
    default: NO_TRUSTED_PROXY,
    help: 'Proxies whose X-Forwarded-* headers are trusted: off, on (the one that connects to the hub), the number of proxies in a row, or their addresses (10.0.0.0/8,…).',
  }),
  HUB_LOG_LEVEL: setting({
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    help: 'Minimum level of log messages.',
  }),
  HUB_ACCESS_LOG: setting({
    parse: onOrOff,
    default: false,
    help: 'Whether the hub logs every request: on or off. An entry has the route, the status, the duration and the subnet of the client, but no URL, no body and no key.',
  }),
  HUB_METRICS_TOKEN: setting({
    parse: minLength(32),
    default: '',
    secret: true,
    help: 'Token that Prometheus sends to read GET /metrics; at least 32 characters. Without it, the path does not exist on PORT.',
  }),
  HUB_METRICS_PORT: setting({
    parse: portOrOff,
    default: NO_PORT,
    help: 'Second port that serves only /metrics, /healthz and /readyz; 0 chooses a free port. It requires HUB_METRICS_TOKEN only if that is set.',
  }),
  HUB_METRICS_HOST: setting({
    parse: text,
    default: '127.0.0.1',
    help: 'Address of HUB_METRICS_PORT.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    parse: httpUrl,
    default: '',
    secret: true,
    help: 'Base URL of an OpenTelemetry collector that receives traces (OTLP/HTTP with JSON), such as http://127.0.0.1:4318.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    parse: namedValues,
    default: NO_VALUES,
    secret: true,
    help: 'Headers of the requests to the collector: name=value, separated by commas.',
  }),
  OTEL_SERVICE_NAME: setting({
    parse: text,
    default: 'recordhub',
    help: 'Name of the hub in traces.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: setting({
    parse: namedValues,
    default: NO_VALUES,
    help: 'Additional attributes of the hub in traces: name=value, separated by commas.',
  }),
  OTEL_TRACES_SAMPLER: setting({
    parse: oneOf(...SAMPLERS),
    default: 'parentbased_always_on',
    help: `Which traces are exported: ${SAMPLERS.join(', ')}. With parentbased_…, the traceparent header of a request decides.`,
  }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    parse: share,
    default: 1,
    help: 'Share of the traces that …traceidratio exports, from 0 to 1.',
  }),
  HTTP_PROXY: setting({
    parse: httpUrl,
    default: '',
    secret: true,
    help: 'Proxy for requests to http:// platforms.',
  }),
  HTTPS_PROXY: setting({
    parse: httpUrl,
    default: '',
    secret: true,
    help: 'Proxy for requests to https:// platforms.',
  }),
  NO_PROXY: setting({
    parse: text,
    default: '',
    help: 'Hosts to reach without a proxy, separated by commas.',
  }),
}

/** The settings that an admin can also change in the hub, where no flag and no variable sets them. */
export const STORABLE_SETTINGS = [
  'HUB_PULL_SCHEDULE',
  'HUB_BACKUP_SCHEDULE',
  'HUB_BACKUP_KEEP',
  'HUB_BACKUP_DRILL',
  'HUB_RETENTION_ACTIVITY_DAYS',
  'HUB_RETENTION_ACTIVITY_LINES',
  'HUB_RETENTION_HISTORY_DAYS',
  'HUB_RETENTION_PULLS_DAYS',
  'HUB_RETENTION_REJECTED_DAYS',
  'HUB_RETENTION_REVIEWS_DAYS',
  'HUB_RETENTION_COUNTERS_DAYS',
  'HUB_RETENTION_AUDIT_DAYS',
  'HUB_ALERT_TO',
  'HUB_REQUIRE_SECOND_FACTOR',
] as const satisfies readonly SettingName[]
export type StorableSetting = (typeof STORABLE_SETTINGS)[number]

type Settings = typeof SETTINGS
export type SettingName = keyof Settings
export type Config = { readonly [Name in SettingName]: Settings[Name]['default'] }

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName)

/** The settings that may be in files of their own; see `environment.ts`. */
export const SECRET_SETTINGS: readonly SettingName[] = SETTING_NAMES.filter((name) => {
  const { secret }: Setting<unknown> = SETTINGS[name]
  return secret === true
})

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

export function isStorable(name: string): name is StorableSetting {
  return STORABLE_SETTINGS.some((one) => one === name)
}

/** The flag of a setting: `HUB_DATA_DIR` is `--data-dir`, `PORT` is `--port`. */
export function flagOf(name: SettingName): string {
  return name.replace(/^HUB_/, '').toLowerCase().replaceAll('_', '-')
}

/** One line per setting, for `--help` and the documentation. */
export function describeSettings(): { name: SettingName; default: string; help: string }[] {
  return SETTING_NAMES.map((name) => {
    const { help, ...setting }: Setting<unknown> = SETTINGS[name]
    return { name, default: setting.shownDefault ?? showDefault(setting.default), help }
  })
}

function showDefault(value: unknown): string {
  if (value === null) return 'off'
  const isEmpty = value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
  return isEmpty ? 'none' : formatSetting(value)
}

/** Returns a value as it is written in an environment variable. */
export function formatSetting(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}
