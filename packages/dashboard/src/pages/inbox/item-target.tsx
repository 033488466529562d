import type { ButtonSize } from '@mantine/core'
import type { InboxItem } from '@recordhub/protocol'
import { LinkButton } from '../../components/link-button.tsx'

/** The place where a fault is decided. */
export function ItemTarget(props: { item: InboxItem; size?: ButtonSize }) {
  const { kind, platform, record_type } = props.item
  // Beside "Test Connection", which is recommended.
  const variant = kind === 'pulls_failing' ? 'subtle' : 'default'
  const look = { variant, color: 'gray', ...(props.size ? { size: props.size } : {}) }
  const platform_name = platform?.platform_name ?? ''
  if (kind === 'push_errors') {
    const search = { tab: 'push-errors', platform: platform_name }
    return (
      <LinkButton to="/dashboard/inbox" search={search} {...look}>
        Show the requests
      </LinkButton>
    )
  }
  const setting = SETTINGS_TARGETS[kind]
  if (setting) {
    return (
      <LinkButton to="/dashboard/settings" search={{ tab: setting.tab }} {...look}>
        {setting.label}
      </LinkButton>
    )
  }
  const target = PLATFORM_TARGETS[kind]
  if (platform === null || target === undefined) return null
  const { label, ...tab } = target
  const search = { ...tab, ...(record_type === null ? {} : { module: record_type }) }
  return (
    <LinkButton
      to="/dashboard/platforms/$id"
      params={{ id: String(platform.id) }}
      search={search}
      {...look}
    >
      {label}
    </LinkButton>
  )
}

/** The faults that are decided in the settings. */
const SETTINGS_TARGETS: Partial<Record<InboxItem['kind'], { tab: string; label: string }>> = {
  no_backup: { tab: 'backups', label: 'Make a backup' },
  token_expiring: { tab: 'tokens', label: 'Show the tokens' },
}

/** The faults that are decided on the page of a platform; without a tab, on its first one. */
const PLATFORM_TARGETS: Partial<Record<InboxItem['kind'], { tab?: string; label: string }>> = {
  pulls_failing: { tab: 'pulls', label: 'Show its pulls' },
  drift: { label: 'Show the differences' },
  disagreement: { label: 'Show the module' },
  certificate_expiring: { label: 'Show the platform' },
  key_expiring: { tab: 'settings', label: 'Show its keys' },
}
