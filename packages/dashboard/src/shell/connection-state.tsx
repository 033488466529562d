import { Badge, Tooltip } from '@mantine/core'
import { type Connection, connection } from '../api/live.ts'
import { useStore } from '../lib/use-store.ts'

const STATES: Readonly<Record<Connection, { color: string; label: string; hint: string }>> = {
  connecting: { color: 'gray', label: 'connecting…', hint: 'The hub has not answered yet' },
  polling: { color: 'green', label: 'every 10 s', hint: 'Refreshes every 10 s' },
  live: {
    color: 'green',
    label: 'live',
    hint: 'The hub tells of changes; figures refresh every 10 s',
  },
  offline: {
    color: 'red',
    label: 'offline',
    hint: 'The hub cannot be reached; retrying every 10 s',
  },
  limited: {
    color: 'orange',
    label: 'waiting',
    hint: 'You ask the hub for more than it allows in a second; retrying every 10 s',
  },
  troubled: {
    color: 'orange',
    label: 'retrying',
    hint: 'The hub has trouble; retrying every 10 s',
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
