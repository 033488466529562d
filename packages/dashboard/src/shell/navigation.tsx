import { Badge, NavLink, VisuallyHidden } from '@mantine/core'
import {
  IconActivity,
  IconBook,
  IconDatabase,
  IconDownload,
  IconLayoutDashboard,
  IconPlugConnected,
  IconSearch,
  IconSettings,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { snapshot } from '../api/live.ts'
import { formatCount } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { TEXTS } from '../texts.ts'

const MAX_COUNT = 99

export const PAGES = [
  { to: '/dashboard', label: TEXTS.overview, icon: IconLayoutDashboard },
  { to: '/dashboard/platforms', label: TEXTS.platforms, icon: IconPlugConnected },
  { to: '/dashboard/records', label: TEXTS.records, icon: IconDatabase },
  { to: '/dashboard/search', label: TEXTS.search, icon: IconSearch },
  { to: '/dashboard/pulls', label: TEXTS.pulls, icon: IconDownload },
  { to: '/dashboard/activity', label: TEXTS.activity, icon: IconActivity },
  { to: '/dashboard/guide', label: TEXTS.integrationGuide, icon: IconBook },
  { to: '/dashboard/settings', label: TEXTS.settings, icon: IconSettings },
] as const

/** `onChoose` is also called for the current page. */
export function Navigation({ onChoose }: { onChoose: () => void }) {
  const openAlerts = useOpenAlerts()
  return PAGES.map(({ to, label, icon: Icon }) => (
    <NavLink
      key={to}
      label={label}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      rightSection={to === '/dashboard/activity' && <AlertBadge count={openAlerts} />}
      onClick={onChoose}
      // The router marks the current page, which also gives it its color.
      renderRoot={(props) => (
        <Link
          to={to}
          activeOptions={{ exact: to === '/dashboard', includeSearch: false }}
          {...props}
        />
      )}
    />
  ))
}

/** The number of open alerts in the snapshot that the page polls anyway. */
export function useOpenAlerts(): number {
  return useStore(snapshot)?.alerts.open ?? 0
}

function AlertBadge({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <Badge size="sm" variant="light" color="orange">
      <span aria-hidden>{count > MAX_COUNT ? `${MAX_COUNT}+` : count}</span>
      <VisuallyHidden>{formatCount(count, 'open alert')}</VisuallyHidden>
    </Badge>
  )
}
