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
import { TEXTS } from '../texts.ts'

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
