import { Box, Tooltip, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconBook,
  IconDatabase,
  IconDownload,
  IconInbox,
  IconLayoutDashboard,
  IconListDetails,
  IconPlugConnected,
  IconSearch,
  IconSettings,
} from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { useInboxCount } from '../api/inbox.ts'
import { formatCount } from '../lib/format.ts'
import { TEXTS } from '../texts.ts'
import classes from './shell.module.css'

const MAX_COUNT = 99

export const PAGES = [
  { to: '/dashboard', label: TEXTS.overview, icon: IconLayoutDashboard },
  { to: '/dashboard/inbox', label: TEXTS.inbox, icon: IconInbox },
  { to: '/dashboard/platforms', label: TEXTS.platforms, icon: IconPlugConnected },
  { to: '/dashboard/records', label: TEXTS.records, icon: IconDatabase },
  { to: '/dashboard/search', label: TEXTS.search, icon: IconSearch },
  { to: '/dashboard/pulls', label: TEXTS.pulls, icon: IconDownload },
  { to: '/dashboard/log', label: TEXTS.log, icon: IconListDetails },
  { to: '/dashboard/guide', label: 'Integration guide', icon: IconBook },
  { to: '/dashboard/settings', label: TEXTS.settings, icon: IconSettings },
] as const

/** A revert belongs to the pulls. */
const REVERTS = '/dashboard/reverts'

/** The pages after this one are at the bottom. */
const LAST_AT_TOP = '/dashboard/log'

/** `onChoose` is also called for the current page. */
export function Navigation({ onChoose }: { onChoose: () => void }) {
  const count = useInboxCount()
  const { pathname } = useLocation()
  const isRail = useMediaQuery('(min-width: 56.3125em) and (max-width: 81.25em)') ?? false
  return PAGES.map(({ to, label, icon: Icon }) => [
    <Tooltip key={to} label={label} position="right" disabled={!isRail}>
      <Link
        to={to}
        className={classes['link']}
        activeOptions={{ exact: to === '/dashboard', includeSearch: false }}
        onClick={onChoose}
        {...(to === '/dashboard/pulls' && pathname.startsWith(REVERTS)
          ? { 'aria-current': 'page' as const }
          : {})}
      >
        <Icon size={16} stroke={1.6} aria-hidden />
        <span className={classes['label']}>{label}</span>
        {to === '/dashboard/inbox' && count > 0 && (
          <span className={classes['count']}>
            <span aria-hidden>{shortCount(count)}</span>
            <VisuallyHidden>{formatCount(count, 'item')}</VisuallyHidden>
          </span>
        )}
      </Link>
    </Tooltip>,
    to === LAST_AT_TOP && <Box key="gap" component="span" flex={1} />,
  ])
}

/** `99+` for more. */
export function shortCount(count: number): string {
  return count > MAX_COUNT ? `${MAX_COUNT}+` : String(count)
}
