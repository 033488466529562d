/** The frame of every page: navigation, search, pull progress, connection state, operator menu. */
import { AppShell, Burger, Group, Indicator, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { startLive } from '../api/live.ts'
import { renewSession, session } from '../api/session.ts'
import { PageSkeleton } from '../components/page-skeleton.tsx'
import { formatCount } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { TEXTS } from '../texts.ts'
import { ColorSchemeToggle } from './color-scheme-toggle.tsx'
import { CommandSearchButton } from './command-search-button.tsx'
import { ConnectionState } from './connection-state.tsx'
import { Navigation, useOpenAlerts } from './navigation.tsx'
import { OperatorMenu } from './operator-menu.tsx'
import { PullRing } from './pull-ring.tsx'

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
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href="#main">
        {TEXTS.skipToContent}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="xs" wrap="nowrap">
            <NavigationButton isOpen={isOpen} onClick={toggle} />
            <Text
              component={Link}
              to="/dashboard"
              fw={700}
              fz="lg"
              c="inherit"
              td="none"
              visibleFrom="xs"
            >
              {TEXTS.recordhub}
            </Text>
          </Group>
          <CommandSearchButton />
          <Group gap="xs" wrap="nowrap">
            <ConnectionState />
            <PullRing />
            <ColorSchemeToggle />
            <OperatorMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={TEXTS.pages}>
        <Navigation onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      <SessionEnd />
    </AppShell>
  )
}

/** On a phone, it shows that there are alerts, because the navigation is closed. */
function NavigationButton({ isOpen, onClick }: { isOpen: boolean; onClick: () => void }) {
  const openAlerts = useOpenAlerts()
  const label = isOpen ? TEXTS.closeNavigation : TEXTS.openNavigation
  return (
    <Indicator color="orange" size={10} offset={4} disabled={openAlerts === 0} hiddenFrom="sm">
      <Burger
        opened={isOpen}
        onClick={onClick}
        size="sm"
        aria-label={openAlerts === 0 ? label : `${label}, ${formatCount(openAlerts, 'open alert')}`}
      />
    </Indicator>
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
