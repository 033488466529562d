import { Alert, Loader, Text } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { rejectedPushPageQuery } from '../../../api/rejected-pushes.ts'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { TEXTS } from '../texts.tsx'

/** Waits for the first push of a platform, and shows whether it was accepted or rejected. */
export function FirstPush({ platform }: { platform: PlatformDetails }) {
  const { id, platform_name, last_push_at } = platform
  const query = new URLSearchParams({ platform: platform_name, limit: '1' })
  const rejected = useQuery(rejectedPushPageQuery(`${query}`))
  const push = rejected.data?.rejected_pushes.find((one) => one.method !== 'pull')
  const tab = { to: '/dashboard/platforms/$id', params: { id: String(id) } } as const
  if (last_push_at !== null) {
    return (
      <Alert
        color="green"
        variant="light"
        icon={<IconCircleCheck />}
        title={TEXTS.firstPushReceived}
        role="status"
      >
        <Text size="sm" component="div">
          {TEXTS.firstPushAcceptedAt(<Time at={last_push_at} />)}
        </Text>
      </Alert>
    )
  }
  if (push) {
    return (
      <Alert
        color="orange"
        variant="light"
        icon={<IconAlertTriangle />}
        title={TEXTS.pushRejected}
        role="status"
      >
        <Text size="sm">{push.message}</Text>
        <PageLink {...tab} search={{ tab: 'pushes' }} size="sm">
          {TEXTS.viewRejectedPush}
        </PageLink>
      </Alert>
    )
  }
  return (
    <Alert
      color="blue"
      variant="light"
      icon={<Loader size={18} aria-hidden />}
      title={TEXTS.waitingFirstPush}
      role="status"
    >
      {TEXTS.waitingFirstPushHint}
    </Alert>
  )
}
