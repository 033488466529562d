import { NavLink } from '@mantine/core'
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

export const PAGES = [
  { to: '/dashboard', label: 'Overview', icon: IconLayoutDashboard },
  { to: '/dashboard/platforms', label: 'Platforms', icon: IconPlugConnected },
  { to: '/dashboard/records', label: 'Records', icon: IconDatabase },
  { to: '/dashboard/search', label: 'Search', icon: IconSearch },
  { to: '/dashboard/pulls', label: 'Pulls', icon: IconDownload },
  { to: '/dashboard/activity', label: 'Activity', icon: IconActivity },
  { to: '/dashboard/guide', label: 'Integration guide', icon: IconBook },
  { to: '/dashboard/settings', label: 'Settings', icon: IconSettings },
] as const

/** `onChoose` is also called for the current page. */
export function Navigation({ onChoose }: { onChoose: () => void }) {
  return PAGES.map(({ to, label, icon: Icon }) => (
    <NavLink
      key={to}
      label={label}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
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
