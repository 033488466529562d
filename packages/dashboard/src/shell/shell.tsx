/** The frame of every page: navigation, search, pull progress, connection state, operator menu. */
import {
  ActionIcon,
  AppShell,
  Avatar,
  Box,
  Burger,
  Group,
  Menu,
  RingProgress,
  Text,
  Tooltip,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDeviceDesktop, IconLogout, IconMoon, IconSettings, IconSun } from '@tabler/icons-react'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { signOut } from '../api/account.ts'
import { useInboxCount } from '../api/inbox.ts'
import { startLive } from '../api/live.ts'
import { renewSession, session } from '../api/session.ts'
import { attempt } from '../components/confirm.tsx'
import { IconButton } from '../components/icon-button.tsx'
import { PageSkeleton } from '../components/page-skeleton.tsx'
import { formatCount } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { storedLabel } from '../pages/pulls/pull-labels.ts'
import { useSnapshotPull } from '../pages/pulls/use-snapshot-pull.ts'
import { TEXTS } from '../texts.ts'
import { Banners } from './banners.tsx'
import { CommandSearchButton } from './command-search-button.tsx'
import { ConnectionState } from './connection-state.tsx'
import { Navigation, shortCount } from './navigation.tsx'
import classes from './shell.module.css'

/** Loaded on demand. */
const SessionDialog = lazy(() =>
  import('./session-dialog.tsx').then((file) => ({ default: file.SessionDialog })),
)
const SecondFactorPage = lazy(() =>
  import('../pages/second-factor/second-factor-page.tsx').then((file) => ({
    default: file.SecondFactorPage,
  })),
)

export function Shell() {
  const { secondFactor } = useStore(session)
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { pathname } = useLocation()
  useEffect(() => {
    startLive()
    void renewSession()
  }, [])
  // On a phone, the navigation also closes when a page is opened in another way.
  useEffect(() => {
    if (pathname) close()
  }, [pathname, close])
  if (secondFactor !== null) {
    return (
      <Suspense fallback={<PageSkeleton />}>
        <SecondFactorPage missing={secondFactor} />
        <SessionEnd />
      </Suspense>
    )
  }
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{
        width: { base: 216, sm: 56, lg: 216 },
        breakpoint: 'sm',
        collapsed: { mobile: !isOpen },
      }}
      padding={{ base: 'md', sm: 'lg', lg: 'xl' }}
    >
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <AppShell.Header className={classes['header'] ?? ''}>
        <Link to="/dashboard" className={classes['brand']}>
          <img src="/assets/icon.svg" alt="" width={20} height={20} />
          <span>{TEXTS.recordhub}</span>
        </Link>
        <div className={classes['top']}>
          <NavigationButton isOpen={isOpen} onClick={toggle} />
          <CommandSearchButton />
          <Group
            gap={12}
            ml="auto"
            wrap="nowrap"
            fz="xs"
            fw={500}
            c="var(--text-2)"
            style={{ whiteSpace: 'nowrap' }}
          >
            <PullRing />
            <ConnectionState />
            <ColorSchemeToggle />
            <OperatorMenu />
          </Group>
        </div>
      </AppShell.Header>
      <AppShell.Navbar className={classes['navigation'] ?? ''} aria-label="Pages">
        <Navigation onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes['main'] ?? ''}>
        <Banners />
        <Outlet />
      </AppShell.Main>
      <SessionEnd />
    </AppShell>
  )
}

/** On a phone, it shows the number of items in the inbox, because the navigation is closed. */
function NavigationButton({ isOpen, onClick }: { isOpen: boolean; onClick: () => void }) {
  const count = useInboxCount()
  const label = isOpen ? 'Close navigation' : 'Open navigation'
  return (
    <Box hiddenFrom="sm" pos="relative">
      <Burger
        opened={isOpen}
        onClick={onClick}
        size="sm"
        lineSize={1.5}
        color="var(--text-2)"
        aria-label={count === 0 ? label : `${label}, ${formatCount(count, 'item')} in the inbox`}
      />
      {count > 0 && (
        <span className={classes['badge']} aria-hidden>
          {shortCount(count)}
        </span>
      )}
    </Box>
  )
}

/** Loads the dialog when the session ends for the first time. */
function SessionEnd() {
  const { hasEnded } = useStore(session)
  const [isNeeded, setNeeded] = useState(hasEnded)
  if (hasEnded && !isNeeded) setNeeded(true)
  if (!isNeeded) return null
  return (
    <Suspense>
      <SessionDialog hasEnded={hasEnded} />
    </Suspense>
  )
}

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const
const SCHEMES = {
  auto: { icon: IconDeviceDesktop, label: 'Color scheme: system' },
  light: { icon: IconSun, label: 'Color scheme: light' },
  dark: { icon: IconMoon, label: 'Color scheme: dark' },
} as const

function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { icon: Icon, label } = SCHEMES[colorScheme]
  return (
    <IconButton
      label={`${label}. Change`}
      tooltip={label}
      size="lg"
      visibleFrom="sm"
      onClick={() => setColorScheme(NEXT[colorScheme])}
    >
      <Icon size={16} stroke={1.6} />
    </IconButton>
  )
}

function OperatorMenu() {
  const { operator } = useStore(session)
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" radius="xl">
          <VisuallyHidden>Your account</VisuallyHidden>
          <Avatar
            size={28}
            radius="xl"
            name={operator?.name ?? '?'}
            color="gray"
            alt=""
            aria-hidden
          />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600}>
            {operator?.name}
          </Text>
          <Text size="xs">
            {operator?.email} · {operator?.role}
          </Text>
        </Menu.Label>
        <Menu.Item
          component={Link}
          to="/dashboard/settings"
          leftSection={<IconSettings size={16} />}
        >
          {TEXTS.settings}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => attempt(() => signOut('/sign-in'))}
        >
          {TEXTS.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The progress of the running pull. */
function PullRing() {
  const { pull } = useSnapshotPull()
  if (pull?.finished_at !== null) return null
  // Unknown until the platforms have said how many records there are.
  const { percent } = pull.progress
  const progress = percent === null ? 'A pull is running' : `Pull running: ${percent} %`
  const label = [progress, storedLabel(pull)].filter(Boolean).join(', ')
  return (
    <Tooltip label={label}>
      <Link
        to="/dashboard/pulls/$id"
        params={{ id: String(pull.id) }}
        aria-label={label}
        className={classes['ring']}
      >
        <RingProgress
          size={18}
          thickness={2.5}
          roundCaps
          rootColor="var(--line-strong)"
          sections={[{ value: percent ?? 0, color: 'var(--accent-text)' }]}
        />
        {percent === null ? '…' : `${percent} %`}
      </Link>
    </Tooltip>
  )
}
