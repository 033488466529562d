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
import { MessageText } from '../../components/message-text.tsx'
import { PageLink, PullLink } from '../../components/page-link.tsx'
import { formatCount } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { type LogRow, splitMessage } from './activity-rows.ts'
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

/** The message of a line with what it is about, and how many entries it sums up. */
export function Event(props: { row: LogRow; isOpen: boolean; onFold: () => void }) {
  const { entry, entries } = props.row
  const { before, link, after } = splitMessage(entry)
  const more = entries.length - 1
  return (
    <Text size="sm" span>
      <MessageText message={before} />
      {link && <Subject {...link} />}
      {link && more > 0 && ` and ${more} more`}
      <MessageText message={after} />
      {more > 0 && (
        <FoldButton count={entries.length} isOpen={props.isOpen} onClick={props.onFold} />
      )}
    </Text>
  )
}

/** The reference or the pull of an entry. */
function Subject({ text, record, pull }: NonNullable<ReturnType<typeof splitMessage>['link']>) {
  if (record !== null) {
    const search = { record: String(record) }
    return (
      <PageLink to="/dashboard/records" search={search} inherit underline="always">
        {text}
      </PageLink>
    )
  }
  if (pull === null) return text
  return (
    <PullLink id={pull} inherit underline="always">
      {text}
    </PullLink>
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
