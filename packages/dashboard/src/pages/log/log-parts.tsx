/** What several logs show. */
import { Button, Group, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import {
  IconChevronDown,
  IconChevronRight,
  IconPlayerPause,
  IconPlayerPlay,
} from '@tabler/icons-react'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { aboutQuery } from '../../api/settings.ts'
import { Dot } from '../../components/dot.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { formatCount } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import type { Follow } from './follow.ts'
import classes from './log.module.css'

const LABELS: Readonly<Record<Follow, string>> = {
  following: 'follows live',
  reading: 'Paused while you read.',
  older: 'Older entries. New ones appear on the first page.',
  off: 'does not follow',
}

/** Reads a log again when it begins to be followed. */
export function useFollowing({ refetch }: Pick<UseQueryResult, 'refetch'>, isFollowing: boolean) {
  useEffect(() => {
    if (isFollowing) void refetch({ cancelRefetch: false })
  }, [isFollowing, refetch])
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

/** How many entries a line sums up; shows them. */
export function FoldButton(props: { count: number; isOpen: boolean; onClick: () => void }) {
  const { count, isOpen, onClick } = props
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <UnstyledButton className={classes['fold'] ?? ''} aria-expanded={isOpen} onClick={onClick}>
      {count} × <Chevron size={14} aria-hidden />
      <VisuallyHidden>{isOpen ? 'Collapse' : 'Expand'}</VisuallyHidden>
    </UnstyledButton>
  )
}

/** For how long the hub keeps the entries of a log, with a link to the setting. */
export function Retention({ name }: { name: 'activity' | 'audit' }) {
  const days = useQuery(aboutQuery()).data?.about.retention.days[name]
  if (days === undefined) return null
  return (
    <>
      {days === 0
        ? 'Nothing is deleted ('
        : `Entries older than ${formatCount(days, 'day')} are deleted (`}
      <PageLink inherit to="/dashboard/settings" search={{ tab: 'retention' }} underline="always">
        retention
      </PageLink>
      ).
    </>
  )
}
