import { Group } from '@mantine/core'
import type { InboxItem } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { snapshot } from '../../api/live.ts'
import { platformQuery } from '../../api/platforms.ts'
import { LinkButton } from '../../components/link-button.tsx'
import { useStore } from '../../lib/store.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TestButton } from '../platforms/test-button.tsx'
import { PullNowButton } from '../pulls/pull-now-button.tsx'

/** What can be done about a fault, on its page or where it is decided. */
export function ItemActions({ item }: { item: InboxItem }) {
  const { kind, platform } = item
  const canOperate = useHasRole('operator')
  const isOfConnection = kind === 'pulls_failing' || kind === 'certificate_expiring'
  return (
    <Group gap="xs" my="md">
      {isOfConnection && canOperate && platform && <Connection id={platform.id} />}
      <Target item={item} />
    </Group>
  )
}

function Connection({ id }: { id: number }) {
  const platform = useQuery(platformQuery(id)).data
  const summary = useStore(snapshot)?.platforms.find((one) => one.id === id)
  return (
    <>
      {platform && <TestButton platform={platform} />}
      {summary && <PullNowButton platform={summary} />}
    </>
  )
}

/** The place where a fault is decided. */
function Target({ item: { kind, platform, record_type } }: { item: InboxItem }) {
  const name = platform?.platform_name ?? ''
  if (kind === 'push_errors') {
    return (
      <LinkButton
        to="/dashboard/inbox"
        search={{ tab: 'push-errors', platform: name }}
        variant="default"
      >
        Show the requests
      </LinkButton>
    )
  }
  if (kind === 'no_backup') {
    return (
      <LinkButton to="/dashboard/settings" search={{ tab: 'backups' }} variant="default">
        Make a backup
      </LinkButton>
    )
  }
  if (platform === null) return null
  const tab = TAB_OF[kind]
  if (tab === undefined) return null
  return (
    <LinkButton
      to="/dashboard/platforms/$id"
      params={{ id: String(platform.id) }}
      search={{
        ...(tab.name === '' ? {} : { tab: tab.name }),
        ...(record_type === null ? {} : { module: record_type }),
      }}
      variant="default"
    >
      {tab.label}
    </LinkButton>
  )
}

const TAB_OF: Partial<Record<InboxItem['kind'], { name: string; label: string }>> = {
  pulls_failing: { name: 'pulls', label: 'Show its pulls' },
  drift: { name: '', label: 'Show the differences' },
  key_expiring: { name: 'settings', label: 'Show its keys' },
}
