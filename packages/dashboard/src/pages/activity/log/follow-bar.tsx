import { Button, Group, Switch, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { snapshot } from '../../../api/live.ts'
import { useStore } from '../../../lib/store.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import type { Follow } from '../../log/follow.ts'
import { TEXTS } from '../texts.tsx'

const LABELS: Readonly<Record<Follow, string>> = {
  following: TEXTS.following,
  reading: TEXTS.pausedWhileYouRead,
  older: TEXTS.viewingOlderEntries,
  off: TEXTS.notFollowing,
}

export function FollowBar({ follow }: { follow: Follow }) {
  const [state, change] = useUrlState()
  const latest = useStore(snapshot)?.logs[0]?.id ?? 0
  // The newest log entry, filtered or not, when the log was last followed.
  const [known, setKnown] = useState(latest)
  useEffect(() => {
    if (follow === 'following' || known === 0) setKnown(latest)
  }, [follow, known, latest])
  const isBehind = follow === 'reading' && known > 0 && latest > known
  const resume = () => {
    change({ line: null })
    window.scrollTo({ top: 0 })
  }
  return (
    <Group gap="sm" mb="xs" mih={30}>
      <Switch
        size="sm"
        label={TEXTS.follow}
        checked={state['follow'] !== 'off'}
        disabled={follow === 'older'}
        onChange={({ currentTarget }) => change({ follow: currentTarget.checked ? null : 'off' })}
      />
      <Text size="xs" c="dimmed" data-follow={follow}>
        {isBehind ? TEXTS.pausedWithNewerEntries : LABELS[follow]}
      </Text>
      {isBehind && (
        <Button size="compact-xs" variant="light" onClick={resume}>
          {TEXTS.showNewest}
        </Button>
      )}
    </Group>
  )
}
