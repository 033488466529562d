import { Badge, Tooltip } from '@mantine/core'
import { type Connection, connection } from '../api/live.ts'
import { useStore } from '../lib/store.ts'
import { TEXTS } from '../texts.ts'

const STATES: Readonly<Record<Connection, { color: string; label: string; hint: string }>> = {
  connecting: {
    color: 'gray',
    label: TEXTS.connecting,
    hint: TEXTS.connectingHint,
  },
  polling: { color: 'green', label: TEXTS.autoRefresh10S, hint: TEXTS.refreshesEvery10S },
  live: {
    color: 'green',
    label: TEXTS.live,
    hint: TEXTS.liveHint,
  },
  offline: {
    color: 'red',
    label: TEXTS.offline,
    hint: TEXTS.offlineHint,
  },
  rate_limited: {
    color: 'orange',
    label: TEXTS.rateLimited,
    hint: TEXTS.rateLimitedHint,
  },
  failing: {
    color: 'orange',
    label: TEXTS.retrying,
    hint: TEXTS.retryingHint,
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
