import { Button, Group, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { Dot } from '../../components/dot.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import type { Follow } from './follow.ts'

const LABELS: Readonly<Record<Follow, string>> = {
  following: 'follows live',
  reading: 'Paused while you read.',
  older: 'Older entries. New ones appear on the first page.',
  off: 'does not follow',
}

/** Whether new entries appear at the top of a log, and the button that changes it. */
export function FollowState({ follow, isBehind = false }: { follow: Follow; isBehind?: boolean }) {
  const [state, change] = useUrlState()
  const isOff = state['follow'] === 'off'
  const showNewest = () => {
    change({ line: null, request: null })
    window.scrollTo({ top: 0 })
  }
  return (
    <Group gap="xs" ml="auto" wrap="nowrap">
      <Text size="xs" c="dimmed" data-follow={follow} style={{ whiteSpace: 'nowrap' }}>
        {follow === 'following' && <Dot color="green" />}{' '}
        {isBehind ? `${LABELS[follow]} There are newer entries.` : LABELS[follow]}
      </Text>
      {follow === 'reading' && (
        <Button size="compact-xs" variant="default" onClick={showNewest}>
          Show newest
        </Button>
      )}
      {follow !== 'older' && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={isOff ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
          onClick={() => change({ follow: isOff ? null : 'off' })}
        >
          {isOff ? 'Follow' : 'Pause'}
        </Button>
      )}
    </Group>
  )
}
