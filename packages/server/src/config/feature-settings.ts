/** Settings in the form that features need: those that are null without a value, and those that belong together. */
import { join } from 'node:path'
import type { Config } from './settings.ts'

/** The cron pattern of a schedule; null for `off`. */
export function cronPatternOf(schedule: string): string | null {
  return schedule === 'off' ? null : schedule
}

export function backupFolderOf(config: Pick<Config, 'HUB_BACKUP_DIR' | 'HUB_DATA_DIR'>): string {
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
export function toOidcSettings(config: Config) {
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
export function toBootstrapOperator(config: Config) {
  const { HUB_ADMIN_EMAIL: email, HUB_ADMIN_NAME: name, HUB_ADMIN_PASSWORD: password } = config
  return email === '' ? null : { email, name, password }
}

/** Null if no collector is configured. */
export function toTracingSettings(config: Config) {
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
export function toMailSettings(config: Config) {
  const { HUB_SMTP_URL: url, HUB_ALERT_FROM: from } = config
  return url === '' ? null : { url, from }
}

export function toRetentionDays(config: Config) {
  return {
    activity: config.HUB_RETENTION_ACTIVITY_DAYS,
    alerts: config.HUB_RETENTION_ACTIVITY_DAYS,
    manifest_changes: config.HUB_RETENTION_ACTIVITY_DAYS,
    history: config.HUB_RETENTION_HISTORY_DAYS,
    pulls: config.HUB_RETENTION_PULLS_DAYS,
    reverts: config.HUB_RETENTION_PULLS_DAYS,
    rejected_pushes: config.HUB_RETENTION_REJECTED_DAYS,
    push_errors: config.HUB_RETENTION_REJECTED_DAYS,
    requests: 1,
    missing_reviews: config.HUB_RETENTION_REVIEWS_DAYS,
    counters: config.HUB_RETENTION_COUNTERS_DAYS,
    audit: config.HUB_RETENTION_AUDIT_DAYS,
  }
}
