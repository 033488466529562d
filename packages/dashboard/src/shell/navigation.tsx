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
import { Link, useLocation } from '@tanstack/react-router'

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

export function Navigation() {
  const { pathname } = useLocation()
  return PAGES.map(({ to, label, icon: Icon }) => {
    const isHere = to === '/dashboard' ? /^\/dashboard\/?$/.test(pathname) : pathname.startsWith(to)
    return (
      <NavLink
        key={to}
        component={Link}
        to={to}
        activeOptions={{ exact: to === '/dashboard' }}
        label={label}
        leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
        active={isHere}
        aria-current={isHere ? 'page' : undefined}
      />
    )
  })
}
