import { Badge, Tooltip } from '@mantine/core'
import { type Connection, connection } from '../api/live.ts'
import { useStore } from '../lib/store.ts'

const STATES: Readonly<Record<Connection, { color: string; label: string; hint: string }>> = {
  connecting: {
    color: 'gray',
    label: 'Connecting…',
    hint: 'Waiting for the first response of the hub',
  },
  polling: { color: 'green', label: 'Auto-refresh: 10 s', hint: 'Refreshes every 10 s' },
  live: {
    color: 'green',
    label: 'Live',
    hint: 'Changes appear as they happen. Statistics refresh every 10 s',
  },
  offline: {
    color: 'red',
    label: 'Offline',
    hint: 'Could not reach the hub. Retrying every 10 s',
  },
  rate_limited: {
    color: 'orange',
    label: 'Rate limited',
    hint: 'You have reached the rate limit. Retrying every 10 s',
  },
  failing: {
    color: 'orange',
    label: 'Retrying',
    hint: 'The hub returned an error. Retrying every 10 s',
  },
}

export function ConnectionState() {
  const state = useStore(connection)
  const { color, label, hint } = STATES[state]
  return (
    <Tooltip label={hint}>
      <Badge
        variant="dot"
        color={color}
        tt="none"
        role="status"
        aria-label={hint}
        data-connection={state}
      >
        {label}
      </Badge>
    </Tooltip>
  )
}
