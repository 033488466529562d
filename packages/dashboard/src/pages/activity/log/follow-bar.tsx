import { Button, Group, Switch, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { snapshot } from '../../../api/live.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { useStore } from '../../../lib/use-store.ts'
import type { Follow } from './follow.ts'

const WORDS: Readonly<Record<Follow, string>> = {
  following: 'New lines appear on top by themselves.',
  reading: 'Paused while you read.',
  elsewhere: 'These lines are older; new ones appear among the newest.',
  off: 'New lines do not appear by themselves.',
}

export function FollowBar({ follow }: { follow: Follow }) {
  const [state, change] = useUrlState()
  const latest = useStore(snapshot)?.logs[0]?.id ?? 0
  // The newest line of the log, filtered or not, when it was last followed.
  const [known, setKnown] = useState(latest)
  useEffect(() => {
    if (follow === 'following' || known === 0) setKnown(latest)
  }, [follow, known, latest])
  const isBehind = follow === 'reading' && known > 0 && latest > known
  const goOn = () => {
    change({ line: null })
    window.scrollTo({ top: 0 })
  }
  return (
    <Group gap="sm" mb="xs" mih={30}>
      <Switch
        size="sm"
        label="Follow"
        checked={state['follow'] !== 'off'}
        disabled={follow === 'elsewhere'}
        onChange={({ currentTarget }) => change({ follow: currentTarget.checked ? null : 'off' })}
      />
      <Text size="xs" c="dimmed" data-follow={follow}>
        {isBehind ? 'Paused while you read. The log has newer lines.' : WORDS[follow]}
      </Text>
      {isBehind && (
        <Button size="compact-xs" variant="light" onClick={goOn}>
          Show them
        </Button>
      )}
    </Group>
  )
}
