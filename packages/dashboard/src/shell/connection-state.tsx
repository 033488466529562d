import { Box, Tooltip } from '@mantine/core'
import { type Connection, connection, snapshot, snapshotAge } from '../api/live.ts'
import { Dot, type DotColor } from '../components/dot.tsx'
import { Tinted } from '../components/tinted.tsx'
import { formatSeconds } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { useNow } from '../lib/use-now.ts'
import classes from './shell.module.css'

const STATES: Readonly<Record<Connection, { color: DotColor; label: string; hint: string }>> = {
  connecting: {
    color: 'hollow',
    label: 'connecting…',
    hint: 'Waiting for the first response of the hub',
  },
  polling: { color: 'green', label: '', hint: 'Refreshes every 10 s' },
  live: {
    color: 'green',
    label: 'live',
    hint: 'Changes appear as they happen. Statistics refresh every 10 s',
  },
  offline: {
    color: 'red',
    label: 'offline, retrying',
    hint: 'Could not reach the hub. Retrying every 10 s',
  },
  rate_limited: {
    color: 'orange',
    label: 'rate limited, retrying',
    hint: 'You have reached the rate limit. Retrying every 10 s',
  },
  failing: {
    color: 'orange',
    label: 'error, retrying',
    hint: 'The hub returned an error. Retrying every 10 s',
  },
}

/** Whether the page is up to date: live, or the age of what it shows. */
export function ConnectionState() {
  const state = useStore(connection)
  const { color, label, hint } = STATES[state]
  const isCurrent = state === 'live' || state === 'connecting'
  const age = formatSeconds(snapshotAge(useNow(!isCurrent)))
  const hasData = useStore(snapshot) !== null
  return (
    <Tooltip label={hint}>
      <span className={classes['state']} role="status" aria-label={hint} data-connection={state}>
        <Dot color={color} />
        {/* Screen readers would read each second. */}
        <span aria-hidden>
          {state === 'offline' ? <Tinted color="red">{label}</Tinted> : label}
          {!isCurrent && label !== '' && hasData && (
            <Box component="span" visibleFrom="sm">
              , data {age} old
            </Box>
          )}
          {state === 'polling' && `${age} ago`}
        </span>
      </span>
    </Tooltip>
  )
}
