/** What the parts of the hub are told of its settings. */
import type { Config } from '../config.ts'
import type { KeptDays } from '../domain/activity/retention.ts'
import type { SessionLimits } from '../features/auth/auth.ts'
import type { OidcSettings } from '../features/auth/auth-plugins.ts'
import type { PlatformClientSettings } from '../platform-client/request/send-request.ts'
import type { PlatformTimeouts } from '../platform-client/request/timeouts.ts'

/** Null where no single sign-on is set up. */
export function toOidcSettings(config: Config): OidcSettings | null {
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

export function toSessionLimits(config: Config): SessionLimits {
  return { days: config.HUB_SESSION_DAYS, idleMinutes: config.HUB_SESSION_IDLE_MINUTES }
}

/** How long what is not a record is kept. */
export function toRetentionSettings(config: Config): { kept: KeptDays; activityLines: number } {
  return {
    kept: {
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
    },
    activityLines: config.HUB_RETENTION_ACTIVITY_LINES,
  }
}

/** How platforms are called. */
export function toPlatformClientSettings(
  config: Config,
  timeouts: PlatformTimeouts,
): PlatformClientSettings {
  return {
    platformPath: config.HUB_PLATFORM_PATH,
    tunnelHeader: config.HUB_TUNNEL_HEADER,
    networks: config.HUB_SOURCE_NETWORKS,
    schemes: config.HUB_SOURCE_SCHEMES,
    proxy: { http: config.HTTP_PROXY, https: config.HTTPS_PROXY, none: config.NO_PROXY },
    timeouts,
  }
}
