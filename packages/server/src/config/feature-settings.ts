/** The settings of the features, taken from the configuration. */
import { join } from 'node:path'
import { readBackupPassphrase } from './environment.ts'
import type { Config } from './settings.ts'

/** The settings of each feature by its name, and those that several features share. */
export function toFeatureSettings(config: Config) {
  const publicUrl = config.HUB_PUBLIC_URL
  return {
    shared: {
      publicUrl,
      isBehindTls: publicUrl.startsWith('https:'),
      timeZone: config.HUB_TIME_ZONE,
      session: { days: config.HUB_SESSION_DAYS, idleMinutes: config.HUB_SESSION_IDLE_MINUTES },
      retentionDays: toRetentionDays(config),
      activityEntries: config.HUB_RETENTION_ACTIVITY_LINES,
    },
    http: {
      bodyLimit: config.HUB_MAX_BODY_BYTES,
      trustProxy: config.HUB_TRUST_PROXY,
      hstsSubdomains: config.HUB_HSTS_SUBDOMAINS,
    },
    hasAccessLog: config.HUB_ACCESS_LOG,
    auth: {
      oidc: toOidcSettings(config),
      requireSecondFactor: config.HUB_REQUIRE_SECOND_FACTOR,
      bootstrapOperator: toBootstrapOperator(config),
    },
    monitoring: { mail: toMailSettings(config) },
    ingest: { ratePerSecond: config.HUB_RATE_LIMIT, maxRecordKeys: config.HUB_MAX_RECORD_KEYS },
    pulls: {
      /** The cron pattern of scheduled pulls; null without a schedule. */
      schedulePattern: config.HUB_PULL_SCHEDULE === 'off' ? null : config.HUB_PULL_SCHEDULE,
      timeoutSeconds: config.HUB_PULL_TIMEOUT_SECONDS,
      concurrency: config.HUB_PULL_CONCURRENCY,
      fullPullHours: config.HUB_FULL_PULL_HOURS,
      missingThresholdPercent: config.HUB_MISSING_FUSE,
      missingGraceSeconds: config.HUB_MISSING_GRACE_SECONDS,
    },
    metrics: {
      /** HUB_METRICS_TOKEN; null without one. */
      token: config.HUB_METRICS_TOKEN || null,
      /** The second port; null without one. */
      listener:
        config.HUB_METRICS_PORT === null
          ? null
          : { port: config.HUB_METRICS_PORT, host: config.HUB_METRICS_HOST },
    },
    tracing: toTracingSettings(config),
    backups: {
      folder: backupFolderOf(config),
      /** The cron pattern of scheduled backups; null without a schedule. */
      schedulePattern: config.HUB_BACKUP_SCHEDULE === 'off' ? null : config.HUB_BACKUP_SCHEDULE,
      keep: config.HUB_BACKUP_KEEP,
      passphrase: readBackupPassphrase(config),
    },
    guide: { platformPath: config.HUB_PLATFORM_PATH, tunnelHeader: config.HUB_TUNNEL_HEADER },
  }
}

export function backupFolderOf(config: Config): string {
  return config.HUB_BACKUP_DIR || join(config.HUB_DATA_DIR, 'backups')
}

/** How the hub calls platforms. */
export function toPlatformClientSettings<Timeouts>(config: Config, timeouts: Timeouts) {
  return {
    platformPath: config.HUB_PLATFORM_PATH,
    tunnelHeader: config.HUB_TUNNEL_HEADER,
    networks: config.HUB_SOURCE_NETWORKS,
    schemes: config.HUB_SOURCE_SCHEMES,
    proxy: { http: config.HTTP_PROXY, https: config.HTTPS_PROXY, none: config.NO_PROXY },
    timeouts,
  }
}

/** Null if single sign-on is not configured. */
function toOidcSettings(config: Config) {
  if (config.HUB_OIDC_ISSUER === '') return null
  return {
    issuer: config.HUB_OIDC_ISSUER,
    clientId: config.HUB_OIDC_CLIENT_ID,
    clientSecret: config.HUB_OIDC_CLIENT_SECRET,
    name: config.HUB_OIDC_NAME,
    defaultRole: config.HUB_OIDC_ROLE,
    domains: config.HUB_OIDC_DOMAINS,
  }
}

/** The first operator of an unattended setup; null if none is configured. */
function toBootstrapOperator(config: Config) {
  const { HUB_ADMIN_EMAIL: email, HUB_ADMIN_NAME: name, HUB_ADMIN_PASSWORD: password } = config
  return email === '' ? null : { email, name, password }
}

/** Null if no collector is configured. */
function toTracingSettings(config: Config) {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === '') return null
  return {
    endpoint,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    resource: { ...config.OTEL_RESOURCE_ATTRIBUTES, 'service.name': config.OTEL_SERVICE_NAME },
    sampler: { name: config.OTEL_TRACES_SAMPLER, ratio: config.OTEL_TRACES_SAMPLER_ARG },
  }
}

/** Null if no mail server is configured. */
function toMailSettings(config: Config) {
  const { HUB_SMTP_URL: url, HUB_ALERT_FROM: from, HUB_ALERT_TO: to } = config
  return url === '' ? null : { url, from, to }
}

function toRetentionDays(config: Config) {
  return {
    activity: config.HUB_RETENTION_ACTIVITY_DAYS,
    alerts: config.HUB_RETENTION_ACTIVITY_DAYS,
    manifest_changes: config.HUB_RETENTION_ACTIVITY_DAYS,
    history: config.HUB_RETENTION_HISTORY_DAYS,
    pulls: config.HUB_RETENTION_PULLS_DAYS,
    rejected_pushes: config.HUB_RETENTION_REJECTED_DAYS,
    push_errors: config.HUB_RETENTION_REJECTED_DAYS,
    missing_reviews: config.HUB_RETENTION_REVIEWS_DAYS,
    counters: config.HUB_RETENTION_COUNTERS_DAYS,
    audit: config.HUB_RETENTION_AUDIT_DAYS,
  }
}
