import { Badge, Text, Tooltip } from '@mantine/core'
import { type Connection, connection, snapshotAge } from '../api/live.ts'
import { formatSeconds } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { useNow } from '../lib/use-now.ts'
import { TEXTS } from '../texts.ts'

const STATES: Readonly<Record<Connection, { color: string; label: string; hint: string }>> = {
  connecting: {
    color: 'gray',
    label: TEXTS.connecting,
    hint: TEXTS.connectingHint,
  },
  polling: { color: 'green', label: TEXTS.updated, hint: TEXTS.refreshesEvery10S },
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

/** Whether the page is up to date: live, or the age of what it shows. */
export function ConnectionState() {
  const state = useStore(connection)
  const { color, label, hint } = STATES[state]
  const isCurrent = state === 'live' || state === 'connecting'
  const age = formatSeconds(snapshotAge(useNow(!isCurrent)))
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
        {isCurrent ? (
          label
        ) : (
          // Screen readers would read each second.
          <span aria-hidden>
            <Text span inherit {...(state === 'polling' ? { visibleFrom: 'xs' } : {})}>
              {label}{' '}
            </Text>
            {TEXTS.ago(age)}
          </span>
        )}
      </Badge>
    </Tooltip>
  )
}
