/** What a page says above its content, whatever it shows. */
import { Alert, Button, Group } from '@mantine/core'
import { IconPlayerPause, IconRefresh, IconWifiOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { connection, retryNow, snapshot, snapshotAge } from '../api/live.ts'
import { scheduleQuery } from '../api/schedule.ts'
import { OperatorName } from '../components/operator-name.tsx'
import { Clock } from '../components/time.tsx'
import { formatSecond } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { PauseButton } from '../pages/pulls/pull-all-form.tsx'

export function Banners() {
  return (
    <>
      <OfflineBanner />
      <PausedBanner />
      <VersionBanner />
    </>
  )
}

function Banner(props: {
  color: 'red' | 'orange' | 'gray'
  icon: ReactNode
  button: ReactNode
  children: ReactNode
}) {
  const { color, icon, button, children } = props
  const text = color === 'gray' ? 'var(--text)' : `var(--${color}-text)`
  return (
    <Alert
      color={color}
      radius="lg"
      px="md"
      py={10}
      mb="md"
      icon={icon}
      styles={{
        wrapper: { alignItems: 'center' },
        icon: { marginTop: 0 },
        message: { color: text },
      }}
      role="status"
    >
      <Group gap="xs" justify="space-between">
        <span style={{ flex: '1 1 240px' }}>{children}</span>
        {button}
      </Group>
    </Alert>
  )
}

/** What the page shows while the hub does not respond. */
function OfflineBanner() {
  const isOffline = useStore(connection) === 'offline'
  const hasData = useStore(snapshot) !== null
  const [isBusy, setBusy] = useState(false)
  if (!isOffline) return null
  const now = Date.now()
  const known = formatSecond(new Date(now - snapshotAge(now)).toISOString())
  const retry = () => {
    setBusy(true)
    void retryNow().finally(() => setBusy(false))
  }
  return (
    <Banner
      color="red"
      icon={<IconWifiOff size={16} aria-hidden />}
      button={
        <Button size="xs" variant="default" loading={isBusy} onClick={retry}>
          Retry now
        </Button>
      }
    >
      <b>Offline, retrying every 10 s.</b>{' '}
      {hasData &&
        `The page shows what it knew at ${known}; nothing here changes until the hub responds.`}
    </Banner>
  )
}

/** The pages that say it themselves, with the same button. */
const WITH_SCHEDULE: readonly string[] = ['/dashboard', '/dashboard/pulls']

function PausedBanner() {
  const { pathname } = useLocation()
  const isPaused = useStore(snapshot)?.pull.schedule_paused ?? false
  const isShown = isPaused && !WITH_SCHEDULE.includes(pathname.replace(/\/$/, ''))
  const { data } = useQuery({ ...scheduleQuery(), enabled: isShown })
  if (!isShown || !data?.schedule.pattern || !data.schedule.paused) return null
  const { paused_by, paused_since } = data.schedule
  return (
    <Banner
      color="orange"
      icon={<IconPlayerPause size={16} aria-hidden />}
      button={<PauseButton isPaused />}
    >
      <b>
        Pulls are paused by <OperatorName by={paused_by} />
      </b>
      {paused_since && (
        <>
          {' '}
          since <Clock at={paused_since} />
        </>
      )}
      . Pushes go on.
    </Banner>
  )
}

/** After an upgrade of the hub, whose page may differ from the one that is open. */
function VersionBanner() {
  const version = useStore(snapshot)?.version
  const [opened, setOpened] = useState(version)
  if (opened === undefined && version !== undefined) setOpened(version)
  if (version === opened || opened === undefined) return null
  return (
    <Banner
      color="gray"
      icon={<IconRefresh size={16} aria-hidden />}
      button={
        <Button size="xs" variant="default" onClick={() => window.location.reload()}>
          Reload
        </Button>
      }
    >
      <b>A new version of this page is ready.</b> Your filters stay.
    </Banner>
  )
}
